"""Files that ask for too much: an expression that backtracks for ever, stages that make a text grow without end, half a character."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from bpe_engine import (
    BpeEngineError,
    EncodingError,
    Pattern,
    PatternError,
    Tokenizer,
    Vocabulary,
    VocabularyError,
    implementation,
)
from bpe_engine.formats.tokenizer_json import parse_tokenizer_json
from bpe_engine.pipeline.specification import AddedToken, Specification
from bpe_engine.text import patience

DOUBLED: dict[str, Any] = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}
DOUBLED_BY_EXPRESSION: dict[str, Any] = {"type": "Replace", "pattern": {"Regex": "a"}, "content": "aa"}
BACKTRACKING = "(a|aa)+$"
HOSTILE = "a" * 60 + "b"


def load(**parts: Any) -> Tokenizer:
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}
    return Tokenizer.from_specification(parse_tokenizer_json(json.dumps({"model": model} | parts).encode(), "bad.json"))


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "SECONDS", 0.2)


@pytest.mark.usefixtures("impatient")
def test_an_expression_that_backtracks_for_ever() -> None:
    # It looks behind, so the core leaves it to the `regex` package.
    looks_behind = BACKTRACKING.removesuffix("$") + "(?<=a)$"
    tokenizer = load(pre_tokenizer={"type": "Split", "pattern": {"Regex": looks_behind}, "behavior": "Isolated"})
    assert tokenizer.count("ab") == 1
    for work in (tokenizer.encode, tokenizer.count, tokenizer.split, tokenizer.encode_with_offsets):
        with pytest.raises(EncodingError, match=r"searching 61 characters for '.*' takes more than 0.201 seconds"):
            work(HOSTILE)


@pytest.mark.usefixtures("impatient")
def test_the_core_does_not_backtrack() -> None:
    tokenizer = load(pre_tokenizer={"type": "Split", "pattern": {"Regex": BACKTRACKING}, "behavior": "Isolated"})
    if implementation() == "python":
        with pytest.raises(EncodingError, match="takes more than"):
            tokenizer.encode(HOSTILE)
    else:
        assert tokenizer.encode(HOSTILE) == [0] * 59 + [2]  # one piece, in which "a" and "b" merge
        assert tokenizer.encode("b" + HOSTILE[:-1]) == [1] + [0] * 60
        assert tokenizer.count(HOSTILE * 2000) == len(tokenizer.encode(HOSTILE * 2000))


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("behaviour", ["match", "split"])
def test_a_pattern_that_backtracks_for_ever(behaviour: Any) -> None:
    bytes_alone = {bytes([byte]): byte for byte in range(256)}
    tokenizer = Tokenizer(Vocabulary("own", bytes_alone, {}, Pattern("(?<!q)" + BACKTRACKING, behaviour)))
    assert tokenizer.count("aa") == 2
    with pytest.raises(EncodingError, match="takes more than"):
        tokenizer.count(HOSTILE)


@pytest.mark.usefixtures("impatient")
@pytest.mark.skipif(implementation() == "python", reason="there is no core")
@pytest.mark.parametrize("behaviour", ["match", "split"])
@pytest.mark.parametrize("source", [BACKTRACKING, "(?:a|a?)+b|.", "(a*)*c|a", "a{1,20}?c|a|b"])
def test_a_pattern_of_a_vocabulary_does_not_backtrack(source: str, behaviour: Any) -> None:
    """Each of these takes `regex` for ever on the first text, and the core goes through 16,000 of them."""
    bytes_alone = {bytes([byte]): byte for byte in range(256)}
    tokenizer = Tokenizer(Vocabulary("own", bytes_alone, {}, Pattern(source, behaviour)))
    assert tokenizer.is_native
    once = tokenizer.encode(HOSTILE)
    whole = HOSTILE.encode()
    assert tokenizer.decode_bytes(once) in ((whole,) if behaviour == "split" else (whole, whole[:-1], b""))
    text = HOSTILE * 16_000
    assert tokenizer.count(text) == len(tokenizer.encode(text))
    encoder = tokenizer.appending_encoder()
    for start in range(0, len(text), 50_000):
        encoder.append(text[start : start + 50_000])
    assert encoder.count == tokenizer.count(text)


@pytest.mark.usefixtures("impatient")
def test_many_matches_share_the_time() -> None:
    """Each of them takes less."""
    bytes_alone = {bytes([byte]): byte for byte in range(256)}
    tokenizer = Tokenizer(Vocabulary("own", bytes_alone, {}, Pattern("(?<!q)(?:a|aa)+c|z")))
    with pytest.raises(EncodingError, match="takes more than"):
        tokenizer.count(("a" * 18 + "z") * 2000)


@pytest.mark.parametrize("stage", [DOUBLED, DOUBLED_BY_EXPRESSION], ids=["text", "expression"])
def test_normalizers_that_make_a_text_grow_without_end(stage: dict[str, Any]) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(BpeEngineError, match=r"the normalizers make more than [0-9]+ characters of"):
            load(normalizer={"type": "Sequence", "normalizers": [stage] * 40}).encode_with_offsets("a" * 30)
        with pytest.raises(BpeEngineError, match=r"the normalizers make more than [0-9]+ characters of"):
            load(normalizer={"type": "Sequence", "normalizers": [stage] * 40}).encode("a" * 30)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 400_000_000


def test_normalizers_that_make_a_text_grow() -> None:
    """Not more than any sensible ones do: 64 for each."""
    tokenizer = load(normalizer={"type": "Sequence", "normalizers": [DOUBLED] * 6})
    assert tokenizer.count("a" * 1000) == 64_000


def test_decoders_that_make_a_text_grow_without_end() -> None:
    tokenizer = load(decoder={"type": "Sequence", "decoders": [DOUBLED] * 40})
    with pytest.raises(BpeEngineError, match=r"the decoders make more than [0-9]+ characters of"):
        tokenizer.decode([0])


@pytest.mark.parametrize("repeated", ["{2}", "{2,3}", "{2,}"])
def test_repetitions_inside_each_other(repeated: str) -> None:
    source = "(?:" * 30 + "ab" + f"){repeated}" * 30
    with pytest.raises(BpeEngineError, match="repeat more than 1000 times"):
        load(pre_tokenizer={"type": "Split", "pattern": {"Regex": source}, "behavior": "Isolated"})
    with pytest.raises(PatternError, match="repeat more than 1000 times"):
        Tokenizer(Vocabulary("own", {b"a": 0}, {}, Pattern(source)))


@pytest.mark.parametrize(
    "parts",
    [
        {"added_tokens": [{"id": 3, "content": "\ud800", "special": True}]},
        {"added_tokens": [{"id": 3, "content": "<\udc80>", "special": False}]},
        {"normalizer": {"type": "Prepend", "prepend": "\ud800"}},
        {"normalizer": {"type": "Replace", "pattern": {"String": "a"}, "content": "\udfff"}},
        {"pre_tokenizer": {"type": "Metaspace", "replacement": "\ud800", "prepend_scheme": "always"}},
        {"decoder": {"type": "Replace", "pattern": {"String": "a"}, "content": "\ud800\ud800"}},
        {"\ud800": None},
    ],
)
def test_half_a_character_in_a_tokenizer_json(parts: dict[str, Any]) -> None:
    """As `tokenizers`, which refuses the whole file."""
    with pytest.raises(VocabularyError, match=r"bad.json:1: \\u[0-9a-f]{4} is a lone surrogate"):
        load(**parts)


def test_whole_characters_in_escapes() -> None:
    text = "\\ud83d\\udc4d \\\\ud800"
    tokens = json.dumps([{"id": 3, "content": "TEXT", "special": True}]).replace("TEXT", text)
    file = f'{{"added_tokens": {tokens}, "model": {{"type": "BPE", "vocab": {{"a": 0}}, "merges": []}}}}'
    tokenizer = Tokenizer.from_specification(parse_tokenizer_json(file.encode(), "good.json"))
    assert tokenizer.special_tokens_set == {"\U0001f44d \\ud800"}


def test_half_a_character_in_a_tekken_json(tmp_path: Path) -> None:
    path = tmp_path / "tekken.json"
    path.write_text('{"config": {}, "vocab": [],\n"special_tokens": [{"rank": 0, "token_str": "\\uD800"}]}')
    with pytest.raises(VocabularyError, match=r"tekken.json:2: \\uD800 is a lone surrogate"):
        Tokenizer.from_file(path)


def test_half_a_character_without_a_file() -> None:
    with pytest.raises(VocabularyError, match="contains a lone surrogate"):
        Vocabulary("own", {b"a": 0}, {"<\ud800>": 1})
    with pytest.raises(VocabularyError, match=r"own: the added token .* contains a lone surrogate"):
        Specification(name=None, source="own", tokens={0: b"a"}, added_tokens=(AddedToken("\udfff", 1),))
