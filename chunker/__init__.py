"""Chunks that fit a token budget exactly.

    from chunker import CodeChunker, MarkdownChunker, TextChunker, chunker_for
    chunks = CodeChunker("python", max_tokens=512).chunk(source)

What is not named here is for formats, plug-ins and the command: see the modules.
"""

from __future__ import annotations

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

__all__ = [
    "BudgetTooSmallError",
    "Chunk",
    "ChunkNode",
    "ChunkerError",
    "CodeChunker",
    "Hierarchy",
    "MarkdownChunker",
    "MissingGrammarError",
    "OptionError",
    "Span",
    "TextChunker",
    "UnknownLanguageError",
    "WrongTypeError",
    "chunk_hierarchy",
    "chunker_for",
]
