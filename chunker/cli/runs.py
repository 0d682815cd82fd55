"""A run over many files: problems of single files are collected and printed at the end, after all others were processed."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer

from chunker.cli.console import STANDARD_OUTPUT
from chunker.cli.left_out import OPTIONS, tell_problems
from chunker.cli.records import ChunkSummary, chunk_lines
from chunker.files.chunk_files import Cut, working
from chunker.files.discovery import STANDARD_INPUT, Problem, find_files
from chunker.files.documents import Document
from chunker.files.intake import Intake
from chunker.files.patterns import Wanted
from chunker.files.progress import with_progress

if TYPE_CHECKING:
    from chunker.chunkers import TextChunker

Result = TypeVar("Result")


class ChunkLines:
    """Converts the chunks of a file to lines of JSON. Can be pickled, for worker processes."""

    def __init__(self, cut: Cut) -> None:
        self._cut = cut

    def __call__(self, document: Document) -> bytes:
        """One line a chunk."""
        file, outline = self._cut.with_outline(document)
        lines = chunk_lines(document, file.chunks)
        del outline  # keeps it alive: breadcrumbs need no second parse
        return lines


class CutAloud(Cut):
    """A cut that says on standard error as what language it reads a text without a name."""

    def chunker_of(self, document: Document) -> TextChunker:
        """See `Cut`."""
        chunker = super().chunker_of(document)
        if document.path == STANDARD_INPUT and self._language is None and chunker.language is not None:
            typer.echo(f"Standard input is read as {chunker.language} (--language text for plain text).", err=True)
        return chunker


class ChunkRow:
    """Summarizes how the chunks of a file use a budget of `max_tokens`. Can be pickled, like `ChunkLines`."""

    def __init__(self, cut: Cut, max_tokens: int) -> None:
        self._cut = cut
        self._max_tokens = max_tokens

    def __call__(self, document: Document) -> ChunkSummary:
        """A row of the table."""
        sizes = [chunk.token_count for chunk in self._cut(document).chunks]
        return ChunkSummary.of(document.path, self._max_tokens, sizes)


class Run:
    """A run over all files below some paths.

    `intake`: how files are read. `wanted`: the selection of files in folders. `hidden`: include hidden files. `output`:
    where results go (None or "-": standard output); it is never read. `task`: the text before the progress bar.
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

        `streaming`: the caller writes each result immediately. An exception of `work` becomes a problem of its file.
        With more than one worker it runs in other processes, so it must be picklable unless they are forked.
        """
        with contextlib.ExitStack() as stack:
            number = min(workers, len(self._items))
            done = stack.enter_context(working(work, number, self._intake, changed=self._changed))
            streaming = streaming and self._to_stdout
            results = with_progress(done(self._items), self._task, len(self._items), streaming=streaming, lines=True)
            for result in stack.enter_context(results):
                if isinstance(result, Problem):
                    self._problems.append(result)
                else:
                    yield result

    def finish(self, offered: Collection[str] = OPTIONS) -> None:
        """Print the problems on standard error. Raises `typer.Exit` if a file failed, and was not just skipped.
        `offered`: the options of the command that messages may name.
        """
        tell_problems(self._problems, len(self._items), self._changed, offered)
        if not self._items:
            typer.echo(
                "No files found: hidden files, and files that .gitignore, .chunkerignore, --include or --exclude rule out, are not read.",
                err=True,
            )
