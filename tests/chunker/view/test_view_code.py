"""The code that makes the same chunks: run, it makes them."""

from __future__ import annotations

from typing import Any

import pytest

from chunker import CodeChunker, MarkdownChunker, TextChunker, chunker_for
from chunker.view import code_of

TEXT = "# A\n\ndef f():\n    return 1\n\n" + "Some words, and more. " * 30
CHUNKERS: list[tuple[TextChunker, str | None]] = [
    (TextChunker(24), None),
    (TextChunker(24, overlap=4, overlap_by="token", min_tokens=2, tokenizer="characters"), "a.txt"),
    (MarkdownChunker(32, context=["breadcrumb", "summary"], strategy="optimal"), "it's.md"),
    (CodeChunker("python", 32, desired_tokens=20, reserve=2), "a.py"),
    (CodeChunker("python", 32, isolate=True), None),
    (TextChunker(32, format="csv"), "a.csv"),
    (chunker_for("a.unknown", 32, overlap=3), "a.unknown"),
    (chunker_for("a.f90", 32, context=True), "a.f90"),
]


@pytest.mark.parametrize(("chunker", "source"), CHUNKERS, ids=str)
def test_it_makes_the_same_chunks(chunker: TextChunker, source: str | None) -> None:
    imports, made = code_of(chunker, source).split("\n")
    names: dict[str, Any] = {"text": TEXT}
    exec(imports, names)
    assert eval(made, names) == chunker.chunk(TEXT, source=source)
