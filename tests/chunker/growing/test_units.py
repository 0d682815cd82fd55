"""The units ahead; and a chunk that leaps, as the compiled grower does, is the chunk that steps, as its specification does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_engine import Tokenizer
from chunker.formats import Boundary, Outline, Strength
from chunker.formats.text.plain_text import TextFormat
from chunker.growing.budget import Budget
from chunker.growing.compiled import grower_of
from chunker.growing.grower import Grower
from chunker.growing.pieces import Piece
from chunker.growing.units import Place, Units, last_stronger, places_of

TOKENIZER = Tokenizer.load("o200k_base")

# Units of one to four characters, the strength of the boundary before each.
STRENGTHS = st.lists(st.integers(41, 45), min_size=1, max_size=30)
# What is done to the units, and how many of them: taken, put back, taken and put in front with the next one's end
# moved.
STEPS = st.lists(st.tuples(st.sampled_from(["take", "put back", "split"]), st.integers(0, 9)), max_size=20)


def units_of(strengths: list[int]) -> Units:
    boundaries = [Boundary(4 * index, strength, "") for index, strength in enumerate(strengths)]
    boundaries[0] = Boundary(0, Strength.DOCUMENT, "")
    return Units("word" * len(strengths), Outline(boundaries))


@given(STRENGTHS, STEPS)
def test_what_is_put_back_is_taken_again(strengths: list[int], steps: list[tuple[str, int]]) -> None:
    units = units_of(strengths)
    taken: list[Place] = []
    ahead = units_of(strengths).take(len(strengths))
    for step, number in steps:
        if step == "split" and ahead and units.end - units.offset == 4:
            parts = places_of(
                [Boundary(units.offset + 1, 20, "word"), Boundary(units.offset + 2, 20, "word")], units.end
            )
            units.split_next(parts)
            ahead[1:1] = parts
        elif step == "put back":
            keep = max(len(taken) - number, 0)
            ahead[:0] = taken[keep:]
            units.put_back(taken, keep)
        else:
            number = min(number, len(ahead))  # noqa: PLW2901  # no more than there are
            taken += units.take(number)
            del ahead[:number]
        assert bool(units) == bool(ahead)
        assert units.offset == (ahead[0].offset if ahead else 4 * len(strengths))
        assert not ahead or units.next == ahead[0]
        assert units.end == (ahead[1].offset if len(ahead) > 1 else 4 * len(strengths))
    assert units.take(len(ahead)) == ahead


@given(STRENGTHS)
def test_the_last_stronger_place(strengths: list[int]) -> None:
    places = units_of(strengths).take(len(strengths))
    for start in range(len(places)):
        stronger = [index for index in range(start, len(places)) if places[index].strength > 42]
        assert last_stronger(places, 42, start, len(places)) == (stronger[-1] if stronger else None)


def test_what_completes_a_unit() -> None:
    units = units_of([45, 41, 41, 43, 41])
    found = []
    while units:
        found.append((units.next_completes_unit, units.next_is_of_outline))
        units.take(1)
    # The unit of three ends where the next stronger boundary is, the last one at the end of the text.
    assert found == [(False, True), (False, True), (True, True), (False, True), (False, True)]


def grown(text: str, budget: Budget, maker: Any, context: str = "") -> list[Piece]:
    outline = TextFormat().outline(text)
    return list(maker(text, outline, TOKENIZER, budget, lambda offset, *_: context if offset else "").pieces())


WORDS = st.sampled_from(
    ["a", "the ", "internationalization ", "\n", "\n\n", "  ", "12345", "。", "中文", "é\u0301", ". ", "x" * 40]
)


@given(st.lists(st.tuples(WORDS, st.integers(1, 12)), max_size=40), st.integers(14, 60), st.integers(0, 12))
def test_a_leap_changes_no_cut(runs: list[tuple[str, int]], limit: int, overlap: int) -> None:
    text = "".join(word * number + "\n" for word, number in runs)
    budget = Budget.of(limit, overlap=overlap)
    pieces = grown(text, budget, grower_of, context="> part\n")
    assert pieces == grown(text, budget, Grower, context="> part\n")
    for piece in pieces:
        assert piece.tokens == TOKENIZER.count(piece.context + text[piece.start : piece.end])


WORDY, DENSE = "internationalization of words\n", "1 2 3 4 5 6 7 8\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(WORDY * 200 + DENSE * 400 + WORDY * 200, id="three quarters of the way are far over the budget"),
        pytest.param(
            DENSE * 40 + ("internationalization " * 21 + "\n" + DENSE * 14) * 10,
            id="the first unit is longer than the leap, and what follows it would not bear one",
        ),
    ],
)
def test_a_leap_is_taken_back_where_the_text_gets_denser(text: str) -> None:
    pieces = grown(text, Budget.of(256), grower_of)
    assert pieces == grown(text, Budget.of(256), Grower)
    assert [piece.tokens for piece in pieces] == [TOKENIZER.count(text[piece.start : piece.end]) for piece in pieces]
    assert 200 < max(piece.tokens for piece in pieces) <= 256
