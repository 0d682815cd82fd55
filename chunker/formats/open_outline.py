"""Outlines of growing texts: which boundaries are final, whatever follows.

    text so far     # One     Two    ## Thr          "## Thr" may become anything yet, and may end what "Two" is a part of
    settled         ^         ^                      here a boundary can change no more
    text dropped    ####                             what follows can be read anew from here

A format that can tell has a method `open_outline`: plain text settles line by line (`text/open_text.py`), Markdown, JSON Lines and CSV can be
read anew from certain places (`restarting.py`). All else, code above all, has to be seen whole.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

from chunker.formats.outline import Format, Outline

OutlineOf = Callable[[str], Outline]


class Found(NamedTuple):
    """Boundaries in columns, as `Outline` has them; offsets are those of the whole text."""

    offsets: list[int]
    strengths: list[int]
    labels: list[str]

    @classmethod
    def of(cls, outline: Outline, start: int, end: int, shift: int) -> Found:
        """The boundaries in outline[start:end], moved by `shift`."""
        part = slice(bisect_left(outline.offsets, start), bisect_left(outline.offsets, end))
        offsets = [offset + shift for offset in outline.offsets[part]]
        return cls(offsets, outline.strengths[part], outline.labels[part])

    def extend(self, more: Found) -> None:
        """Put `more` after."""
        self.offsets.extend(more.offsets)
        self.strengths.extend(more.strengths)
        self.labels.extend(more.labels)


class View:
    """The outline of a stretch of the text that begins at `start`, in characters; what stands before it is a preamble."""

    def __init__(self, outline: Outline, start: int, preamble: int) -> None:
        self.outline = outline
        self.start = start
        self._preamble = preamble

    def local(self, offset: int) -> int:
        """An offset of the whole text as one of this outline."""
        return offset - self.start + self._preamble


class OpenOutline(Protocol):
    """The outline of a text that is still growing. Offsets are those of the whole text, in characters."""

    @property
    def settled(self) -> int:
        """The text before this offset will have no other boundaries than those handed out."""
        ...

    def feed(self, text: str, /) -> Found:
        """The boundaries that have become final with `text`, which follows what was fed before, up to `settled`."""
        ...

    def finish(self) -> Found:
        """The rest, where the text ends here."""
        ...

    def view(self) -> View:
        """The outline of the stretch that ends at `settled`."""
        ...


@runtime_checkable
class GrowingFormat(Format, Protocol):
    """A format that says of a text that is still growing which boundaries are final."""

    def open_outline(self, outline: OutlineOf, /) -> OpenOutline:
        """The outline of one growing text; `outline` makes the outlines of whole texts, as the format's own does."""
        ...


def open_outline(text_format: Format, outline: OutlineOf) -> OpenOutline | None:
    """The outline of a growing text of this format, of which `outline` makes outlines; None if the format has to see all of it.

    A class that inherits `open_outline` and has an `outline` of its own has to see all of it, too: nothing is promised for that one.
    """
    for kind in type(text_format).__mro__:
        if "open_outline" in vars(kind) and isinstance(text_format, GrowingFormat):
            return text_format.open_outline(outline)
        if "outline" in vars(kind):
            break
    return None
