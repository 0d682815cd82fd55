"""Progress of long work on many files: a bar on standard error, drawn by rich, which is imported only when a bar is
shown.
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


@contextlib.contextmanager
def with_progress(
    items: Iterable[Item], task: str, total: int, *, streaming: bool, shown: bool | None = None
) -> Iterator[Iterator[Item]]:
    """Yield an iterator over the items that shows a bar on standard error, which disappears at the end. `total`: the
    number of items.

    `shown`: None for a bar if standard error is a terminal. `streaming`: results are written to standard output
    meanwhile; if that is a terminal too, there is no bar, because the two would be mixed on the screen.
    """
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


def is_terminal(stream: TextIO | None) -> bool:
    """Whether the stream is a terminal; False for a pipe, a file and a closed stream."""
    return stream is not None and stream.isatty()
