"""Outlines of growing texts: find the boundaries that later text can no longer change.

    text so far     # One     Two    ## Thr          "## Thr" may still become anything, and may end the block of "Two"
    settled         ^         ^                      boundaries up to here can no longer change
    text dropped    ####                             parsing can resume here

A format may have a method `open_outline`, such as plain text, which settles line by line (`text/open_text.py`). In
Markdown, JSON Lines and CSV parsing can resume at certain offsets (`restarting.py`). All other formats, code above all,
need the whole text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from chunker.formats.outline import Format, Outline

OutlineOf = Callable[[str], Outline]


class BoundaryColumns(NamedTuple):
    """Boundaries in columns, as in `Outline`; offsets are those of the whole text."""

    offsets: list[int]
    strengths: list[int]
    labels: list[str]

    @classmethod
    def of(cls, outline: Outline, start: int, end: int, shift: int) -> BoundaryColumns:
        """Return the boundaries in outline[start:end], moved by `shift`."""
        part = slice(bisect_left(outline.offsets, start), bisect_left(outline.offsets, end))
        offsets = [offset + shift for offset in outline.offsets[part]]
        return cls(offsets, outline.strengths[part], outline.labels[part])

    def extend(self, more: BoundaryColumns) -> None:
        """Append the boundaries of `more`."""
        self.offsets.extend(more.offsets)
        self.strengths.extend(more.strengths)
        self.labels.extend(more.labels)


class View(NamedTuple):
    """The outline of a span of the text; `shift` turns its offsets into those of the whole text."""

    outline: Outline
    shift: int


class OpenOutline(Protocol):
    """Protocol of the outline of a text that is still growing. Offsets are those of the whole text, in characters."""

    @property
    def settled(self) -> int:
        """The offset before which no boundaries will change or be added."""
        ...

    def feed(self, text: str, /) -> BoundaryColumns:
        """Add `text` at the end. Returns the boundaries that have become final, up to `settled`."""
        ...

    def finish(self) -> BoundaryColumns:
        """End the text. Returns the remaining boundaries."""
        ...

    def view(self) -> View:
        """Return the outline of the span that ends at `settled`."""
        ...


def own_method(text_format: Format, name: str) -> Callable[..., Any] | None:
    """Return the method of a format that knows how its `outline` reads texts; None if there is none.

    A class that inherits the method but overrides `outline` has none, because the inherited one need not hold for it.
    """
    for kind in type(text_format).__mro__:
        if name in vars(kind):
            method: Callable[..., Any] = getattr(text_format, name)
            return method
        if "outline" in vars(kind):
            break
    return None
