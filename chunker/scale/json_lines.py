"""Read JSON Lines as tables: one row per line; a column has the common type of all its values.

    {"text": "a", "stars": 3}                  text: string    stars: double    tags: string, as JSON
    {"text": "b", "stars": 4.5, "tags": []}    "a"             3.0              null
                                               "b"             4.5              "[]"

A column of integers and other numbers becomes a column of doubles. Arrays, objects, and columns with several kinds of
values are kept as JSON. Lone surrogates, which a JSON string can hold but a column cannot, become U+FFFD.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa

from chunker.scale.errors import PartError
from chunker.scale.texts import sound

# The largest number of bytes of JSON in one table, for any number of rows.
_TABLE_BYTES = 16 << 20
_BLOCK = 1 << 20
_TYPES = {"bool": pa.bool_(), "int": pa.int64(), "float": pa.float64(), "str": pa.string(), "json": pa.string()}


def schema_of_lines(stream: Any, told: str) -> pa.Schema:  # noqa: ANN401  # a stream of Arrow
    """Return the columns of all lines of a stream, in the order of their first appearance. Raises `PartError` for a
    line that is not an object.
    """
    kinds: dict[str, set[str]] = {}
    for _, record in _records(stream, told):
        for name, value in record.items():
            kinds.setdefault(name, set()).update(_kind(value))
    return pa.schema([pa.field(sound(name), *_field(found)) for name, found in kinds.items()])


def line_tables(stream: Any, told: str, rows: int, schema: pa.Schema) -> Iterator[pa.Table]:  # noqa: ANN401  # a stream of Arrow
    """Yield the lines of a stream as tables with these columns, of at most `rows` rows each."""
    columns: list[list[Any]] = [[] for _ in schema]
    makers = [_maker(field) for field in schema]
    size = count = 0
    for length, record in _records(stream, told):
        for column, field, make in zip(columns, schema, makers, strict=True):
            value = record.get(field.name)
            column.append(None if value is None else make(value))
        size += length
        count += 1
        if count == rows or size >= _TABLE_BYTES:
            yield _table(columns, schema)
            columns, size, count = [[] for _ in schema], 0, 0
    if count:
        yield _table(columns, schema)


def _table(columns: list[list[Any]], schema: pa.Schema) -> pa.Table:
    return pa.table(
        [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)], schema=schema
    )


def _kind(value: object) -> set[str]:
    if value is None:
        return set()
    if isinstance(value, bool):
        return {"bool"}
    if isinstance(value, int):
        return {"int"} if -(2**63) <= value < 2**63 else {"json"}
    return {"float" if isinstance(value, float) else "str" if isinstance(value, str) else "json"}


def _field(kinds: set[str]) -> tuple[pa.DataType, bool, dict[str, str] | None]:
    """Return the arguments of a field: its type, True because it may be null, and its metadata if the values are
    JSON.
    """
    if kinds == {"int", "float"}:
        return pa.float64(), True, None
    if len(kinds) > 1 or kinds == {"json"}:
        return pa.string(), True, {"encoding": "json"}
    return _TYPES[next(iter(kinds), "str")], True, None


def _maker(field: pa.Field) -> Callable[[Any], Any]:
    if field.metadata:
        return json.dumps
    if pa.types.is_string(field.type):
        return sound
    return float if pa.types.is_floating(field.type) else lambda value: value


def _records(stream: Any, told: str) -> Iterator[tuple[int, dict[str, Any]]]:  # noqa: ANN401  # a stream of Arrow
    """Yield for each line its length in bytes, and its object."""
    for number, line in enumerate(_lines(stream), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise PartError(f"{told}, line {number}: {error}") from error
        if not isinstance(record, dict):
            raise PartError(f"{told}, line {number}: a {type(record).__name__}, no object")
        yield len(line), record


def _lines(stream: Any) -> Iterator[bytes]:  # noqa: ANN401  # a stream of Arrow
    """Yield the lines of a stream. Each line is read once, however long."""
    waiting: list[bytes] = []
    while block := stream.read(_BLOCK):
        *whole, rest = block.split(b"\n")
        for line in whole:
            yield b"".join([*waiting, line])
            waiting = []
        waiting.append(rest)
    yield b"".join(waiting)
