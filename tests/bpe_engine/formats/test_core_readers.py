"""What the core reads of tokenizer files is what the readers in Python read, and what it does not read, they refuse or read alike."""

from __future__ import annotations

import base64
import json
import pickle
import struct
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sentencepiece_files import unigram_model

from bpe_engine import VocabularyError, implementation
from bpe_engine.fallback.ranking import rank_by_pairs
from bpe_engine.formats import scores, sentencepiece, sentencepiece_file, tekken, tiktoken, tokenizer_json
from bpe_engine.formats.byte_alphabet import BYTE_OF_CHARACTER, characters_of
from bpe_engine.formats.json_files import parse_json
from bpe_engine.formats.tables import ReadMerges, ReadNumbers, ReadTokens
from bpe_engine.pipeline.specification import Specification

pytestmark = pytest.mark.skipif(implementation() != "cpp", reason="there is no compiled core")

READERS = (scores, sentencepiece, sentencepiece_file, tekken, tiktoken, tokenizer_json)


def outcome(read: Callable[[bytes, str], Any], data: bytes) -> Any:
    try:
        return read(data, "a file")
    except VocabularyError as error:
        return type(error), str(error)


def alike(read: Callable[[bytes, str], Any], data: bytes) -> Any:
    """What the core and Python both make of a file."""
    found = outcome(read, data)
    patches = [patch.object(module, "implementation", lambda: "python") for module in READERS]
    for one in patches:
        one.start()
    try:
        assert outcome(read, data) == found
    finally:
        for one in patches:
            one.stop()
    return found


def mutated(data: bytes, changes: list[tuple[int, bytes, int]]) -> bytes:
    for place, instead, size in changes:
        at = place % (len(data) + 1)
        data = data[:at] + instead + data[at + size :]
    return data


# Little that is put in the place of up to three bytes.
PIECES = (
    *(bytes([byte]) for byte in b'"\\{}[],: \n07-=A\x00\x01\xc3'),
    *(b"", b"\\u0061", b"\\ud83d\\ude00", b"\\ud800", b"\\n", b".5", b"e3", b"\xc3\xa9", b"null", b"\xed\xa0\x80"),
    *(b'"vocab":{},', b'"merges":[],', b"\x12\x02"),
)
changes = st.lists(st.tuples(st.integers(0, 1 << 16), st.sampled_from(PIECES), st.integers(0, 3)), max_size=3)


@st.composite
def tokenizer_files(draw: st.DrawFn) -> bytes:
    texts = ["a", "b", "ab", "ba", "aba", "é", "\U0001f600", "x y", 'q"', "", "<s>", "<unk>"]
    known = [text for text in texts if " " not in text]
    pairs = [(left, right) for left in known for right in known if left + right in texts]
    if draw(st.booleans()):
        texts += [character for character in BYTE_OF_CHARACTER if character not in texts] + [characters_of(b" a")]
    ids = list(range(len(texts)))
    seed = draw(st.integers(0, 9))
    if seed > 0:
        Random(seed).shuffle(ids)
    gap = draw(st.sampled_from([1, 7]))
    merges: list[Any] = draw(st.lists(st.sampled_from(pairs), max_size=5))
    if draw(st.booleans()):
        merges = [f"{left} {right}" for left, right in merges]
    model: dict[str, Any] = {
        "type": "BPE",
        "vocab": dict(zip(texts, (number * gap for number in ids), strict=True)),
        "merges": merges,
        "unk_token": draw(st.sampled_from([None, "<unk>", "none"])),
        "ignore_merges": draw(st.booleans()),
        "continuing_subword_prefix": draw(st.sampled_from([None, "", "b"])),
    }
    names = draw(st.permutations(list(model)))
    added = [{"id": model["vocab"]["<s>"], "content": "<s>", "special": True}]
    stage = draw(st.sampled_from([None, {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}]))
    file = {"added_tokens": added, "pre_tokenizer": stage, "model": {name: model[name] for name in names}}
    text = json.dumps(
        {name: file[name] for name in draw(st.permutations(list(file)))},
        ensure_ascii=draw(st.booleans()),
        indent=draw(st.sampled_from([None, 2])),
    )
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + text.encode()


@settings(max_examples=300)
@given(data=tokenizer_files(), damage=changes)
def test_tokenizer_json(data: bytes, damage: list[tuple[int, bytes, int]]) -> None:
    found = alike(tokenizer_json.parse_tokenizer_json, mutated(data, damage))
    if not damage and not isinstance(found, tuple):
        assert pickle.loads(pickle.dumps(found)) == found


