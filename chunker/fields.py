"""The fields of a chunk: one list of names in one order, for all forms of output. docs/reference/chunk-fields.md
explains them.

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
# The fields of a hit besides those of its chunk.
HIT_FIELDS = ("tags", "score", "similarity", "also", "points")
# The columns of tables, and whether a column holds integers; the others hold texts.
TABLE_COLUMNS: Mapping[str, bool] = {
    column: column in {"index", "token_count", *SPAN_FIELDS}
    for name in FIELDS
    for column in (SPAN_FIELDS if name == "span" else (name,))
}
# The fields for systems that take only numbers and strings, except fields that these systems store elsewhere.
FLAT_NAMES = (
    *("id", "content_hash", "index", "breadcrumb", "token_count", "start_index", "end_index"),
    *("start_byte", "end_byte", "start_line", "end_line", "kind", "language", "note"),
)
BREADCRUMB_SEPARATOR = " > "
# Metadata keys under which formats and readers leave notes for people.
_NOTES = ("language", "parse", "left_out")


def told_names(fields: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the fields in the order of output: those of every chunk, then other `fields` of its class."""
    return (*FIELDS, *(name for name in fields if name not in FIELDS))


def note_of(metadata: Mapping[str, Any]) -> str | None:
    """Return the notes of the format in the metadata of a chunk, for people; None if there are none.

    >>> note_of({"parse": "had errors", "rights": "ours"})
    'parse: had errors'
    """
    told = (f"{key}: {metadata[key]}" for key in _NOTES if isinstance(metadata.get(key), str))
    return "; ".join(told) or None


def content_hash_of(text: str) -> str:
    """Hash a text to 32 hexadecimal digits.

    >>> content_hash_of("The same line.")
    '62c166bbf0ab24fe20338585a65a9cbe'
    """
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def identity_of(source: str | None, level: int = 0) -> bytes:
    """Return the common prefix of the hashed bytes of all chunks of a source, on a level of a hierarchy. Two different
    pairs of source and level have different prefixes.
    """
    named = b"" if source is None else source.encode("utf-8", "surrogatepass")
    length = -1 if source is None else len(named)
    return length.to_bytes(8, "little", signed=True) + named + level.to_bytes(8, "little")


def id_of(identity: bytes, start: int, text: str) -> str:
    """Return the id of a chunk: a hash, in 32 hexadecimal digits, of its source and level, the start of its span in
    characters, and its text.
    """
    hasher = hashlib.blake2b(identity, digest_size=16)
    hasher.update(start.to_bytes(8, "little"))
    hasher.update(bytes.fromhex(content_hash_of(text)))
    return hasher.hexdigest()


def flat(record: Mapping[str, Any]) -> dict[str, int | str]:
    """Flatten the fields of a record to metadata of numbers and strings, which every store accepts. Null fields are
    left out.

    >>> flat({"index": 0, "breadcrumb": ["A", "B"], "language": None, "span": {"start": 5}})
    {'index': 0, 'breadcrumb': 'A > B', 'start_index': 5}
    """
    return {name: value for name, value in _flattened(record) if value is not None}


def _flattened(record: Mapping[str, Any]) -> Iterator[tuple[str, int | str | None]]:
    values = {**record, **record["span"]}
    for name in FLAT_NAMES:
        value = values.get(name.removesuffix("_index"))
        yield name, BREADCRUMB_SEPARATOR.join(value or ()) if name == "breadcrumb" else value
