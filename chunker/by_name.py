"""Choose a chunker by the name of a file, or by the name of a language or format."""

from __future__ import annotations

import os
from typing import NamedTuple, Unpack

from chunker.arguments import require, require_text
from chunker.chunkers import CodeChunker, MarkdownChunker, TextChunker
from chunker.errors import MissingGrammarError, OptionError, UnknownLanguageError
from chunker.formats.detect import UNKNOWN, detect, format_called
from chunker.formats.registry import code_names, format_names, is_plain
from chunker.formats.unknown import LinesFormat, UnknownFormat
from chunker.options import Options


def chunker_for(
    path: str | os.PathLike[str], max_tokens: int = 512, *, text: str = "", **options: Unpack[Options]
) -> TextChunker:
    """Choose the chunker for a file by its name and the beginning of its text. Does not open the file.

    Code in a language without a table or an installed grammar is cut by lines, and the metadata of its chunks says so.
    A file of an unknown kind is cut as plain text.

    Args:
        path: The name of the file, in upper or lower case.
        max_tokens: The largest number of tokens of a chunk.
        text: The text of the file or its beginning, which decides if the name does not.
        options: Those of `TextChunker`.

    Returns:
        A `CodeChunker` for source code whose grammar is installed, a `MarkdownChunker` for Markdown, else a
        `TextChunker`.

    Raises:
        OptionError: As `TextChunker`.
    """
    require(path, (str, os.PathLike), "path", "the name of a file, as a str or a path")
    require_text(text)
    for unwanted in ("language", "format"):
        if unwanted in options:
            raise OptionError(f"chunker_for detects the {unwanted} from the name of the file; chunk() takes a language")
    return chunker_of(detected(os.fsdecode(path).replace(os.sep, "/"), text), max_tokens, **options)


class Detected(NamedTuple):
    """The kind of a file: its language, its format, and whether the file has a name."""

    language: str
    kind: str | None
    named: bool


def detected(name: str, text: str) -> Detected:
    """Detect the kind of a file from its name and its text."""
    return Detected(*detect(name, text), named=bool(name))


def chunker_of(found: Detected, max_tokens: int, **options: Unpack[Options]) -> TextChunker:
    """Make the chunker for a detected language and format. Equal arguments give equal chunkers."""
    language, kind, named = found
    if kind == "markdown":
        return MarkdownChunker(max_tokens, **options)
    if kind is not None and not is_plain(kind) and kind in code_names():
        try:
            return CodeChunker(kind, max_tokens, **options)
        except MissingGrammarError as error:
            return TextChunker(max_tokens, format=LinesFormat(kind, f"{error}; cut by lines"), **options)
    if kind is not None:
        return TextChunker(max_tokens, format=kind, **options)
    if language != UNKNOWN:
        note = f"{language}: no grammar, cut by lines"
        return TextChunker(max_tokens, format=LinesFormat(language.lower(), note), **options)
    return TextChunker(max_tokens, format=UnknownFormat() if named else "text", **options)


def chunker_named(language: str, max_tokens: int = 512, **options: Unpack[Options]) -> TextChunker:
    """Return the chunker for a language or format, by any of its names.

    Args:
        language: "python", "C++", "rs", "markdown", "json", "text", ...
        max_tokens: No chunk has more tokens.
        options: Those of `TextChunker`.

    Returns:
        A `CodeChunker` for a language, a `MarkdownChunker` for Markdown, a `TextChunker` for any other format.

    Raises:
        UnknownLanguageError: There is no such language.
        MissingGrammarError: Its grammar is not installed.

    Examples:
        >>> chunker_named("md", 64), chunker_named("yaml", 64)
        (MarkdownChunker(max_tokens=64), TextChunker(max_tokens=64, format='yaml'))
    """
    require(language, str, "language", 'the name of a language or format, such as "python"')
    name = language if is_plain(language) else format_called(language)
    if name is None:
        raise UnknownLanguageError(f"language must be one of {', '.join(format_names())}; got {language!r}")
    if name == "markdown":
        return MarkdownChunker(max_tokens, **options)
    if is_plain(name):
        return TextChunker(max_tokens, format=name, **options)
    return CodeChunker(name, max_tokens, **options)
