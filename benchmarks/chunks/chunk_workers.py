"""Wall-clock time of chunking many files in several processes, beside one process.

The files are those of Python's standard library. Runs take turns, so that what else the machine does is shared by all;
the best of each counts.
"""

from __future__ import annotations

import os
import sysconfig
import time
from pathlib import Path

from measuring import Report, parser
from timing import in_units

from chunker.files.chunk_files import FileChunks, chunk_files

RESULTS = Path(__file__).parents[1] / "results"
MAX_TOKENS = 512


def seconds(folder: Path, workers: int) -> tuple[float, int, int]:
    """The wall-clock seconds to chunk all Python files below a folder, and the numbers of files and chunks."""
    paths = [str(path) for path in sorted(folder.rglob("*.py")) if "site-packages" not in path.parts]
    start = time.perf_counter()
    files = chunks = 0
    for result in chunk_files(paths, MAX_TOKENS, workers=workers):
        files += 1
        chunks += len(result.chunks) if isinstance(result, FileChunks) else 0
    return time.perf_counter() - start, files, chunks


def main() -> None:
    """Measure, and report."""
    arguments = parser(__doc__)
    arguments.add_argument("--workers", type=int, nargs="+", default=[2], help="numbers of processes (default: 2)")
    arguments.add_argument("--rounds", type=int, default=3, help="the best of so many (default: 3)")
    options = arguments.parse_args()
    folder = Path(sysconfig.get_path("stdlib"))
    best: dict[int, float] = {}
    files = chunks = 0
    for _ in range(options.rounds):
        for workers in [1, *options.workers]:
            taken, files, chunks = seconds(folder, workers)
            best[workers] = min(taken, best.get(workers, taken))
    report = Report("Many files", options.output or RESULTS / "chunk_workers.md")
    report.add_provenance(
        ["bpe-chunker"],
        f"time on the clock, {os.cpu_count()} cores, the best of {options.rounds}; starting the processes is part of it",
        f"{files:,} files of the standard library, {chunks:,} chunks of at most {MAX_TOKENS} tokens",
    )
    rows = [[workers, in_units(taken), f"{best[1] / taken:.2f}"] for workers, taken in best.items()]
    report.add_table(["processes", "time", "times as fast as one"], rows)


if __name__ == "__main__":
    main()
