"""Spark on this machine: the rows of one process, by one worker, by two, and by one that is killed."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark", reason='needs Spark: pip install "bpe-chunker[spark]"')
if shutil.which("java") is None:
    pytest.skip("needs a Java of version 17 or newer, which Spark runs on", allow_module_level=True)

import pyarrow as pa
import pyarrow.parquet as pq
import scale_steps
from pyspark.sql import SparkSession
from scale_steps import DeadlyOnce, documents, write_parts

import chunker
from chunker.errors import OptionError
from chunker.integrations.spark import chunk, embed, mapped
from chunker.scale import ChunkBatch, ColumnError, EmbedBatch

pytestmark = pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::FutureWarning"
)


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    """Spark with two workers, which try what has failed twice; they import what this process imports."""
    roots = [str(Path(chunker.__path__[0]).parent), str(Path(scale_steps.__file__).parent)]
    path = os.pathsep.join([*roots, *filter(None, [os.environ.get("PYTHONPATH")])])
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local[2,2]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.executorEnv.PYTHONPATH", path)
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "16")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_parts(tmp_path / "corpus")


def rows_of(frame: Any) -> list[dict[str, Any]]:
    """All rows; Spark says nothing of their order."""
    rows: list[dict[str, Any]] = frame.toArrow().to_pylist()
    return sorted(rows, key=lambda row: (row["document_id"], row["index"]))


@pytest.mark.parametrize("workers", [1, 2])
def test_the_rows_of_one_process(workers: int, spark: Any, corpus: Path) -> None:
    frame = spark.read.parquet(str(corpus)).repartition(workers)
    chunks = chunk(frame, 40, context=True)
    expected = ChunkBatch(40, context=True)(documents(100))
    assert chunks.columns == expected.schema.names
    assert rows_of(chunks) == expected.to_pylist()


def test_chunks_and_their_vectors(spark: Any, corpus: Path, tmp_path: Path) -> None:
    frame = embed(chunk(spark.read.parquet(str(corpus)), 40), "hashing", dimensions=32)
    frame.write.parquet(str(tmp_path / "out"))
    expected = EmbedBatch("hashing", dimensions=32)(ChunkBatch(40)(documents(100))).to_pylist()
    assert rows_of(spark.read.parquet(str(tmp_path / "out"))) == expected


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_worker_that_is_killed(spark: Any, corpus: Path, tmp_path: Path) -> None:
    pq.write_table(documents(100, deadly=55), corpus / "part-0.parquet")
    for number in (1, 2, 3):
        (corpus / f"part-{number}.parquet").unlink()
    frame = spark.read.parquet(str(corpus))
    step = DeadlyOnce(str(tmp_path / "marker"), 40)
    schema = step.schema(documents(1).schema)
    assert rows_of(mapped(frame, step, schema)) == ChunkBatch(40)(documents(100, deadly=55)).to_pylist()
    assert (tmp_path / "marker").exists()


def test_settings_and_columns_are_checked_at_once(spark: Any) -> None:
    frame = spark.createDataFrame([("a", 1)], ["content", "stars"])
    with pytest.raises(ColumnError, match="'content', 'stars'"):
        chunk(frame, 40)
    with pytest.raises(OptionError):
        chunk(frame, 40, text="content", overlap=50)
    assert [row["text"] for row in chunk(frame, 40, text="content").toArrow().to_pylist()] == ["a"]
    assert isinstance(chunk(frame, 40, text="content").toArrow(), pa.Table)
