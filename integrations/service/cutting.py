"""Cutting texts for clients, in workers: what the page shows, chunks as records, files of them, and the code that makes the same chunks."""

from __future__ import annotations

import functools
import io
import shlex
from itertools import islice
from pathlib import Path
from typing import Any

from bpe_engine import Tokenizer, UnknownEncodingError
from chunker import CodeChunker, TextChunker, chunker_for
from chunker.cli.outputs import CHUNKS, FileFormat, record_writer, require_packages
from chunker.cli.reports import json_line
from chunker.counting import TokenCounter, resolve_tokenizer
from chunker.errors import MissingGrammarError, OptionError
from chunker.formats.detect import detect
from chunker.formats.registry import code_names, format_named, format_names
from chunker.formats.unknown import LinesFormat
from chunker.integrations.service.errors import TooMuchError
from chunker.models import Chunk
from chunker.view import code_of, see_chunks
from chunker.view.page import text_data

AUTO = "auto"
# As many as a browser shows without trouble.
MOST_CHUNKS = 50_000
# The fields of a chunk that are useful to an agent (docs/reference/chunk-fields.md).
_TOLD = ("index", "text", "breadcrumb", "token_count", "span", "kind", "language")
# Defaults of the command line; only other values are shown.
_DEFAULTS = {
    "tokenizer": "o200k_base",
    "max_tokens": 512,
    "min_tokens": None,
    "desired_tokens": None,
    "overlap": 0,
    "overlap_by": "unit",
    "strategy": "grow",
    "reserve": None,
}


def see(text: str, name: str, format: str, **options: Any) -> dict[str, Any]:  # noqa: A002, ANN401  # checked by the server
    """What the page shows of a text: its chunks, the settings, and how to make the same ones elsewhere."""
    chunker = _chunker(text, name, format, options)
    data = text_data(see_chunks(chunker, text, name, _chunks(chunker, text, name)))
    del data["text"]  # the client has it
    settings = {
        "tokenizer": options["tokenizer"],
        "max_tokens": chunker.max_tokens,
        "min_tokens": chunker.min_tokens,
        "overlap": chunker.overlap,
        "code": code_of(chunker, name or None),
        "command": command_of(name, format, options),
    }
    return {"data": data, "settings": settings}


def told_chunks(
    text: str,
    name: str,
    format: str,  # noqa: A002  # the word that users expect
    first: int,
    most_characters: int,
    **options: Any,  # noqa: ANN401  # checked by the server
) -> dict[str, Any]:
    """The chunks of a text for an agent, from number `first` on, as many as fit an answer."""
    chunker = _chunker(text, name, format, options)
    chunks = _chunks(chunker, text, name)
    told: list[dict[str, Any]] = []
    left = most_characters
    for chunk in chunks[first:]:
        left -= len(chunk.text)
        if left < 0 and told:
            break
        record = chunk.record()
        told.append({name: record[name] for name in _TOLD})
    return {
        "chunks": told,
        "total": len(chunks),
        "tokens": sum(chunk.token_count for chunk in chunks),
        "next": first + len(told) if first + len(told) < len(chunks) else None,
        "notes": chunks[0].metadata if chunks else {},
    }


def records(text: str, name: str, format: str, **options: Any) -> dict[str, Any]:  # noqa: A002, ANN401  # see `see`
    """All chunks of a text, as records."""
    chunker = _chunker(text, name, format, options)
    chunks = _chunks(chunker, text, name)
    return {
        "chunks": [chunk.record() for chunk in chunks],
        "tokens": sum(chunk.token_count for chunk in chunks),
        "code": code_of(chunker, name or None),
    }


def export(text: str, name: str, format: str, file_format: str, **options: Any) -> bytes:  # noqa: A002, ANN401  # see `see`
    """The chunks of a text as a file, such as `chunker chunk --output` writes. Raises `MissingExtraError`."""
    wanted = FileFormat(file_format)
    require_packages(wanted)
    chunks = _chunks(_chunker(text, name, format, options), text, name)
    file = io.BytesIO()
    with record_writer(wanted, file, CHUNKS) as writer:
        for chunk in chunks:
            writer.write(json_line(chunk.record()))
    return file.getvalue()


def command_of(name: str, format: str, options: dict[str, Any]) -> str | None:  # noqa: A002  # see `see`
    """The command line that makes the same chunks of the file of this name, or of standard input; None if its options cannot say it.

    >>> command_of("my page.md", "auto", {"max_tokens": 64, "overlap": 0, "context": True})
    "chunker chunk 'my page.md' --max-tokens 64 --context --verbatim --format jsonl"
    """
    context = options.get("context", False)
    if not isinstance(context, bool) and list(context) not in ([], ["breadcrumb"]):
        return None
    given = [
        f"--{option.replace('_', '-')} {shlex.quote(str(options[option]))}"
        for option, default in _DEFAULTS.items()
        if options.get(option, default) != default
    ]
    language = [] if format == AUTO else [f"--language {format}"]
    flags = [*(["--context"] if context else []), *(["--verbatim"] if name else [])]
    path = shlex.quote(f"./{name}" if name.startswith("-") else name or "-")
    return " ".join(["chunker chunk", path, *language, *given, *flags, "--format jsonl"])


def _chunker(text: str, name: str, format: str, options: dict[str, Any]) -> TextChunker:  # noqa: A002  # see `see`
    """The chunker for a text; a language is parsed in a process of its own, and where its grammar is not installed by lines."""
    limit: int = options["max_tokens"]
    made = {**options, "tokenizer": tokenizer_named(options["tokenizer"])}
    del made["max_tokens"]
    if format == AUTO:
        if detect(name, text).format not in code_names():
            return chunker_for(name, limit, text=text, **made)
        format = detect(name, text).format or AUTO  # noqa: A001  # see `see`
    if format not in format_names():
        raise OptionError(f"format must be auto or one of {', '.join(format_names())}; got {format!r:.100}")
    if format not in code_names():
        return TextChunker(limit, format=format_named(format), **made)
    try:
        return CodeChunker(format, limit, isolate=True, **made)
    except MissingGrammarError as error:
        return TextChunker(limit, format=LinesFormat(format, f"{error}; cut by lines"), **made)


def _chunks(chunker: TextChunker, text: str, name: str) -> list[Chunk]:
    """The chunks of a text; raises if there are more than an answer may have."""
    outline = chunker.outline(text)
    source = name or None
    grown = chunker.pieces(text, outline, chunker.context_of(text, outline, source))
    pieces = list(islice(grown, MOST_CHUNKS + 1))
    if len(pieces) > MOST_CHUNKS:
        raise TooMuchError(f"these are more than {MOST_CHUNKS:,} chunks: allow more tokens in each")
    return chunker.origin_of(text, outline, pieces, source).chunks()


@functools.cache
def tokenizer_named(name: str) -> TokenCounter:
    """By name, or of a file: which names there are is for the server to say."""
    try:
        return resolve_tokenizer(name)
    except UnknownEncodingError:
        if not Path(name).is_file():
            raise
        return Tokenizer.from_file(name)
