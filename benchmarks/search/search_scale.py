"""Latency of search over many chunks: 10,000, 100,000 and a million; size, and what it takes to write them and to change a file.

    python benchmarks/run.py search_scale [--chunks 10000 100000 1000000] [--embedder NAME] [--keep FOLDER] [--output
    FILE]

Chunks are made of lines of the standard library and of the Markdown of installed packages, three runs of lines each;
they are written to the index without being cut. Vectors are hashed words, unless another embedder is named; those of a
chunk are the sum of its runs'. Questions are the first lines of docstrings. Times are processor time on one core.
"""

# ruff: noqa: SLF001 - what is measured is written without the parts before it
from __future__ import annotations

import ast
import gc
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import cast, get_args

import numpy as np
from measuring import Report, parser
from real_texts import installed_documents, standard_library
from timing import pin_to_one_core

from chunker.index import Embedder, Filter, Index, embedder_named, vectors
from chunker.index.keys import digest
from chunker.index.searching import By
from chunker.index.vectors import Vectors, best_rows, unit_rows
from chunker.index.writing import Changes, FileState, NewFile, NewPlace, NewVersion, Writer

PACKAGES = ["bpe-chunker", "numpy", "tantivy"]
QUESTIONS = 20
RUNS = 8000
CHUNKS_OF_A_FILE = 20
FILES_AT_ONCE = 200
EDITS = 5
NEAREST = 10
_STATE = FileState(0, -1, -1)


class Made:
    """Chunks without end, made of runs of real lines."""

    def __init__(self, embedder: Embedder) -> None:
        self._chance = random.Random(7)  # noqa: S311  # guards no secret
        texts = {**standard_library(), **installed_documents(400)}
        lines = [text.splitlines(keepends=True) for text in texts.values() if text.count("\n") > 20]
        weights = [len(one) for one in lines]
        self._names = sorted(
            {word for name in texts for word in name.replace(".", "/").split("/") if word.isidentifier()}
        )
        self._runs = [self._run(one) for one in self._chance.choices(lines, weights, k=RUNS)]
        self._vectors = np.concatenate([embedder.embed(self._runs[at : at + 1000]) for at in range(0, RUNS, 1000)])

    def _run(self, lines: list[str]) -> str:
        start = self._chance.randrange(len(lines))
        return "".join(lines[start : start + self._chance.randrange(2, 9)])

    def file(self, number: int) -> tuple[str, list[str], Vectors]:
        """The name of a file, the texts of its chunks, and their vectors."""
        picked = np.array(self._chance.choices(range(RUNS), k=3 * CHUNKS_OF_A_FILE)).reshape(-1, 3)
        texts = [f"# {number}\n" + "".join(self._runs[one] for one in row) for row in picked.tolist()]
        folder = "/".join(self._chance.choices(self._names, k=2))
        name = f"{folder}/{self._chance.choice(self._names)}_{number}.{'py' if number % 3 else 'md'}"
        return name, texts, unit_rows(self._vectors[picked].sum(axis=1))


