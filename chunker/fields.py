"""The fields of a chunk: one list of names in one order, for every form of output. docs/reference/chunk-fields.md explains them.

Chunk.record(), JSON Lines    FIELDS                    the body only where it is not the text
CSV, Parquet, Arrow           TABLE_COLUMNS             the span in six columns
hits                          FIELDS, then HIT_FIELDS
metadata of plug-ins          FLAT_NAMES                numbers and strings alone
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

FIELDS = (
    *("id", "content_hash", "source", "index", "text", "body", "context", "breadcrumb"),
    *("token_count", "span", "kind", "language", "note", "metadata"),
)
SPAN_FIELDS = ("start", "end", "start_byte", "end_byte", "start_line", "end_line")
# The fields of a hit beside those of its chunk.
HIT_FIELDS = ("tags", "score", "similarity", "also", "points")
# The columns of tables, and whether each holds whole numbers, else texts.
TABLE_COLUMNS: Mapping[str, bool] = {
    column: column in {"index", "token_count", *SPAN_FIELDS}
    for name in FIELDS
    for column in (SPAN_FIELDS if name == "span" else (name,))
}
# The fields for systems that take only numbers and strings, without those that have a place of their own there.
FLAT_NAMES = (
    *("id", "content_hash", "index", "breadcrumb", "token_count", "start_index", "end_index"),
    *("start_byte", "end_byte", "start_line", "end_line", "kind", "language", "note"),
)
BREADCRUMB_SEPARATOR = " > "
# Keys of the metadata under which formats and readers leave remarks for people.
_NOTES = ("language", "parse", "left_out")


def told_names(fields: Sequence[str]) -> tuple[str, ...]:
    """The names of what is told of a chunk, and then what else its class has."""
    return (*FIELDS, *(name for name in fields if name not in FIELDS))


def note_of(metadata: Mapping[str, Any]) -> str | None:
    """The remark of the format in the metadata of a chunk, for people, or None.

    >>> note_of({"parse": "had errors", "rights": "ours"})
    'parse: had errors'
    """
    told = (f"{key}: {metadata[key]}" for key in _NOTES if isinstance(metadata.get(key), str))
    return "; ".join(told) or None


def content_hash_of(text: str) -> str:
    """32 hexadecimal digits that depend on a text alone.

    >>> content_hash_of("The same line.")
    '62c166bbf0ab24fe20338585a65a9cbe'
    """
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def identity_of(source: str | None, level: int = 0) -> bytes:
    """The common beginning of the ids of all chunks of a source on a level of a hierarchy: no two of them have the same bytes."""
    named = b"" if source is None else source.encode("utf-8", "surrogatepass")
    length = -1 if source is None else len(named)
    return length.to_bytes(8, "little", signed=True) + named + level.to_bytes(8, "little")


def id_of(identity: bytes, start: int, text: str) -> str:
    """The id of a chunk: 32 hexadecimal digits of the source and level, of the character where its span starts, and of its text."""
    hasher = hashlib.blake2b(identity, digest_size=16)
    hasher.update(start.to_bytes(8, "little"))
    hasher.update(bytes.fromhex(content_hash_of(text)))
    return hasher.hexdigest()


def flat(record: Mapping[str, Any]) -> dict[str, int | str]:
    """The fields of a record as metadata of numbers and strings, which every store takes; without those that are null.

    >>> flat({"index": 0, "breadcrumb": ["A", "B"], "language": None, "span": {"start": 5}})
    {'index': 0, 'breadcrumb': 'A > B', 'start_index': 5}
    """
    return {name: value for name, value in _flattened(record) if value is not None}


def _flattened(record: Mapping[str, Any]) -> Iterator[tuple[str, int | str | None]]:
    values = {**record, **record["span"]}
    for name in FLAT_NAMES:
        value = values.get(name.removesuffix("_index"))
        yield name, BREADCRUMB_SEPARATOR.join(value or ()) if name == "breadcrumb" else value
