"""Progress of long work on many files: a bar on standard error, drawn by rich, which is imported only when a bar is
shown. Where standard error is no terminal, commands write a line about it every few seconds:

    Chunking: 1,200 of 4,000, 240/s, 12 s left
"""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterable, Iterator
from typing import Any, TextIO, TypeVar

Item = TypeVar("Item")

# Seconds between two updates of a bar.
_REDRAWN_AFTER = 0.1
# Seconds before the first line, and between two: short work writes none.
LINE_SECONDS = 5.0


class ProgressLines:
    """Lines about long work on standard error, for pipes and logs."""

    def __init__(self) -> None:
        self._told = time.monotonic()

    @property
    def due(self) -> bool:
        """Whether the last line, or the beginning, is long enough ago."""
        return time.monotonic() >= self._told + LINE_SECONDS

    def tell(self, line: str) -> None:
        """Write a line."""
        self._told = time.monotonic()
        if sys.stderr is not None:
            sys.stderr.write(f"{line}\n")
            sys.stderr.flush()


@contextlib.contextmanager
def with_progress(
    items: Iterable[Item], task: str, total: int, *, streaming: bool, shown: bool | None = None, lines: bool = False
) -> Iterator[Iterator[Item]]:
    """Yield an iterator over the items that shows a bar on standard error, which disappears at the end. `total`: the
    number of items.

    `shown`: None for a bar if standard error is a terminal. `streaming`: results are written to standard output
    meanwhile; if that is a terminal too, there is no bar, because the two would be mixed on the screen. `lines`: write
    a line every few seconds if standard error is no terminal.
    """
    if lines and shown is None and not is_terminal(sys.stderr):
        yield _telling(items, task, total)
        return
    if shown is None:
        shown = is_terminal(sys.stderr) and not (streaming and is_terminal(sys.stdout))
    if not shown:
        yield iter(items)
        return
    # Imported late: it would take most of the start-up time, and a pipe shows no bar.
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )

    class Rate(TextColumn):
        """The number of files per second."""

        def render(self, task: Task) -> Any:  # noqa: ANN401  # rich's Text
            task.fields["rate"] = "" if task.speed is None else f"{task.speed:,.0f}/s"
            return super().render(task)

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate("{task.fields[rate]}"),
        TimeRemainingColumn(),
    )
    # No redrawing thread: the items may be processed by worker processes, which are forked only if there are no
    # threads.
    with Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False) as progress:
        bar = progress.add_task(task, total=total)

        def advancing() -> Iterator[Item]:
            drawn = 0.0
            for number, item in enumerate(items, 1):
                yield item
                progress.advance(bar)
                if time.monotonic() >= drawn + _REDRAWN_AFTER or number == total:
                    progress.refresh()
                    drawn = time.monotonic()

        progress.refresh()
        yield advancing()


def _telling(items: Iterable[Item], task: str, total: int) -> Iterator[Item]:
    lines, began = ProgressLines(), time.monotonic()
    for number, item in enumerate(items, 1):
        yield item
        if lines.due:
            pace = number / (time.monotonic() - began)
            lines.tell(f"{task}: {number:,} of {total:,}, {pace:,.0f}/s, {(total - number) / pace:,.0f} s left")


def is_terminal(stream: TextIO | None) -> bool:
    """Whether the stream is a terminal; False for a pipe, a file and a closed stream."""
    return stream is not None and stream.isatty()
