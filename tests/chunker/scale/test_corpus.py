"""Corpora part by part: the same rows whoever does the work, and a run that was stopped goes on where it was."""

from __future__ import annotations

import bz2
import gzip
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason='needs pyarrow: pip install "bpe-chunker[arrow]"')

import numpy as np
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import scale_steps
from scale_steps import DeadlyOnce, documents

import chunker
from chunker.errors import OptionError
from chunker.index import HashingEmbedder, embedder_named
from chunker.scale import ChunkBatch, ColumnError, CorpusReport, EmbedBatch, PartError, TargetError, chunk_corpus
from chunker.scale.parts import Location, read_tables

BATCH = ChunkBatch(40, context=True)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Four parts in two folders, and what is none."""
    folder = tmp_path / "corpus"
    (folder / "more").mkdir(parents=True)
    table = documents(100)
    for number in range(4):
        name = f"{'more/' if number % 2 else ''}part-{number}.parquet"
        pq.write_table(table.slice(number * 25, 25), folder / name, row_group_size=10)
    (folder / "_SUCCESS").write_bytes(b"")
    (folder / ".hidden.parquet").write_bytes(b"no parquet")
    (folder / "notes.md").write_text("# No part\n", encoding="utf-8")
    return folder


def parts(folder: Path) -> dict[str, pa.Table]:
    found = sorted(path for path in folder.rglob("*.parquet") if not path.name.startswith("."))
    return {path.relative_to(folder).as_posix(): pq.read_table(path) for path in found}


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if "partial" in path.name)


def test_a_part_for_each_part(corpus: Path, tmp_path: Path) -> None:
    told: list[int] = []
    target = tmp_path / "out"
    report = chunk_corpus(str(corpus), str(target), BATCH, rows=7, progress=lambda report: told.append(report.done))
    whole = BATCH(documents(100))
    expected = {
        f"{'more/' if n % 2 else ''}part-{n}.parquet": BATCH(documents(100).slice(n * 25, 25)) for n in range(4)
    }
    assert parts(target) == expected
    assert (report.parts, report.done, report.skipped, report.rows, report.problems) == (4, 4, 0, 100, [])
    assert (report.chunks, report.tokens) == (len(whole), sum(whole["token_count"].to_pylist()))
    assert told == [1, 2, 3, 4]
    assert left(target) == []
    # Whoever reads the folder sees the parts alone.
    assert ds.dataset(target, format="parquet").count_rows() == len(whole)


def test_what_is_done_is_skipped(corpus: Path, tmp_path: Path) -> None:
    target = tmp_path / "out"
    first = chunk_corpus(str(corpus), str(target), BATCH)
    times = {path: path.stat().st_mtime_ns for path in target.rglob("*.parquet")}
    second = chunk_corpus(str(corpus), str(target), BATCH)
    assert (second.done, second.skipped, second.chunks, second.tokens) == (0, 4, first.chunks, first.tokens)
    assert times == {path: path.stat().st_mtime_ns for path in target.rglob("*.parquet")}
    pq.write_table(documents(5), corpus / "part-0.parquet")  # it has changed
    (target / "part-2.parquet").unlink()  # it is gone
    third = chunk_corpus(str(corpus), str(target), BATCH)
    assert (third.done, third.skipped) == (2, 2)
    assert parts(target)["part-0.parquet"] == BATCH(documents(5))
    with pytest.raises(TargetError, match="other settings"):
        chunk_corpus(str(corpus), str(target), ChunkBatch(41))
    assert chunk_corpus(str(corpus), str(target), ChunkBatch(41), redo=True).done == 4


KILLED = """
import os, signal, sys
sys.path[:0] = sys.argv[1:3]
from chunker.scale import ChunkBatch, chunk_corpus, parts
count = 0
real = parts.{owner}.{name}
def step(*arguments, **options):
    global count
    count += 1
    if count == int(sys.argv[5]):
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*arguments, **options)
parts.{owner}.{name} = step
chunk_corpus(sys.argv[3], sys.argv[4], ChunkBatch(40, context=True), rows=10)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize(
    ("owner", "name", "at"), [("PartWriter", "write", 4), ("Location", "put", 2), ("Location", "write_bytes", 3)]
)
def test_killed_and_run_again(owner: str, name: str, at: int, corpus: Path, tmp_path: Path) -> None:
    """While a part is written, before it has its name, and before its record is there."""
    target = tmp_path / "out"
    roots = [str(Path(chunker.__path__[0]).parent), str(Path(scale_steps.__file__).parent)]
    program = KILLED.format(owner=owner, name=name)
    done = subprocess.run([sys.executable, "-c", program, *roots, str(corpus), str(target), str(at)], check=False)
    assert done.returncode == -signal.SIGKILL
    before = parts(target)
    assert 0 < len(before) < 4
    report = chunk_corpus(str(corpus), str(target), BATCH, rows=10)
    assert report.done + report.skipped == 4
    assert report.skipped > 0
    chunk_corpus(str(corpus), str(tmp_path / "undisturbed"), BATCH, rows=10)
    assert parts(target) == parts(tmp_path / "undisturbed")
    assert left(target) == []


