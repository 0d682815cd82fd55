"""Spans in characters, bytes and lines, and what pydantic makes of them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from chunker import Chunk, Span, TextChunker
from chunker.growing.spans import SpanMeter


@given(st.text("a\r\né\u2028\ud800\U0001f600", min_size=1, max_size=40), st.data())
def test_spans_are_those_of_a_fresh_count(text: str, data: st.DataObject) -> None:
    meter = SpanMeter(text)
    start = 0
    while start < len(text):
        end = data.draw(st.integers(start + 1, len(text)))
        span = meter.span(start, end)
        before, body = text[:start], text[start:end]
        assert span.start_byte == len(before.encode("utf-8", "surrogatepass"))
        assert span.end_byte - span.start_byte == len(body.encode("utf-8", "surrogatepass"))
        # A line number is one more than the line ends that are complete before the character.
        assert span.start_line == 1 + line_ends_before(text, start)
        assert span.end_line == 1 + line_ends_before(text, end - 1)
        start = data.draw(st.integers(start + 1, end))


def line_ends_before(text: str, offset: int) -> int:
    """Line ends of `text` whose last character is before `offset`."""
    return sum(
        character == "\n" or (character == "\r" and text[index + 1 : index + 2] != "\n")
        for index, character in enumerate(text[:offset])
    )


def test_measuring_is_linear() -> None:
    def seconds(size: int) -> float:
        text = "é\n" * size
        meter = SpanMeter(text)
        began = time.process_time()
        for start in range(0, len(text), 10):
            meter.span(start, start + 10)
        return time.process_time() - began

    # Ten times as much would take a hundred times as long if each span were counted from the start of the text.
    assert min(seconds(100_000) for _ in range(3)) < 40 * max(seconds(10_000) for _ in range(3))


def test_models_are_frozen_and_make_the_round_trip() -> None:
    chunk = TextChunker(8).chunk("One sentence here. And another one.", source="a.txt")[0]
    with pytest.raises(ValidationError):
        chunk.body = "other"  # type: ignore[misc]
    assert '"text":"One sentence here. ' in chunk.model_dump_json()
    assert Chunk.model_validate_json(chunk.model_dump_json()) == chunk
    assert Span.model_validate(chunk.span.model_dump()) == chunk.span
