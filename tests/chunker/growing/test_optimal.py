"""The optimal strategy against its definition: every way to cut a small text, priced by the cost that the module documents."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise
from statistics import pstdev

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bpe_engine import Tokenizer
from chunker import Chunk, MarkdownChunker, TextChunker
from chunker.formats import Strength, TextFormat
from chunker.growing.limits import step
from chunker.growing.optimal import Optimizer

TOKENIZER = Tokenizer.load("o200k_base")

LINES = ["", "one\n", "two words\n", "three little words\n", "a line of six words here\n", "no end"]
TEXTS = st.lists(st.sampled_from(LINES), min_size=1, max_size=9).map("\n".join) | st.lists(
    st.sampled_from(LINES), min_size=1, max_size=9
).map("".join)


def cost_of(text: str, cuts: tuple[int, ...], max_tokens: int, min_tokens: int) -> float | None:
    """What the module says that these chunks cost, computed from its definition; None for what is over the budget."""
    count = TOKENIZER.count
    strengths = {boundary.offset: boundary.strength for boundary in TextFormat().outline(text).boundaries}
    total = 0.0
    for start, end in pairwise((0, *cuts, len(text))):
        size = count(text[start:end])
        if size > max_tokens:
            return None
        emptiness = (max_tokens - size) / max_tokens
        total += emptiness * emptiness + (10_000 * (2 - size / max_tokens) if size < min_tokens else 0)
    for cut in cuts:
        depth, broken, unbroken = 0, 0, True
        left = right = cut
        strength = strengths[cut]
        # From unit to unit around the cut, to the whole text.
        while True:
            depth += 1
            left = max((offset for offset in strengths if offset < cut and strengths[offset] > strength), default=0)
            right = min(
                (offset for offset in strengths if offset > cut and strengths[offset] > strength), default=len(text)
            )
            unbroken = unbroken and count(text[left:right]) <= max_tokens
            broken += unbroken
            if left == 0 and right == len(text):
                break
            strength = min(strengths[left] if left else Strength.DOCUMENT, strengths.get(right, int(Strength.DOCUMENT)))
        total += 0.1 * depth + 10 * broken
    return total


@settings(max_examples=120)
@given(text=TEXTS, max_tokens=st.integers(7, 16), min_tokens=st.integers(0, 4))
@example(text="one\n\n\ntwo words\none\none\n", max_tokens=7, min_tokens=1)
def test_no_cut_is_cheaper(text: str, max_tokens: int, min_tokens: int) -> None:
    offsets = [boundary.offset for boundary in TextFormat().outline(text).boundaries[1:]]
    costs = [
        cost
        for number in range(len(offsets) + 1)
        for cuts in combinations(offsets, number)
        if (cost := cost_of(text, cuts, max_tokens, min_tokens)) is not None
    ]
    chunks = TextChunker(max_tokens, min_tokens=min_tokens, strategy="optimal").chunk(text)
    cuts = tuple(chunk.span.start for chunk in chunks[1:])
    if text and set(cuts) <= set(offsets):
        found = cost_of(text, cuts, max_tokens, min_tokens)
        assert found is not None
        assert found == pytest.approx(min(costs), abs=1e-9)


@pytest.mark.parametrize("unit", [" ", "\n", "\r\n", "a", "\ufffd", chr(0xD800), "東", "word "], ids=ascii)
@pytest.mark.parametrize("overlap", [0, 199])
def test_candidates_are_few_for_each_token(overlap: int, unit: str) -> None:
    text = unit * (2_000 // len(unit))
    chunker = TextChunker(200, strategy="optimal", overlap=overlap)
    outline = chunker.outline(text)
    optimizer = Optimizer(text, outline, TOKENIZER, chunker._budget, chunker.context_of(text, outline, None))
    candidates, before = optimizer._candidates(list(optimizer._atoms()))
    assert "".join(text[atom.start : atom.end] for atom in candidates) == text
    # What has to leave room for a wide overlap is a token or two: no steps are joined.
    assert len(candidates) < 4 * before[-1] / (1 if overlap else step(200)) + 4


def sizes(chunks: list[Chunk]) -> list[int]:
    return [chunk.token_count for chunk in chunks]


def test_chunks_are_even_where_growing_leaves_a_tail() -> None:
    text = "".join(f"Paragraph {number} has a few words.\n\n" for number in range(25))
    grown, best = TextChunker(100).chunk(text), TextChunker(100, strategy="optimal").chunk(text)
    assert len(best) == len(grown)
    assert pstdev(sizes(best)) < pstdev(sizes(grown))
    assert "".join(chunk.body for chunk in best) == text


def test_a_stronger_cut_is_worth_some_emptiness() -> None:
    section = "## Part\n\n" + "Some words of this part. " * 8 + "\n\n"
    short = "## Last\n\n" + "Few words. " * 10 + "\n\n"
    text = "# Title\n\n" + section * 3 + short
    chunks = MarkdownChunker(120, strategy="optimal").chunk(text)
    assert all(chunk.body.startswith("#") for chunk in chunks)
    assert all(chunk.token_count <= 120 for chunk in chunks)


def test_it_is_deterministic_and_linear_in_memory_of_ways(count: Callable[[str], int]) -> None:
    text = "word " * 20_000
    chunker = TextChunker(64, strategy="optimal")
    chunks = chunker.chunk(text)
    assert chunks == chunker.chunk(text)
    assert all(chunk.token_count == TOKENIZER.count(chunk.text) <= 64 for chunk in chunks)
    assert min(sizes(chunks)) >= 8


def test_overlap_and_context_are_part_of_the_budget() -> None:
    text = "# Head\n\n" + "\n\n".join(f"Paragraph {number} with words, and more of them." for number in range(40))
    chunks = MarkdownChunker(60, overlap=14, context=True, strategy="optimal").chunk(text, source="a.md")
    assert all(chunk.token_count == TOKENIZER.count(chunk.text) <= 60 for chunk in chunks)
    assert all(after.span.start < before.span.end for before, after in pairwise(chunks))
    assert all(chunk.context.startswith("a.md") for chunk in chunks)


def test_a_tokenizer_without_slices_gives_the_same_chunks() -> None:
    class Plain:
        """A tokenizer of another package, as far as a chunker can tell."""

        count = staticmethod(TOKENIZER.count)
        count_up_to = staticmethod(TOKENIZER.count_up_to)
        appending_encoder = staticmethod(TOKENIZER.appending_encoder)
        prepending_encoder = staticmethod(TOKENIZER.prepending_encoder)

    text = "".join(f"Line {number} of a text.\n" + "\n" * (number % 5 == 4) for number in range(60))
    ours = TextChunker(50, strategy="optimal").chunk(text)
    assert TextChunker(50, strategy="optimal", tokenizer=Plain()).chunk(text) == ours


def test_desired_size() -> None:
    text = "".join(f"Line {number} of a text.\n\n" for number in range(100))
    for strategy in ("grow", "optimal"):
        chunks = TextChunker(100, desired_tokens=60, strategy=strategy).chunk(text)
        assert all(50 <= size <= 75 for size in sizes(chunks)), strategy
