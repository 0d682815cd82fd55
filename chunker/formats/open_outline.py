"""Outlines of growing texts: find the boundaries that later text can no longer change.

    text so far     # One     Two    ## Thr          "## Thr" may still become anything, and may end the block of "Two"
    settled         ^         ^                      boundaries up to here can no longer change
    text dropped    ####                             parsing can resume here

A format with such outlines has a method `open_outline`: plain text settles line by line (`text/open_text.py`); in
Markdown, JSON Lines and CSV parsing can resume at certain offsets (`restarting.py`). All other formats, code above all,
need the whole text.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

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


class View:
    """The outline of a span of the text that begins at `start`, in characters, after a preamble."""

    def __init__(self, outline: Outline, start: int, preamble: int) -> None:
        self.outline = outline
        self.start = start
        self._preamble = preamble

    def local(self, offset: int) -> int:
        """Convert an offset of the whole text to an offset of this outline."""
        return offset - self.start + self._preamble


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


@runtime_checkable
class GrowingFormat(Format, Protocol):
    """Protocol of a format that finds final boundaries in a text that is still growing."""

    def open_outline(self, outline: OutlineOf, /) -> OpenOutline:
        """Return the outline of one growing text. `outline` makes the outline of a whole text, like the format's own
        method.
        """
        ...


def open_outline(text_format: Format, outline: OutlineOf) -> OpenOutline | None:
    """Return the outline of a growing text of this format; None if the format needs the whole text. `outline` makes
    outlines of whole texts.

    A class that inherits `open_outline` but overrides `outline` also needs the whole text, because the inherited method
    does not know its rules.
    """
    for kind in type(text_format).__mro__:
        if "open_outline" in vars(kind) and isinstance(text_format, GrowingFormat):
            return text_format.open_outline(outline)
        if "outline" in vars(kind):
            break
    return None
