"""tokenizer.json files of WordPiece, Unigram and WordLevel: run by the core, equal to `tokenizers` on every character, refused where they make no sense."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
import tokenizers
from growing_programs import EDGES, run_at_random
from huggingface_files import OTHER_MODELS, both, family
from real_tokenizers import of_tokenizers
from small_tokenizers import corpus, small
from tokenizers import normalizers

from bpe_engine import EncodingError, Tokenizer, UnsupportedModelError, VocabularyError, implementation
from bpe_engine.formats.tokenizer_json import parse_tokenizer_json
from bpe_engine.pipeline.characters import code_points

# All of Unicode but for what is like its neighbours; in Python a part of it.
CHARACTERS = [
    chr(point)
    for point in range(0x110000)
    if (point < 0x3500 or 0x9F00 <= point < 0xAD00 or 0xD700 <= point < 0x20100 or point % 2011 == 0)
    and not 0xD800 <= point < 0xE000
    and not (0xE010 <= point < 0xF8F0)
]


def check(ours: Tokenizer, theirs: Any, texts: Iterator[str] | list[str]) -> None:
    """The ids, the count and the offsets of each text are theirs."""
    for text, expected in zip(texts, theirs.encode_batch(list(texts), add_special_tokens=False), strict=True):
        ids, starts = ours.encode_with_offsets(text, unit="characters")
        assert (text, ids) == (text, expected.ids)
        assert (text, starts) == (text, [start for start, _ in expected.offsets])
        assert ours.encode(text) == ids
        assert ours.count(text) == len(ids)


def before_marks(characters: list[str]) -> list[str]:
    """Each after a letter and before a mark that may join it; alone and between letters they are in `test_every_code_point`."""
    return [f"e{one}\u0301" for one in characters]


@pytest.mark.parametrize("name", OTHER_MODELS)
def test_characters_before_marks(name: str) -> None:
    theirs, ours = both(family(name))
    assert ours.specification is not None
    runs_natively = implementation() == "cpp"
    assert ours.is_native == runs_natively
    step = 97 if not runs_natively else 1 if name in ("bert, uncased", "t5") else 11
    check(ours, theirs, before_marks(CHARACTERS[::step]))
    check(ours, theirs, [*corpus()[: 200 if runs_natively else 20], "".join(corpus()[:60])])


@pytest.mark.parametrize("name", ["bert, uncased", "t5", "albert", "word level"])
def test_decoding(name: str) -> None:
    theirs, ours = tokenizers.Tokenizer.from_str(family(name)), both(family(name))[1]
    for decoder in (
        {"type": "WordPiece", "prefix": "##", "cleanup": True},
        {"type": "WordPiece", "prefix": "##", "cleanup": False},
        None,
    ):
        data = json.loads(family(name))
        data["decoder"] = decoder
        theirs = tokenizers.Tokenizer.from_str(json.dumps(data))
        ours = Tokenizer.from_specification(parse_tokenizer_json(json.dumps(data).encode(), "a file"))
        for text in (*corpus()[:50], "i do not , well . it 's i 'm ! ' we 've ?", ""):
            ids = ours.encode(text)
            assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)
            stream = ours.stream_decoder()
            assert "".join(stream.push(token) for token in ids) + stream.finish() == ours.decode(ids)


def test_the_characters_of_nmt() -> None:
    theirs = tokenizers.normalizers.Nmt()
    every = [point for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    left_out = [point for point in every if theirs.normalize_str(chr(point)) == ""]
    spaces = [point for point in every if point != 0x20 and theirs.normalize_str(chr(point)) == " "]
    for kind, points in (("nmt_control", left_out), ("nmt_space", spaces)):
        assert [point for first, last in code_points(kind) for point in range(first, last + 1)] == points


@pytest.mark.parametrize(("option", "kind"), [("clean_text", "control"), ("handle_chinese_chars", "ideograph"), ("strip_accents", "nonspacing")])  # fmt: skip
def test_the_characters_of_bert(option: str, kind: str) -> None:
    options = dict.fromkeys(("clean_text", "handle_chinese_chars", "strip_accents", "lowercase"), False)
    theirs = tokenizers.normalizers.BertNormalizer(**{**options, option: True})
    changed = {"control": "", "ideograph": " {} ", "nonspacing": ""}[kind]
    every = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    points = [ord(one) for one in every if theirs.normalize_str(one) == changed.format(one)]
    assert [point for first, last in code_points(kind) for point in range(first, last + 1)] == points


def test_minilm() -> None:
    theirs, ours = of_tokenizers("minilm")
    assert ours.specification is not None
    assert ours.is_native == (implementation() == "cpp")
    assert (ours.prefix, ours.suffix) == ((101,), (102,))
    check(ours, theirs, before_marks(CHARACTERS[:: 1 if ours.is_native else 97]))
    check(ours, theirs, [*corpus()[: None if ours.is_native else 20], "".join(corpus()[:100])])
    for text in corpus()[:50]:
        ids = ours.encode(text, add_special_tokens=True)
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)


def test_minilm_grows() -> None:
    random = Random(1)
    ours = of_tokenizers("minilm")[1]
    edges = [*EDGES, "[MASK]", "word", "É", "\t", "\u0345", "x" * 120]
    run_at_random(ours, random, edges, 200 if implementation() == "cpp" else 10)


def changed(name: str, **entries: Any) -> bytes:
    data = json.loads(small(name).to_str())
    data["model"] |= entries
    return json.dumps(data).encode()


@pytest.mark.parametrize(
    ("name", "entries", "message"),
    [
        ("bert, uncased", {"vocab": {}}, r"model.vocab: there are no tokens"),
        ("bert, uncased", {"vocab": {"a": -1}}, r"model.vocab: the id of 'a'"),
        ("bert, uncased", {"unk_token": 1}, r"model.unk_token: expected a text"),
        ("bert, uncased", {"continuing_subword_prefix": 1}, r"model.continuing_subword_prefix: expected a text"),
        ("word level", {"vocab": []}, r"model.vocab: expected an object"),
        ("t5", {"vocab": []}, r"model.vocab: there are no tokens"),
        ("t5", {"vocab": {"a": 1}}, r"model.vocab: expected an array"),
        ("t5", {"vocab": [["a"]]}, r"model.vocab\[0\]: \['a'\] is not a token and its score"),
        ("t5", {"vocab": [["a", "b"]]}, r"is not a token and its score"),
        ("t5", {"vocab": [["a", float("nan")]]}, r"the score of 'a' is nan"),
        ("t5", {"unk_id": 1 << 40}, r"model.unk_id: \d+ is not the index of a token"),
        ("t5", {"unk_id": True}, r"model.unk_id: True is not the index of a token"),
        ("t5", {"byte_fallback": 1}, r"model.byte_fallback: expected true or false"),
    ],
)
def test_refused_with_its_place(name: str, entries: dict[str, Any], message: str) -> None:
    with pytest.raises(VocabularyError, match=message) as caught:
        parse_tokenizer_json(changed(name, **entries), "bad.json")
    assert str(caught.value).startswith("bad.json: ")


@pytest.mark.parametrize("most", [-1, 1001, sys.maxsize, 1 << 200])
def test_words_of_any_length_are_refused(most: int) -> None:
    with pytest.raises(
        UnsupportedModelError, match=r"bad.json: model.max_input_chars_per_word: -?\d+ characters a word"
    ):
        parse_tokenizer_json(changed("bert, uncased", max_input_chars_per_word=most), "bad.json")


def test_without_an_unknown_token() -> None:
    file = changed("bert, uncased", unk_token="[NONE]")
    ours = Tokenizer.from_specification(parse_tokenizer_json(file, "a file"))
    assert ours.count("the") > 0
    with pytest.raises(EncodingError):
        ours.count("\u1234\u1234")


@pytest.mark.skipif(implementation() != "cpp", reason="the normalizer of the core")
@pytest.mark.parametrize("text", ["ea\u0301", "xea\u0301x", "xea\u0323x", "eb", "xebx", "xeb\u0323x"])
def test_what_is_left_out_or_put_in_lets_others_join(text: str) -> None:
    steps = normalizers.Sequence([normalizers.Replace("a", ""), normalizers.Replace("b", "\u0301"), normalizers.NFC()])
    core = importlib.import_module("bpe_engine._core")
    ours = core.Normalizer.of_steps([("replace", "a", ""), ("replace", "b", "\u0301"), ("NFC", None, None)])
    assert ours.normalize(text) == steps.normalize_str(text)
