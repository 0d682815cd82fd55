"""Added tokens that are found, but not wanted, and so hide others that begin inside of them; and other files that hardly anybody writes."""

from __future__ import annotations

import json
from base64 import b64encode
from random import Random
from typing import Any

import pytest
from charsmaps import named
from tokenizers import Tokenizer as HuggingFaceTokenizer
from tokenizers import pre_tokenizers

from bpe_engine import Tokenizer
from bpe_engine.errors import UnsupportedModelError
from bpe_engine.formats.tokenizer_json import parse_tokenizer_json

BYTES = {character: token_id for token_id, character in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": False, "use_regex": False}
METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": True}


def token(token_id: int, content: str, **flags: bool) -> dict[str, Any]:
    """An entry of `added_tokens`."""
    plain = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False)
    return {"id": token_id, "content": content} | plain | flags


def words(**parts: Any) -> tuple[HuggingFaceTokenizer, Tokenizer]:
    """A tokenizer whose words are all unknown, unless `parts` has another model: that of `tokenizers`, which reads special tokens as text, and ours."""
    nothing = dict.fromkeys(("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor"))
    model = {"type": "WordLevel", "unk_token": "<unk>", "vocab": {"<unk>": 0}}
    file = json.dumps(
        {"version": "1.0", "added_tokens": [], "decoder": {"type": "Fuse"}, "model": model} | nothing | parts
    )
    theirs = HuggingFaceTokenizer.from_str(file)
    theirs.encode_special_tokens = True
    return theirs, Tokenizer.from_specification(parse_tokenizer_json(file.encode(), "a test"))


def ids(theirs: HuggingFaceTokenizer, text: str) -> list[int]:
    """Those that `tokenizers` gives a text."""
    return list(theirs.encode(text, add_special_tokens=False).ids)


@pytest.mark.parametrize("normalizer", [None, {"type": "Lowercase"}])
@pytest.mark.parametrize("pre_tokenizer", [None, {"type": "Whitespace"}, METASPACE])
@pytest.mark.parametrize("normalized", [False, True])
def test_no_text_is_cut_inside_of_a_hidden_token(normalizer: Any, pre_tokenizer: Any, *, normalized: bool) -> None:
    added = [
        token(1, "<|end|>", special=True, normalized=normalized),
        token(2, "|>", normalized=normalized),
        token(3, "word", single_word=True, normalized=normalized),
        token(4, "rd", normalized=normalized),
    ]
    theirs, ours = words(added_tokens=added, normalizer=normalizer, pre_tokenizer=pre_tokenizer)
    random = Random(3)
    for _ in range(150):
        text = "".join(
            random.choices(
                ["<|end|>", "<|en", "|>", "|", " x", " ", "word", "words", "rd", ">"], k=random.randint(1, 9)
            )
        )
        expected = ids(theirs, text)
        assert ours.encode(text) == expected
        places = sorted(random.choices(range(len(text) + 1), k=3))
        appending, prepending = ours.appending_encoder(), ours.prepending_encoder()
        parts = [text[start:end] for start, end in zip([0, *places], [*places, len(text)], strict=True)]
        for number, part in enumerate(parts):
            appending.append(part)
            prepending.prepend(parts[-number - 1])
            assert appending.count == ours.count("".join(parts[: number + 1]))
            assert prepending.count == ours.count("".join(parts[-number - 1 :]))
        assert appending.tokens() == prepending.tokens() == expected
        counts = [ours.count(text[:end]) for end in range(len(text) + 1)]
        most = random.randint(0, len(expected))
        assert ours.truncate(text, most) == text[: max(end for end, count in enumerate(counts) if count <= most)]
        interval = ours.interval_encoder(text)
        assert interval.count(places[0], places[2]) == ours.count(text[places[0] : places[2]])


@pytest.mark.parametrize("normalizer", [None, {"type": "NFC"}])
def test_a_token_before_is_no_part_of_a_word(normalizer: Any) -> None:
    added = [token(1, "É"), token(2, "12", single_word=True, normalized=True), token(3, "ab", normalized=True)]
    theirs, ours = words(added_tokens=added, normalizer=normalizer)
    for text in ("É12", "12É", "ab12", "É12É12", "ab12É12", "12", "x12"):
        encoder = ours.appending_encoder()
        for character in text:
            encoder.append(character)
        assert ours.encode(text) == encoder.tokens() == ids(theirs, text), text
        assert encoder.count == len(encoder.tokens())


@pytest.mark.parametrize("normalized", [False, True])
def test_a_text_begins_with_what_is_removed(*, normalized: bool) -> None:
    theirs, ours = words(
        added_tokens=[token(3, "<|e", normalized=normalized)],
        normalizer={"type": "Precompiled", "precompiled_charsmap": b64encode(named("nmt_nfkc")).decode()},
        pre_tokenizer=METASPACE,
        model={"type": "BPE", "unk_token": "<unk>", "vocab": {"<unk>": 0, "A": 1, "▁": 2}, "merges": []},
    )
    for text in ("\x08A", "A", "\x08<|eA", "<|e\x08A", "\x08\x08A<|e"):
        assert ours.encode(text) == ids(theirs, text), text


