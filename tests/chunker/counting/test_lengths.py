"""Characters and bytes are counted by offsets where it is compiled: the same chunks as by a function that counts them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunker import MarkdownChunker, TextChunker
from chunker.counting import UnitCounter

PIECES = ["word ", "\n\n", "größer. ", "中文字符。", "# Head\n\n", "👍🏽", "x" * 40, "\r\n", "- item\n", "e\u0301 "]
COUNTS: dict[str, Callable[[str], int]] = {
    "characters": len,
    "bytes": lambda text: len(text.encode("utf-8", "surrogatepass")),
}


@pytest.mark.parametrize("unit", COUNTS)
@settings(max_examples=80, deadline=None)
@given(
    text=st.lists(st.sampled_from(PIECES), max_size=50).map("".join),
    limit=st.integers(16, 90),
    overlap=st.sampled_from([0, 9]),
    strategy=st.sampled_from(["grow", "optimal"]),
    context=st.booleans(),
    desired=st.sampled_from([None, 14]),
    kind=st.sampled_from([TextChunker, MarkdownChunker]),
)
def test_chunks_are_those_of_a_function(
    unit: str, text: str, limit: int, kind: Any, desired: Any, **options: Any
) -> None:
    counted = kind(limit, tokenizer=COUNTS[unit], desired_tokens=desired, **options).chunk(text, source="größe.md")
    made = kind(limit, tokenizer=unit, desired_tokens=desired, **options).chunk(text, source="größe.md")
    assert [(chunk.text, chunk.token_count) for chunk in made] == [(chunk.text, chunk.token_count) for chunk in counted]
    assert all(chunk.token_count == COUNTS[unit](chunk.text) <= limit for chunk in made)


def test_halves_of_surrogate_pairs() -> None:
    text = "One \ud83d word. " * 20
    for unit, count in COUNTS.items():
        for source in (None, "a\ud83d.txt"):
            chunks = TextChunker(60, tokenizer=unit, context=True).chunk(text, source=source)
            assert all(chunk.token_count == count(chunk.text) <= 60 for chunk in chunks)
        assert (
            TextChunker(99, tokenizer=unit, context=True).chunk("Some words.", source="\udcff.txt")[0].token_count > 11
        )


@given(text=st.text(max_size=40), limit=st.integers(0, 40))
def test_counts_up_to_a_limit(text: str, limit: int) -> None:
    for unit in ("characters", "bytes", "words"):
        counter = UnitCounter(unit)
        count = counter.count(text)
        assert counter.count_up_to(text, limit) == (count if count <= limit else None)
