"""How far a grower looks: a chunk comes out as it did, whatever comes after that offset."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunker import TextChunker
from chunker.growing.compiled import CompiledGrower, grower_of
from chunker.growing.pieces import Piece, no_context
from chunker.native import native

pytestmark = pytest.mark.skipif(native() is None, reason="only what is compiled says how far it looks")

LINES = st.lists(
    st.sampled_from(["one\n", "two words\n", "\n\n", "A sentence. And more of it.\n", "x" * 90 + "\n", "漢字。\n"]),
    min_size=1,
    max_size=60,
).map("".join)
OPTIONS: list[dict[str, Any]] = [
    {},
    {"overlap": 4},
    {"overlap": 5, "overlap_by": "token"},
    {"desired_tokens": 9},
    {"min_tokens": 0},
]


def grown(chunker: TextChunker, text: str) -> list[tuple[Piece, int]]:
    """The chunks, and how far the grower looked for each."""
    grower = grower_of(text, chunker.outline(text), chunker.tokenizer, chunker.budget, no_context)
    assert isinstance(grower, CompiledGrower)
    grower.follow()
    made = []
    while (piece := grower.one()) is not None:
        made.append((piece, grower.reach()))
    return made


@given(LINES, LINES, st.sampled_from(OPTIONS), st.integers(10, 40), st.data())
def test_what_stands_after_the_reach_changes_nothing(
    text: str, other: str, options: dict[str, Any], max_tokens: int, data: st.DataObject
) -> None:
    chunker = TextChunker(max_tokens, **options)
    before = grown(chunker, text)
    cut = data.draw(st.sampled_from([*chunker.outline(text).offsets, len(text)]))
    after = grown(chunker, text[:cut] + "then " + other)
    for number, (piece, reach) in enumerate(before):
        assert piece.end <= reach
        if max(one for _, one in before[: number + 1]) < cut:
            assert after[number][0] == piece


def test_a_chunk_looks_no_farther_than_it_must() -> None:
    text = "".join(f"Line {number} of a long text.\n" + "\n" * (number % 7 == 0) for number in range(4_000))
    made = grown(TextChunker(128), text)
    size = len(text) / len(made)
    assert all(reach - piece.start < 5 * size for piece, reach in made[:-3])
    assert made[-1][1] >= len(text)