@st.composite
def piece_model_files(draw: st.DrawFn) -> bytes:
    kind = draw(st.sampled_from(["WordPiece", "WordLevel", "Unigram"]))
    texts = draw(
        st.lists(st.sampled_from(["a", "##a", "b", "é", "\U0001f600", 'q"', "", "<unk>", "<0x61>"]), max_size=8)
    )
    some = st.one_of(st.integers(-9, 9), st.floats(allow_nan=False, allow_infinity=False), st.just(-1e400))
    vocabulary: Any = [[text, draw(some)] for text in texts]
    if kind != "Unigram":
        vocabulary = {text: 7 * number for number, text in enumerate(texts)}
    model = {
        "type": kind,
        "vocab": vocabulary,
        "unk_token": draw(st.sampled_from(["<unk>", "none"])),
        "unk_id": draw(st.sampled_from([None, 0, 99])),
        "byte_fallback": draw(st.booleans()),
        "max_input_chars_per_word": draw(st.sampled_from([None, 7])),
    }
    added = [{"id": 0, "content": draw(st.sampled_from(["a", "<s>"])), "special": True}]
    return json.dumps({"added_tokens": added, "model": model}, indent=draw(st.sampled_from([None, 1]))).encode()


@settings(max_examples=300)
@given(data=piece_model_files(), damage=changes)
def test_tokenizer_json_without_merges(data: bytes, damage: list[tuple[int, bytes, int]]) -> None:
    found = alike(tokenizer_json.parse_tokenizer_json, mutated(data, damage))
    if not damage and not isinstance(found, tuple):
        assert pickle.loads(pickle.dumps(found)) == found


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ({"type": "WordPiece", "vocab": {"a": 0, "##b": 1}, "unk_token": "a"}, {0: "a", 1: "##b"}),
        ({"type": "WordLevel", "vocab": {"b": 3, "a": 0}, "unk_token": "a"}, {0: "a", 3: "b"}),
        ({"type": "Unigram", "vocab": [["a", -1], ["ab", -2.5]], "unk_id": 0}, {0: "a", 1: "ab"}),
        (
            {
                "type": "BPE",
                "continuing_subword_prefix": "##",
                "vocab": {"a": 0, "##b": 1, "ab": 2},
                "merges": [["a", "##b"]],
            },
            {0: "a", 1: "##b", 2: "ab"},
        ),
    ],
)
def test_every_model_is_read_by_the_core(model: dict[str, Any], tokens: dict[int, str]) -> None:
    found = tokenizer_json.parse_tokenizer_json(json.dumps({"model": model}).encode(), "a file")
    assert isinstance(found.tokens, ReadTokens)
    assert found.tokens == tokens
    assert found.scores is None or (isinstance(found.scores, ReadNumbers) and found.scores == {0: -1.0, 1: -2.5})


