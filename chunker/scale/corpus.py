"""Chunk a corpus of many files, part by part. After an interruption, the next run resumes.

    corpus/a.parquet     ->  out/a.parquet              written as .a.parquet.4f2a.partial, and renamed when it is whole
    corpus/b.jsonl.gz    ->  out/b.jsonl.gz.parquet
                             out/_done/a.parquet.json   by which settings, of which bytes: written last

A part with a record is skipped, unless the part has changed since. A run that is killed leaves complete results, and
temporary files whose names begin with a dot, which the next run removes. Arrow, Spark and DuckDB see only the complete
results in `out`.
"""

from __future__ import annotations

import json
import re
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import pyarrow as pa

from chunker.arguments import whole_number
from chunker.errors import ChunkerError, MissingExtraError, OptionError
from chunker.files.discovery import Problem
from chunker.files.workers import Lost, Workers
from chunker.scale.chunk_batch import ChunkBatch
from chunker.scale.errors import PartError, ScaleError, TargetError
from chunker.scale.parts import OUTPUTS, CorpusPart, Location, Output, PartWriter, read_tables

Batch = Callable[[pa.Table], pa.Table]

ROWS = 256
_DONE = "_done"


@dataclass(frozen=True, slots=True)
class Done:
    """The record of a finished part: its input, its output, and the fingerprint of the settings (`settings`)."""

    name: str
    size: int
    modified: int
    settings: str
    rows: int
    chunks: int
    tokens: int
    seconds: float


@dataclass(slots=True)
class CorpusReport:
    """The result of a run of `chunk_corpus`.

    Attributes:
        parts: How many parts the corpus has.
        done: How many parts this run has chunked.
        skipped: How many parts were finished before.
        rows: Number of texts in all finished parts.
        chunks: Number of their chunks.
        tokens: Number of tokens of these chunks.
        seconds: Duration of this run.
        problems: The parts that failed, and why.
    """

    parts: int = 0
    done: int = 0
    skipped: int = 0
    rows: int = 0
    chunks: int = 0
    tokens: int = 0
    seconds: float = 0.0
    problems: list[Problem] = field(default_factory=list)


class PartWork:
    """Processes one part: reads its tables, passes each through the steps, and writes the results. Can be pickled if
    the steps can. Never raises because of the content of a part.
    """

    def __init__(
        self, source: Location, target: Location, steps: Sequence[Batch], *, output: Output, rows: int, settings: str
    ) -> None:
        self._source = source
        self._target = target
        self._steps = steps
        self._output: Output = output
        self._rows = rows
        self._settings = settings

    def __call__(self, part: CorpusPart) -> Done | Problem:
        """Process a part. Returns its record, which is also written to the target, or the problem."""
        name = part.name or self._source.root.rpartition("/")[2]
        try:
            return self._done(part, result_name(name, self._output))
        except (ScaleError, MissingExtraError) as error:
            return Problem(name, str(error))
        except (OSError, ChunkerError, pa.ArrowException) as error:
            return Problem(name, f"{type(error).__name__}: {error}")
        except Exception as error:  # noqa: BLE001 - whatever goes wrong with one part, go on with the others
            return Problem(name, f"internal error, please report it: {type(error).__name__}: {error}")

    def _done(self, part: CorpusPart, name: str) -> Done:
        began = time.monotonic()
        folder, _, base = name.rpartition("/")
        below = f"{folder}/" if folder else ""
        self._target.remove(re.compile(rf"\.{re.escape(base)}\.[0-9a-f]{{32}}\.partial"), folder)
        temporary = f"{below}.{base}.{uuid.uuid4().hex}.partial"
        counts = Counter[str]()
        writer: PartWriter | None = None
        for table in read_tables(self._source, part, self._rows):
            result = table
            for step in self._steps:
                result = step(result)
            if writer is None:
                writer = self._target.writer(temporary, result.schema, self._output)
            writer.write(result)
            counts["rows"] += len(table)
            counts["chunks"] += len(result)
            counts["tokens"] += _tokens(result)
        if writer is not None:
            writer.close()
            self._target.put(temporary, name)
        seconds = time.monotonic() - began
        done = Done(
            name, part.size, part.modified, self._settings, counts["rows"], counts["chunks"], counts["tokens"], seconds
        )
        self._target.write_bytes(_record_name(name), json.dumps(asdict(done)).encode())
        return done


# Runs the work on each part, in any order: in this process, in several, or as tasks of an engine.
Runner = Callable[[PartWork, Sequence[CorpusPart]], Iterable[Done | Problem]]


