"""Breadcrumbs that are asked for after the cut: read off the outline that made the chunks as long as somebody holds it."""

from __future__ import annotations

import pickle

import pytest

from chunker import CodeChunker
from chunker.formats.outline import Outline

SOURCE = "".join(
    f"class C{number}:\n    def f(self):\n        return {number}\n\n    def g(self):\n        return 2\n\n\n"
    for number in range(9)
)


def test_a_text_whose_outline_is_held_is_not_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    chunker = CodeChunker("python", 16)
    chunks = chunker.chunk(SOURCE)  # nobody holds the outline of these
    expected = [chunk.breadcrumb for chunk in chunks]
    assert ("class C8",) in expected
    outline = chunker.sketch(SOURCE)
    held = chunker.chunks_of(SOURCE, outline, None)
    copies = pickle.loads(pickle.dumps(held))
    assert [chunk.breadcrumb for chunk in copies] == expected

    def outline_again(_format: object, _text: str) -> Outline:
        raise AssertionError("the text is read again")

    monkeypatch.setattr(type(chunker.format), "outline", outline_again)
    assert [chunk.breadcrumb for chunk in held] == expected
