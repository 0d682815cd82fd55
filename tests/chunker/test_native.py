"""What is compiled says what its twin in Python says."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunker.formats.text.plain_text import CompiledText, TextFormat, rows_in_bulk
from chunker.growing.spans import SpanMeter
from chunker.native import native

compiled = native()
pytestmark = pytest.mark.skipif(compiled is None, reason="the engine runs in pure Python: there is nothing to compare")


SIGNS = "a \n\r\v\f\x85\u2028\u2029\x1c\x1f\t\xa0\u3000\u200a\u200bé猫👩\ud800\udfff\0"
LINES = st.lists(st.sampled_from([*SIGNS, "\n\n", "\r\n"])).map("".join)


@given(LINES | st.text(alphabet=st.characters(), max_size=60))
def test_lines_of_text_are_alike(text: str) -> None:
    if text:
        outline = TextFormat().outline(text)
        assert isinstance(outline, CompiledText)
        assert (outline.offsets, outline.strengths, outline.labels) == rows_in_bulk(text)
        copied = pickle.loads(pickle.dumps(outline))
        assert (copied.boundaries, copied.notes, copied.finest) == (outline.boundaries, outline.notes, outline.finest)


@given(LINES, st.lists(st.tuples(st.integers(0, 40), st.integers(1, 40)), max_size=6))
def test_spans_are_alike(text: str, spans: list[tuple[int, int]]) -> None:
    assert compiled is not None
    meter, twin = compiled.SpanMeter(text.encode("utf-8", "surrogatepass")), SpanMeter(text)
    for start, size in spans:
        if start < len(text):
            end = min(start + size, len(text))
            assert meter.measure(start, end) == twin.measure(start, end)
    with pytest.raises(ValueError, match="not empty"):
        meter.measure(1, 1)
