"""Places as rows of columns are what they would be one by one; and a chunk that leaps is the chunk that steps."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_engine import Tokenizer
from chunker.boundaries import Boundary, Outline, Strength
from chunker.boundaries.text import TextFormat
from chunker.budget import Budget
from chunker.cutting import UNMEASURED, Filling
from chunker.growing import Grower
from chunker.pieces import Piece
from chunker.units import Place, Places, Units, places_of

TOKENIZER = Tokenizer.load("o200k_base")

# Units of one to four characters, the strength of the boundary before each.
STRENGTHS = st.lists(st.integers(41, 45), min_size=1, max_size=30)
# What is done to the units, and how many of them: taken, put back, taken and put in front with the next one's end moved.
STEPS = st.lists(st.tuples(st.sampled_from(["take", "put back", "split"]), st.integers(0, 9)), max_size=20)


def units_of(strengths: list[int]) -> Units:
    boundaries = [Boundary(4 * index, strength, "") for index, strength in enumerate(strengths)]
    boundaries[0] = Boundary(0, Strength.DOCUMENT, "")
    return Units("word" * len(strengths), Outline(boundaries))


@given(STRENGTHS, STEPS)
def test_places_by_rows_are_those_of_a_list(strengths: list[int], steps: list[tuple[str, int]]) -> None:
    units, other = units_of(strengths), units_of(strengths)
    places = Places()
    listed: list[Place] = []
    for step, number in steps:
        if step == "split" and units:
            start, end = other.offset, other.end
            parts = places_of([Boundary(start + 1, 20, "word"), Boundary(start + 2, 20, "word")], end)
            if end - start == 4:
                units.split_next(parts)
                other.split_next(parts)
        elif step == "put back":
            keep = max(len(listed) - number, 0)
            units.put_back_from(places, keep)
            other.put_back(listed, keep)
        else:
            number = min(number, len(other.cuts(4 * len(strengths))) - 1 if other else 0)  # noqa: PLW2901  # no more than there are
            units.move(number, places)
            listed += other.take(number)
        assert places.listed() == listed
        assert [places[index] for index in range(len(places))] == listed
        assert (units.offset, units.end, bool(units)) == (other.offset, other.end, bool(other))
    with pytest.raises(IndexError):
        places[len(listed)]
    for start in range(len(listed)):
        stronger = [index for index in range(start, len(listed)) if listed[index].strength > 42]
        assert places.last_stronger(42, start, len(listed)) == (stronger[-1] if stronger else None)


def test_what_completes_a_unit() -> None:
    units = units_of([45, 41, 41, 43, 41])
    found = []
    while units:
        found.append((units.next_completes_unit, units.next_is_of_outline))
        units.take(1)
    # The unit of three ends where the next stronger boundary is, the last one at the end of the text.
    assert found == [(False, True), (False, True), (True, True), (False, True), (False, True)]


def grown(text: str, budget: Budget, *, leaps: bool, context: str = "") -> list[Piece]:
    grower = Grower(text, TextFormat().outline(text), TOKENIZER, budget, lambda offset, *_: context if offset else "")
    grower._leaps = leaps  # what is tested is that nobody sees it
    return list(grower.pieces())


WORDS = st.sampled_from(
    ["a", "the ", "internationalization ", "\n", "\n\n", "  ", "12345", "。", "中文", "é\u0301", ". ", "x" * 40]
)


@given(st.lists(st.tuples(WORDS, st.integers(1, 12)), max_size=40), st.integers(14, 60), st.integers(0, 12))
def test_a_leap_changes_no_cut(runs: list[tuple[str, int]], limit: int, overlap: int) -> None:
    text = "".join(word * number + "\n" for word, number in runs)
    budget = Budget.of(limit, overlap=overlap)
    pieces = grown(text, budget, leaps=True, context="> part\n")
    assert pieces == grown(text, budget, leaps=False, context="> part\n")
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
    pieces = grown(text, Budget.of(256), leaps=True)
    assert pieces == grown(text, Budget.of(256), leaps=False)
    assert [piece.tokens for piece in pieces] == [TOKENIZER.count(text[piece.start : piece.end]) for piece in pieces]
    assert 200 < max(piece.tokens for piece in pieces) <= 256


def calls(measured: list[list[int]]) -> Callable[[Filling, list[int]], list[int]]:
    def measure(_filling: Filling, ends: list[int]) -> list[int]:
        measured.append(ends)
        return [end * 10 for end in ends]

    return measure


def test_sizes_are_measured_when_they_are_asked_for_and_once() -> None:
    asked: list[list[int]] = []
    places = Places(places_of([Boundary(offset, 40, "") for offset in range(4)], 4))
    filling = Filling(100, 1, "", places=places, sizes=[0, UNMEASURED, UNMEASURED, 30, 40], measure=calls(asked))
    assert (filling.size(3), asked) == (30, [])
    assert (filling.gain(1), filling.size(1), asked) == (10, 10, [[1]])
    filling.measure_all()
    assert (filling.sizes, asked) == ([0, 10, 20, 30, 40], [[1], [2]])
