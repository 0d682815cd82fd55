"""The rules that choose a cut, on chunks drawn by hand: one letter a unit, one token a letter."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunker.formats import Boundary
from chunker.growing.cut_rules import Draft, balanced_tail, best_cut, whole_units
from chunker.growing.units import Place, places_of


def drawn_places(drawing: str) -> list[Place]:
    """A digit is a boundary of that strength, with one token after it."""
    boundaries = [Boundary(offset, int(digit), "") for offset, digit in enumerate(drawing)]
    return places_of(boundaries, len(drawing))


def draft_of(places: list[Place], max_tokens: int, least: int, *, fresh: int = 0) -> Draft:
    """A chunk that begins with the first of `places` and is full; its first `fresh` units are overlap."""
    return Draft(
        max_tokens,
        least,
        "",
        base=fresh,
        fresh=fresh,
        places=places[:max_tokens],
        sizes=list(range(max_tokens + 1)),
    )


def fits_in(max_tokens: int) -> Callable[[int, int], bool]:
    return lambda start, end: end - start <= max_tokens


def cut_of(drawing: str, max_tokens: int, least: int, *, fresh: int = 0) -> int:
    places = drawn_places(drawing)
    draft = draft_of(places, max_tokens, least, fresh=fresh)
    after, fits = places[max_tokens], fits_in(max_tokens)
    return whole_units(draft, after, fits, best_cut(draft, after, None, fits))


@pytest.mark.parametrize(
    ("drawing", "max_tokens", "least", "cut"),
    [
        pytest.param("9111511151", 6, 1, 4, id="a unit that fits alone begins the next chunk"),
        pytest.param("9111511151", 6, 4, 4, id="what stays is just enough"),
        pytest.param("9111511151", 6, 5, 6, id="what stays would be too little"),
        pytest.param("9151111111111", 6, 1, 6, id="a unit that does not fit alone is cut at the farthest place"),
        pytest.param("9175112115", 6, 1, 3, id="the unit around the unit fits as well"),
        pytest.param(
            "9175112111111", 6, 1, 6, id="a unit of lines fits, the unit around it does not, nor is it cut early"
        ),
        pytest.param("9115111", 3, 1, 3, id="a cut between equals breaks nothing"),
        pytest.param("911131133", 6, 1, 4, id="what belongs to a small unit stays with it"),
    ],
)
def test_whole_units(drawing: str, max_tokens: int, least: int, cut: int) -> None:
    assert cut_of(drawing, max_tokens, least) == cut


def test_a_unit_that_began_in_the_overlap_is_broken_already() -> None:
    # The 5 at index 1 is older than the chunk's own text, which begins at index 3.
    assert cut_of("9511111", 5, 1, fresh=3) == 5
    assert cut_of("9511111", 5, 1) == 5
    assert cut_of("9151111", 5, 1) == 2


@given(st.text("1234", min_size=1, max_size=40), st.integers(1, 20), st.data())
def test_no_unit_of_at_most_the_budget_less_the_minimum_is_broken(
    inner: str, max_tokens: int, data: st.DataObject
) -> None:
    """Nor any larger one that fits, if what stands before it in the chunk is enough."""
    least = data.draw(st.integers(1, max_tokens))
    places = drawn_places("9" + inner)
    done = 0
    while len(places) - done > max_tokens:
        after = places[done + max_tokens]
        draft = draft_of(places[done:], max_tokens, least)
        fits = fits_in(max_tokens)
        cut = done + whole_units(draft, after, fits, best_cut(draft, after, None, fits))
        assert cut == done + max_tokens or cut - done >= least
        start = next(
            (index for index in range(cut - 1, done - 1, -1) if places[index].strength > places[cut].strength), None
        )
        if start is not None:
            size = places[cut].enclosing_end - places[start].offset
            assert size > max_tokens or start - done < least
            assert size > max_tokens - least
        done = cut


def tail_cut(drawing: str, max_tokens: int, least: int) -> int:
    places = drawn_places(drawing)
    draft = draft_of(places, max_tokens, least)
    after, fits = places[max_tokens], fits_in(max_tokens)
    cut = whole_units(draft, after, fits, best_cut(draft, after, None, fits))
    return balanced_tail(draft, after, cut, len(drawing), fits)


@pytest.mark.parametrize(
    ("drawing", "max_tokens", "least", "cut"),
    [
        pytest.param("9111111111", 9, 3, 7, id="just enough is moved to the tail"),
        pytest.param("9115111111", 9, 3, 3, id="a stronger cut that leaves enough on both sides"),
        pytest.param("95111111111", 9, 3, 8, id="a stronger cut that leaves too little in front is not taken"),
        pytest.param("9511115555", 9, 3, 7, id="the farthest of equals"),
        pytest.param("9251111112", 9, 3, 2, id="all else would break the long unit: the larger of the small sides"),
        pytest.param("9511111111", 9, 3, 7, id="the unit around is broken in any case"),
        pytest.param("9511111112", 9, 3, 9, id="nothing is better than an undersized chunk"),
        pytest.param("91511111515", 10, 3, 8, id="a cut that breaks no unit"),
    ],
)
def test_balanced_tail(drawing: str, max_tokens: int, least: int, cut: int) -> None:
    assert tail_cut(drawing, max_tokens, least) == cut


def test_places_know_the_end_of_what_a_cut_there_would_break() -> None:
    assert [place.enclosing_end for place in drawn_places("9251121")] == [7, 2, 7, 5, 5, 7, 7]
