"""A text in blocks has the slices and the versions of the str."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunker.edits import blocks
from chunker.edits.blocks import BlockText


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "_SIZE", 4)


@given(
    st.text("ab\nß漢", max_size=30),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 12), st.text("xy", max_size=20)), max_size=9),
)
def test_edits_are_those_of_a_str(text: str, edits: list[tuple[int, int, str]]) -> None:
    version = BlockText.of(text)
    for offset, size, new in edits:
        start = min(offset, len(text))
        end = min(start + size, len(text))
        earlier, earlier_text = version, text
        version, text = version.replaced(start, end, new), text[:start] + new + text[end:]
        assert len(version) == len(text)
        for first in range(len(text) + 1):
            assert version.slice(first, first + size) == text[first : first + size]
        assert str(earlier) == earlier_text
    assert str(version) == text
    assert version.slice(0, len(text)) == text
