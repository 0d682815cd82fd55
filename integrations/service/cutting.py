"""Chunk texts for clients, in workers: the content of the page, chunks as records and as files, and the code that makes
equal chunks.
"""

from __future__ import annotations

import base64
import io
import shlex
from itertools import islice
from typing import Any

from chunker import CodeChunker, TextChunker, chunker_for
from chunker.cli.outputs import CHUNKS, FileFormat, record_writer, require_packages
from chunker.cli.records import json_line
from chunker.counting import resolve_tokenizer
from chunker.errors import DocumentError, MissingGrammarError, OptionError
from chunker.fields import FIELDS
from chunker.files.discovery import FoundFile, Problem
from chunker.files.documents import Document
from chunker.files.file_chunks import chunks_in_file
from chunker.files.intake import Intake
from chunker.files.readers.table import ending_of
from chunker.formats.detect import detect
from chunker.formats.registry import code_names, format_named, format_names
from chunker.formats.unknown import LinesFormat
from chunker.integrations.service.errors import TooMuchError
from chunker.models import Chunk
from chunker.view import code_of, see_chunks
from chunker.view.page import text_data

AUTO = "auto"
# As many as a browser can show without trouble.
MOST_CHUNKS = 50_000
# The fields of a chunk for an agent: all except the body, which is the end of the text.
_TOLD = tuple(name for name in FIELDS if name != "body")
# The defaults of the command line; only other values are shown.
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


def see(text: str, name: str, language: str, **options: Any) -> dict[str, Any]:  # noqa: ANN401  # checked by the server
    """Return the data of the page for a text: its chunks, the settings, and code that makes equal chunks."""
    chunker = _chunker(text, name, language, options)
    data = text_data(see_chunks(chunker, text, name, _chunks(chunker, text, name)))
    del data["text"]  # the client has it
    settings = {
        "tokenizer": options["tokenizer"],
        "max_tokens": chunker.max_tokens,
        "min_tokens": chunker.min_tokens,
        "overlap": chunker.overlap,
        "code": code_of(chunker, name or None),
        "command": command_of(name, language, options),
    }
    return {"data": data, "settings": settings}


def told_chunks(
    text: str,
    name: str,
    language: str,
    *,
    first: int,
    most_characters: int,
    content: str | None = None,
    **options: Any,  # noqa: ANN401  # checked by the server
) -> dict[str, Any]:
    """Return the chunks of a text, or of the file with this base64 content, for an agent: from index `first` on, as
    many as fit an answer.
    """
    document = None if content is None else read_content(name, content)
    text = text if document is None else document.text
    chunker = _chunker(text, name, language, options)
    chunks = _chunks(chunker, text, name)
    if document is not None:
        chunks = chunks_in_file(chunks, document)
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
        "notes": {key: value for key, value in chunks[0].metadata.items() if key != "places"} if chunks else {},
    }


def text_of(name: str, content: str) -> dict[str, Any]:
    """Return the text of the file with this base64 content."""
    return {"text": read_content(name, content).text}


def records(text: str, name: str, language: str, **options: Any) -> dict[str, Any]:  # noqa: ANN401  # see `see`
    """Return all chunks of a text, as records."""
    chunker = _chunker(text, name, language, options)
    chunks = _chunks(chunker, text, name)
    return {
        "chunks": [chunk.record() for chunk in chunks],
        "tokens": sum(chunk.token_count for chunk in chunks),
        "code": code_of(chunker, name or None),
    }


def export(text: str, name: str, language: str, file_format: str, **options: Any) -> bytes:  # noqa: ANN401  # see `see`
    """Return the chunks of a text as a file, as `chunker chunk --output` writes it. Raises `MissingExtraError`."""
    wanted = FileFormat(file_format)
    require_packages(wanted)
    chunks = _chunks(_chunker(text, name, language, options), text, name)
    file = io.BytesIO()
    with record_writer(wanted, file, CHUNKS) as writer:
        for chunk in chunks:
            writer.write(json_line(chunk.record()))
    return file.getvalue()


def command_of(name: str, language: str, options: dict[str, Any]) -> str | None:
    """Return the command line that makes equal chunks of the file of this name, or of standard input; None if no
    options express the settings.

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
    named = [] if language == AUTO else [f"--language {language}"]
    flags = [*(["--context"] if context else []), *(["--verbatim"] if name else [])]
    path = shlex.quote(f"./{name}" if name.startswith("-") else name or "-")
    return " ".join(["chunker chunk", path, *named, *given, *flags, "--format jsonl"])


def read_content(name: str, content: str) -> Document:
    """Read a file of this name with this content like the command. Raises `DocumentError`."""
    data = base64.b64decode(content)
    found = Intake().read_bytes(data, FoundFile(name, len(data), named=True))
    if isinstance(found, Problem):
        raise DocumentError(str(found))
    return found


def _chunker(text: str, name: str, language: str, options: dict[str, Any]) -> TextChunker:
    """Return the chunker for a text. Code is parsed in a separate process, or cut by lines if its grammar is not
    installed.
    """
    limit: int = options["max_tokens"]
    made = {**options, "tokenizer": resolve_tokenizer(options["tokenizer"])}
    del made["max_tokens"]
    if language == AUTO and ending_of(name) is not None:
        language = "markdown"  # the format of the texts that readers make
    if language == AUTO:
        if detect(name, text).format not in code_names():
            return chunker_for(name, limit, text=text, **made)
        language = detect(name, text).format or AUTO
    if language not in format_names():
        raise OptionError(f"language must be auto or one of {', '.join(format_names())}; got {language!r:.100}")
    if language not in code_names():
        return TextChunker(limit, format=format_named(language), **made)
    try:
        return CodeChunker(language, limit, isolate=True, **made)
    except MissingGrammarError as error:
        return TextChunker(limit, format=LinesFormat(language, f"{error}; cut by lines"), **made)


def _chunks(chunker: TextChunker, text: str, name: str) -> list[Chunk]:
    """Return the chunks of a text. Raises `TooMuchError` if there are more than an answer may have."""
    outline = chunker.outline(text)
    source = name or None
    grown = chunker.pieces(text, outline, chunker.context_of(text, outline, source))
    pieces = list(islice(grown, MOST_CHUNKS + 1))
    if len(pieces) > MOST_CHUNKS:
        raise TooMuchError(f"these are more than {MOST_CHUNKS:,} chunks: allow more tokens in each")
    return chunker.origin_of(text, outline, pieces, source).chunks()
