"""One run over many files: what goes wrong with one is noted, the others go on, and the notes come at the end."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import typer

from bpe_engine.errors import BpeEngineError
from chunker.console import EXIT_FAILED, STANDARD_OUTPUT, with_progress
from chunker.documents import Document, count_line_ends, read_document
from chunker.errors import BudgetTooSmallError, ChunkerError
from chunker.files import FoundFile, Problem, find_files

Result = TypeVar("Result")


class Run:
    """One pass over all files behind some paths.

    `hidden`: take hidden files too. `output`: where results go (None or "-": standard output); a walk passes it over.
    `task` stands before the progress bar.
    """

    def __init__(self, paths: Sequence[str], *, hidden: bool, output: str | None, task: str) -> None:
        self._to_stdout = output is None or output == STANDARD_OUTPUT
        leave_out = [] if output is None or self._to_stdout else [str(Path(output).absolute())]
        self._items = list(find_files(paths, hidden=hidden, leave_out=leave_out))
        self._problems: list[Problem] = []
        self._task = task

    def over(self, work: Callable[[Document], Result], *, streaming: bool = False) -> Iterator[Result]:
        """What `work` makes of each file that is text, in order; one file in memory at a time.

        `streaming`: the caller writes each result at once. What `work` raises becomes a note on its file.
        """
        with with_progress(self._items, self._task, streaming=streaming and self._to_stdout) as items:
            for item in items:
                document = read_document(item) if isinstance(item, FoundFile) else item
                if isinstance(document, Problem):
                    self._problems.append(document)
                    continue
                try:
                    result = work(document)
                except Exception as error:  # noqa: BLE001 - whatever one file leads to, the others are to be done
                    self._problems.append(_problem_of(error, document))
                else:
                    yield result

    def finish(self) -> None:
        """Print the notes on standard error; raises `typer.Exit` if a file failed, and was not merely passed over."""
        passed_over = [problem for problem in self._problems if not problem.failed]
        failed = [problem for problem in self._problems if problem.failed]
        if passed_over:
            typer.echo(f"Passed over {_files(len(passed_over))} without text, such as {passed_over[0]}", err=True)
        if failed:
            typer.echo(f"Failed: {len(failed):,} of {_files(len(self._items))}", err=True)
            for problem in failed:
                typer.echo(f"  {problem}", err=True)
            raise typer.Exit(EXIT_FAILED)
        if not self._items:
            typer.echo("No files found: hidden ones and those that .gitignore names are left out.", err=True)


def _problem_of(error: Exception, document: Document) -> Problem:
    if isinstance(error, BudgetTooSmallError):
        before = document.text[: error.offset]
        return Problem(document.path, str(error), len(before.encode(document.encoding)), count_line_ends(before) + 1)
    if isinstance(error, ChunkerError | BpeEngineError):
        return Problem(document.path, str(error))
    # Nothing that a user has done: say where it comes from, so that it can be reported.
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{Path(frame.filename).name}, line {frame.lineno}"
    return Problem(document.path, f"internal error, please report it: {type(error).__name__}: {error} ({place})")


def _files(number: int) -> str:
    return "1 file" if number == 1 else f"{number:,} files"
