"""The operations of workers for a client. The server checks the arguments before; results are JSON.

see         a text, cut: what the page shows of it
count       tokens of texts
chunk       the chunks of a text, from one number on, as many as fit an answer
search      an index
sources     the files that a pack may be of
pack        hits of an index as one text within a budget
assemble    a prompt of items that fits a budget
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import Any

from bpe_engine import Tokenizer, UnknownEncodingError
from bpe_engine.published.registry import published_encodings
from chunker import CodeChunker, TextChunker, chunker_for
from chunker.counting import TokenCounter, resolve_tokenizer
from chunker.counting.counters import UNITS
from chunker.errors import MissingGrammarError, OptionError
from chunker.formats.detect import detect
from chunker.formats.registry import code_names, format_named, format_names
from chunker.formats.unknown import LinesFormat
from chunker.index import Filter, Index
from chunker.index.searching import By
from chunker.integrations.service.errors import TooMuchError
from chunker.models import Chunk
from chunker.prompt import Item, assemble
from chunker.view import see_chunks
from chunker.view.page import text_data

AUTO = "auto"
# More than anybody reads, and as many as a browser shows without trouble.
MOST_CHUNKS = 50_000


def embedded_tokenizers() -> list[str]:
    """The names that need no file and no network; o200k_base first."""
    names = [name for name, encoding in published_encodings().items() if encoding.embedded is not None]
    return [*sorted(names, key=lambda name: (name != "o200k_base", name)), *sorted(UNITS)]


def _see(text: str, name: str, format: str, **options: Any) -> dict[str, Any]:  # noqa: A002, ANN401  # checked by the server
    chunker = _chunker(text, name, format, options)
    data = text_data(see_chunks(chunker, text, name, _chunks(chunker, text, name)))
    del data["text"]  # the client has it
    settings = {
        "tokenizer": options["tokenizer"],
        "max_tokens": chunker.max_tokens,
        "min_tokens": chunker.min_tokens,
        "overlap": chunker.overlap,
    }
    return {"data": data, "settings": settings}


def _count(texts: list[str], tokenizer: str) -> list[int]:
    counter = _tokenizer(tokenizer)
    return [counter.count(text) for text in texts]


# Of a chunk, what an agent has a use for: the names are those of docs/reference/chunk-fields.md.
_TOLD = ("index", "text", "breadcrumb", "token_count", "span", "kind", "language")


def _chunk(
    text: str,
    name: str,
    format: str,  # noqa: A002  # the word that users expect
    first: int,
    most_characters: int,
    **options: Any,  # noqa: ANN401  # checked by the server
) -> dict[str, Any]:
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


def _search(
    folder: str, query: str, limit: int, *, by: By, sources: list[str], languages: list[str], most_characters: int
) -> list[dict[str, Any]]:
    index = _index(folder)
    told: list[dict[str, Any]] = []
    for hit in index.search(query, limit, Filter(sources=tuple(sources), languages=tuple(languages)), by=by):
        body = hit.body[: most_characters // limit]
        told.append(
            {
                "source": hit.source,
                "span": hit.span.model_dump(),
                "kind": hit.kind,
                "language": hit.language,
                "context": hit.context,
                "text": body,
                "cut": len(body) < len(hit.body),
                "token_count": hit.token_count,
                "score": hit.score,
                "similarity": hit.similarity,
                "also": list(hit.also),
            }
        )
    return told


def _sources(folder: str, query: str, budget: int, *, by: By, sources: list[str], languages: list[str]) -> list[str]:
    """The files of which a pack may have something."""
    only = Filter(sources=tuple(sources), languages=tuple(languages))
    hits = _index(folder).search(query, _hits(budget), only, by=by)
    return list(dict.fromkeys(hit.source for hit in hits))


def _pack(
    folder: str, query: str, budget: int, *, by: By, sources: list[str], languages: list[str], allowed: list[str]
) -> dict[str, Any]:
    """A pack of hits in the files that are allowed, and no others."""
    index = _index(folder)
    only = Filter(sources=tuple(sources), languages=tuple(languages))
    given = frozenset(allowed)
    hits = [hit for hit in index.search(query, _hits(budget), only, by=by) if hit.source in given]
    pack = index.pack(query, budget, only, hits=hits)
    parts = [{"source": part.source, "lines": [part.start_line, part.end_line]} for part in pack.parts]
    return {"text": pack.text, "tokens": pack.token_count, "parts": parts}


def _hits(budget: int) -> int:
    """The largest number of hits in a pack of so many tokens."""
    return max(20, min(400, budget // 60))


def _status(folder: str) -> dict[str, Any]:
    index = _index(folder)
    status = index.status()
    told = asdict(status)
    return {
        **{name: told[name] for name in ("files", "chunks", "tokens")},
        "embedder": index.settings.embedder,
    }


def _assemble(
    items: list[dict[str, Any]], budget: int, *, tokenizer: str, most_characters: int, reserve: int, separator: str
) -> dict[str, Any]:
    prompt = assemble(
        [Item(**item) for item in items], budget, tokenizer=_tokenizer(tokenizer), reserve=reserve, separator=separator
    )
    if len(prompt.text) > most_characters:
        raise TooMuchError(
            f"the prompt has {len(prompt.text):,} characters; {most_characters:,} is the limit of an answer"
        )
    reports = [
        item.model_dump(include={"id", "status", "reason", "tokens", "tokens_before"}) for item in prompt.report.items
    ]
    return {"text": prompt.text, "tokens": prompt.token_count, "items": reports}


OPERATIONS: dict[str, Callable[..., Any]] = {
    "see": _see,
    "count": _count,
    "chunk": _chunk,
    "search": _search,
    "sources": _sources,
    "pack": _pack,
    "status": _status,
    "assemble": _assemble,
}


def _chunker(text: str, name: str, format: str, options: dict[str, Any]) -> TextChunker:  # noqa: A002  # see _chunk
    """The chunker for a text; a language is parsed in a process of its own, and where its grammar is not installed by lines."""
    limit: int = options["max_tokens"]
    made = {**options, "tokenizer": _tokenizer(options["tokenizer"])}
    del made["max_tokens"]
    if format == AUTO:
        if detect(name, text).format not in code_names():
            return chunker_for(name, limit, text=text, **made)
        format = detect(name, text).format or AUTO  # noqa: A001  # see _chunk
    if format not in format_names():
        raise OptionError(f"format must be auto or one of {', '.join(format_names())}; got {format!r:.100}")
    if format not in code_names():
        return TextChunker(limit, format=format_named(format), **made)
    try:
        return CodeChunker(format, limit, isolate=True, **made)
    except MissingGrammarError as error:
        return TextChunker(limit, format=LinesFormat(format, f"{error}; cut by lines"), **made)


def _chunks(chunker: TextChunker, text: str, name: str) -> list[Chunk]:
    """As `chunker.chunk`, and no more of them than an answer may have."""
    outline = chunker.outline(text)
    source = name or None
    grown = chunker.pieces(text, outline, chunker.context_of(text, outline, source))
    pieces = list(islice(grown, MOST_CHUNKS + 1))
    if len(pieces) > MOST_CHUNKS:
        raise TooMuchError(f"these are more than {MOST_CHUNKS:,} chunks: allow more tokens in each")
    return chunker.origin_of(text, outline, pieces, source).chunks()


@functools.cache
def _tokenizer(name: str) -> TokenCounter:
    """By name, or of a file: which names there are is for the server to say."""
    try:
        return resolve_tokenizer(name)
    except UnknownEncodingError:
        if not Path(name).is_file():
            raise
        return Tokenizer.from_file(name)


# Keeps the embedder, which may be a model, from one search to the next.
_indexes: dict[str, Index] = {}


def _index(folder: str) -> Index:
    opened = Index.open(folder, create=False)
    kept = _indexes.get(folder)
    if kept is not None and kept.settings == opened.settings:
        return kept
    _indexes[folder] = opened
    return opened