def write(writer: Writer, files: list[tuple[str, list[str], Vectors]]) -> None:
    """Write files to an index, in one commit."""
    changes, keys, rows = Changes(), [], []
    for name, texts, own in files:
        places, start = [], 0
        for number, text in enumerate(texts):
            keys.append(digest(name, str(number), text))
            span = (start, start + len(text), start, start + len(text), number * 20 + 1, number * 20 + 20)
            places.append(NewPlace(keys[-1], text, len(text) // 4, 0, "code", span))
            start += len(text)
        rows.append(own)
        key = digest("version", *texts)
        changes.versions[key] = NewVersion(key, "python" if name.endswith(".py") else "markdown", places)
        changes.files.append(NewFile("", name, key, _STATE))
    unknown = writer.unknown(keys)
    fresh = [number for number, key in enumerate(keys) if key in unknown]
    writer.add_vectors([keys[number] for number in fresh], [100] * len(fresh), np.concatenate(rows)[fresh])
    writer.change_files(changes)


def filled(index: Index, made: Made, chunks: int) -> float:
    """Write chunks to an empty index; seconds of processor time."""
    began = time.process_time()
    index._ensure()
    with index._store.writing() as writer:
        numbers = range(chunks // CHUNKS_OF_A_FILE)
        for start in numbers[::FILES_AT_ONCE]:
            write(writer, [made.file(number) for number in numbers[start : start + FILES_AT_ONCE]])
        writer.drop_spare()
    return time.process_time() - began


def edited(index: Index, made: Made, chunks: int) -> tuple[float, float]:
    """Seconds of processor time, and seconds, for another text of a file: the median."""
    taken = []
    # Numbers that no file has yet: an index that was kept has those of the runs before.
    first = chunks + index.status().files
    for number in range(first, first + EDITS):
        file = made.file(number)
        began = time.process_time(), time.perf_counter()
        with index._store.writing() as writer:
            write(writer, [file])
            writer.drop_spare()
        taken.append((time.process_time() - began[0], time.perf_counter() - began[1]))
    return statistics.median(one for one, _ in taken), statistics.median(one for _, one in taken)


def questions() -> list[str]:
    """First lines of docstrings of the standard library."""
    found = [
        (ast.get_docstring(node) or "").partition("\n")[0]
        for source in standard_library(120).values()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    return random.Random(3).sample(sorted({one for one in found if 20 < len(one) < 90}), QUESTIONS)  # noqa: S311


def timed(ask: Callable[[str], object], asked: list[str]) -> str:
    """Median and largest milliseconds of a question, each the best of three."""
    gc.collect()
    taken = []
    for question in asked:
        best = float("inf")
        for _ in range(3):
            began = time.process_time()
            ask(question)
            best = min(best, time.process_time() - began)
        taken.append(1000 * best)
    return f"{statistics.median(taken):.1f} ({max(taken):.1f})"


def recall(index: Index, embedder: Embedder, asked: list[str]) -> str:
    """The share of the nearest vectors that a search by vectors compares exactly."""
    found = 0
    with index._store.reading() as snapshot:
        rows = np.asarray(snapshot.vectors._rows)  # type: ignore[union-attr]  # they are in a file
        for question in asked:
            vector = embedder.embed_query(question)
            exact, _ = best_rows(rows, vector, NEAREST)
            found += len(set(exact.tolist()) & set(snapshot.vectors.best(vector, 200)[0].tolist()))
    return f"{found / len(asked) / NEAREST:.3f}"


def measured(folder: Path, made: Made, chunks: int, embedder: Embedder) -> Iterator[tuple[str, str]]:
    """The figures of an index of so many chunks, each with what it is."""
    index = Index.open(folder / str(chunks), embedder=embedder, root=folder)
    if index.status().chunks < chunks:
        taken = filled(index, made, chunks)
        yield "writing, s", f"{taken:.0f}"
        yield "a thousand chunks, s", f"{taken / chunks * 1000:.2f}"
    size = {
        name: sum(path.stat().st_size for path in index.path.rglob(f"{name}*/*" if name == "words" else f"{name}*"))
        for name in ("index.sqlite", "vectors-0.f32", "vectors-0.bits", "words")
    }
    yield "texts and places, MB", f"{size['index.sqlite'] / 1e6:.0f}"
    yield "full text, MB", f"{size['words'] / 1e6:.0f}"
    yield "vectors, MB", f"{size['vectors-0.f32'] / 1e6:.0f}"
    yield "sketches, MB", f"{size['vectors-0.bits'] / 1e6:.1f}"
    asked = questions()
    index.search(asked[0])
    for by in get_args(By):
        yield f"search by {by}, ms", timed(partial(index.search, by=cast("By", by)), asked)
    only = Filter(languages=("markdown",))
    yield "both, one language of two, ms", timed(lambda question: index.search(question, filter=only), asked)
    with index._store.reading() as snapshot:
        (source,) = snapshot.connection.execute("SELECT source FROM files LIMIT 1").fetchone()
    only = Filter(sources=(source.partition("/")[0],))
    yield "both, in one folder, ms", timed(lambda question: index.search(question, filter=only), asked)
    yield "recall of the ten nearest vectors", recall(index, embedder, asked)
    processor, waited = edited(index, made, chunks)
    yield "another text of a file, ms of processor (of waiting)", f"{1000 * processor:.0f} ({1000 * waited:.0f})"


def _pace() -> float:
    """Milliseconds of processor time of a fixed loop, the best of ten: tells how busy the machine is."""
    best = float("inf")
    for _ in range(10):
        began = time.process_time()
        total = 0
        for number in range(1_000_000):
            total += number
        best = min(best, time.process_time() - began)
    return 1000 * best


def main() -> None:
    """Measure, and report."""
    arguments = parser(__doc__)
    arguments.add_argument("--chunks", type=int, nargs="+", default=[10_000, 100_000, 1_000_000], metavar="N")
    arguments.add_argument("--embedder", default="hashing", metavar="NAME")
    arguments.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the indexes there")
    given = arguments.parse_args()
    pin_to_one_core()
    report = Report("Search over many chunks", given.output)
    embedder = embedder_named(given.embedder)
    report.add_provenance(
        PACKAGES,
        f"{QUESTIONS} questions, milliseconds of processor time for ten hits: median (largest), each the best of three; all rules",
        (
            f"vectors of {embedder.dimensions} numbers ({given.embedder}); "
            f"of more than {vectors.COMPARED * 4:,} rows those are compared whose sketches are the nearest"
        ),
    )
    made = Made(embedder)
    with tempfile.TemporaryDirectory() as temporary:
        found = [dict(measured(given.keep or Path(temporary), made, chunks, embedder)) for chunks in given.chunks]
    report.add(f"A loop of a million additions takes {_pace():.0f} ms here now: about 35 where nobody else works.")
    names = dict.fromkeys(name for figures in found for name in figures)
    rows = [[name, *(figures.get(name, "") for figures in found)] for name in names]
    report.add_table(["", *(f"{chunks:,}" for chunks in given.chunks)], rows)


if __name__ == "__main__":
    main()
