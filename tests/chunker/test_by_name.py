"""Chunkers by the names of files and languages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from chunker import CodeChunker, MarkdownChunker, OptionError, TextChunker, chunker_for


@pytest.mark.parametrize(
    ("path", "expected", "language"),
    [
        ("a.py", CodeChunker, "python"),
        ("folder.md/stub.PYI", CodeChunker, "python"),
        (Path("README.md"), MarkdownChunker, "markdown"),
        ("x.Markdown", MarkdownChunker, "markdown"),
        ("notes.txt", TextChunker, None),
        ("Makefile", TextChunker, "make"),
        (".py", TextChunker, None),
        ("", TextChunker, None),
        ("page.TSX", CodeChunker, "tsx"),
        ("main.dart", TextChunker, "dart"),
    ],
)
def test_chunker_for(path: str | Path, expected: type, language: str | None) -> None:
    chunker = chunker_for(path, 77, tokenizer="cl100k_base", min_tokens=3, overlap=2, context=True)
    assert type(chunker) is expected
    assert chunker.language == language
    assert (chunker.max_tokens, chunker.min_tokens, chunker.overlap) == (77, 3, 2)
    assert chunker.context == {"breadcrumb"}
    assert all(chunk.language == language for chunk in chunker.chunk("x = 1\n"))


@pytest.mark.parametrize("name", ["a.py", "a.md", "a.txt"])
def test_the_name_of_a_file_tells_its_language(name: str) -> None:
    options: Any = {"language": "python"}
    with pytest.raises(OptionError, match="detects the language from the name"):
        chunker_for(name, 100, **options)