def test_workers_and_one_that_dies(corpus: Path, tmp_path: Path) -> None:
    chunk_corpus(str(corpus), str(tmp_path / "one"), ChunkBatch(40))
    table = pq.read_table(corpus / "more/part-1.parquet")
    texts = table.column("text").to_pylist()
    texts[3] = "deadly\n"
    pq.write_table(
        table.set_column(table.schema.get_field_index("text"), "text", pa.array(texts)), corpus / "more/part-1.parquet"
    )
    step = DeadlyOnce(str(tmp_path / "marker"), 40)
    report = chunk_corpus(str(corpus), str(tmp_path / "out"), step, workers=2)
    assert (tmp_path / "marker").exists()
    assert (report.done, report.problems) == (4, [])
    found = parts(tmp_path / "out")
    wanted = parts(tmp_path / "one")
    assert {name: found[name] for name in found if "1" not in name} == {n: wanted[n] for n in wanted if "1" not in n}
    assert "deadly\n" in found["more/part-1.parquet"]["text"].to_pylist()
    # One that always dies of it: the others are done, and a second run does what is left.
    step = DeadlyOnce(str(tmp_path / "marker"), 40, always=True)
    report = chunk_corpus(str(corpus), str(tmp_path / "always"), step, workers=2)
    assert report.done == 3
    assert [(p.path, "SIGKILL" in p.reason) for p in report.problems] == [("more/part-1.parquet", True)]
    again = chunk_corpus(str(corpus), str(tmp_path / "always"), DeadlyOnce(str(tmp_path / "marker"), 40))
    assert (again.done, again.skipped, again.problems) == (1, 3, [])
    assert parts(tmp_path / "always") == found
    assert left(tmp_path / "always") == []


def test_json_lines(tmp_path: Path) -> None:
    folder = tmp_path / "lines"
    folder.mkdir()
    records: list[dict[str, Any]] = [
        {"text": "# A\n\nSome text.\n", "path": "a.md", "stars": 3},
        {"text": None, "stars": 4.5, "tags": ["x", 1]},
        {"path": "c.txt", "text": "lone \ud800 surrogate", "late": True, "mixed": 1, "big": 2**70},
        {"text": "", "mixed": "one", "late": None},
        {"text": "the last\r\n", "path": "e.txt", "mixed": None},
    ]
    lines = "".join(json.dumps(record) + "\r\n" for record in records).encode()
    (folder / "a.jsonl").write_bytes(lines.removesuffix(b"\r\n"))
    (folder / "b.ndjson.gz").write_bytes(gzip.compress(lines))
    (folder / "c.json.bz2").write_bytes(bz2.compress(b"\n\n" + lines))
    (folder / "empty.jsonl").write_bytes(b"")
    report = chunk_corpus(str(folder), str(tmp_path / "out"), ChunkBatch(40), rows=2)
    assert (report.done, report.rows, report.problems) == (4, 15, [])
    found = parts(tmp_path / "out")
    assert sorted(found) == ["a.jsonl.parquet", "b.ndjson.gz.parquet", "c.json.bz2.parquet"]
    assert found["a.jsonl.parquet"].equals(found["b.ndjson.gz.parquet"])
    assert found["a.jsonl.parquet"].equals(found["c.json.bz2.parquet"])
    rows = found["a.jsonl.parquet"].to_pylist()
    assert [row["text"] for row in rows] == ["# A\n\nSome text.\n", "lone \ufffd surrogate", "the last\r\n"]
    assert [row["path"] for row in rows] == ["a.md", "c.txt", "e.txt"]
    assert [row["stars"] for row in rows] == [3.0, None, None]
    assert [(row["late"], row["mixed"], row["big"]) for row in rows][1] == (True, "1", str(2**70))
    assert chunk_corpus(str(folder), str(tmp_path / "out"), ChunkBatch(40)).skipped == 4
    # And as JSON Lines, which can be read again.
    chunk_corpus(str(folder / "a.jsonl"), str(tmp_path / "lines-out"), ChunkBatch(40), output="jsonl")
    written = [json.loads(line) for line in (tmp_path / "lines-out/a.jsonl").read_text("utf-8").splitlines()]
    assert written == rows


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.jsonl", b'{"text": "a"}\n{"text": \n', "a.jsonl, line 2: Expecting value"),
        ("a.jsonl", b'{"text": "a"}\n\n[1]\n', "a.jsonl, line 3: a list, no object"),
        ("a.jsonl", b'{"text": "\xff"}\n', "a.jsonl, line 1: 'utf-8' codec"),
        ("a.jsonl", b"[" * 100_000, "a.jsonl, line 1:"),
        ("a.jsonl", b'{"txt": "a"}\n', "no column called 'text'; it has 'txt'"),
        ("a.jsonl.gz", gzip.compress(b'{"text": "a"}\n' * 5000)[:-20], "a.jsonl.gz"),
        ("a.parquet", b"PAR1 and no more of it PAR1", "a.parquet"),
        ("a.parquet", b"", "a.parquet"),
    ],
)
def test_parts_that_are_bad(name: str, content: bytes, told: str, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / name).write_bytes(content)
    (folder / "z.jsonl").write_bytes(b'{"text": "good"}\n')
    report = chunk_corpus(str(folder), str(tmp_path / "out"), BATCH)
    assert (report.done, len(report.problems)) == (1, 1)
    assert report.problems[0].path == name
    assert told in report.problems[0].reason
    assert parts(tmp_path / "out")["z.jsonl.parquet"]["text"].to_pylist() == ["good"]
    assert chunk_corpus(str(folder), str(tmp_path / "out"), BATCH).skipped == 1
    assert not list((tmp_path / "out").glob(name + "*"))


