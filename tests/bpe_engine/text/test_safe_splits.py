"""Counts add up at safe splits, under every named grammar and in every text."""

from __future__ import annotations

import functools

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bpe_engine import Tokenizer, Vocabulary
from bpe_engine.patterns import PATTERNS
from bpe_engine.text.safe_splits import SAFE_SPLIT, first_safe_split, has_safe_splits, last_safe_split

PIECES = [
    "a",
    "Word",
    "don't",
    "'s",
    "12",
    "3.14",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "é",
    "e\u0301",
    "中文",
    "。",
    "か",
    "ー",
    "한",
    "ไทย",
    "²",
    "_",
    "’",
    "\u0900",
    "ǅ",
]
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=14).map("".join)


@functools.cache
def tokenizer(grammar: str) -> Tokenizer:
    vocabulary = Tokenizer.load("o200k_base").vocabulary
    return Tokenizer(Vocabulary.from_ranks(vocabulary.ranks, pattern=PATTERNS[grammar]))


@pytest.mark.parametrize("grammar", sorted(PATTERNS))
@settings(max_examples=100)
@given(
    text=TEXTS,
    joint=st.sampled_from(["a b", "1 \n", "字。x", "z_y", "Q$", "9.9", "e(", "ñ  s", "ß\n\n", "x/\n"]),
    after=TEXTS,
)
@example(text="\u0345", joint="a b", after="\u0345")
def test_pretokens_are_those_of_the_parts(grammar: str, text: str, joint: str, after: str) -> None:
    ours = tokenizer(grammar)
    whole = text + joint + after
    pieces = ours.split(whole)
    ends = {0}
    for piece in pieces:
        ends.add(max(ends) + len(piece))
    for found in SAFE_SPLIT.finditer(whole):
        cut = found.start()
        assert cut in ends or "".join(pieces) != whole
        assert ours.count(whole) == ours.count(whole[:cut]) + ours.count(whole[cut:])


@given(text=TEXTS)
def test_first_and_last(text: str) -> None:
    cuts = [found.start() for found in SAFE_SPLIT.finditer(text)]
    assert first_safe_split(text) == (cuts[0] if cuts else None)
    assert last_safe_split(text) == (cuts[-1] if cuts else None)


@pytest.mark.parametrize("size", [255, 256, 257, 1000])
def test_the_last_one_far_from_the_end(size: int) -> None:
    for ending in ("-" * size, "x" * size, " " * size):
        text = "some words" + ending
        assert last_safe_split(text) == max(found.start() for found in SAFE_SPLIT.finditer(text))


def test_which_patterns_have_them() -> None:
    assert all(has_safe_splits(pattern) for pattern in PATTERNS.values())
    assert not has_safe_splits(None)
