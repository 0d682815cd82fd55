"""Chunks are the same, whoever makes them: what is compiled, or its specification in Python."""

from __future__ import annotations

import gc
import time
from functools import cache
from itertools import accumulate
from typing import Any
from unittest.mock import patch

import pytest
from growers import check
from hypothesis import given, settings
from hypothesis import strategies as st
from small_tokenizers import INCREMENTAL, RECOUNTED, small

from chunker import CodeChunker, MarkdownChunker, TextChunker
from chunker.counting import resolve_tokenizer
from chunker.errors import BudgetTooSmallError
from chunker.formats import Outline, Strength
from chunker.formats.refining import refine
from chunker.formats.sketches import Inside, Sketch
from chunker.growing.budget import Budget
from chunker.growing.compiled import CompiledGrower, grower_of
from chunker.growing.grower import Grower
from chunker.growing.optimal import Optimizer
from chunker.growing.pieces import Piece
from chunker.growing.units import Place
from chunker.models import Chunk
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


@cache
def trained(name: str) -> Any:
    """A small tokenizer of a well-known configuration, which knows the safe splits of texts: it has read enough."""
    tokenizer = resolve_tokenizer(small(name))
    tokenizer.count("Some words of prose. " * 30_000)
    return tokenizer


TOKENIZERS = st.sampled_from(["o200k_base", "o200k_base", "cl100k_base", "characters", "words"]) | st.sampled_from(
    [*INCREMENTAL, *RECOUNTED]
).map(trained)