def test_places_behind_urls(corpus: Path, tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.put(str(corpus), "/bucket/in", recursive=True)
    try:
        report = chunk_corpus("memory://bucket/in", "memory://bucket/out", BATCH)
        assert (report.done, report.problems) == (4, [])
        assert chunk_corpus("memory://bucket/in", "memory://bucket/out", BATCH).skipped == 4
        memory.get("/bucket/out", str(tmp_path / "copied"), recursive=True)
    finally:
        memory.rm("/bucket", recursive=True)
    chunk_corpus(corpus.as_uri(), (tmp_path / "out").as_uri(), BATCH)
    assert parts(tmp_path / "copied") == parts(tmp_path / "out") != {}


def test_what_is_refused(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(PartError, match="nothing here"):
        chunk_corpus(str(tmp_path / "nowhere"), str(tmp_path / "out"))
    with pytest.raises(OptionError, match="workers"):
        chunk_corpus(str(corpus), str(tmp_path / "out"), workers=0)
    with pytest.raises(OptionError, match="output"):
        chunk_corpus(str(corpus), str(tmp_path / "out"), output="csv")  # type: ignore[arg-type]  # as a caller may
    with pytest.raises(OptionError, match="strange"):
        chunk_corpus("strange://host/folder", str(tmp_path / "out"))
    (corpus / "a.jsonl").write_bytes(b"{}\n")
    (corpus / "a.jsonl.parquet").write_bytes(b"")
    with pytest.raises(TargetError, match=r"both be a\.jsonl\.parquet"):
        chunk_corpus(str(corpus), str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_a_part_needs_memory_for_some_rows_alone(tmp_path: Path) -> None:
    table = pa.table({"text": ["word " * 50] * 4000})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=500)
    place = Location(str(tmp_path))
    sizes = [len(one) for one in read_tables(place, place.parts()[0], 64)]
    assert max(sizes) == 64
    assert sum(sizes) == 4000


# --- vectors


def test_chunks_and_their_vectors(corpus: Path, tmp_path: Path) -> None:
    report = chunk_corpus(str(corpus), str(tmp_path / "out"), [BATCH, EmbedBatch("hashing", dimensions=64)], workers=2)
    assert isinstance(report, CorpusReport)
    assert report.problems == []
    embedder = HashingEmbedder(64)
    table = parts(tmp_path / "out")["part-2.parquet"]
    expected = np.stack([embedder.embed([text])[0] for text in table["text"].to_pylist()])
    found = np.array(table["embedding"].to_pylist(), np.float32)
    assert np.allclose(found, expected, atol=1e-6)


def test_vectors_of_a_column() -> None:
    table = pa.table({"text": ["one", None, "two", "one", ""], "embedding": [1, 2, 3, 4, 5]})
    rows = EmbedBatch()(table)
    assert rows.schema.field("embedding").type == pa.list_(pa.float32(), 512)
    vectors = rows["embedding"].to_pylist()
    assert vectors[0] == vectors[3]
    assert vectors[1] is None
    assert vectors[0] != vectors[2]
    assert np.allclose(vectors[0], embedder_named("hashing").embed(["one"])[0], atol=1e-6)
    assert len(EmbedBatch()(table.slice(0, 0))) == 0
    with pytest.raises(ColumnError):
        EmbedBatch(column="nothing")(table)
    with pytest.raises(OptionError):
        EmbedBatch(HashingEmbedder(), dimensions=3)
    assert EmbedBatch().fingerprint() != EmbedBatch(dimensions=64).fingerprint()


def test_names_in_other_scripts(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "ü 漢.jsonl").write_bytes(b'{"text": "good"}\n')
    assert chunk_corpus(str(folder), str(tmp_path / "out"), BATCH).done == 1
    assert list(parts(tmp_path / "out")) == ["ü 漢.jsonl.parquet"]
