"""The time and memory of learning a vocabulary: ours and six other packages.

    pip install gigatoken rustbpe bpeasy tokenizers sentencepiece
    python benchmarks/run.py training --output benchmarks/results/training.md

Two corpora, made of what is installed: 25 MB of Python code, one text a file, for 32,000 tokens; and 100,000 short
lines of it, one text a line, for 10,000 merges. Each training runs in a process of its own, all of them one after the
other, and that several times; the fastest counts.
"""

from __future__ import annotations

import os
import sysconfig
import tempfile
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import fresh_process
from measuring import Report, parser
from training_tasks import PEERS, SEPARATOR

TASKS = Path(__file__).with_name("training_tasks.py")
PACKAGES = ("gigatoken", "rustbpe", "bpeasy", "tokenizers", "sentencepiece")
CODE = 25_000_000  # bytes
SENTENCES = 100_000
THREADS = 2


def main() -> None:
    """Measure and report."""
    options = parser(__doc__)
    options.add_argument("--runs", type=int, default=3, help="how often each is run (3)")
    options.add_argument("--limit", type=float, default=300, metavar="SECONDS", help="none takes longer (300)")
    arguments = options.parse_args()
    report = Report("Training", arguments.output)
    report.add_provenance(
        PACKAGES,
        f"{os.cpu_count()} cores, {THREADS} threads each; the fastest of {arguments.runs} runs, by the clock",
        "memory: the peak of the process above what it had before, texts and packages loaded",
    )
    with tempfile.TemporaryDirectory() as folder:
        code = list(python_code(CODE))
        report.add("## 32,000 tokens of Python code")
        size = sum(len(text.encode()) for text in code)
        report.add(f"{len(code):,} files, {size / 1e6:.1f} MB.")
        compare(report, Path(folder) / "code", code, 32_000, runs=arguments.runs, limit=arguments.limit)
        lines = short_lines(code)
        report.add("## 10,000 merges on short lines")
        report.add(f"{len(lines):,} texts of {sum(map(len, lines)) / len(lines):.0f} characters on average.")
        compare(report, Path(folder) / "lines", lines, 10_256, runs=arguments.runs, limit=arguments.limit)


def compare(report: Report, path: Path, texts: list[str], vocab_size: int, *, runs: int, limit: float) -> None:
    """A table of all peers; they take turns, so that a slow minute of the machine hits all of them."""
    path.write_bytes(SEPARATOR.join(texts).encode())
    outcomes: dict[str, list[fresh_process.Outcome]] = {peer: [] for peer in PEERS}
    for _ in range(runs):
        for peer, found in outcomes.items():
            found.append(
                fresh_process.run(
                    "train", limit, script=TASKS, peer=peer, corpus=str(path), vocab_size=vocab_size, threads=THREADS
                )
            )
    best = {peer: fresh_process.best_of(found) for peer, found in outcomes.items()}
    fastest = best["bpe_engine"].figures.get("seconds", float("nan"))
    rows = []
    for peer, outcome in best.items():
        if outcome.failure:
            rows.append([peer, outcome.failure, "", "", ""])
            continue
        figures = outcome.figures
        rows.append(
            [
                peer,
                f"{figures['seconds']:.2f}",
                f"{figures['seconds'] / fastest:.1f}",
                f"{figures['megabytes']:.0f}",
                f"{figures['tokens']:.0f}",
            ]
        )
    report.add_table(["package", "seconds", "times ours", "MB", "tokens"], rows)


def python_code(size: int) -> Iterator[str]:
    """Sources of the standard library and of installed packages in turn, up to `size` bytes of UTF-8."""
    standard, installed = (Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib"))
    of_standard = [path for path in sorted(standard.rglob("*.py")) if "site-packages" not in path.parts]
    total = 0
    for pair in zip_longest(of_standard, sorted(installed.rglob("*.py"))):
        for path in pair:
            if path is None:
                continue
            try:
                text = path.read_bytes().decode("utf-8")
            except (OSError, UnicodeDecodeError):
                continue  # a test of the standard library holds other encodings on purpose
            total += len(text.encode())
            if total > size:
                return
            yield text


def short_lines(texts: list[str]) -> list[str]:
    """Lines that read like sentences: at least four words in 20 to 100 characters; each once."""
    found: dict[str, None] = {}
    for text in texts:
        for line in text.splitlines():
            stripped = line.strip(" #*")
            if 20 <= len(stripped) <= 100 and stripped.count(" ") >= 3:
                found.setdefault(stripped)
                if len(found) == SENTENCES:
                    return list(found)
    return list(found)


if __name__ == "__main__":
    main()
