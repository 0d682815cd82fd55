"""Chunks that fit a token budget exactly.

    from chunker import chunk, chunk_file, chunk_files
    chunks = chunk(text, 512, language="markdown")
    chunks = chunk_file("src/shop.py", 512, overlap=32)

    from chunker import CodeChunker, MarkdownChunker, TextChunker      # one for many texts
    chunks = CodeChunker("python", max_tokens=512).chunk(source)

Names are imported when they are first used. Formats, plug-ins and the command have modules of their own.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chunker.by_name import chunker_for, chunker_named
    from chunker.calls import chunk, chunk_file
    from chunker.chunkers import CodeChunker, MarkdownChunker, TextChunker
    from chunker.code_headers import CodeHeaders
    from chunker.context_writer import ContextWriter
    from chunker.edits import EditedText
    from chunker.errors import (
        BudgetTooSmallError,
        ChunkerError,
        ContextError,
        FileError,
        MissingExtraError,
        MissingGrammarError,
        OptionError,
        UnknownLanguageError,
        WrongTypeError,
    )
    from chunker.files.chunk_files import FileChunks, achunk_files, chunk_files
    from chunker.files.discovery import Problem
    from chunker.hierarchy import ChunkNode, Hierarchy, chunk_hierarchy
    from chunker.models import Chunk
    from chunker.sentence_windows import ReadingWindow, sentence_chunker, window_around
    from chunker.span import Span
    from chunker.streams.chunk_stream import achunk, achunk_stream, chunk_stream

    __version__: str

# Module -> the names that it defines. A module is imported when the first of its names is used, so that counting tokens
# does not load chunkers, and chunking a text loads neither streams nor processes.
_NAMES = {
    "chunker.by_name": ("chunker_for", "chunker_named"),
    "chunker.calls": ("chunk", "chunk_file"),
    "chunker.chunkers": ("CodeChunker", "MarkdownChunker", "TextChunker"),
    "chunker.code_headers": ("CodeHeaders",),
    "chunker.context_writer": ("ContextWriter",),
    "chunker.edits": ("EditedText",),
    "chunker.errors": (
        "BudgetTooSmallError",
        "ChunkerError",
        "ContextError",
        "FileError",
        "MissingExtraError",
        "MissingGrammarError",
        "OptionError",
        "UnknownLanguageError",
        "WrongTypeError",
    ),
    "chunker.files.chunk_files": ("FileChunks", "achunk_files", "chunk_files"),
    "chunker.files.discovery": ("Problem",),
    "chunker.hierarchy": ("ChunkNode", "Hierarchy", "chunk_hierarchy"),
    "chunker.models": ("Chunk",),
    "chunker.sentence_windows": ("ReadingWindow", "sentence_chunker", "window_around"),
    "chunker.span": ("Span",),
    "chunker.streams.chunk_stream": ("achunk", "achunk_stream", "chunk_stream"),
}
_PLACES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [
    "BudgetTooSmallError",
    "Chunk",
    "ChunkNode",
    "ChunkerError",
    "CodeChunker",
    "CodeHeaders",
    "ContextError",
    "ContextWriter",
    "EditedText",
    "FileChunks",
    "FileError",
    "Hierarchy",
    "MarkdownChunker",
    "MissingExtraError",
    "MissingGrammarError",
    "OptionError",
    "Problem",
    "ReadingWindow",
    "Span",
    "TextChunker",
    "UnknownLanguageError",
    "WrongTypeError",
    "achunk",
    "achunk_files",
    "achunk_stream",
    "chunk",
    "chunk_file",
    "chunk_files",
    "chunk_hierarchy",
    "chunk_stream",
    "chunker_for",
    "chunker_named",
    "sentence_chunker",
    "window_around",
]


if not TYPE_CHECKING:  # type checkers see the names themselves

    def __getattr__(name: str) -> object:
        if name == "__version__":
            found = globals()[name] = import_module("chunker.version").installed_version() or "0+unknown"
            return found
        if name not in _PLACES:
            raise AttributeError(f"module 'chunker' has no attribute {name!r}")
        found = globals()[name] = getattr(import_module(_PLACES[name]), name)
        return found


def __dir__() -> list[str]:
    return __all__
