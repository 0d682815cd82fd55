"""Counts of long texts that are like the one before are fresh counts, and cost what is new."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prompt_items import PIECES, custom_tokenizer, whole_text_tokenizer

from bpe_engine import Tokenizer
from chunker.prompt import kept_counts
from chunker.prompt.kept_counts import LongRuns

TOKENIZERS: dict[str, Callable[[], Tokenizer]] = {
    "o200k_base": lambda: Tokenizer.load("o200k_base"),
    "whole text": whole_text_tokenizer,
    "custom": custom_tokenizer,
}
pieces = st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join)
steps = st.lists(
    st.tuples(st.sampled_from(["right", "left", "middle", "cut right", "cut left"]), pieces), min_size=5, max_size=30
)


@pytest.mark.parametrize("name", TOKENIZERS)
@settings(max_examples=40)
@given(program=steps, tried=pieces)
def test_counts_are_fresh_counts(name: str, program: list[tuple[str, str]], tried: str) -> None:
    tokenizer = TOKENIZERS[name]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kept_counts, "_SHORT", 1)
        patch.setattr(kept_counts, "_PIECE", 5)
        patch.setattr(kept_counts, "_PART", 0.9)
        patch.setattr(kept_counts, "_ROW", 1)
        long = LongRuns(tokenizer)
        text = ""
        for where, piece in program:
            middle = len(text) // 2
            text = {
                "right": text + piece,
                "left": piece + text,
                "middle": text[:middle] + piece + text[middle:],
                "cut right": text[: -len(piece)],
                "cut left": text[len(piece) :],
            }[where]
            assert long.count(text) == tokenizer.count(text)
            assert long.count(text + tried) == tokenizer.count(text + tried)


@pytest.mark.parametrize("backwards", [False, True])
def test_what_grows_at_one_end_is_read_once(backwards: bool) -> None:
    read = 0

    class Noting(Tokenizer):
        def count(self, text: str | bytes) -> int:
            nonlocal read
            read += len(text)
            return super().count(text)

    long = LongRuns(Noting(Tokenizer.load("o200k_base").vocabulary))
    text = "abc" * 1_000
    for _ in range(200):
        text = f"xyz{text}" if backwards else f"{text}xyz"
        count = long.count(text)
    assert count == Tokenizer.load("o200k_base").count(text)
    assert read < 5 * len(text)


def test_can_be_pickled_and_goes_on() -> None:
    long = LongRuns(Tokenizer.load("o200k_base"))
    for _ in range(5):
        long.count("abc" * 2_000)
    assert pickle.loads(pickle.dumps(long)).count("abc" * 2_000) == long.count("abc" * 2_000)
