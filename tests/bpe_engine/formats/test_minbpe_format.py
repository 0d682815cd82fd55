"""The `.model` files of minbpe: what is read and written, and what hostile files are told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_engine import VocabularyError
from bpe_engine.formats.minbpe import MinbpeModel, dump_minbpe, parse_minbpe, tokens_of_merges

FILE = b"minbpe v1\n'x| ?\\p{L}+\n2\n<|end|> 258\n<a b> 300\n97 97\n256 98\n"


def test_read() -> None:
    model = parse_minbpe(FILE, "x.model")
    assert model == MinbpeModel("'x| ?\\p{L}+", {(97, 97): 256, (256, 98): 257}, {"<|end|>": 258, "<a b>": 300})
    assert dump_minbpe(model) == FILE
    assert parse_minbpe(FILE.replace(b"\n", b"\r\n"), "windows.model") == model
    assert parse_minbpe(FILE.removesuffix(b"\n"), "no last line end.model") == model
    assert tokens_of_merges(model.merges)[257] == b"aab"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", ":1: expected 'minbpe v1', not an empty file"),
        (b"minbpe v2\n", ":1: expected 'minbpe v1', not 'minbpe v2'"),
        (b"minbpe v1\n", ":2: the file ends"),
        (b"minbpe v1\n\n", ":3: the file ends"),
        (b"minbpe v1\n\nmany\n", ":3: expected the number"),
        (b"minbpe v1\n\n-1\n", ":3: expected the number"),
        (b"minbpe v1\n\n1152921504606846976\n", ":3: expected the number"),
        (b"minbpe v1\n\n1000000000\n", ":3: 1000000000 special tokens are claimed"),
        (b"minbpe v1\n\n" + b"9" * 100_000 + b"\n", ":3: expected the number"),
        (b"minbpe v1\n\n1\nend\n", ":4: expected a special token"),
        (b"minbpe v1\n\n1\nend x\n", ":4: expected a special token"),
        (b"minbpe v1\n\n2\nend 300\nend 300\n", ":5: the special token 'end' occurs twice"),
        (b"minbpe v1\n\n0\n97\n", ":4: expected two ids"),
        (b"minbpe v1\n\n0\n97 97 97\n", ":4: expected two ids"),
        (b"minbpe v1\n\n0\n97 -97\n", ":4: expected two ids"),
        (b"minbpe v1\n\n0\n97 x\n", ":4: expected two ids"),
        (b"minbpe v1\n\n0\n\n", ":4: expected two ids"),
        (b"minbpe v1\n\n0\n97 256\n", ":4: the token 256 does not exist yet"),
        (b"minbpe v1\n\n0\n97 98\n9999999999 1\n", ":5: the token 9999999999 does not exist yet"),
        (b"minbpe v1\n\n0\n97 98\n97 98\n", ":5: the pair 97 98 already makes the token 256"),
        (b"minbpe v1\n\n0\n97 \xff\n", ":4: not UTF-8"),
    ],
)
def test_damaged_files(data: bytes, message: str) -> None:
    with pytest.raises(VocabularyError) as raised:
        parse_minbpe(data, "bad.model")
    assert str(raised.value).startswith("bad.model" + message)


def test_forty_lines_do_not_ask_for_a_terabyte() -> None:
    lines = [b"minbpe v1", b"", b"0", b"97 97", *(b"%d %d" % (token, token) for token in range(256, 296))]
    with pytest.raises(VocabularyError, match="more than the 67108864 that are allowed"):
        parse_minbpe(b"\n".join(lines), "bomb.model")


def test_what_cannot_be_written() -> None:
    with pytest.raises(VocabularyError, match="where 256 is next"):
        dump_minbpe(MinbpeModel("", {(97, 97): 300}))


@given(st.integers(0, len(FILE) - 1), st.binary(max_size=3), st.booleans())
def test_mutated_files(place: int, instead: bytes, cut: bool) -> None:
    """Whatever a file says, it is read or refused; what is read can be written and read again."""
    data = FILE[:place] + instead + (b"" if cut else FILE[place + 1 :])
    try:
        model = parse_minbpe(data, "mutated.model")
    except VocabularyError as error:
        assert str(error).startswith("mutated.model:")  # noqa: PT017 - there need not be one
    else:
        assert parse_minbpe(dump_minbpe(model), "again.model") == model
        assert len(tokens_of_merges(model.merges)) == 256 + len(model.merges)
