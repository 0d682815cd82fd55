"""The time of chunking as a multiple of the work it rests on: parsing, counting, short documents, one process.

    python benchmarks/run.py chunk_ratios                     the tables
    python benchmarks/run.py chunk_ratios --output FILE       written there as well
    python benchmarks/run.py chunk_ratios --folder FOLDER     the commands over another repository

Code beside a bare parse by the package tree-sitter; `chunk_files` beside counting the same files; the commands;
documents of a kilobyte, by one call each; `ChunkBatch` beside the chunker that it uses. Processor time, each beside
what it is compared with in turns.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import fresh_process
import pyarrow as pa
import tree_sitter
from code_texts import SOURCES, code_texts
from language_texts import default_folder, prepare
from measuring import Report, parser
from real_texts import standard_library
from timing import cpu_seconds, pin_to_one_core

from bpe_engine import Tokenizer
from chunker import CodeChunker, TextChunker
from chunker.files.chunk_files import FileChunks, chunk_files
from chunker.formats.code.grammar import compiled
from chunker.formats.code.tables import grammar_named
from chunker.formats.detect import detect
from chunker.scale import ChunkBatch

ROUNDS, COMMAND_ROUNDS = 15, 5
CODE = "code"  # the task that runs in processes of its own
PROCESSES, LIMIT = 3, 60.0  # how many of them, and the seconds that one may take
CODE_BYTES = 150_000
SAMPLES = Path(__file__).resolve().parents[2] / "tests" / "chunker" / "formats" / "code" / "samples"
SAMPLE_BYTES = 60_000
DOCUMENT_BYTES, DOCUMENTS = 1_000, 500
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "overlap": {"overlap": 64},
    "context": {"context": True},
    "both": {"overlap": 64, "context": True},
    "128 tokens": {"max_tokens": 128},
    "128, both": {"max_tokens": 128, "overlap": 16, "context": True},
    "64, both": {"max_tokens": 64, "overlap": 8, "context": True},
    "desired": {"desired_tokens": 360},
}


def in_turns(tasks: dict[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """The least processor time of each task, in seconds. The tasks take turns, so that other load on the machine slows all of them alike."""
    best: dict[str, float] = {}
    for _ in range(rounds):
        for name, task in tasks.items():
            best[name] = min(cpu_seconds(task), best.get(name, float("inf")))
    return best


def each(task: Callable[[Any], object], values: list[Any]) -> None:
    """Call a task with each value."""
    for value in values:
        task(value)


def sources(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Language -> some files; for the languages of which there are none a sample, again and again."""
    for language in ("python", *SOURCES):
        found = (
            list(standard_library().values())
            if language == "python"
            else list(code_texts(language, folder)[0].values())
        )
        kept, size = [], 0
        for text in found:
            if size < CODE_BYTES:
                kept.append(text)
                size += len(text)
        if kept:
            yield language, kept
    for path in sorted(SAMPLES.iterdir()):
        text = path.read_text("utf-8")
        sampled = detect(path.name, text).format
        if sampled and sampled not in SOURCES and path.suffix != ".toml":
            yield sampled, [text * (SAMPLE_BYTES // len(text) + 1)]


def code_rows(folder: Path) -> Iterator[list[str]]:
    """A row a language: MB/s of a bare parse, and the times of chunking beside it; the best of some processes, which find
    their memory in different places.
    """
    for language, texts in sources(folder):
        made = fresh_process.best_of(
            fresh_process.run(CODE, LIMIT, script=Path(__file__), language=language, folder=str(folder))
            for _ in range(PROCESSES)
        )
        seconds = made.figures
        if made.failure:
            raise RuntimeError(f"{language}: {made.failure}")
        megabytes = sum(len(text.encode()) for text in texts) / 1e6
        yield [
            language,
            f"{megabytes / seconds['parse']:.0f}",
            *(f"{seconds[name] / seconds['parse']:.2f}" for name in OPTIONS),
        ]


def code_seconds(language: str, folder: str) -> dict[str, float]:
    """The seconds of a bare parse, and of chunking with each of OPTIONS."""
    texts = dict(sources(Path(folder)))[language]
    encoded = [text.encode() for text in texts]
    syntax = tree_sitter.Parser(compiled(grammar_named(language)).language)
    tasks: dict[str, Callable[[], object]] = {"parse": partial(each, syntax.parse, encoded)}
    for name, options in OPTIONS.items():
        chunker = CodeChunker(language, **({"max_tokens": 512} | options))
        tasks[name] = partial(each, chunker.chunk, texts)
    return in_turns(tasks)


def file_rows() -> Iterator[list[str]]:
    """`chunk_files` over a folder beside counting its files."""
    root = Path(sysconfig.get_path("stdlib"))
    paths = sorted(root.glob("*.py"))
    count = Tokenizer.load("o200k_base").count

    def chunked() -> int:
        results = chunk_files(map(str, paths), 512, workers=1)
        return sum(len(one.chunks) for one in results if isinstance(one, FileChunks))

    tasks: dict[str, Callable[[], object]] = {
        "counted": lambda: [count(path.read_text("utf-8", "replace")) for path in paths],
        "plain": chunked,
    }
    seconds = in_turns(tasks)
    yield [
        f"{len(paths)} files of Python",
        *(f"{seconds[name] * 1e3:.0f}" for name in tasks),
        f"{seconds['plain'] / seconds['counted']:.2f}",
    ]


def command_rows(folder: Path) -> Iterator[list[str]]:
    """The commands over a folder: processor time, their start and what they write included."""
    with TemporaryDirectory() as out:
        commands = {
            "count": ["count", str(folder)],
            "chunk": ["chunk", str(folder)],
            "lines of JSON": ["chunk", str(folder), "--output", str(Path(out) / "chunks.jsonl")],
        }
        best = dict.fromkeys(commands, float("inf"))
        for _ in range(COMMAND_ROUNDS):
            for name, command in commands.items():
                before = os.times()
                subprocess.run([sys.executable, "-P", "-m", "chunker", *command], check=True, capture_output=True)  # noqa: S603  # our own command
                after = os.times()
                taken = after.children_user + after.children_system - before.children_user - before.children_system
                best[name] = min(best[name], taken)
    counted = best["count"]
    yield [
        folder.name,
        f"{counted:.2f}",
        *(f"{best[name]:.2f} ({best[name] / counted:.2f})" for name in list(best)[1:]),
    ]


def document_rows() -> Iterator[list[str]]:
    """Documents of a kilobyte: what one costs, and what is left without counting its bytes."""
    text = "\n".join(standard_library().values())[: DOCUMENT_BYTES * DOCUMENTS]
    documents = [text[start : start + DOCUMENT_BYTES] for start in range(0, len(text), DOCUMENT_BYTES)]
    count = Tokenizer.load("o200k_base").count
    for name in ("plain", "overlap", "context"):
        for kind in ("text", "markdown"):
            chunker = TextChunker(format=kind, **OPTIONS[name])
            seconds = in_turns(
                {
                    "count": partial(each, count, documents),
                    "chunk": partial(each, chunker.chunk, documents),
                }
            )
            micros = {task: taken / len(documents) * 1e6 for task, taken in seconds.items()}
            yield [
                f"{kind}, {name}",
                f"{micros['count']:.1f}",
                f"{micros['chunk']:.1f}",
                f"{micros['chunk'] - micros['count']:.1f}",
            ]


def batch_rows() -> Iterator[list[str]]:
    """Tables of documents of 4 kB: `ChunkBatch` beside the chunker. In the last rows it has to guess what each document is."""
    text = "\n".join(standard_library().values())[:500_000]
    for name in ("plain", "both"):
        for kind in ("text", "markdown"):
            chunker = TextChunker(format=kind, **OPTIONS[name])
            yield [f"{kind}, {name}", *beside_chunker(text, chunker, ChunkBatch(chunker=chunker))]
    # The English text has manuals of C, which is code here and there.
    files, _ = prepare(default_folder(), ["german"])
    if "german" in files:
        prose = files["german"].read_text("utf-8")[:500_000]
        for name in ("plain", "both"):
            yield [f"prose, {name}", *beside_chunker(prose, TextChunker(**OPTIONS[name]), ChunkBatch(**OPTIONS[name]))]


def beside_chunker(text: str, chunker: TextChunker, batch: ChunkBatch) -> list[str]:
    """MB/s of a chunker and of a `ChunkBatch` over parts of a text, and the ratio of both."""
    documents = [text[start : start + 4_000] for start in range(0, len(text), 4_000)]
    table = pa.table({"text": documents})
    seconds = in_turns({"chunk": partial(each, chunker.chunk, documents), "batch": partial(batch, table)})
    megabytes = len(text.encode()) / 1e6
    return [
        *(f"{megabytes / taken:.1f}" for taken in seconds.values()),
        f"{seconds['chunk'] / seconds['batch']:.2f}",
    ]


def main() -> None:
    """Print the tables, and write them where that is asked for."""
    if sys.argv[1:2] == [CODE]:
        print(json.dumps(code_seconds(**json.loads(sys.argv[2]))))
        return
    arguments = parser(__doc__)
    arguments.add_argument("--folder", type=Path, default=Path(__file__).parents[2], help="for the commands")
    chosen = arguments.parse_args()
    pinned = pin_to_one_core()
    report = Report("What chunking costs beside what it stands on", chosen.output)
    report.add_provenance(["bpe-chunker", "tree-sitter"], pinned, "o200k_base")
    report.add(
        "Source code: MB/s of a bare parse, and chunks of 512 tokens, if nothing else is said, in times of the parse."
    )
    report.add_table(["language", "parse", *OPTIONS], code_rows(default_folder()))
    report.add("`chunk_files` in one process beside counting the same files, in ms.")
    report.add_table(["files", "counted", "chunked", "ratio"], file_rows())
    report.add(
        "`chunker count` and `chunker chunk` over a folder, its table or lines of JSON, in seconds of the processor, and in times of counting."
    )
    report.add_table(["folder", "counted", "chunked", "as lines of JSON"], command_rows(chosen.folder.resolve()))
    report.add("Documents of a kilobyte, in microseconds each.")
    report.add_table(["format, options", "counted", "chunked", "the difference"], document_rows())
    report.add("`ChunkBatch` over a table of documents of 4 kB beside the chunker, in MB/s.")
    report.add_table(["format, options", "chunker", "ChunkBatch", "ratio"], batch_rows())


if __name__ == "__main__":
    main()
