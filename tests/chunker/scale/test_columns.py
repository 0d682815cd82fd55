"""Tables of texts to tables of chunks: the rows of the chunkers, whatever type the columns have."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

pytest.importorskip("pyarrow", reason='needs pyarrow: pip install "bpe-chunker[arrow]"')

import pyarrow as pa
from scale_steps import documents

from bpe_engine import Tokenizer
from chunker import MarkdownChunker, TextChunker, chunker_for
from chunker.errors import OptionError
from chunker.scale import ChunkBatch, ColumnError, RowError
from chunker.scale.texts import decoded, sound

OURS = ["id", "content_hash", "index", "text", "body", "context", "breadcrumb", "token_count"]
OURS += ["start", "end", "start_byte", "end_byte", "start_line", "end_line", "kind", "language", "note", "metadata"]

# Columns of the type of the texts that came in.
TEXTS = {"text", "body", "context"}


def expected(text: str, source: str | None, max_tokens: int, **options: Any) -> list[dict[str, Any]]:
    chunker = chunker_for(source or "", max_tokens, text=text, **options)
    outline = chunker.outline(text)
    chunks = chunker.chunk(text, source=source)
    # New text begins where the chunk before ends: what names it is not what names the overlap.
    fresh = [0, *(chunk.span.end for chunk in chunks)]
    return [
        {
            **chunk.span.model_dump(),
            "text": chunk.text,
            "body": chunk.body,
            "context": chunk.context,
            "token_count": chunk.token_count,
            "index": index,
            "kind": chunk.kind,
            "language": chunk.language,
            "id": chunk.id,
            "content_hash": chunk.content_hash,
            "breadcrumb": list(outline.breadcrumb(fresh[index])),
            "note": chunk.note,
            "metadata": json.dumps(chunk.metadata, ensure_ascii=False, separators=(",", ":")),
        }
        for index, chunk in enumerate(chunks)
    ]


@pytest.mark.parametrize(
    "options", [{}, {"context": True}, {"overlap": 8}, {"strategy": "optimal", "tokenizer": "cl100k_base"}]
)
def test_rows_are_those_of_the_chunkers(options: dict[str, Any]) -> None:
    table = documents(60)
    rows = ChunkBatch(40, **options)(table)
    wanted = []
    for row in table.to_pylist():
        if row["text"]:
            carried = {"document_id": row["id"], "path": row["path"], "stars": row["stars"], "labels": row["labels"]}
            wanted += [chunk | carried for chunk in expected(row["text"], row["path"], 40, **options)]
    assert rows.to_pylist() == wanted
    assert len(wanted) > 100
    assert rows.schema.names == [*OURS, "document_id", "path", "stars", "labels"]
    assert rows.schema == ChunkBatch(40, **options).schema(table.schema)
    count = Tokenizer.load(str(options.get("tokenizer", "o200k_base"))).count
    assert all(count(row["text"]) == row["token_count"] <= 40 for row in rows.to_pylist())


def test_a_batch_pickles_without_its_tokenizer() -> None:
    batch = ChunkBatch(40, context=True)
    pickled = pickle.dumps(batch)
    assert len(pickled) < 1000
    table = documents(20)
    again = pickle.loads(pickled)
    assert again(table).equals(batch(table))
    assert again.fingerprint() == batch.fingerprint() != ChunkBatch(41, context=True).fingerprint()
    fixed = ChunkBatch(chunker=MarkdownChunker(30))
    assert pickle.loads(pickle.dumps(fixed))(table).equals(fixed(table))
    assert fixed(table)["language"].unique().to_pylist() == ["markdown"]


KINDS: dict[str, Any] = {
    "string": (pa.string(), pa.string()),
    "large_string": (pa.large_string(), pa.large_string()),
    "binary": (pa.binary(), pa.string()),
    "large_binary": (pa.large_binary(), pa.large_string()),
    "string_view": (pa.string_view(), pa.string()),
    "binary_view": (pa.binary_view(), pa.string()),
    "dictionary": (pa.dictionary(pa.int8(), pa.string()), pa.string()),
    "dictionary of bytes": (pa.dictionary(pa.int32(), pa.large_binary()), pa.large_string()),
}


def column(values: list[str | None], kind: Any) -> Any:
    if pa.types.is_dictionary(kind):
        return pa.array(values).cast(kind.value_type).dictionary_encode().cast(kind)
    return pa.array(values).cast(kind) if "view" not in str(kind) else pa.array(values, kind)


@pytest.mark.parametrize("kind", KINDS)
def test_types_of_columns(kind: str) -> None:
    given, out = KINDS[kind]
    values = ["one two three\n" * 9, None, "", "é漢\n" * 20]
    names = ["a.txt", "b.txt", None, "d.md"]
    parts = [column(values, given), column([], given), column(values[3:], given)]
    table = pa.table({"path": pa.chunked_array([column([*names, "d.md"], given)]), "text": pa.chunked_array(parts)})
    rows = ChunkBatch(12)(table)
    plain = ChunkBatch(12)(pa.table({"path": [*names, "d.md"], "text": [*values, values[3]]}))
    assert rows.schema.field("text").type == out
    assert rows.schema.field("path").type == given
    assert [row["text"] for row in rows.to_pylist()] == [row["text"] for row in plain.to_pylist()]
    others = [name for name in OURS if name not in TEXTS]
    assert rows.select(others).equals(plain.select(others))
    # A slice begins somewhere in its buffers.
    assert ChunkBatch(12)(table.slice(3)).select(OURS[3:]).equals(ChunkBatch(12)(table.slice(3, 2)).select(OURS[3:]))


def test_tables_without_rows_and_without_texts() -> None:
    table = documents(10)
    for nothing in (table.slice(0, 0), table.slice(2, 1), pa.table({"text": pa.nulls(3)})):
        rows = ChunkBatch(40)(nothing)
        assert len(rows) == 0
        assert rows.schema == ChunkBatch(40).schema(nothing.schema)
    assert ChunkBatch(40)(table.to_batches()[0]).equals(ChunkBatch(40)(table))


def test_bytes_that_are_no_text() -> None:
    raw = [b"a\xffb c", b"a\xed\xa0\x80b", b"\xed\xa0\xbd\xed\xb8\x80", b"", None]
    strings = pa.Array.from_buffers(pa.binary(), 5, pa.array(raw, pa.binary()).buffers()).view(pa.string())
    for values in (strings, pa.array(raw, pa.binary())):
        rows = ChunkBatch(40)(pa.table({"text": values}))
        assert [row["text"] for row in rows.to_pylist()] == ["a\ufffdb c", "a\ufffdb", "\U0001f600"]
        rows.validate(full=True)


@given(st.text(st.characters(codec=None), max_size=60))
@limits(max_examples=60)
def test_what_cannot_be_written_is_replaced(text: str) -> None:
    clean = sound(text)
    assert clean.encode().decode() == clean
    assert decoded(text.encode("utf-8", "surrogatepass")) == clean
    rows = ChunkBatch(8)(pa.table({"text": pa.array([text.encode("utf-8", "surrogatepass")])}))
    assert "".join(row["body"] for row in rows.to_pylist()) == clean


def test_names_that_are_taken() -> None:
    table = pa.table({"text": ["a b c"], "kind": [1], "id": ["x"], "document_id": [2], "index": [None], "other": [3]})
    rows = ChunkBatch(40)(table)
    assert rows.schema.names[len(OURS) :] == [
        "document_kind",
        "document_document_id",
        "document_id",
        "document_index",
        "other",
    ]
    assert rows.to_pylist()[0]["document_document_id"] == "x"
    assert ChunkBatch(40, keep=["other"])(table).schema.names == [*OURS, "other"]
    assert ChunkBatch(40, keep=[])(table).schema.names == OURS
    again = ChunkBatch(40, keep=["id"])(rows)
    assert again.to_pylist()[0]["document_id"] == rows.to_pylist()[0]["id"]


def test_where_the_name_of_the_file_stands() -> None:
    table = pa.table({"content": ["# A\n\nText.\n"], "url": ["a.md"], "path": ["a.py"]})
    rows = [ChunkBatch(40, text="content", source=source)(table) for source in ("url", "auto", None)]
    assert [row["language"].to_pylist() for row in rows] == [["markdown"], ["python"], [None]]


def test_problems_are_raised_or_rows() -> None:
    table = pa.table(
        {"text": ["fine", "\U0001f9d9\u200d\u2642\ufe0f", "fine, too"], "path": ["a.txt", "b.txt", "c.txt"]}
    )
    with pytest.raises(RowError, match=r"row 1 \(b\.txt\): the character") as error:
        ChunkBatch(2)(table)
    assert (error.value.row, error.value.source) == (1, "b.txt")
    assert str(pickle.loads(pickle.dumps(error.value))) == str(error.value)
    rows = ChunkBatch(2, problems="rows")(table).to_pylist()
    bad = [row for row in rows if row["problem"]]
    assert [row["path"] for row in bad] == ["b.txt"]
    assert bad[0]["text"] is None
    assert "max_tokens" in bad[0]["problem"]
    assert [row["body"] for row in rows if not row["problem"]] == ["fine", "fine,", " too"]


def test_what_is_refused() -> None:
    table = documents(5)
    with pytest.raises(ColumnError, match="no column called 'txt'; it has 'id', 'path'"):
        ChunkBatch(40, text="txt")(table)
    with pytest.raises(ColumnError, match="holds double"):
        ChunkBatch(40, text="stars").schema(table.schema)
    with pytest.raises(ColumnError, match="no names"):
        ChunkBatch(40, source="stars")(table)
    with pytest.raises(ColumnError, match="several columns"):
        ChunkBatch(40)(pa.table([["a"], ["b"]], ["text", "text"]))
    with pytest.raises(OptionError, match="problems"):
        ChunkBatch(40, problems="ignore")  # type: ignore[arg-type]  # what a caller without types may pass
    with pytest.raises(OptionError, match="its own options"):
        ChunkBatch(40, chunker=TextChunker(30))
    with pytest.raises(OptionError):
        ChunkBatch(40, overlap=50)


def test_one_long_text_is_no_burden() -> None:
    table = pa.table({"text": ["word " * 200_000, "x" * 300_000]})
    rows = ChunkBatch(512)(table)
    assert sum(rows["end"][n].as_py() - rows["start"][n].as_py() for n in range(len(rows))) == 1_300_000
    assert json.dumps(rows.slice(0, 1).to_pylist())