def test_a_plain_file_is_read_by_the_core() -> None:
    file = {"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}, "pre_tokenizer": None}
    found = tokenizer_json.parse_tokenizer_json(json.dumps(file).encode(), "a file")
    assert isinstance(found.tokens, ReadTokens)
    assert isinstance(found.merges, ReadMerges)
    assert found.tokens == {0: "a", 1: "b", 2: "ab"}
    assert found.merges == [(0, 1)]


@settings(max_examples=200)
@given(
    ranks=st.dictionaries(st.binary(max_size=6), st.integers(0, 1 << 33), max_size=6),
    ends=st.sampled_from([b"\n", b"\r\n", b"\r", b"\n\n", b" \n"]),
    damage=changes,
)
@example(ranks={b"": 1, b"a": 0}, ends=b"\n", damage=[])
def test_tiktoken(ranks: dict[bytes, int], ends: bytes, damage: list[tuple[int, bytes, int]]) -> None:
    data = b"".join(base64.b64encode(token) + b" %d" % number + ends for token, number in ranks.items())
    alike(tiktoken.parse_tiktoken, mutated(data, damage))


TEKKEN = {
    "config": {"pattern": "a+", "default_vocab_size": 262, "default_num_special_tokens": 3, "version": "v13"},
    "vocab": [
        {"rank": rank, "token_bytes": base64.b64encode(token).decode(), "token_str": text}
        for rank, (token, text) in enumerate(
            [(bytes([byte]), None) for byte in range(256)] + [(b"ab", "ab"), (b"\xff\xfe", None), (b"abc", "abc")]
        )
    ],
    "special_tokens": [{"rank": 0, "token_str": "<s>", "is_control": True}],
}


@settings(max_examples=100)
@given(damage=changes, indent=st.sampled_from([None, 1]))
def test_tekken(damage: list[tuple[int, bytes, int]], indent: int | None) -> None:
    alike(tekken.parse_tekken, mutated(json.dumps(TEKKEN, indent=indent).encode(), damage))


@settings(max_examples=200)
@given(
    pieces=st.lists(
        st.tuples(st.text("ab▁é\U0001f600", min_size=1, max_size=4), st.floats(width=32), st.integers(0, 300)),
        max_size=6,
    ),
    damage=changes,
)
def test_sentencepiece(pieces: list[tuple[str, float, int]], damage: list[tuple[int, bytes, int]]) -> None:
    def listed(data: bytes, source: str) -> Any:
        model = sentencepiece_file.parse_model(data, source)
        return model.pieces.all, model.pieces.unusual, model.pieces.are_distinct(), {**vars(model), "pieces": None}

    alike(listed, mutated(unigram_model(pieces, byte_fallback=True), damage))


@settings(max_examples=200)
@given(
    texts=st.lists(st.text("abé▁ ", min_size=1, max_size=4), max_size=9),
    kinds=st.lists(st.sampled_from([1, 1, 1, 3, 4, 6, 5, 7]), min_size=9, max_size=9),
    some=st.lists(st.sampled_from([0.0, -1.0, -2.5]), min_size=9, max_size=9),
    model_type=st.sampled_from([1, 2]),
)
def test_sentencepiece_specifications(texts: list[str], kinds: list[int], some: list[float], model_type: int) -> None:
    def specified(data: bytes, source: str) -> Specification:
        model = replace(sentencepiece_file.parse_model(data, source), model_type=model_type)
        return sentencepiece._specification(model, "a name", source)

    pieces = [("<unk>", 0.0, 2), *zip(texts, some, kinds, strict=False)]
    found = alike(specified, unigram_model(pieces, byte_fallback=False))
    if not isinstance(found, tuple):
        assert pickle.loads(pickle.dumps(found)) == found


def test_the_score_of_a_piece_is_a_float_of_four_bytes() -> None:
    (piece,) = sentencepiece_file.parse_model(unigram_model([("a", 0.1, 1)], byte_fallback=False), "a file").pieces.all
    assert piece == ("a", struct.unpack("<f", struct.pack("<f", 0.1))[0], 1)


@settings(max_examples=200)
@given(
    texts=st.lists(st.text("abé", max_size=5), max_size=12, unique=True),
    some=st.lists(st.sampled_from([0.0, -1.0, -2.5]), min_size=12, max_size=12),
)
def test_ranks_and_what_is_never_made(texts: list[str], some: list[float]) -> None:
    def read(data: bytes, source: str) -> tuple[dict[int, int], list[int]]:
        assert (data, source) == (b"", "a file")
        ranks = scores.ranks_by_score(texts, some[: len(texts)])
        normal = {token: text for token, text in enumerate(texts) if text}
        return ranks, sentencepiece._never_made(normal, ranks)

    alike(read, b"")


@settings(max_examples=300)
@given(
    texts=st.lists(st.text("abc", min_size=1, max_size=5), min_size=1, max_size=14, unique=True),
    chosen=st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=14),
)
def test_ranking_by_pairs(texts: list[str], chosen: list[tuple[int, int]]) -> None:
    from bpe_engine import _core  # noqa: PLC0415 - only where there is a compiled core

    tokens = {number: text.encode() for number, text in enumerate(texts)}
    makes = [
        (left, right)
        for left in tokens
        for right in tokens
        if tokens[left] + tokens[right] in tokens.values() or (left, right) == (0, 0)
    ]
    merges = [makes[one % len(makes)] for one, _ in chosen]
    try:
        expected: Any = tuple(rank_by_pairs(tokens, merges, "here"))
    except VocabularyError as error:
        expected = str(error)
    try:
        found: Any = _core.rank_by_pairs(list(tokens.values()), merges)
    except VocabularyError as error:
        found = f"here: {error}"
    if not isinstance(expected, str) and expected[1] is not None:
        assert found[1] == expected[1]  # the rest means nothing
    else:
        assert found == expected


def test_json_of_the_rest_is_checked_as_ever() -> None:
    data = b'{"model": {"type": "BPE", "vocab": {"a": 0}, "merges": [], "vocab": {"a": 0}}}'
    with pytest.raises(VocabularyError, match="an object has the key 'vocab' twice"):
        parse_json(data, "a file")
    with pytest.raises(VocabularyError, match="a file: an object has the key 'vocab' twice"):
        tokenizer_json.parse_tokenizer_json(data, "a file")
