"""One shape of a chunk: every carrier has the names of `chunker.fields`, and the values of the chunks that it carries."""

# ruff: noqa: PLC0415  # a carrier is imported where the package that it needs may be missing

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from chunker import Chunk, FileChunks, chunk_files
from chunker.cli.outputs import CHUNKS, FileFormat, record_writer
from chunker.cli.records import json_line
from chunker.fields import (
    FIELDS,
    HIT_FIELDS,
    TABLE_COLUMNS,
    content_hash_of,
    id_of,
    identity_of,
)

Record = dict[str, Any]

GUIDE = "# Guide\n\nFirst words, é.\n\n## Install\n\n" + "Run it, then run it again. " * 12 + "\n"
# The parser has something to say of it.
METHODS = "".join(f"    def close_{n}(self):\n        return {n} * {n}\n\n" for n in range(8))
BROKEN = f"class Shop:\n{METHODS}\ndef f(:\n    ]]\n"
PICTURE = (
    "# Logo\n\n![logo](data:image/png;base64," + "iVBORw0KGgoAAA" * 20 + ")\n\n" + "After the picture. " * 20 + "\n"
)
NOTEBOOK = {
    "cells": [{"cell_type": "markdown", "source": [f"# Part {n}\n\n", "Some words of it. " * 9]} for n in range(1, 4)],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 5,
}
OPTIONS: Record = {"max_tokens": 40, "min_tokens": 4, "overlap": 6}


@pytest.fixture
def chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Chunk]:
    """Chunks of files that have all there is to tell: breadcrumbs, notes, cells, and spans that are not those of the text."""
    monkeypatch.chdir(tmp_path)
    texts = {"guide.md": GUIDE, "logo.md": PICTURE, "parts.ipynb": json.dumps(NOTEBOOK), "shop.py": BROKEN}
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")
    made: list[Chunk] = []
    for one in chunk_files(sorted(texts), **OPTIONS):
        assert isinstance(one, FileChunks)
        made += one.chunks
    assert {len(chunk.breadcrumb) for chunk in made} >= {0, 1, 2}
    assert any(chunk.note == "parse: had errors" for chunk in made)
    assert {place["cell"] for chunk in made for place in chunk.metadata.get("places", [])} == {1, 2, 3}
    return made


def in_columns(chunk: Chunk) -> Record:
    """A chunk as a row of a table."""
    told: Record = {**{name: getattr(chunk, name) for name in FIELDS}, **chunk.span.model_dump()}
    told["breadcrumb"], told["metadata"] = as_json(list(chunk.breadcrumb)), as_json(chunk.metadata)
    return {name: told[name] for name in TABLE_COLUMNS}


def as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def test_records_and_json(chunks: list[Chunk]) -> None:
    for chunk in chunks:
        assert list(chunk.model_dump()) == list(FIELDS)
        record = chunk.record()
        assert [name for name in FIELDS if name in record] == list(record)
        assert record == {name: chunk.model_dump(mode="json")[name] for name in record}
        assert record["id"] == id_of(identity_of(chunk.source), chunk.span.start, chunk.text)
        assert record["content_hash"] == content_hash_of(chunk.text)


def written(chunks: list[Chunk], wanted: FileFormat) -> bytes:
    file = io.BytesIO()
    with record_writer(wanted, file, CHUNKS) as writer:
        for chunk in chunks:
            writer.write(json_line(chunk.record()))
    return file.getvalue()


def test_csv_parquet_and_arrow(chunks: list[Chunk]) -> None:
    rows = list(csv.DictReader(io.StringIO(written(chunks, FileFormat.CSV).decode(), newline="")))
    assert list(rows[0]) == list(TABLE_COLUMNS)
    for row, chunk in zip(rows, chunks, strict=True):
        wanted = in_columns(chunk) | {"body": chunk.body if chunk.context else None}
        assert row == {name: "" if value is None else str(value) for name, value in wanted.items()}
    parquet = pytest.importorskip("pyarrow.parquet", reason='needs pyarrow: pip install "bpe-chunker[arrow]"')
    table = parquet.read_table(io.BytesIO(written(chunks, FileFormat.PARQUET)))
    assert table.column_names == list(TABLE_COLUMNS)
    told = [in_columns(chunk) | {"body": chunk.body if chunk.context else None} for chunk in chunks]
    assert table.to_pylist() == told


def test_tables_of_texts(chunks: list[Chunk]) -> None:
    pa = pytest.importorskip("pyarrow", reason='needs pyarrow: pip install "bpe-chunker[arrow]"')
    from chunker.scale import ChunkBatch

    table = ChunkBatch(**OPTIONS)(pa.table({"path": ["guide.md", "shop.py"], "text": [GUIDE, BROKEN]}))
    assert table.column_names == [*(name for name in TABLE_COLUMNS if name != "source"), "path"]
    told = [in_columns(chunk) for chunk in chunks if chunk.source in {"guide.md", "shop.py"}]
    rows = table.rename_columns([{"path": "source"}.get(name, name) for name in table.column_names]).to_pylist()
    assert [{**row, "breadcrumb": as_json(row["breadcrumb"])} for row in rows] == told


def test_hits(chunks: list[Chunk], tmp_path: Path) -> None:
    pytest.importorskip("numpy", reason='needs numpy: pip install "bpe-chunker[index]"')
    from chunker.index import Index
    from chunker.integrations.service.operations import HIT_NAMES, OPERATIONS

    index = Index.open(tmp_path / ".index", **OPTIONS, context=False, desired_tokens=None)
    index.sync(tmp_path)
    found = {hit.id: hit for hit in index.search("Run it again, picture, words, Shop close", 1000, by="vectors")}
    # A text that stands in several places is one hit.
    assert {hit.content_hash for hit in found.values()} == {chunk.content_hash for chunk in chunks}
    for chunk in [chunk for chunk in chunks if chunk.id in found]:
        hit = found.pop(chunk.id)
        record = hit.record()
        assert list(record) == [name for name in (*FIELDS, *HIT_FIELDS) if name != "body" or hit.context]
        assert {name: record[name] for name in chunk.record()} == chunk.record()
        assert hit.note == chunk.note
    assert not found
    asked = {"folder": str(tmp_path / ".index"), "query": "words", "limit": 4, "by": "words"}
    answer = OPERATIONS["search"](**asked, sources=[], languages=[], most_characters=100_000)
    hits = index.search("words", 4, by="words")
    assert answer == [{**{name: hit.record()[name] for name in HIT_NAMES}, "cut": False} for hit in hits]


def test_answers_of_the_servers(chunks: list[Chunk]) -> None:
    pytest.importorskip("numpy", reason='needs numpy: pip install "bpe-chunker[index]"')
    from chunker.integrations.service.operations import OPERATIONS

    options = {**OPTIONS, "tokenizer": "o200k_base"}
    own = [chunk.record() for chunk in chunks if chunk.source == "shop.py"]
    assert OPERATIONS["records"](text=BROKEN, name="shop.py", language="auto", **options)["chunks"] == own
    told = OPERATIONS["chunk"](
        text=BROKEN, name="shop.py", language="auto", first=0, most_characters=100_000, **options
    )
    names = list(told["chunks"][0])
    assert set(names) < set(FIELDS)
    assert told["chunks"] == [{name: record[name] for name in names} for record in own]