def chunk_corpus(  # noqa: PLR0913  # as many as there are options
    source: str,
    target: str,
    steps: Batch | Sequence[Batch] | None = None,
    *,
    workers: int = 1,
    output: Output = "parquet",
    rows: int = ROWS,
    redo: bool = False,
    runner: Runner | None = None,
    progress: Callable[[CorpusReport], object] | None = None,
) -> CorpusReport:
    """Chunk the parquet and JSON Lines files of a folder into another folder, one result per file. Finished parts are
    skipped.

    A part that fails, or that kills its worker twice, is listed in the `problems` of the report; the others are still
    processed. Only one run at a time may write to a target.

    Args:
        source: The folder or URL of the corpus.
        target: The folder or URL for the results.
        steps: Functions from a table to a table, which can be pickled; by default `ChunkBatch()` alone. They get tables
            of at most `rows` rows.
        workers: The number of processes. They are started by spawn, so the main module must begin its work under `if
            __name__ == "__main__":`.
        output: The format of the results: "parquet" or "jsonl".
        rows: The largest number of rows of a table.
        redo: Chunk parts again that were made with other settings.
        runner: Runs the parts instead of processes, for engines with tasks of their own.
        progress: Called with the report after each part.

    Returns:
        The report of the run.

    Raises:
        TargetError: The target holds parts that were made with other settings, and `redo` is not set.
        PartError: There is no corpus at `source`.
        OptionError: An option has a value that cannot be used.
    """
    if output not in OUTPUTS:
        raise OptionError(f"output must be one of {', '.join(OUTPUTS)}; got {output!r}")
    workers, rows = whole_number(workers, "workers", least=1), whole_number(rows, "rows", least=1)
    began = time.monotonic()
    made: Sequence[Batch] = [ChunkBatch()] if steps is None else [steps] if callable(steps) else list(steps)
    read, write = Location(source), Location(target)
    parts = read.parts()
    settings = " ".join(_fingerprint(step) for step in made)
    report, waiting = _waiting(read, write, parts, settings, output, redo=redo)
    run = runner or (map if workers == 1 else _Processes(workers))
    for result in run(PartWork(read, write, made, output=output, rows=rows, settings=settings), waiting):
        if isinstance(result, Problem):
            report.problems.append(result)
        else:
            report.done += 1
            _add(report, result)
        report.seconds = time.monotonic() - began
        if progress is not None:
            progress(report)
    report.problems.sort(key=lambda problem: problem.path)
    report.seconds = time.monotonic() - began
    return report


def result_name(name: str, output: Output) -> str:
    """Return the name of the result of a part.

    >>> result_name("2024/a.parquet", "parquet"), result_name("b.jsonl.gz", "parquet"), result_name("a.parquet", "jsonl")
    ('2024/a.parquet', 'b.jsonl.gz.parquet', 'a.parquet.jsonl')
    """
    return name if name.endswith(f".{output}") else f"{name}.{output}"


def _waiting(
    source: Location, target: Location, parts: Sequence[CorpusPart], settings: str, output: Output, *, redo: bool
) -> tuple[CorpusReport, list[CorpusPart]]:
    """Return the report so far, and the parts that have to be processed."""
    report = CorpusReport(parts=len(parts))
    results: dict[str, str] = {}
    waiting = []
    for part in parts:
        told = part.name or source.root.rpartition("/")[2]
        name = result_name(told, output)
        if name in results:
            raise TargetError(f"{results[name]} and {told} would both be {name}: put them into separate folders")
        results[name] = told
        done = _record(target, name)
        if done is None or (done.size, done.modified) != (part.size, part.modified):
            waiting.append(part)
        elif done.settings == settings:
            report.skipped += 1
            _add(report, done)
        elif redo:
            waiting.append(part)
        else:
            raise TargetError(
                f"{target.url}: {name} was made with other settings; take another target, or redo=True to make all parts again"
            )
    return report, waiting


def _record(target: Location, name: str) -> Done | None:
    try:
        with target.files.open_input_stream(target.path(_record_name(name))) as stream:
            record = Done(**json.loads(stream.read()))
        # A part without rows has a record and no result, since its columns are unknown.
        return record if not record.rows or target.files.get_file_info(target.path(name)).is_file else None
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        raise PartError(f"{target.url}/{_record_name(name)} cannot be read ({error}): remove it") from error


def _record_name(name: str) -> str:
    return f"{_DONE}/{name}.json"


def _fingerprint(step: Batch) -> str:
    """Return the fingerprint of a step; for a function, its name."""
    told = getattr(step, "fingerprint", None)
    return (
        str(told()) if callable(told) else f"{step.__module__}.{getattr(step, '__qualname__', type(step).__qualname__)}"
    )


def _add(report: CorpusReport, done: Done) -> None:
    report.rows += done.rows
    report.chunks += done.chunks
    report.tokens += done.tokens


def _tokens(table: pa.Table) -> int:
    if "token_count" not in table.schema.names:
        return 0
    return int(table.column("token_count").combine_chunks().sum().as_py() or 0) if len(table) else 0


class _Processes:
    """Processes parts in several processes of this machine."""

    def __init__(self, workers: int) -> None:
        self._workers = workers

    def __call__(self, work: PartWork, parts: Sequence[CorpusPart]) -> Iterator[Done | Problem]:
        if not parts:
            return
        # By spawn: Arrow has threads of its own, which do not survive a fork.
        with Workers[CorpusPart, Any](work, min(self._workers, len(parts)), start_method="spawn") as pool:
            for part, result in zip(parts, pool.map(parts), strict=True):
                yield Problem(part.name, result.reason) if isinstance(result, Lost) else result
