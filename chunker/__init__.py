"""Chunks that fit a token budget exactly.

    from chunker import CodeChunker, MarkdownChunker, TextChunker, chunker_for
    chunks = CodeChunker("python", max_tokens=512).chunk(source)

Names for many files and for streams are imported when they are first used. Formats, plug-ins and the command have
modules of their own.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from chunker.chunkers import CodeChunker, MarkdownChunker, TextChunker, chunker_for
from chunker.errors import (
    BudgetTooSmallError,
    ChunkerError,
    MissingGrammarError,
    OptionError,
    UnknownLanguageError,
    WrongTypeError,
)
from chunker.hierarchy import ChunkNode, Hierarchy, chunk_hierarchy
from chunker.models import Chunk, Span

if TYPE_CHECKING:
    from chunker.edits import EditedText
    from chunker.files.chunk_files import FileChunks, achunk_files, chunk_files
    from chunker.files.discovery import Problem
    from chunker.streams.chunk_stream import achunk, achunk_stream, chunk_stream

_PLACES = {
    "EditedText": "chunker.edits",
    "FileChunks": "chunker.files.chunk_files",
    "Problem": "chunker.files.discovery",
    "achunk": "chunker.streams.chunk_stream",
    "achunk_files": "chunker.files.chunk_files",
    "achunk_stream": "chunker.streams.chunk_stream",
    "chunk_files": "chunker.files.chunk_files",
    "chunk_stream": "chunker.streams.chunk_stream",
}

__all__ = [
    "BudgetTooSmallError",
    "Chunk",
    "ChunkNode",
    "ChunkerError",
    "CodeChunker",
    "EditedText",
    "FileChunks",
    "Hierarchy",
    "MarkdownChunker",
    "MissingGrammarError",
    "OptionError",
    "Problem",
    "Span",
    "TextChunker",
    "UnknownLanguageError",
    "WrongTypeError",
    "achunk",
    "achunk_files",
    "achunk_stream",
    "chunk_files",
    "chunk_hierarchy",
    "chunk_stream",
    "chunker_for",
]


if not TYPE_CHECKING:  # who checks types sees the names themselves

    def __getattr__(name: str) -> object:
        if name not in _PLACES:
            raise AttributeError(f"module 'chunker' has no attribute {name!r}")
        return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return __all__
