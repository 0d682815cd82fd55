"""encode, count and decode give what tiktoken 0.14 gives."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from code_points import PLANES, code_points
from hypothesis import given, settings
from oracles import ENCODINGS, tiktoken_encoding, tokenizer
from strategies import broken_texts, texts

STEP = 2048


def assert_equal(name: str, text: str) -> None:
    expected = tiktoken_encoding(name).encode_ordinary(text)
    assert tokenizer(name).encode(text) == expected
    assert tokenizer(name).count(text) == len(expected)


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("plane", PLANES)
def test_every_code_point_alone(name: str, plane: int) -> None:
    ours, theirs = tokenizer(name), tiktoken_encoding(name)
    wrong = [
        character for character in code_points(plane) if ours.encode(character) != theirs.encode_ordinary(character)
    ]
    assert not wrong


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("plane", PLANES)
def test_every_code_point_between_letters_spaces_and_newlines(name: str, plane: int) -> None:
    ours, theirs = tokenizer(name), tiktoken_encoding(name)
    characters = code_points(plane)
    for start in range(0, len(characters), STEP):
        # The contexts tell letter from mark from digit from white space from the rest, and upper from lower case.
        text = "".join(f"a{c}B {c} \n{c}\n1{c}!" for c in characters[start : start + STEP])
        assert ours.encode(text) == theirs.encode_ordinary(text)


# The traps of pre-tokenization, each the smallest text that shows it.
TRAPS = [
    # A run of white space gives its last character away, but not at the end of the text.
    "a  b", "a  ", "a   b", "  b", "a \u3000b", "a\u3000\u3000b", "a\u3000\u3000",
    # cl100k takes white space at the end whole, also with a line break in it; elsewhere up to the last line break.
    "a\n  ", "a\n  b", "\n \n  \n b", "\n \n  \n ", "  \n", " \r\n b", "\r\n\r\n", "\r", "a\r\rb", "x\n\ny", "!\n \n x", "!\n\n",
    # White space is White_Space of Unicode: not 1C-1F, 180E, 200B, FEFF.
    "a\x1cb", "a \x1d b", "\x1e\x1f", "a\u180eb", "a\u200b b", "\ufeffa", "\u0085\u00a0", "\u2028\n", "a\u202f\u205fb", "\x0b\x0c ",
    # Contractions ignore case, and long s is an s.
    " I'ſ", "x'ſ", "'ſ", "it's", "IT'S", "it'S", "we'Re", "'rer", "can'ts", "3'ts", "'ts", "'lL", "x'll", "x'l", "x'lx", "x'",
    "x''s", "'s's's", "'d've", "y'all'd've", "é's", "中's", "\u0301's", "5's", "!'s", " 's", "\n's",
    # Any one character that is no letter, digit or line break may stand before a word.
    "\tabc", "😀abc", "\u0301abc", "€abc", " €abc", "\u200dabc", "\u00a0abc", "\nabc", "!!abc", " !abc", "_abc_def",
    # Marks are punctuation in cl100k and letters in o200k.
    "नमस्ते दुनिया", "สวัสดี", "e\u0301e\u0301", "\u0301", "\u0301\u0301", "A\u0301", "\u0301A", "\u0301Ab", "!\u0301!", "\u0301\u0301A1",
    # Digits go by threes from the start of the run, and every kind of number is one.
    "1234567", "01234567", "²³¹½", "ⅧⅨⅩⅪ", "٣٤٥٦", "१२३४", "a1b22c333d4444", "1,234.5", "𝟙𝟚𝟛𝟜",
    # Case: an upper run backs up to its last character of both classes.
    "camelCase", "HTTPResponse", "HTTPError", "亚洲AV", "AV亚洲", "亚A洲Bc", "ǅabc", "aǅ", "ʰA", "AʰA", "ªA", "ABC中DEF", "ABC中DEf",
    "McDonald's", "iPhone's", "XMLHttpRequest", "aB", "Ab", "AB", "ab中AB", "中A", "中a", "A中", "中A中", "1A中A",
    # Slashes after punctuation belong to it in o200k.
    "a//b", "!//\n/", "!\n//x", "://\n\n/x", " /\n", "\n/", "/\n /",
    # Characters that came after Unicode 16 are no letters; those of 16 are.
    "\u1c89a", "\U00010d4aa", "\U00016d40a", "\U00010940a", "\U000323b0a", "\U00011db0a", "\ua7cea", "\U000323b0\n  \nx", "\u0295A", "A\u0295",
    # Odds and ends.
    "", "\0", "\0\0a", "👩🏽‍💻", "🇩🇪🇫🇷", "a\u00adb", "ﬁﬂ", "İstanbul", "ıI", "ß", "ẞ", "<|endoftext|>", "\U0010ffff", "\ufffd", "\ue000",
]  # fmt: skip


@pytest.mark.parametrize("name", [*ENCODINGS, "r50k"])
def test_traps(name: str) -> None:
    for text in TRAPS:
        for around in (text, f"a{text}", f" {text}", f"{text} ", f"{text}b", f"\n{text}\n", f"{text}{text}"):
            assert_equal(name, around)


@settings(max_examples=1500)
@given(text=texts())
def test_any_text(text: str) -> None:
    for name in ENCODINGS:
        assert_equal(name, text)
        ids = tokenizer(name).encode(text)
        assert tokenizer(name).decode(ids) == text
        assert "".join(tokenizer(name).split(text)) == text


@given(text=texts())
def test_any_text_under_other_patterns(text: str) -> None:
    assert_equal("r50k", text)
    if text:
        assert_equal("whole", text)


@pytest.mark.parametrize("name", ENCODINGS)
@given(text=broken_texts())
def test_lone_surrogates(name: str, text: str) -> None:
    assert_equal(name, text)


@pytest.mark.parametrize("name", ENCODINGS)
@given(text=texts(8))
def test_offsets(name: str, text: str) -> None:
    ids, offsets = tokenizer(name).encode_with_offsets(text)
    assert (text, offsets) == tiktoken_encoding(name).decode_with_offsets(ids)
    assert tokenizer(name).decode_with_offsets(ids) == (text, offsets)


@pytest.mark.parametrize("size", [1, 255, 1 << 16, (1 << 16) + 1, 200_000])
@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("unit", ["a", " ", "\n", " \n", "中", "\u0301", "7", "'", "Ab", "A中", "'l", "!/\n"])
def test_long_runs_across_blocks(name: str, unit: str, size: int) -> None:
    text = (unit * size)[:size]
    # tiktoken is slow on one long pre-token; the count of ids suffices above a block.
    assert tokenizer(name).encode(text) == tiktoken_encoding(name).encode_ordinary(text)


@pytest.mark.parametrize("name", ENCODINGS)
@pytest.mark.parametrize("seed", range(4))
def test_texts_of_random_tokens(name: str, seed: int) -> None:
    """Tokens that no writer puts beside one another: nearly every join is encoded anew, often far to the left."""
    ours, theirs = tokenizer(name), tiktoken_encoding(name)
    dice = random.Random(seed)
    ranks = list(ours.vocabulary.ranks)
    text = b"".join(dice.choices(ranks, k=400)).decode("utf-8", "ignore")
    assert_equal(name, text)
    appending, prepending = ours.appending_encoder(), ours.prepending_encoder()
    places = sorted(dice.sample(range(len(text) + 1), 60))
    for start, end in pairwise([0, *places]):
        appending.append(text[start:end])
        assert appending.count == len(theirs.encode_ordinary(text[:end]))
    for start, end in reversed([*pairwise([*places, len(text)])]):
        prepending.prepend(text[start:end])
        assert prepending.count == len(theirs.encode_ordinary(text[start:]))
    prices = ours.interval_encoder(text)
    for _ in range(60):
        start, end = sorted(dice.choices(range(len(text) + 1), k=2))
        assert prices.count(start, end) == len(theirs.encode_ordinary(text[start:end]))