@st.composite
def options(draw: st.DrawFn, least: int = 4) -> dict[str, Any]:
    """Any options of a chunker that go together."""
    most = draw(st.integers(least, 60), "max_tokens")
    chosen: dict[str, Any] = {"max_tokens": most, "tokenizer": draw(TOKENIZERS, "tokenizer"), "reserve": 0}
    if draw(st.booleans()):
        chosen["overlap"] = draw(st.integers(0, most - 1), "overlap")
        chosen["overlap_by"] = draw(st.sampled_from(["unit", "sentence", "token"]), "overlap_by")
    if draw(st.booleans()):
        chosen["context"] = draw(st.sampled_from([True, ["summary"], ["breadcrumb", "imports", "summary"]]), "context")
    if draw(st.booleans()):
        chosen["min_tokens"] = draw(st.integers(0, most), "min_tokens")
    if draw(st.booleans()):
        least_desired = max(chosen.get("min_tokens", most // 8), 1)
        chosen["desired_tokens"] = draw(st.integers(least_desired, most), "desired_tokens")
    return chosen


@given(st.data())
def test_any_rows(data: st.DataObject) -> None:
    rows = data.draw(ROWS, "rows")
    strengths = data.draw(st.lists(STRENGTHS, min_size=len(rows), max_size=len(rows)), "strengths")
    closed = data.draw(st.sets(st.integers(0, len(rows) - 1)), "closed")
    numbers = st.integers(0, len(rows) - 1)
    heads = data.draw(st.just({}) | st.dictionaries(numbers, numbers), "heads")
    check(TextChunker(**data.draw(options()), format=Rows(rows, strengths, closed, heads)), "".join(rows))


FRAGMENTS = st.sampled_from(
    [
        *(
            "word ",
            "Hello there. ",
            "One! Two? ",
            "etc. and so. ",
            "antidisestablishmentarianism",
            "\n",
            "\n\n",
            "\r\n",
            " \n",
        ),
        *(
            "def f(x):\n",
            "    return x\n",
            "class A:\n",
            "@dec\n",
            "# A\n",
            "## B\n",
            "- item\n",
            "| a | b |\n|---|---|\n",
        ),
        *(
            "| 1 | 2 |\n",
            "```python\n",
            "```\n",
            "\u0316" * 3,
            "e\u0301",
            "👩\u200d👧",
            "猫は。「それ」。",
            "नमस्ते ",
            "ไปไหนมา ",
            "\u3000",
        ),
        *("-" * 40, "0" * 30, "\u2028", "\t", "\xa0"),
    ]
)
TEXTS = st.lists(FRAGMENTS, max_size=60).map("".join)


@settings(max_examples=150)
@given(TEXTS, options(), st.sampled_from(["text", "markdown", "python"]))
def test_any_text_with_any_options(text: str, chosen: dict[str, Any], kind: str) -> None:
    if kind == "python":
        check(CodeChunker("python", **chosen), text)
    else:
        check((MarkdownChunker if kind == "markdown" else TextChunker)(**chosen), text)


@given(TEXTS, options(8))
def test_a_counter_that_is_a_function(text: str, chosen: dict[str, Any]) -> None:
    check(TextChunker(**{**chosen, "tokenizer": lambda part: len(part.split()) + part.count("a")}), text)


def test_long_lines_and_long_words() -> None:
    for text in (
        "A sentence of some words, and then more of it. " * 400,
        "x" * 20_000,
        "猫" * 9_000,
        "a\u0301" * 9_000,
    ):
        for chosen in ({}, {"overlap": 12}, {"desired_tokens": 60}, {"overlap": 20, "overlap_by": "token"}):
            check(TextChunker(100, **chosen), text)


@given(st.lists(ROWS.map("".join), min_size=2, max_size=3).map("\ud800".join), st.integers(8, 40))
def test_halves_of_surrogate_pairs_are_for_the_specification(text: str, most: int) -> None:
    chunker = TextChunker(most)
    grower = grower_of(text, chunker.outline(text), chunker.tokenizer, chunker._budget, lambda *_: "")
    assert isinstance(grower, Grower)
    assert "".join(chunk.body for chunk in chunker.chunk(text)) == text


@pytest.mark.parametrize("tokenizer", ["o200k_base", "words", len])
def test_all_else_is_for_what_is_compiled(tokenizer: Any) -> None:
    chunker = TextChunker(20, tokenizer=tokenizer, overlap=3, desired_tokens=15, context=True)
    text = "Some words. " * 50
    grower = grower_of(text, chunker.outline(text), chunker.tokenizer, chunker._budget, lambda *_: "")
    assert isinstance(grower, CompiledGrower)
    with (
        patch.object(Grower, "_fill", side_effect=AssertionError("the specification")),
        patch.object(Optimizer, "pieces", side_effect=AssertionError("the specification")),
    ):
        assert "".join(chunk.body for chunk in TextChunker(20).chunk(text)) == text
        assert "".join(chunk.body for chunk in TextChunker(20, strategy="optimal").chunk(text)) == text


@given(TEXTS | st.text(), st.integers(0, 200), st.sampled_from([40, 30, 20, 10]))
def test_what_is_finer_than_an_outline(text: str, start: int, strength: int) -> None:
    assert compiled is not None
    text = text.encode("utf-8", "replace").decode()
    start = min(start, len(text))
    finer = refine(text, start, len(text), strength)
    offsets, level = compiled.refine(text, start, len(text), strength)
    assert offsets == [boundary.offset for boundary in finer]
    assert all(boundary.strength == level for boundary in finer)


def test_a_native_sketch_is_of_the_text() -> None:
    assert compiled is not None
    with pytest.raises(ValueError, match="not the text of this sketch"):
        make("One. Two.", Wrong([], [], [], native=compiled.MarkdownSketch("One.")))
    with pytest.raises(
        TypeError,
        match="a native sketch must be a NativeSketch, not object",
    ):
        make("One. Two.", Wrong([], [], [], native=object()))


def test_the_chunks_before_a_fault_are_given_out() -> None:
    def context_at(offset: int, _overlap: str = "", /) -> str:
        if offset > 400:
            raise KeyError(offset)
        return ""

    text = "Some words of a text.\n" * 60
    chunker = TextChunker(20)
    pieces = grower_of(text, chunker.outline(text), chunker.tokenizer, chunker._budget, context_at).pieces()
    made: list[Piece] = []
    with pytest.raises(KeyError):
        made.extend(pieces)
    assert made
    assert "".join(text[piece.start : piece.end] for piece in made) == text[: made[-1].end]


def test_a_context_that_asks_for_a_chunk() -> None:
    text = "Some words of a text.\n" * 60
    chunker = TextChunker(20)
    growers: list[Any] = []

    def context_at(_offset: int, _overlap: str = "", /) -> str:
        next(iter(growers[0].pieces()))
        return ""

    growers.append(grower_of(text, chunker.outline(text), chunker.tokenizer, chunker._budget, context_at))
    with pytest.raises(RuntimeError, match="a chunk is being grown"):
        list(growers[0].pieces())


class Wrong:
    """What is no outline, or one that breaks its laws."""

    def __init__(
        self,
        offsets: Any,
        strengths: Any,
        labels: Any,
        *,
        heads: Any = None,
        finest: Any = 30,
        closed: Any = (),
        inside: Any = None,
        native: Any = None,
    ) -> None:
        self.offsets, self.strengths, self.labels = offsets, strengths, labels
        self.heads, self.finest = {} if heads is None else heads, finest
        self.closed, self.inside, self.native = closed, inside, native


def make(text: Any, outline: Any, tokenizer: Any = None) -> Any:
    assert compiled is not None
    limits = compiled.Limits(most=8, least=1, overlap=0, desired=None, overlap_finest=40)
    return compiled.Grower(text, tokenizer or TextChunker(8).tokenizer, outline, limits, None)


@pytest.mark.parametrize(
    ("outline", "error"),
    [
        (Wrong([0, 2], [9], ["a", "b"]), ValueError),
        (Wrong([0, 2], [9, 9], ["a"]), ValueError),
        (Wrong([0, 9], [9, 9], ["a", "b"]), ValueError),
        (Wrong([-1, 2], [9, 9], ["a", "b"]), ValueError),
        (Wrong([0, 3, 2], [9, 9, 9], ["a", "b", "c"]), ValueError),
        (Wrong([0, 1 << 70], [9, 9], ["a", "b"]), OverflowError),
        (Wrong([0, "1"], [9, 9], ["a", "b"]), TypeError),
        (Wrong([0], [9], ["a"], heads={0: 9}), ValueError),
        (Wrong([0], [9], ["a"], heads={2: 1}), ValueError),
        (Wrong([0], [9], ["a"], heads={"a": 1}), TypeError),
        (Wrong([0], [9], ["a"], heads=3), (TypeError, AttributeError)),
        (Wrong([0], [9], ["a"], finest="line"), TypeError),
        (Wrong([0], [9], ["a"], closed=3), TypeError),
        (Wrong([0], [9], ["a"], closed=["a"]), TypeError),
        (None, TypeError),
    ],
)
def test_outlines_that_are_none(outline: Any, error: Any) -> None:
    with pytest.raises(error):
        make("abcd", outline)


def test_what_makes_no_sense_is_refused() -> None:
    good = Wrong([0, 2], [9, 9], ["a", "b"])
    for text in (None, b"abcd", 3):
        with pytest.raises(TypeError):
            make(text, good)
    with pytest.raises(UnicodeEncodeError):
        make("ab\ud800", good)
    with pytest.raises(AttributeError):
        make("abcd", good, tokenizer=object())
    with pytest.raises(ValueError, match="begins where a row does"):
        make("abcd", Wrong([0, 2], [9, 9], ["a", "b"], closed=[1]))
    for offsets in ([0], [4], [3, 2], [1 << 70]):
        found = Inside(offsets, [5] * len(offsets), ["x"] * len(offsets), [])
        outline = Wrong([0, 150], [9, 9], ["a", "b"], closed=[0], inside=lambda _, found=found: found)
        grower = make("word " * 40, outline)
        if offsets == [4]:
            assert grower.grow(Piece, 1, None)
            continue
        with pytest.raises((ValueError, OverflowError)):
            grower.grow(Piece, 1, None)
    for places, overlapping in (
        ([(0, 1, "a", 4)], 0),
        ([("x", 1, "", 4)], 0),
        ([(0, 1)], 0),
        ([], 3),
        ([(-1, 1, "", 4)], 0),
        (["abcd"], 0),
    ):
        with pytest.raises((TypeError, ValueError, OverflowError)):
            make("abcd", good).resume(places, overlapping)
    assert compiled is not None
    limits = {"most": 8, "least": 1, "overlap": 0, "desired": None, "overlap_finest": 40}
    for wrong in ({"overlap": 8}, {"most": 1 << 50}):
        with pytest.raises(ValueError, match=r"a limit is at most|an overlap is less"):
            compiled.Limits(**{**limits, **wrong})
    with pytest.raises(IndexError):
        compiled.refine("abc", 2, 9, 40)


def test_a_counter_that_counts_nonsense() -> None:
    class Nonsense:
        count = "many"

        def append(self, _text: str) -> None:
            pass

        def snapshot(self) -> None:
            pass

        def rollback(self, _mark: None) -> None:
            pass

    class Tokenizer:
        whole: object = None

        def appending_encoder(self) -> Nonsense:
            return Nonsense()

        def count_up_to(self, _text: str, _limit: int) -> object:
            return self.whole

    tokenizer = Tokenizer()
    for tokenizer.whole in (None, "many"):
        with pytest.raises(TypeError, match="a count must be an int, not str"):
            make("abcd", Wrong([0, 2], [9, 9], ["a", "b"]), tokenizer=tokenizer).grow(Piece, 1, None)


def test_pieces_are_of_a_class_of_tuples_with_five_names() -> None:
    outline = Wrong([0], [9], ["document"])
    for kind in (tuple, dict, time.struct_time, Place, 5):
        with pytest.raises(TypeError, match="a kind of pieces must be a class of tuples with five names"):
            make("words of a text", outline).grow(kind, 1, None)
    made = make("words of a text", outline).grow(Piece, 1, None)
    assert made == [Piece(0, 15, "", 4, "document")]
    assert type(made[0]) is Piece
    assert not gc.is_tracked(made[0])


def test_chunks_are_placed_in_a_class_that_has_room_for_them() -> None:
    assert compiled is not None
    pieces = [Piece(0, 2, "", 1, "line"), Piece(2, 4, "", 1, "line")]
    made = compiled.placed(Chunk, "an origin", pieces, 7)
    assert [(type(chunk), chunk.index, chunk.token_count, chunk.kind) for chunk in made] == [
        (Chunk, 7, 1, "line"),
        (Chunk, 8, 1, "line"),
    ]
    for kind in (dict, object, int):
        with pytest.raises(AttributeError):
            compiled.placed(kind, "an origin", pieces, 0)
    with pytest.raises(TypeError, match="a kind of chunks must be a class"):
        compiled.placed(5, "an origin", pieces, 0)


def test_budgets_are_checked_by_each_character() -> None:
    assert compiled is not None
    assert sorted(compiled.distinct_characters("aé猫👩aé")) == sorted("aé猫👩")
    with pytest.raises(BudgetTooSmallError):
        Budget.of(1).check("a👩\u200d👧", TextChunker(8).tokenizer)


@pytest.mark.parametrize(
    ("text", "size", "overlap"),
    [
        ("o!e.g. .g. " + "\n" * 14 + "d o!T", 10, 6),
        ("One is here. " * 9 + "\n\n" + "Two, e.g. there. And! so? on. " * 40, 64, 16),
    ],
)
def test_units_that_are_put_together_hold_several_sentences(text: str, size: int, overlap: int) -> None:
    """All sentences of the text were found before, but a candidate for an overlap may be more than one of them."""
    check(TextChunker(size, overlap=overlap, strategy="optimal"), text)
