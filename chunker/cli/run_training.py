"""The work of `chunker train`: files -> a tokenizer file.

A file that cannot be read, or is not text, is reported at the end; the others are used. A file of more than 64 MiB is
read in blocks.
"""

from __future__ import annotations

import contextlib
import io
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from bpe_engine import BpeEngineError, Pattern, Tokenizer, TrainingWarning, train
from bpe_engine.formats.writing import FileFormat, contents, format_of, save
from bpe_engine.training import Layout, Progress, TieBreaking
from chunker.cli.console import EXIT_FAILED
from chunker.files.discovery import STANDARD_INPUT, FoundFile, Problem, find_files, printable
from chunker.files.documents import Document, read_document, read_stream
from chunker.files.intake import Intake
from chunker.files.progress import ProgressLines, is_terminal
from chunker.files.secrets import LEFT_OUT, LEFT_OUT_BY_TEXT, begins_with_key

# Bytes. A larger file is not read as a whole.
_LARGE = 1 << 26
# Bytes that decide whether a large file is text.
_SAMPLE = 1 << 16
# Seconds between two updates of the bar.
_REDRAWN_AFTER = 0.1


@dataclass(frozen=True)
class TrainingOrder:
    """The arguments of `chunker train`. `layout` None: the usual one for the format of `output`."""

    output: str
    vocab_size: int
    pattern: Pattern | str | None
    special_tokens: Sequence[str]
    min_frequency: int
    tie_breaking: TieBreaking
    layout: Layout | None
    threads: int
    hidden: bool
    secrets: bool


def run_training(paths: Sequence[str], order: TrainingOrder) -> None:
    """Train a tokenizer, write it, and print a summary. Raises `typer.BadParameter` if that is impossible, and `typer.Exit` if a file failed."""
    target = Path(order.output)
    files = list(find_files(paths, hidden=order.hidden, leave_out=[str(target.absolute())]))
    texts = _Texts(files, Intake(secrets=order.secrets, generated=True))
    try:
        file_format = format_of(target)
        layout = order.layout or ("minbpe" if file_format == "minbpe" else "gpt2")
        _check(order, file_format, layout)
        with _bar(texts.size) as progress, warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", TrainingWarning)
            tokenizer = _train(texts, order, layout, progress)
        save(tokenizer, target, file_format)
    except BpeEngineError as error:
        texts.tell()
        raise typer.BadParameter(str(error)) from None
    for warning in told:
        typer.echo(f"Note: {warning.message}", err=True)
    special = len(tokenizer.vocabulary.special_tokens)
    typer.echo(
        f"{printable(order.output)}: {len(tokenizer.vocabulary) + special:,} tokens ({len(tokenizer.vocabulary) - 256:,} learned, "
        f"{special:,} special) from {texts.read:,} {'file' if texts.read == 1 else 'files'}",
        err=True,
    )
    texts.tell()
    if texts.failed:
        raise typer.Exit(EXIT_FAILED)


class _Texts:
    """Iterates over the texts of the files; a file without text, or with secrets, is recorded as a problem."""

    def __init__(self, files: Sequence[FoundFile | Problem], intake: Intake) -> None:
        self._files = files
        self._intake = intake
        self._problems: list[Problem] = []
        self.size = sum(file.size for file in files if isinstance(file, FoundFile))
        self.read = 0

    def __iter__(self) -> Iterator[str | Path]:
        for file in self._files:
            text = file if isinstance(file, Problem) else _text(file, self._intake)
            if isinstance(text, Problem):
                self._problems.append(text)
                continue
            self.read += 1
            yield text

    @property
    def failed(self) -> bool:
        """Whether a file failed that should have text."""
        return any(problem.failed for problem in self._problems)

    def tell(self) -> None:
        """Print the problems on standard error."""
        secrets = [printable(problem.path) for problem in self._problems if problem.reason in LEFT_OUT]
        passed_over = [one for one in self._problems if not one.failed and one.reason not in LEFT_OUT]
        if passed_over:
            typer.echo(f"Skipped without text: {len(passed_over):,}, such as {passed_over[0]}", err=True)
        if secrets:
            typer.echo(f"Left out files that hold secrets (--secrets includes them): {', '.join(secrets)}", err=True)
        for problem in self._problems:
            if problem.failed:
                typer.echo(f"Failed: {problem}", err=True)


def _text(file: FoundFile, intake: Intake) -> str | Path | Problem:
    problem = intake.judge_name(file)
    if problem is not None:
        return problem
    if file.path != STANDARD_INPUT and file.size > _LARGE:
        with contextlib.suppress(OSError), Path(file.path).open("rb") as stream:
            # Without the end, which may be an incomplete character.
            head, _, _ = stream.read(_SAMPLE).rpartition(b"\n")
            sample = read_stream(io.BytesIO(head), file)
            if isinstance(sample, Document) and sample.encoding == "utf-8":
                return _unless_key(sample, file, intake) or Path(file.path)
    found = read_document(file)
    return found if isinstance(found, Problem) else _unless_key(found, file, intake) or found.text


def _unless_key(document: Document, file: FoundFile, intake: Intake) -> Problem | None:
    """Return the reason to leave out a text that begins with a private key, or None."""
    if intake.secrets or not begins_with_key(document.text):
        return None
    return Problem(file.path, LEFT_OUT_BY_TEXT, failed=file.named)


def _train(texts: _Texts, order: TrainingOrder, layout: Layout, progress: Progress | None) -> Tokenizer:
    return train(
        texts,
        order.vocab_size,
        pattern=order.pattern,
        special_tokens=order.special_tokens,
        min_frequency=order.min_frequency,
        tie_breaking=order.tie_breaking,
        layout=layout,
        name=Path(order.output).stem,
        num_threads=order.threads,
        progress=progress,
    )


def _check(order: TrainingOrder, file_format: FileFormat, layout: Layout) -> None:
    """Raise BpeEngineError for options that contradict each other or the output file, before anything is read."""
    size = 256 + len(order.special_tokens)
    small = train(
        [], min(size, order.vocab_size), pattern=order.pattern, special_tokens=order.special_tokens, layout=layout
    )
    contents(small, file_format)


@contextlib.contextmanager
def _bar(size: int) -> Iterator[Progress]:
    """Return a function that shows the progress on standard error: bars, or a line every few seconds if that is not a terminal. `size`: bytes of all files."""
    if not is_terminal(sys.stderr):
        lines = ProgressLines()

        def tell(stage: str, done: int, total: int | None) -> None:
            if lines.due:
                unit = " bytes" if stage == "counting" else ""
                lines.tell(f"{stage.capitalize()}: {done:,} of {size if total is None else total:,}{unit}")

        yield tell
        return
    # Imported late: a pipe does not show a bar.
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415
    from rich.progress import Progress as Bars  # noqa: PLC0415

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as bars:
        tasks = {
            "counting": bars.add_task("Counting", total=size or None),
            "merging": bars.add_task("Merging", total=None),
        }
        drawn = 0.0

        def show(stage: str, done: int, total: int | None) -> None:
            nonlocal drawn
            bars.update(tasks[stage], completed=done, total=total if total is not None else size or None)
            if stage == "merging":
                bars.update(tasks["counting"], completed=size)
            now = time.monotonic()
            if now >= drawn + _REDRAWN_AFTER or done == total:
                drawn = now
                bars.refresh()

        bars.refresh()
        yield show
