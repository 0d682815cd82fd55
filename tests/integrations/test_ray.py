"""Ray Data on this machine: the rows of one process, by one worker, by two, and by one that is killed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray", reason='needs Ray: pip install "bpe-chunker[ray]"')

import pyarrow as pa
import pyarrow.parquet as pq
import ray
import ray.data
import scale_steps
from scale_steps import DeadlyOnce, documents, write_parts

import chunker
from chunker.errors import OptionError
from chunker.integrations.ray_data import chunk, embed
from chunker.integrations.ray_data import chunk_corpus as chunk_by_ray
from chunker.scale import ChunkBatch, EmbedBatch, chunk_corpus

# Ray leaves sockets open to the end of the process, and gives advice by warnings.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """Ray on this machine: two processors for workers, two for what reads and writes; workers import what this process imports."""
    roots = [str(Path(chunker.__path__[0]).parent), str(Path(scale_steps.__file__).parent)]
    path = os.pathsep.join([*roots, *filter(None, [os.environ.get("PYTHONPATH")])])
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": path}})
    ray.data.DataContext.get_current().execution_options.preserve_order = True
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_parts(tmp_path / "corpus")


def table_of(dataset: Any) -> pa.Table:
    """All rows of a dataset, in its order."""
    return pa.concat_tables(ray.get(dataset.to_arrow_refs()), promote_options="default")


@pytest.mark.parametrize("workers", [1, 2, (1, 2)])
def test_the_rows_of_one_process(workers: Any, corpus: Path) -> None:
    texts = ray.data.read_parquet(str(corpus), override_num_blocks=4)
    found = table_of(chunk(texts, 40, workers=workers, batch_rows=16, context=True))
    expected = ChunkBatch(40, context=True)(documents(100))
    assert found.select(expected.schema.names).to_pylist() == expected.to_pylist()


def test_chunks_and_their_vectors(corpus: Path) -> None:
    chunks = chunk(ray.data.read_parquet(str(corpus), override_num_blocks=4), 40, workers=1)
    found = table_of(embed(chunks, "hashing", workers=1, dimensions=32))
    expected = EmbedBatch("hashing", dimensions=32)(ChunkBatch(40)(documents(100)))
    assert found["text"].to_pylist() == expected["text"].to_pylist()
    assert [list(vector) for vector in found["embedding"].to_pylist()] == expected["embedding"].to_pylist()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_worker_that_is_killed(tmp_path: Path) -> None:
    table = documents(100, deadly=55)
    marker = tmp_path / "marker"
    dataset = ray.data.from_arrow([table.slice(start, 10) for start in range(0, 100, 10)]).map_batches(
        DeadlyOnce,
        batch_format="pyarrow",
        batch_size=10,
        compute=ray.data.ActorPoolStrategy(size=2),
        fn_constructor_args=(str(marker), 40),
    )
    assert table_of(dataset).to_pylist() == ChunkBatch(40)(table).to_pylist()
    assert marker.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_corpus_part_by_part(corpus: Path, tmp_path: Path) -> None:
    pq.write_table(documents(30, deadly=4), corpus / "part-1.parquet")
    marker = str(tmp_path / "marker")
    report = chunk_by_ray(str(corpus), str(tmp_path / "out"), DeadlyOnce(marker, 40, always=True), workers=2)
    assert (report.done, [problem.path for problem in report.problems]) == (3, ["part-1.parquet"])
    Path(marker).unlink()
    again = chunk_by_ray(str(corpus), str(tmp_path / "out"), DeadlyOnce(marker, 40), workers=2)
    assert Path(marker).exists()  # it died once, and the part was done all the same
    assert (again.done, again.skipped, again.problems) == (1, 3, [])
    chunk_corpus(str(corpus), str(tmp_path / "one"), ChunkBatch(40))
    for part in sorted(corpus.iterdir()):
        assert pq.read_table(tmp_path / "out" / part.name) == pq.read_table(tmp_path / "one" / part.name)


def test_settings_are_checked_at_once() -> None:
    with pytest.raises(OptionError):
        chunk(ray.data.range(3), 40, overlap=50)
