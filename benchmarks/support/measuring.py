"""The common part of the benchmarks: a report on the screen and in Markdown, and the common arguments."""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections.abc import Iterable, Sequence
from importlib import metadata
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown
from timing import busy


def versions(packages: Iterable[str]) -> str:
    """Names and versions of the packages that are installed, and of those that are not."""
    found = [f"Python {platform.python_version()}"]
    for package in packages:
        try:
            found.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            found.append(f"{package} (not installed)")
    return ", ".join(found)


def conditions() -> str:
    """The date, and how busy the machine is.

    >>> "machine" in conditions() or "cores" in conditions()
    True
    """
    return time.strftime(f"%d %B %Y; {busy()}")


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
        self.output = output
        self._console = Console()
        self.add(f"# {title}")

    def add(self, paragraph: str) -> None:
        """Show a paragraph or table, and write the file anew."""
        self._paragraphs.append(paragraph)
        self._console.print(Markdown(paragraph))
        if self.output is not None:
            self.output.write_text("\n\n".join(self._paragraphs) + "\n", "utf-8")

    def add_table(self, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Show a table."""
        self.add(markdown_table(header, rows))

    def add_provenance(self, packages: Iterable[str], *remarks: str) -> None:
        """Show the command that made this report, the versions it ran with, the date, how busy the machine is, and what else a reader has to know."""
        command = " ".join(["python benchmarks/run.py", Path(sys.argv[0]).stem, *_without_places(sys.argv[1:])])
        self.add("\n".join(f"- {line}" for line in (f"`{command}`", versions(packages), conditions(), *remarks)))


def parser(description: str | None) -> argparse.ArgumentParser:
    """A parser of arguments with the option that all benchmarks have."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--output", type=Path, metavar="FILE", help="keep the report in this file, as Markdown")
    return made


# Options with a path of this machine, which says nothing about the figures.
_PLACES = (
    "--earlier",
    "--output",
    "--texts",
    "--poet",
    "--keep",
    "--annotations",
    "--repositories",
    "--large",
    "--aider",
    "--remark",
)


def _without_places(arguments: Sequence[str]) -> list[str]:
    """The arguments without the paths of the report and of the texts.

    >>> _without_places(["--size", "10", "--output", "report.md", "--texts=somewhere", "--full"])
    ['--size', '10', '--full']
    """
    kept = []
    skip = False
    for argument in arguments:
        if argument.startswith("--"):
            skip = argument in _PLACES
            if argument.partition("=")[0] not in _PLACES:
                kept.append(argument)
        elif not skip:
            kept.append(argument)
    return kept