def test_an_added_token_may_be_a_character_with_its_marks() -> None:
    model = {"type": "BPE", "unk_token": "<unk>", "merges": []}
    within = model | {"continuing_subword_prefix": "##", "vocab": {"<unk>": 0, "##a": 1, "b": 2}}
    at_end = model | {"end_of_word_suffix": "</w>", "vocab": {"<unk>": 0, "a</w>": 1, "b": 2}}
    for one, text in ((within, "##a"), (at_end, "a</w>")):
        theirs, ours = words(added_tokens=[token(1, text)], pre_tokenizer={"type": "Whitespace"}, model=one)
        assert ours.encode("ba") == ids(theirs, "ba") == [2, 1]


def test_after_bytes() -> None:
    with pytest.raises(UnsupportedModelError, match="two consecutive ByteLevel"):
        words(
            pre_tokenizer={"type": "Sequence", "pretokenizers": [BYTE_LEVEL, BYTE_LEVEL]},
            model={"type": "BPE", "vocab": BYTES, "merges": []},
        )
    theirs, ours = words(
        pre_tokenizer={"type": "Sequence", "pretokenizers": [BYTE_LEVEL, METASPACE]},
        decoder=BYTE_LEVEL,
        model={"type": "BPE", "vocab": BYTES | {"▁": 256}, "merges": []},
    )
    for text in ("a", "a b", "é", ""):
        assert ours.encode(text) == ids(theirs, text)


def test_a_letter_becomes_a_mark() -> None:
    replaces = {"type": "Replace", "pattern": {"String": "a"}, "content": "\u0301"}
    theirs, ours = words(
        normalizer={"type": "Sequence", "normalizers": [replaces, {"type": "NFC"}]},
        model={"type": "BPE", "unk_token": "<unk>", "vocab": {"<unk>": 0, "A": 1, "Á": 2}, "merges": []},
    )
    for text in ("A", "Aa", "AA", "aAa"):
        assert ours.encode(text) == ids(theirs, text)


def test_bytes_that_are_no_character_are_texts_of_their_own() -> None:
    theirs, ours = words(
        model={
            "type": "Unigram",
            "unk_id": 0,
            "byte_fallback": True,
            "vocab": [["<unk>", 0.0], *([f"<0x{byte:02X}>", -1.0] for byte in range(256))],
        },
        decoder={
            "type": "Sequence",
            "decoders": [{"type": "ByteFallback"}, {"type": "WordPiece", "prefix": "##", "cleanup": True}],
        },
    )
    for tokens in ([256, 256], [196, 170], [66, 256, 66]):
        assert ours.decode(tokens) == theirs.decode(tokens)


def test_tokens_that_are_written_alike_decode_alike() -> None:
    theirs, ours = words(
        added_tokens=[token(1, "Été", normalized=True), token(2, "été", normalized=True)],
        normalizer={"type": "Lowercase"},
    )
    assert (
        [ours.decode([number]) for number in (1, 2)] == [theirs.decode([number]) for number in (1, 2)] == ["été", "été"]
    )
    assert ours.stream_decoder().push(1) == "été"


def test_a_text_after_a_token_is_not_the_first() -> None:
    _, ours = words(
        added_tokens=[token(3, "<s>", special=True)],
        normalizer={"type": "NFC"},
        pre_tokenizer={
            "type": "Sequence",
            "pretokenizers": [{"type": "Punctuation", "behavior": "Isolated"}, METASPACE],
        },
        model={"type": "WordLevel", "unk_token": "<unk>", "vocab": {"<unk>": 0, "a": 1, "▁a": 2}},
    )
    encoder = ours.appending_encoder()
    encoder.append("a")
    encoder.append_token(3)
    encoder.append("a")
    assert encoder.tokens() == [2, 3, 1]
    assert encoder.count == 3


@pytest.mark.parametrize(
    ("added", "normalizer", "texts"),
    [
        (
            [token(5, " ", normalized=True), token(6, "a "), token(7, " a", special=True)],
            None,
            [" a ", "  a  a ", "x a y a "],
        ),
        (
            [token(5, "bb"), token(6, "b ", normalized=True, lstrip=True), token(7, "bab", special=True)],
            {
                "type": "Sequence",
                "normalizers": [
                    {"type": "Prepend", "prepend": "x"},
                    {"type": "Replace", "pattern": {"Regex": "[ab]"}, "content": " "},
                ],
            },
            ["ababb", "babba  b ", "x ababb babb"],
        ),
    ],
)
def test_no_text_is_cut_where_a_token_ends_inside_of_a_hidden_one(
    added: list[dict[str, Any]], normalizer: Any, texts: list[str]
) -> None:
    theirs, ours = words(
        added_tokens=added,
        normalizer=normalizer,
        pre_tokenizer={"type": "WhitespaceSplit"} if normalizer else None,
        model={
            "type": "BPE",
            "unk_token": "<unk>",
            "vocab": {"<unk>": 0, "a": 1, "b": 2, "x": 3, "y": 4},
            "merges": [],
        },
    )
    for text in texts:
        assert ours.encode(text) == ids(theirs, text)
        for size in (1, 2, 99):
            parts = [text[start : start + size] for start in range(0, len(text), size)]
            appending, prepending = ours.appending_encoder(), ours.prepending_encoder()
            for number, part in enumerate(parts):
                appending.append(part)
                prepending.prepend(parts[-number - 1])
                assert appending.count == ours.count("".join(parts[: number + 1]))
                assert prepending.count == ours.count("".join(parts[-number - 1 :]))
            assert appending.tokens() == prepending.tokens() == ids(theirs, text)
        prices = ours.interval_encoder(text)
        for start in range(len(text)):
            for end in range(start, len(text) + 1):
                assert prices.count(start, end) == ours.count(text[start:end])
