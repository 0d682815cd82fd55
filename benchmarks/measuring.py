"""What the benchmarks share: timing, and a report that is shown on the screen and kept as Markdown."""

from __future__ import annotations

import argparse
import gc
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from importlib import metadata
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown


def cpu_seconds(function: Callable[[], object]) -> float:
    """Processor time of one call, in seconds. Waiting for other processes is not part of it."""
    gc.collect()
    start = time.process_time()
    function()
    return time.process_time() - start


def best_seconds(function: Callable[[], object], *, repeats: int = 5, at_most: float = 2.0) -> float:
    """The least processor time of some calls: of `repeats`, fewer where they take longer than `at_most` seconds together."""
    best = total = cpu_seconds(function)
    for _ in range(repeats - 1):
        if total > at_most:
            break
        taken = cpu_seconds(function)
        best = min(best, taken)
        total += taken
    return best


def pin_to_one_core() -> str:
    """Keep this process on one core where the system can do that; says what was done."""
    if not hasattr(os, "sched_setaffinity"):
        return "not pinned to a core"
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    return "pinned to one core"


def in_units(seconds: float) -> str:
    """A duration with three digits.

    >>> in_units(0.0000123), in_units(0.0123), in_units(12.34)
    ('12.3 µs', '12.3 ms', '12.3 s')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def versions(packages: Iterable[str]) -> str:
    """Names and versions of the packages that are installed, and of those that are not."""
    found = [f"Python {platform.python_version()}"]
    for package in packages:
        try:
            found.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            found.append(f"{package} (not installed)")
    return ", ".join(found)


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown; all columns but the first are aligned to the right.

    >>> print(markdown_table(["input", "ratio"], [["spaces", 4.0]]))
    | input | ratio |
    | --- | ---: |
    | spaces | 4.0 |
    """
    lines = [list(header), ["---", *["---:"] * (len(header) - 1)]]
    lines += [[str(cell) for cell in row] for row in rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


class Report:
    """Markdown that grows paragraph by paragraph: on the screen at once, and in a file after each."""

    def __init__(self, title: str, output: Path | None) -> None:
        self._paragraphs: list[str] = []
        self._output = output
        self._console = Console()
        self.add(f"# {title}")

    def add(self, paragraph: str) -> None:
        """Show a paragraph or table, and write the file anew."""
        self._paragraphs.append(paragraph)
        self._console.print(Markdown(paragraph))
        if self._output is not None:
            self._output.write_text("\n\n".join(self._paragraphs) + "\n", "utf-8")

    def add_table(self, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Show a table."""
        self.add(markdown_table(header, rows))

    def add_provenance(self, packages: Iterable[str], *remarks: str) -> None:
        """Show the command that made this report, the versions it ran with, and what else a reader has to know."""
        command = " ".join(["python", f"benchmarks/{Path(sys.argv[0]).name}", *_without_output(sys.argv[1:])])
        self.add("\n".join([f"- `{command}`", f"- {versions(packages)}", *(f"- {remark}" for remark in remarks)]))


def parser(description: str | None) -> argparse.ArgumentParser:
    """A parser of arguments with the option that all benchmarks have."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--output", type=Path, metavar="FILE", help="keep the report in this file, as Markdown")
    return made


def _without_output(arguments: Sequence[str]) -> list[str]:
    """The arguments but for the file that the report goes to, which says nothing about the figures.

    >>> _without_output(["--size", "10", "--output", "report.md", "--full"])
    ['--size', '10', '--full']
    """
    kept = []
    skip = False
    for argument in arguments:
        if not (skip or argument == "--output" or argument.startswith("--output=")):
            kept.append(argument)
        skip = argument == "--output"
    return kept
