"""DuckDB: `count_tokens(text)` and `chunk(text)` in SQL, over Arrow.

    import duckdb
    from chunker.integrations.duckdb import register

    connection = duckdb.connect()
    register(connection, max_tokens=512)
    connection.sql("SELECT path, count_tokens(text) FROM documents")
    connection.sql("SELECT path, unnest(chunk(text), recursive := true) FROM documents")        a row per chunk, a column per field

Needs DuckDB: pip install "bpe-chunker[duckdb]".
"""

from __future__ import annotations

from contextlib import suppress
from typing import Unpack
from weakref import WeakKeyDictionary

from chunker.integrations.requirements import missing

try:
    import duckdb
    import numpy  # noqa: F401, ICN001  # first: pyarrow 17 needs it, and fails without it in its own way
    import pyarrow as pa

    from chunker.scale import ChunkBatch
    from chunker.scale.functions import chunk_lists, count_tokens, list_type
except ModuleNotFoundError as error:
    raise missing(error, "duckdb") from error

from chunker.by_name import chunker_named
from chunker.errors import WrongTypeError
from chunker.options import Options

__all__ = ["register"]

# The names of the functions that were registered in each connection.
_registered: WeakKeyDictionary[duckdb.DuckDBPyConnection, set[str]] = WeakKeyDictionary()


def register(
    connection: duckdb.DuckDBPyConnection,
    max_tokens: int = 512,
    *,
    count: str = "count_tokens",
    chunk: str = "chunk",
    language: str | None = None,
    **options: Unpack[Options],
) -> None:
    """Register the two functions in a connection. Called again, it replaces those that it registered under these names; under other names both stay.

    Args:
        connection: A connection of DuckDB.
        max_tokens: The largest number of tokens of a chunk.
        count: The name of the function that counts.
        chunk: The name of the function that chunks.
        language: The format of all texts: "markdown", "python". None detects it for each text from its content.
        options: Those of `chunker.TextChunker`; both functions use its `tokenizer`.

    Raises:
        OptionError: An option cannot be used.
        WrongTypeError: `connection` is none.
        duckdb.Error: Another function of this name exists already.
    """
    if not hasattr(connection, "create_function"):
        raise WrongTypeError(f"connection must be a connection of DuckDB, not {type(connection).__name__}")
    if language is None:
        batch = ChunkBatch(max_tokens, source=None, **options)
    else:
        batch = ChunkBatch(chunker=chunker_named(language, max_tokens, **options), source=None)
    tokenizer = options.get("tokenizer", "o200k_base")

    def counted(texts: pa.ChunkedArray) -> pa.Array:
        return count_tokens(texts, tokenizer)

    def chunked(texts: pa.ChunkedArray) -> pa.Array:
        return chunk_lists(texts, batch).cast(kind)

    kind = list_type(batch)
    made = _registered.setdefault(connection, set())
    for name in made & {count, chunk}:
        with suppress(duckdb.InvalidInputException):  # somebody has removed it
            connection.remove_function(name)
        made.remove(name)
    for name, function, returned in ((count, counted, "BIGINT"), (chunk, chunked, _in_sql(kind))):
        connection.create_function(name, function, ["VARCHAR"], returned, type="arrow")
        made.add(name)


def _in_sql(kind: pa.DataType) -> str:
    """Return an Arrow type in DuckDB's syntax."""
    if pa.types.is_struct(kind):
        fields = ", ".join(f'"{field.name}" {_in_sql(field.type)}' for field in kind)
        return f"STRUCT({fields})"
    if pa.types.is_list(kind):
        return f"{_in_sql(kind.value_type)}[]"
    return "BIGINT" if pa.types.is_integer(kind) else "VARCHAR"
