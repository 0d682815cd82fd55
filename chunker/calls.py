"""Chunk a text or a file in one call.

    chunk("# Guide\n\nSome words.", 512, language="markdown")
    chunk_file("src/shop.py", 512, overlap=32)
    chunk_file("src/shop.py", CodeChunker("python", 512))

In all of these, and in `chunk_files`, `chunk_stream` and their asynchronous variants, the second argument is a number
of tokens, or a chunker, which has its own options.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from operator import index
from typing import Any, SupportsIndex, Unpack

from chunker.arguments import require, require_source, told
from chunker.by_name import chunker_for, chunker_named
from chunker.chunkers import TextChunker
from chunker.errors import FileError, OptionError, WrongTypeError
from chunker.models import Chunk
from chunker.options import Options

_DEFAULT = 512


def chunk(
    text: str | os.PathLike[str],
    max_tokens: int | TextChunker = _DEFAULT,
    *,
    language: str | None = None,
    source: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    **options: Unpack[Options],
) -> list[Chunk]:
    """Chunk a text, or the file at a path.

    Args:
        text: The text; or a path (`pathlib.Path`, never a str), whose file is read as by `chunk_file`.
        max_tokens: The largest number of tokens of a chunk; or a chunker, which has its own options.
        language: The format: "python", "markdown", "json", "text", ... None finds it by the name `source`, else by the
            text if that is clear, else takes plain text.
        source: The name of the text, usually a path; see `TextChunker.chunk`.
        metadata: Values of your own, which all chunks of the text get.
        options: Those of `TextChunker`.

    Returns:
        The chunks, in the order of the text.

    Raises:
        OptionError: Options cannot be used together, or have a wrong type.
        UnknownLanguageError: There is no such language.
        BudgetTooSmallError: One character of the text has more tokens than a chunk may have.
        FileError: The file cannot be read.

    Examples:
        >>> [one.body for one in chunk("# A\\n\\nSome words.\\n\\n# B\\n\\nMore words.\\n", 8, language="markdown")]
        ['# A\\n\\nSome words.\\n\\n', '# B\\n\\nMore words.\\n']
    """
    if isinstance(text, os.PathLike):
        if source is not None or metadata is not None:
            raise OptionError("a file has its own source and metadata: pass its text to set others")
        return chunk_file(text, max_tokens, language=language, **options)
    require(text, str, "text", "a str, or a path such as pathlib.Path('notes.md')")
    require_source(source)
    chunker = chosen(max_tokens, language, options)
    if chunker is None:
        assert not isinstance(max_tokens, TextChunker)  # noqa: S101  # one would be chosen; for mypy
        chunker = chunker_for(source or "", max_tokens, text=text, **options)
    return chunker.chunk(text, source=source, metadata=metadata)


def chunk_file(
    path: str | os.PathLike[str],
    max_tokens: int | TextChunker = _DEFAULT,
    *,
    language: str | None = None,
    **options: Unpack[Options],
) -> list[Chunk]:
    """Chunk one file. Its path is the source of the chunks.

    Args:
        path: The file.
        max_tokens: The largest number of tokens of a chunk; or a chunker, which has its own options.
        language: The format, as for `chunk`. None finds it by the name of the file, else by its content.
        options: Those of `TextChunker`.

    Returns:
        The chunks, in the order of the text.

    Raises:
        OptionError: As `chunk`; and for a folder, which `chunk_files` takes.
        FileError: There is no such file, or it is not text.
    """
    from chunker.files.chunk_files import FileChunks, chunk_files  # noqa: PLC0415  # which a text needs nothing of

    require(path, (str, os.PathLike), "path", "the path of a file, as a str or a path")
    name = os.fspath(path)
    if os.path.isdir(name):  # noqa: PTH112  # a path of any kind
        raise OptionError(f"{name} is a folder: chunk_files chunks all files in it")
    chunker = chosen(max_tokens, language, options)
    if chunker is None:
        assert not isinstance(max_tokens, TextChunker)  # noqa: S101  # for mypy
        results = chunk_files([name], max_tokens, secrets=True, **options)
    else:
        results = chunk_files([name], chunker, secrets=True)
    for result in results:
        if isinstance(result, FileChunks):
            return result.chunks
        raise FileError(str(result))
    return []


def chosen(max_tokens: object, language: object, options: Options) -> TextChunker | None:
    """Return the chunker that was given, or the one for `language`; None if neither was given.

    Raises OptionError for a chunker with further options, and WrongTypeError if `max_tokens` is neither a number nor a
    chunker.
    """
    require(language, (str, type(None)), "language", 'the name of a language or format, such as "python"')
    if isinstance(max_tokens, TextChunker):
        if options or language is not None:
            raise OptionError("a chunker has its own options: pass either a chunker or options")
        return max_tokens
    # An int first: before Python 3.12 to ask for a protocol takes as long as to chunk a few words.
    if not isinstance(max_tokens, int | SupportsIndex) or isinstance(max_tokens, bool):
        hint = (
            f", and the language as language={max_tokens!r:.40}"
            if isinstance(max_tokens, str) and not max_tokens.isdecimal()
            else ""
        )
        raise WrongTypeError(f"max_tokens must be a whole number of tokens, or a chunker; got {told(max_tokens)}{hint}")
    return None if language is None else chunker_named(str(language), index(max_tokens), **options)
