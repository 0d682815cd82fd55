"""`count_tokens` and `chunk` in SQL, on DuckDB itself."""

from __future__ import annotations

from typing import Any

import pytest

duckdb = pytest.importorskip("duckdb", reason='needs DuckDB: pip install "bpe-chunker[duckdb]"')
pytest.importorskip("pyarrow", reason="needs pyarrow")

from chunker import MarkdownChunker, OptionError, TextChunker  # noqa: E402  # after what says that DuckDB is there
from chunker.integrations.duckdb import register  # noqa: E402

TEXTS = ["# Guide\n\nOne. Two.\n\n## Install\n\nRun it, größer.\n", "One word.", "", None, "x " * 90]


def connected(**options: Any) -> Any:
    connection = duckdb.connect()
    register(connection, **{"max_tokens": 20, "min_tokens": 0, "language": "markdown", **options})
    connection.execute("CREATE TABLE documents (number INTEGER, text VARCHAR)")
    connection.executemany("INSERT INTO documents VALUES (?, ?)", list(enumerate(TEXTS)))
    return connection


def test_counts_and_chunks_are_those_of_the_chunker() -> None:
    connection = connected()
    chunker = MarkdownChunker(20, min_tokens=0)
    counts = connection.sql("SELECT count_tokens(text) FROM documents ORDER BY number").fetchall()
    assert [count for (count,) in counts] == [None if text is None else chunker.tokenizer.count(text) for text in TEXTS]
    rows = connection.sql(
        'SELECT * FROM (SELECT number, unnest(chunk(text), recursive := true) FROM documents) ORDER BY number, "index"'
    )
    names = rows.columns
    found = [dict(zip(names, row, strict=True)) for row in rows.fetchall()]
    expected = [(number, chunk) for number, text in enumerate(TEXTS) for chunk in chunker.chunk(text or "")]
    assert len(found) == len(expected) > 5
    for row, (number, chunk) in zip(found, expected, strict=True):
        assert (row["number"], row["text"], row["token_count"]) == (number, chunk.text, chunk.token_count)
        assert (row["start_byte"], row["end_line"], row["kind"]) == (
            chunk.span.start_byte,
            chunk.span.end_line,
            chunk.kind,
        )
        assert tuple(row["breadcrumb"]) == chunk.breadcrumb


def test_many_rows_and_other_options() -> None:
    connection = connected()
    register(connection, 8, count="words", chunk="by_words", tokenizer="words")
    connection.execute(
        "CREATE TABLE many AS SELECT 'Row ' || i || ' of it. It goes on and on for a while.' AS text FROM range(5000) AS t(i)"
    )
    words, chunks = connection.sql("SELECT sum(words(text)), sum(len(by_words(text))) FROM many").fetchall()[0]
    row = "Row 1 of it. It goes on and on for a while."
    assert words == 5000 * len(row.split())
    assert chunks == 5000 * len(TextChunker(8, tokenizer="words").chunk(row))


def test_registering_again_replaces() -> None:
    connection = connected(tokenizer="words")
    register(connection, 20, count="words", tokenizer="words")
    for _ in range(2):
        register(connection, 20, tokenizer="characters")
    counts = "SELECT count_tokens('One two'), words('One two'), len(chunk('One two three four five six'))"
    assert connection.sql(counts).fetchall() == [(7, 2, 2)]
    connection.remove_function("chunk")
    register(connection, 20)
    assert connection.sql("SELECT count_tokens('One two')").fetchall() == [(2,)]
    connection.create_function("mine", str.upper, ["VARCHAR"], "VARCHAR")
    with pytest.raises(duckdb.Error, match="mine"):
        register(connection, 20, count="mine")
    assert connection.sql("SELECT mine('a')").fetchall() == [("A",)]
    with pytest.raises(duckdb.Error, match="same"):
        register(duckdb.connect(), 20, count="same", chunk="same")


def test_what_is_refused() -> None:
    with pytest.raises(OptionError):
        register(duckdb.connect(), overlap=600)


@pytest.mark.parametrize("connection", [None, "main.db"])
def test_what_is_no_connection_is_named(connection: Any) -> None:
    with pytest.raises(TypeError, match=r"^connection must be a connection of DuckDB, not "):
        register(connection, 20)
