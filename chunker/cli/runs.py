"""A run over many files: problems of single files are noted, the others go on, and the notes come at the end."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer

from chunker.cli.console import EXIT_FAILED, STANDARD_OUTPUT
from chunker.cli.left_out import tell_changes, tell_rules
from chunker.cli.reports import ChunkSummary, chunk_line
from chunker.files.chunk_files import Cut, working
from chunker.files.discovery import STANDARD_INPUT, Problem, find_files, printable
from chunker.files.documents import Document
from chunker.files.intake import Intake
from chunker.files.patterns import Wanted
from chunker.files.progress import with_progress
from chunker.files.secrets import LEFT_OUT

if TYPE_CHECKING:
    from chunker.chunkers import TextChunker

Result = TypeVar("Result")


class ChunkLines:
    """The chunks of a file as lines of JSON. Pickles, so that it can be done by other processes."""

    def __init__(self, cut: Cut) -> None:
        self._cut = cut

    def __call__(self, document: Document) -> bytes:
        """One line a chunk."""
        file, outline = self._cut.with_outline(document)
        lines = b"".join(chunk_line(document, chunk) for chunk in file.chunks)
        del outline  # which the breadcrumbs of the lines were read off
        return lines


class CutAloud(Cut):
    """A cut that says on standard error how it reads a text without a name, as what it looks like."""

    def chunker_of(self, document: Document) -> TextChunker:
        """See `Cut`."""
        chunker = super().chunker_of(document)
        if document.path == STANDARD_INPUT and self._language is None and chunker.language is not None:
            typer.echo(f"Standard input is read as {chunker.language} (--language text for plain text).", err=True)
        return chunker


class ChunkRow:
    """The use of a budget of `max_tokens` tokens by the chunks of a file. Pickles, as `ChunkLines` does."""

    def __init__(self, cut: Cut, max_tokens: int) -> None:
        self._cut = cut
        self._max_tokens = max_tokens

    def __call__(self, document: Document) -> ChunkSummary:
        """A row of the table."""
        sizes = [chunk.token_count for chunk in self._cut(document).chunks]
        return ChunkSummary.of(document.path, self._max_tokens, sizes)


class Run:
    """One pass over all files behind some paths.

    `intake`: what is taken of files. `wanted`: which files of folders. `hidden`: hidden ones too. `output`: where results go (None or "-": standard output); a walk passes it over.
    `task` stands before the progress bar.
    """

    def __init__(
        self, paths: Sequence[str], intake: Intake, wanted: Wanted, *, hidden: bool, output: str | None, task: str
    ) -> None:
        self._to_stdout = output is None or output == STANDARD_OUTPUT
        leave_out = [] if output is None or self._to_stdout else [str(Path(output).absolute())]
        found = find_files(paths, hidden=hidden, leave_out=leave_out, wanted=wanted, vendored=intake.generated)
        self._items = list(found)
        self._problems: list[Problem] = []
        self._changed: Counter[str] = Counter()
        self._intake = intake
        self._task = task

    def over(
        self, work: Callable[[Document], Result], *, streaming: bool = False, workers: int = 1
    ) -> Iterator[Result]:
        """Apply `work` to each file that is text, in order, `workers` of them at a time.

        `streaming`: the caller writes each result at once. What `work` raises becomes a note on its file. With more than one worker it
        runs in other processes, so it has to pickle where they are not forked.
        """
        with contextlib.ExitStack() as stack:
            number = min(workers, len(self._items))
            done = stack.enter_context(working(work, number, self._intake, changed=self._changed))
            streaming = streaming and self._to_stdout
            results = with_progress(done(self._items), self._task, len(self._items), streaming=streaming)
            for result in stack.enter_context(results):
                if isinstance(result, Problem):
                    self._problems.append(result)
                else:
                    yield result

    def finish(self) -> None:
        """Print the notes on standard error; raises `typer.Exit` if a file failed, and was not merely passed over."""
        secrets = [printable(problem.path) for problem in self._problems if problem.reason in LEFT_OUT]
        passed_over = [one for one in self._problems if not (one.failed or one.rule) and one.reason not in LEFT_OUT]
        failed = [problem for problem in self._problems if problem.failed]
        if passed_over:
            typer.echo(f"Passed over {_files(len(passed_over))} without text, such as {passed_over[0]}", err=True)
        if secrets:
            typer.echo(f"Left out what holds secrets (--secrets takes it): {', '.join(secrets)}", err=True)
        tell_rules(self._problems)
        tell_changes(self._changed)
        if failed:
            typer.echo(f"Failed: {len(failed):,} of {_files(len(self._items))}", err=True)
            for problem in failed:
                typer.echo(f"  {problem}", err=True)
            if any(problem.reason.startswith("not UTF-8") for problem in failed):
                typer.echo("Files in another encoding are read with --encoding, such as cp1252.", err=True)
            raise typer.Exit(EXIT_FAILED)
        if not self._items:
            typer.echo("No files found: hidden ones and those that .gitignore names are left out.", err=True)


def _files(number: int) -> str:
    return "1 file" if number == 1 else f"{number:,} files"
