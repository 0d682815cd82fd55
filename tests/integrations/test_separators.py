"""Boundaries at separators: a sketch of them is opened to their outline, and chunks are the same from either."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunker import TextChunker
from chunker.errors import BudgetTooSmallError
from chunker.integrations.separators import SeparatorsFormat
from chunker.integrations.splitting import Chunkers
from chunker.options import Strategy

TEXTS = st.lists(st.sampled_from(["word", " ", ";", "\n", "\n\n", ". ", "中文", "  ", "x" * 30]), max_size=60).map(
    "".join
)
LISTS = st.sampled_from([["\n\n", "\n", " ", ""], [";", " ", ";"], [". ", ";"], ["\n", "\n\n", " "], [" "], []])


@settings(max_examples=150, deadline=None)
@given(
    text=TEXTS, separators=LISTS, keep=st.sampled_from([True, False, "start", "end"]), size=st.sampled_from([0, 5, 40])
)
def test_a_sketch_is_opened_to_the_outline(text: str, separators: list[str], keep: Any, size: int) -> None:
    format_ = SeparatorsFormat(separators, keep=keep)
    opened, outline = format_.sketch(text, size).opened(), format_.outline(text)
    assert opened.boundaries == outline.boundaries
    assert opened.finest == outline.finest
    escaped = SeparatorsFormat([re.escape(separator) for separator in separators], keep=keep, regex=True)
    assert escaped.sketch(text, size).opened().boundaries == outline.boundaries


@settings(max_examples=300, deadline=None)
@given(
    text=TEXTS | st.text("aé中;\n\n ", max_size=90),
    separators=LISTS | st.sampled_from([["\n", "中"], ["é", " ", ";"], ["中;", "中", "\n"]]),
    overlap=st.sampled_from([0, 4]),
    unit=st.sampled_from(["characters", "bytes", "o200k_base"]),
    keep=st.sampled_from([True, False]),
    regex=st.booleans(),
)
def test_chunks_are_the_same_from_either(
    text: str, separators: list[str], overlap: int, unit: str, *, keep: bool, regex: bool
) -> None:
    # An expression whose matches are looked for by `re`, where a string is looked for by the compiled core.
    given_as = [f"(?:{re.escape(separator)})" if regex else separator for separator in separators]
    format_ = SeparatorsFormat(given_as, keep=keep, regex=regex)
    chunker = TextChunker(12, overlap=overlap, tokenizer=unit, format=format_)
    outline = chunker.outline(text)
    pieces = list(chunker.pieces(text, outline, chunker.context_of(text, outline, None)))
    assert [(chunk.span.start, chunk.span.end, chunk.token_count) for chunk in chunker.chunk(text)] == [
        (piece.start, piece.end, piece.tokens) for piece in pieces
    ]


@settings(max_examples=60, deadline=None)
@given(
    text=TEXTS | st.text("aé\ud800\x1c\n\u3000;", max_size=60),
    separators=LISTS,
    overlap=st.sampled_from([0, 4]),
    unit=st.sampled_from(["characters", "o200k_base"]),
    strategy=st.sampled_from(["grow", "optimal"]),
)
def test_bodies_are_those_of_the_pieces(
    text: str, separators: list[str], overlap: int, unit: str, strategy: Strategy
) -> None:
    chunker = TextChunker(12, overlap=overlap, tokenizer=unit, strategy=strategy, format=SeparatorsFormat(separators))
    outline = chunker.outline(text)
    pieces = chunker.pieces(text, outline, chunker.context_of(text, outline, None))
    bodies = [text[piece.start : piece.end] for piece in pieces]
    assert chunker.bodies(text) == bodies
    assert chunker.bodies(text, strip=True) == [body.strip() for body in bodies if body.strip()]


def test_bodies_of_a_character_over_the_budget() -> None:
    with pytest.raises(BudgetTooSmallError, match="𓀀"):
        TextChunker(2).bodies("a 𓀀")
    assert TextChunker(2).bodies("") == []


@pytest.mark.parametrize("keep", [True, False])
def test_expressions_are_looked_for_in_the_whole_text(*, keep: bool) -> None:
    format_ = SeparatorsFormat([r"\n(?=#)", r"\s"], regex=True, keep=keep)
    text = "a b\n# c d\n e"
    assert format_.sketch(text, 3).opened().boundaries == format_.outline(text).boundaries


@settings(max_examples=100, deadline=None)
@given(
    text=TEXTS | st.text("aé\ud800\n;", max_size=30),
    separator=st.sampled_from(["\n\n", ";", "\n", "é;"]),
    cut_before=st.booleans(),
)
def test_literal_separators_are_where_their_expression_matches(text: str, separator: str, *, cut_before: bool) -> None:
    keep: Any = "start" if cut_before else "end"
    outlines = [
        SeparatorsFormat([separator], keep=keep).outline(text),
        SeparatorsFormat([re.escape(separator)], keep=keep, regex=True).outline(text),
    ]
    assert outlines[0].boundaries == outlines[1].boundaries


def compiles(expression: str) -> bool:
    try:
        re.compile(expression)
    except re.error:  # such as "{1}": nothing to repeat
        return False
    return True


@settings(max_examples=500, deadline=None)
@given(
    text=st.text("aab\n{}\\#$1,é", max_size=40),
    expression=st.lists(
        st.tuples(
            st.sampled_from(["a", "b", "\n", r"\\", r"\#", r"\$", "{", "}", "1", ",", "#", "$", "é"]),
            st.sampled_from(["", "", "", "+", "{1}", "{2}", "{1,2}", "{2,}", "{0,1}", "+?"]),
        ).map("".join),
        min_size=1,
    )
    .map("".join)
    .filter(compiles),
    keep=st.sampled_from([True, False]),
)
def test_a_plain_expression_is_where_it_matches(text: str, expression: str, *, keep: bool) -> None:
    matches = re.finditer(expression, text)
    cuts = sorted({match.start() if keep else match.end() for match in matches} - {0, len(text)})
    format_ = SeparatorsFormat([expression], regex=True, keep=keep)
    assert format_.outline(text).offsets == ([0, *cuts] if text else [])
    # The chunks of at most one character tell what the compiled core has found.
    native = format_.sketch(text, 0)
    chunks = TextChunker(1, tokenizer="characters", min_tokens=0, format=format_).chunk(text)
    assert native.opened().offsets == format_.outline(text).offsets
    assert [chunk.span.start for chunk in chunks if chunk.kind == "part"] == cuts


@settings(max_examples=100, deadline=None)
@given(
    text=TEXTS,
    size=st.sampled_from([1, 12, 40, 500]),
    unit=st.sampled_from(["characters", "bytes", "words", "o200k_base"]),
    strip=st.booleans(),
    options=st.sampled_from([{}, {"desired_tokens": 1, "min_tokens": 0}, {"strategy": "optimal"}, {"context": True}]),
    language=st.sampled_from([None, "markdown"]),
)
def test_texts_are_those_of_the_passages(
    text: str, size: int, unit: str, options: Any, language: str | None, *, strip: bool
) -> None:
    if unit in {"bytes", "o200k_base"}:
        size += 12  # room for a character
    chunkers = Chunkers(size, language, tokenizer=unit, **options)
    passages = list(chunkers.passages(text, strip=strip))
    assert chunkers.texts(text, strip=strip) == [passage.text for passage in passages]
    assert chunkers.slices(text, strip=strip) == [(passage.start, passage.end) for passage in passages]
    assert [passage.tokens for passage in passages if not options.get("context")] == [
        chunkers.tokenizer.count(passage.text) for passage in passages if not options.get("context")
    ]
