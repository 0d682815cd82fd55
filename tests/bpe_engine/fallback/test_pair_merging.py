"""Merging pairs of symbols: equal to the definition, and not quadratic."""

from __future__ import annotations

import time
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from bpe_engine.fallback.pair_merging import merge_pairs


def by_definition(symbols: list[str], rank_of: dict[tuple[str, str], int]) -> list[str]:
    parts = list(symbols)
    while candidates := [pair for pair in pairwise(parts) if pair in rank_of]:
        best = min(candidates, key=rank_of.__getitem__)
        merged: list[str] = []
        place = 0
        while place < len(parts):
            if tuple(parts[place : place + 2]) == best:
                merged.append("".join(best))
                place += 2
            else:
                merged.append(parts[place])
                place += 1
        parts = merged
    return parts


words = st.sampled_from(["a", "b", "c", "aa", "ab", "ba", "bc", "aab", "abc", "aaa", "aaaa", "abab"])


@given(st.text("abc", max_size=24), st.lists(st.tuples(words, words), max_size=14, unique=True))
def test_equal_to_the_definition_for_lists_in_any_order(text: str, merges: list[tuple[str, str]]) -> None:
    """Also where a merge comes before the merges of its halves, which no training makes."""
    rank_of = {pair: rank for rank, pair in enumerate(merges)}
    assert merge_pairs(list(text), rank_of, "".join) == by_definition(list(text), rank_of)


def test_a_long_word_is_no_quadratic_step() -> None:
    rank_of = {("a" * 2**n, "a" * 2**n): n for n in range(8)}
    seconds = []
    for size in (20_000, 160_000):
        start = time.process_time()
        parts = merge_pairs(["a"] * size, rank_of, "".join)
        seconds.append(time.process_time() - start)
        assert len(parts) == size // 256 + (size % 256).bit_count()
    assert seconds[1] < 30 * seconds[0]
