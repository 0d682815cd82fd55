"""The exactness law for tokenizers with stages: what grows, is rolled back or sliced counts as a fresh count of the same raw text."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from growing_programs import EDGES, run
from huggingface_files import FAMILIES, OTHER_MODELS, both, combination, crowded, family
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import broken_texts, byte_strings, texts
from thresholds import THRESHOLDS, thresholds_set_to
from tokenizers import AddedToken, models, pre_tokenizers
from tokenizers import Tokenizer as HuggingFaceTokenizer

from bpe_engine import AppendingEncoder, EncodingError, Tokenizer, VocabularyError
from bpe_engine.pipeline.expressions import Expression
from bpe_engine.pipeline.pre_tokenizers import Punctuation, Split, WhitespaceSplit
from bpe_engine.pipeline.specification import Specification


@pytest.fixture(params=THRESHOLDS, autouse=True, scope="module")
def thresholds(request: pytest.FixtureRequest) -> Iterator[None]:
    """Once as it is, once with every threshold of the engine in Python so small that short texts take the ways that only long ones take."""
    with thresholds_set_to(request.param):
        yield


pieces = st.one_of(st.sampled_from(EDGES), st.sampled_from(EDGES), texts(4))
grow = st.tuples(st.just("grow"), pieces)
snapshot = st.tuples(st.just("snapshot"), st.just(""))
rollback = st.tuples(st.just("rollback"), st.integers(0, 1 << 16))
programs = st.lists(st.one_of(grow, grow, grow, snapshot, rollback), max_size=14)


@pytest.mark.parametrize("appends", [True, False], ids=["appending", "prepending"])
@pytest.mark.parametrize("name", [*FAMILIES, *OTHER_MODELS])
@settings(max_examples=15)
@given(program=programs)
def test_growing(name: str, appends: bool, program: list[tuple[str, Any]]) -> None:
    run(both(family(name))[1], program, appends=appends)


@pytest.mark.parametrize("name", [*FAMILIES, *OTHER_MODELS])
@settings(max_examples=15)
@given(text=st.lists(pieces, max_size=14).map("".join), data=st.data())
def test_slices(name: str, text: str, data: st.DataObject) -> None:
    ours = both(family(name))[1]
    prices = ours.interval_encoder(text)
    assert len(prices) == len(text)
    for _ in range(6):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, len(text)))
        assert prices.count(start, end) == ours.count(text[start:end])


@settings(max_examples=40)
@given(
    seed=st.integers(0, 1 << 32),
    program=programs,
    other=programs,
    text=st.lists(pieces, max_size=10).map("".join),
    data=st.data(),
)
def test_any_combination(
    seed: int, program: list[tuple[str, Any]], other: list[tuple[str, Any]], text: str, data: st.DataObject
) -> None:
    try:
        ours = both.__wrapped__(combination(seed))[1]
    except VocabularyError:  # nothing is left of an added token
        return
    run(ours, program, appends=True)
    run(ours, other, appends=False)
    prices = ours.interval_encoder(text)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assert prices.count(start, end) == ours.count(text[start:end])


DENSE = st.lists(
    st.text("abcthe x<>\u0301ABé", min_size=1, max_size=3) | st.sampled_from(["the", "<x>", " a"]), max_size=8
)


@pytest.mark.parametrize("name", [*FAMILIES, *OTHER_MODELS])
@settings(max_examples=6)
@given(unit=st.lists(pieces, min_size=1, max_size=3).map("".join).filter(bool), program=programs)
def test_what_is_put_before_a_long_run(name: str, unit: str, program: list[tuple[str, Any]]) -> None:
    """Runs without a cut, which an encoder that grows to the left does not read again."""
    long = [("grow", unit * (700 // len(unit))), ("snapshot", "")]
    run(both(family(name))[1], [*long, *program, ("grow", unit), *program], appends=False)


@pytest.mark.parametrize("appends", [True, False], ids=["appends", "prepends"])
@pytest.mark.parametrize("name", [*FAMILIES, *OTHER_MODELS])
def test_ways_back_to_the_middle_of_a_character(name: str, appends: bool) -> None:
    """At the end of a long run: bytes of a character are characters of their own until it is whole, also when it was whole before."""
    ours = both(family(name))[1]
    for unit in ("\u3000", "中", "é"):
        whole = unit.encode()
        for cut in range(1, len(whole)):
            there, missing = (whole[:cut], whole[cut:]) if appends else (whole[cut:], whole[:cut])
            program: list[tuple[str, Any]] = [("grow", whole * 300), ("grow", there), ("snapshot", "")]
            for more in (missing, b"x" + missing, missing + b"x", "é".encode() + missing, missing * 2):
                program += [("grow", more), ("grow", whole), ("rollback", 0)]
            run(ours, program, appends=appends)


@settings(max_examples=60)
@given(seed=st.integers(0, 1 << 32), grown=DENSE, data=st.data())
def test_added_tokens_where_much_is_put_before_and_taken_away(seed: int, grown: list[str], data: st.DataObject) -> None:
    """Few characters, so that added tokens, what is put before a text, and what is stripped meet at every step."""
    ours = both.__wrapped__(crowded(Random(seed)))[1]
    run(ours, [("grow", part) for part in grown], appends=True)
    run(ours, [("grow", part) for part in grown], appends=False)
    text = "".join(grown)
    start = data.draw(st.integers(0, len(text)))
    assert ours.interval_encoder(text).count(start, len(text)) == ours.count(text[start:])


broken = st.lists(st.one_of(st.tuples(st.just("grow"), st.one_of(broken_texts(3))), snapshot, rollback), max_size=8)
in_bytes = st.lists(st.one_of(st.tuples(st.just("grow"), byte_strings(3)), snapshot, rollback), max_size=8)


@pytest.mark.parametrize(
    "name", ["qwen2", "llama2", "falcon", "bert, uncased", "t5", "albert", "xlm-roberta", "word level"]
)
@settings(max_examples=25)
@given(program=st.one_of(broken, in_bytes))
def test_characters_that_come_in_parts(name: str, program: list[tuple[str, Any]]) -> None:
    run(both(family(name))[1], program, appends=True)
    run(both(family(name))[1], program, appends=False)


def test_slices_of_bytes() -> None:
    ours = both(family("qwen2"))[1]
    data = "e\u0301 <think> café".encode() + b"\xff the end, and more of it, so that there are some cuts. " * 4
    prices = ours.interval_encoder(data)
    for start in range(0, len(data), 3):
        for end in range(start, len(data), 7):
            assert prices.count(start, end) == ours.count(data[start:end])
    with pytest.raises(IndexError):
        prices.count(2, 1)


@pytest.mark.parametrize("name", FAMILIES)
def test_known_models_are_read_about_once(name: str) -> None:
    ours = both(family(name))[1]
    assert ours.is_incremental
    assert ours.is_native, ours.not_native


def test_stages_after_byte_level_see_bytes() -> None:
    theirs, ours = both(family("falcon"))
    # "ò" is C3 B2, written "Ã²", and "²" is a number.
    for text in ("òa", "xòò12345 ²³ é½", "中²١١٢ 1234567", "ò"):
        assert ours.encode(text) == theirs.encode(text, add_special_tokens=False).ids
    run(
        ours,
        [("grow", "ò" * 400), ("grow", "²1"), ("snapshot", ""), ("grow", "ò"), ("rollback", 0), ("grow", "é")],
        appends=False,
    )


def test_an_unknown_character_after_what_is_put_before_a_text() -> None:
    """Both are one token; by the engine in Python, for tokens that also match the white space beside them."""
    made = HuggingFaceTokenizer(models.BPE({"<unk>": 0, "ö": 1}, [], unk_token="<unk>", fuse_unk=True))
    made.pre_tokenizer = pre_tokenizers.Metaspace(split=False)
    made.add_tokens([AddedToken("  ", lstrip=True), AddedToken("<x>", lstrip=True, rstrip=True, normalized=False)])
    theirs, ours = both(made.to_str())
    assert not ours.is_native
    for text in ("<", "><", "ö><", "<ö", " <", "ö"):
        assert ours.count(text) == len(theirs.encode(text).ids)
        run(ours, [("grow", character) for character in reversed(text)], appends=False)
        run(ours, [("grow", character) for character in text], appends=True)


def test_without_known_cuts_the_whole_text_is_counted_again() -> None:
    tokens = {0: "a", 1: "b", 2: "ab", 3: ".", 4: "<unk>"}
    ours = Tokenizer.from_specification(
        Specification(
            name=None, source="x", tokens=tokens, alphabet="characters", merges=[(0, 1)], unknown=4,
            pre_tokenizers=(Split(Expression(r"(?<=b)\."), "merged_with_next"), WhitespaceSplit()),
        )
    )  # fmt: skip
    assert ours.specification is not None
    assert not ours.is_native
    assert not ours.is_incremental
    run(ours, [("grow", "ab"), ("snapshot", ""), ("grow", ". "), ("rollback", 0), ("grow", "?b.")], appends=True)
    assert ours.count_up_to("ab" * 50, 49) is None
    assert ours.count_up_to("ab" * 50, 50) == 50


def test_a_refused_text_leaves_the_encoder_as_it_was() -> None:
    tokens = {0: "a", 1: "b", 2: "ab"}
    stages = (WhitespaceSplit(), Punctuation())
    for chosen in ((), stages):
        ours = Tokenizer.from_specification(
            Specification(
                name=None, source="x", tokens=tokens, alphabet="characters", ranks={2: 7}, pre_tokenizers=chosen
            )
        )
        appending, prepending = ours.appending_encoder(), ours.prepending_encoder()
        appending.append("aba")
        prepending.prepend("aba")
        for encoder in (appending, prepending):
            with pytest.raises(EncodingError, match="'c' at character"):
                encoder.append("bc") if isinstance(encoder, AppendingEncoder) else prepending.prepend("cb")
            assert (encoder.text, encoder.count) == ("aba", 2)
