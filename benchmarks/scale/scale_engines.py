"""The same corpus by one worker and by two: processes of this package, Ray Data, Spark; whichever is installed here.

    python benchmarks/run.py scale_engines [--engine processes|ray|spark] [--output FILE]

Wall clock, from parts of parquet to parts of parquet, after one run that starts the workers and loads what they need.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from measuring import Report, parser
from real_texts import own_markdown, standard_library

from chunker.scale import ChunkBatch, chunk_corpus

PARTS = 8
ROUNDS = 1  # after one that is not counted
COPIES = 3
ENGINES = ("processes", "ray", "spark")

# Does one run with so many workers, from a folder to a folder.
Engine = Callable[[str, str, int], object]


def corpus(folder: Path) -> int:
    """Write a corpus in parts of equal size, of several copies of real texts. Returns its bytes of text."""
    texts = {**standard_library(), **own_markdown()}
    table = pa.table({"path": list(texts), "text": list(texts.values())})
    table = pa.concat_tables([table] * COPIES).combine_chunks()
    # Every n-th document, so that long and short ones are in all parts.
    for part in range(PARTS):
        pq.write_table(table.take(list(range(part, len(table), PARTS))), folder / f"part-{part}.parquet")
    return COPIES * sum(len(text.encode()) for text in texts.values())


def processes(source: str, target: str, workers: int) -> None:
    """The processes of `chunk_corpus`, which each run starts anew."""
    report = chunk_corpus(source, target, ChunkBatch(512, context=True), workers=workers)
    assert report.problems == []


def ray_data(source: str, target: str, workers: int) -> None:
    """Ray Data, with a pool of actors."""
    import ray  # noqa: PLC0415  # of one engine

    from chunker.integrations.ray_data import chunk  # noqa: PLC0415

    texts = ray.data.read_parquet(source, override_num_blocks=PARTS)
    chunk(texts, 512, context=True, workers=workers, batch_rows=16).write_parquet(target)


def spark(source: str, target: str, workers: int) -> None:
    """Spark, with as many tasks at a time."""
    from chunker.integrations.spark import chunk  # noqa: PLC0415  # of one engine

    frame = _session(workers).read.parquet(source)
    chunk(frame, 512, context=True).write.parquet(target)


def _session(workers: int) -> Any:  # noqa: ANN401  # a session of Spark
    from pyspark.sql import SparkSession  # noqa: PLC0415  # of one engine

    os.environ["PYSPARK_PYTHON"] = sys.executable
    found = SparkSession.getActiveSession()
    if found is not None and found.sparkContext.master == f"local[{workers}]":
        return found
    if found is not None:
        found.stop()
    made = SparkSession.builder.master(f"local[{workers}]").config("spark.ui.enabled", "false")
    made = made.config("spark.driver.host", "127.0.0.1").config("spark.sql.files.maxPartitionBytes", "400k")
    session = made.config("spark.sql.files.openCostInBytes", "0").getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def main() -> None:
    """Measure the engines that are there."""
    arguments = parser(__doc__)
    arguments.add_argument("--engine", choices=ENGINES, nargs="+", default=ENGINES)
    given = arguments.parse_args()
    engines: dict[str, Engine] = {"processes": processes, "ray": ray_data, "spark": spark}
    there = [
        name
        for name in given.engine
        if name == "processes" or importlib.util.find_spec({"spark": "pyspark"}.get(name, name))
    ]
    report = Report("One corpus, one worker and two", given.output)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in").mkdir()
        size = corpus(folder / "in")
        if "ray" in there:
            import ray  # noqa: PLC0415  # of one engine

            ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
            ray.data.DataContext.get_current().enable_progress_bars = False
        told = f"{os.cpu_count()} cores; {size / 1e6:.1f} MB in {PARTS} parts"
        report.add_provenance(["bpe-chunker", "pyarrow", "ray", "pyspark"], told)
        for engine in there:
            rows = [_row(engine, engines[engine], workers, folder, size) for workers in (1, 2)]
            report.add_table(["", "workers", "seconds", "MB/s", "chunks"], rows)


def _row(name: str, engine: Engine, workers: int, folder: Path, size: int) -> list[str]:
    """The best of several rounds, after one that is not counted."""
    target = folder / "out"
    times = []
    for _ in range(ROUNDS + 1):
        shutil.rmtree(target, ignore_errors=True)
        began = time.perf_counter()
        engine(str(folder / "in"), str(target), workers)
        times.append(time.perf_counter() - began)
    chunks = ds.dataset(target, format="parquet").count_rows()
    best = min(times[1:])
    return [name, f"{workers}", f"{best:.1f}", f"{size / best / 1e6:.2f}", f"{chunks:,}"]


if __name__ == "__main__":
    main()
