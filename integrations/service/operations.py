"""The operations of workers for clients. The server has checked the arguments; results are JSON, or the bytes of a
file.

see         a text, cut: what the page shows of it
count       tokens of texts
chunk       the chunks of a text, from one number on, as many as fit an answer
read        the text of a document, such as a PDF
records     all chunks of a text
export      a file of them
search      an index
map         the signatures of a folder that matter most
skeleton    those of one file
sources     the files that a pack may be of
pack        hits of an index as one text within a budget
unmatched   the sources and tags of a search that no file of an index has, with the nearest
added       the names that are of texts that were added to an index
assemble    a prompt of items that fits a budget
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, TypedDict, Unpack

from bpe_engine.published.registry import published_encodings
from chunker.counting import resolve_tokenizer
from chunker.counting.counters import UNITS
from chunker.fields import FIELDS, HIT_FIELDS
from chunker.formats.detect import file_name_for
from chunker.index import Filter, Index
from chunker.index.searching import By
from chunker.integrations.service.cutting import export, read_content, records, see, text_of, told_chunks
from chunker.integrations.service.errors import TooMuchError
from chunker.mapping import Repository, map_repository, skeleton
from chunker.prompt import Item, assemble


def embedded_tokenizers() -> list[str]:
    """Return the names of the tokenizers that need no file and no network; o200k_base first."""
    names = [name for name, encoding in published_encodings().items() if encoding.embedded is not None]
    return [*sorted(names, key=lambda name: (name != "o200k_base", name)), *sorted(UNITS)]


def _count(texts: list[str], tokenizer: str) -> list[int]:
    counter = resolve_tokenizer(tokenizer)
    return [counter.count(text) for text in texts]


# The fields of a hit for clients, without the body, which is the end of the text, and the points, which are for tuning
# the ranking.
HIT_NAMES = tuple(name for name in (*FIELDS, *HIT_FIELDS) if name not in {"body", "tags", "points"})


class Conditions(TypedDict, total=False):
    """The conditions of a `Filter`, as JSON values."""

    sources: list[str]
    languages: list[str]
    kinds: list[str]
    tags: list[str]
    metadata: dict[str, Any]


def _filter(conditions: Conditions) -> Filter:
    return Filter(
        tags=tuple(conditions.get("tags", ())),
        sources=tuple(conditions.get("sources", ())),
        languages=tuple(conditions.get("languages", ())),
        kinds=tuple(conditions.get("kinds", ())),
        metadata=conditions.get("metadata", {}),
    )


def _search(
    folder: str, query: str, limit: int, *, by: By, most_characters: int, **conditions: Unpack[Conditions]
) -> list[dict[str, Any]]:
    index = _index(folder)
    told: list[dict[str, Any]] = []
    for hit in index.search(query, limit, _filter(conditions), by=by):
        record = hit.record()
        text = hit.text[: most_characters // limit]
        told.append(
            {
                **{name: record[name] for name in HIT_NAMES},
                "text": text,
                "cut": len(text) < len(hit.text),
            }
        )
    return told


def _sources(folder: str, query: str, budget: int, *, by: By, **conditions: Unpack[Conditions]) -> list[str]:
    """Return the files that may be part of a pack."""
    hits = _index(folder).search(query, _hits(budget), _filter(conditions), by=by)
    return list(dict.fromkeys(hit.source for hit in hits))


def _pack(
    folder: str, query: str, budget: int, *, by: By, allowed: list[str], **conditions: Unpack[Conditions]
) -> dict[str, Any]:
    """Return a pack of hits, from allowed files only."""
    index = _index(folder)
    only = _filter(conditions)
    given = frozenset(allowed)
    hits = [hit for hit in index.search(query, _hits(budget), only, by=by) if hit.source in given]
    pack = index.pack(query, budget, only, hits=hits)
    parts = [{"source": part.source, "lines": [part.start_line, part.end_line]} for part in pack.parts]
    return {"text": pack.text, "tokens": pack.token_count, "parts": parts}


def _unmatched(folder: str, **conditions: Unpack[Conditions]) -> list[dict[str, Any]]:
    return [asdict(one) for one in _index(folder).unmatched(_filter(conditions))]


def _added(folder: str, names: list[str]) -> list[str]:
    return sorted(_index(folder).added(names))


def _hits(budget: int) -> int:
    """Return the largest number of hits in a pack of `budget` tokens."""
    return max(20, min(400, budget // 60))


def _map(folder: str, max_tokens: int, *, focus: list[str], tokenizer: str) -> dict[str, Any]:
    repository = _repositories.setdefault(folder, Repository(folder))
    drawn = map_repository(repository, max_tokens, focus=focus, tokenizer=resolve_tokenizer(tokenizer))
    told = {"text": drawn.text, "tokens": drawn.token_count, "files": drawn.files, "definitions": drawn.definitions}
    return {**told, "unknown_focus": list(drawn.unknown)} if drawn.unknown else told


def _skeleton(name: str, content: str, max_tokens: int, *, tokenizer: str) -> dict[str, Any]:
    document = read_content(name, content)
    counter = resolve_tokenizer(tokenizer)
    named = name if document.format is None else file_name_for(document.format)
    text = skeleton(document.text, named, max_tokens, tokenizer=counter)
    return {"text": text, "tokens": counter.count(text)}


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
        [Item(**item) for item in items],
        budget,
        tokenizer=resolve_tokenizer(tokenizer),
        reserve=reserve,
        separator=separator,
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
    "see": see,
    "count": _count,
    "chunk": told_chunks,
    "read": text_of,
    "records": records,
    "export": export,
    "search": _search,
    "sources": _sources,
    "pack": _pack,
    "unmatched": _unmatched,
    "added": _added,
    "map": _map,
    "skeleton": _skeleton,
    "status": _status,
    "assemble": _assemble,
}


# The repository of each folder; its files are read again only when they change.
_repositories: dict[str, Repository] = {}
# Keeps the embedder, which may be a model, between searches.
_indexes: dict[str, Index] = {}


def _index(folder: str) -> Index:
    opened = Index.open(folder, create=False)
    kept = _indexes.get(folder)
    if kept is not None and kept.settings == opened.settings:
        return kept
    _indexes[folder] = opened
    return opened
