"""Chunks of whole rows are the same, whoever grows them: what is compiled, or Python."""

from __future__ import annotations

from itertools import accumulate
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunker import Chunk, TextChunker
from chunker.boundaries import Outline, Strength
from chunker.boundaries.sketches import Inside, Sketch
from chunker.growing import Grower
from chunker.native import native

compiled = native()
pytestmark = pytest.mark.skipif(compiled is None, reason="the engine runs in pure Python: there is nothing to compare")

WORDS = st.sampled_from(
    [
        "a",
        "word ",
        "x = 1",
        "    ",
        "\t",
        "。",
        "猫は",
        "é",
        "e\u0301",
        "👩‍👧",
        "\u3000",
        "\xa0",
        "\x1f",
        "-" * 40,
        "0" * 30,
        "'s",
    ]
)
ENDS = st.sampled_from(["\n", "\n", "\n\n", "\r\n", "\n\n\n", "\n \n", "", "\u2028", "\r"])
ROWS = st.lists(
    st.tuples(st.lists(WORDS, min_size=1, max_size=8).map("".join), ENDS).map("".join), min_size=1, max_size=40
)
STRENGTHS = st.sampled_from([int(Strength.SENTENCE), int(Strength.LINE), int(Strength.PARAGRAPH), 101, 102, 103, 104])


class Rows:
    """A format that takes the rows of a text for what they are; some may be closed, and have their words inside."""

    language: str | None = None

    def __init__(
        self, rows: list[str], strengths: list[int], closed: set[int], heads: dict[int, int] | None = None
    ) -> None:
        self._rows = rows
        self._offsets = [0, *accumulate(map(len, rows[:-1]))]
        self._strengths = [int(Strength.DOCUMENT), *strengths[1:]]
        self._closed = {self._offsets[row] for row in closed}
        ends = [*self._offsets[1:], len("".join(rows))]
        self._heads = {self._offsets[row]: ends[max(row, header)] for row, header in (heads or {}).items()}

    def outline(self, _text: str) -> Outline:
        return self.sketch(_text, 0).opened()

    def sketch(self, _text: str, _size: int) -> Sketch:
        columns = (list(self._offsets), list(self._strengths), [f"row {row}" for row in range(len(self._rows))])
        finest = Strength.SENTENCE
        return Sketch.of(columns, self._closed, self._inside, lambda inside: inside, finest=finest, heads=self._heads)

    def _inside(self, offset: int) -> Inside:
        row = self._rows[self._offsets.index(offset)]
        places = [offset + place for place in range(1, len(row)) if row[place - 1] == " "]
        return Inside(places, [int(Strength.SENTENCE) - 1] * len(places), ["word"] * len(places), [])


def without_what_is_compiled(chunker: TextChunker, text: str) -> list[Chunk]:
    with patch("chunker.growing.compiled_grower", lambda *_, **__: None):
        return chunker.chunk(text)


@given(st.data())
def test_any_rows(data: st.DataObject) -> None:
    rows = data.draw(ROWS, "rows")
    strengths = data.draw(st.lists(STRENGTHS, min_size=len(rows), max_size=len(rows)), "strengths")
    closed = data.draw(st.sets(st.integers(0, len(rows) - 1)), "closed")
    numbers = st.integers(0, len(rows) - 1)
    heads = data.draw(st.just({}) | st.dictionaries(numbers, numbers), "heads")
    most = data.draw(st.integers(8, 60), "max_tokens")
    least = data.draw(st.none() | st.integers(0, most), "min_tokens")
    tokenizer = data.draw(st.sampled_from(["o200k_base", "cl100k_base"]), "tokenizer")
    chunker = TextChunker(most, min_tokens=least, tokenizer=tokenizer, format=Rows(rows, strengths, closed, heads))
    assert chunker.chunk("".join(rows)) == without_what_is_compiled(chunker, "".join(rows))


@given(st.lists(ROWS.map("".join), max_size=3).map("\ud800".join), st.integers(8, 40))
def test_any_text(text: str, most: int) -> None:
    chunker = TextChunker(most)
    assert chunker.chunk(text) == without_what_is_compiled(chunker, text)


def test_most_chunks_of_a_text_are_made_so() -> None:
    text = "".join(
        f"Line {number} of a text that has many of them.\n" + "\n" * (number % 7 == 0) for number in range(2_000)
    )
    with patch.object(Grower, "_fill", autospec=True, side_effect=Grower._fill) as fill:
        chunks = TextChunker(100).chunk(text)
    assert len(chunks) > 200
    assert fill.call_count < 5


def test_what_makes_no_sense_is_refused() -> None:
    assert compiled is not None
    limits = compiled.Limits(
        most=8, least=1, look_ahead=4, leap_fills=7, leap=0.75, stride=64, longest_token=128, finest=30
    )
    for offsets, strengths, message in (
        ([0, 2], [9], "as many strengths"),
        ([1, 2], [9, 9], "ascend"),
        ([0, 9], [9, 9], "ascend"),
        ([0, 3, 2], [9, 9, 9], "ascend"),
        ([], [], "ascend"),
    ):
        with pytest.raises(ValueError, match=message):
            compiled.RowGrower(b"abcd", offsets, strengths, 4, limits)
    with pytest.raises(ValueError, match="so few bytes"):
        compiled.RowGrower(b"abc", [0], [9], 4, limits)
    with pytest.raises(TypeError):
        compiled.RowGrower(None, [0], [9], 4, limits)
    with pytest.raises(TypeError):
        compiled.RowGrower(b"abcd", [0], [9], 4, None)
    rows = compiled.RowGrower(b"abcd", [0, 2], [9, 9], 4, limits)
    encoder: Any = TextChunker(8).tokenizer.appending_encoder()
    interface = encoder._interface()

    def grow(front: list[Any], row: int, closed: int = 2, encoder: object = interface, labels: int = 2) -> Any:
        return rows.grow(encoder, front, {}, row, bytearray(closed), ["label"] * labels, 1, 0, {})

    with pytest.raises(ValueError, match="a byte for each row"):
        grow([], 0, closed=1)
    with pytest.raises(ValueError, match="and labels an element"):
        grow([], 0, labels=1)
    with pytest.raises((TypeError, ValueError)):
        grow([], 0, encoder=object())
    for front in (
        ["abcd"],
        [(0, 1)],
        [(0, "x", "", 4)],
        [(-1, 1, "", 4)],
        [(1, 1, "", 5)],
        [(3, 1, "", 4)],
        [(1, 1, "", 0)],
    ):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            grow(front, 1)
    with pytest.raises(ValueError, match="must ascend"):
        grow([(1, 1, "", 4), (2, 1, "", 4)], 2)
    with pytest.raises(IndexError, match="not so many rows"):
        grow([], 9)
    assert grow([], 2) == ([], 0, None, 0)
    assert grow([(3, 1, "", 4), (2, 1, "first", 4)], 2) == ([(2, 4, "", 1, "first")], 2, None, 0)
