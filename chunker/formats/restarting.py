"""Outlines of growing texts in formats where parsing can resume: text before the last such offset is dropped.

In front of the rest a *preamble* is put that stands for all that was dropped: the headings above, the header row. A place is chosen only if
the format is seen to say the same of the rest after it either way.
"""

from __future__ import annotations

import re
from typing import ClassVar, Protocol, runtime_checkable

from chunker.formats.open_outline import Found, OutlineOf, View
from chunker.formats.outline import Format, Outline, Scope

# Characters that are read before a format is asked again, which costs as much as reading them.
STEP = 131_072


class Restarts(Protocol):
    """The offsets at which reading a text of one format can resume."""

    def outline(self, text: str, /) -> Outline:
        """The outline of a preamble and what follows it."""
        ...

    def places(self, text: str, outline: Outline, start: int, /) -> list[int]:
        """The boundaries at `start` or after it where `text` could be read anew if something follows that is such a place too."""
        ...

    def preamble(self, text: str, outline: Outline, place: int, /) -> str:
        """The text in place of text[:place] when reading resumes there."""
        ...

    def counted(self, text: str, outline: Outline, place: int, /) -> int:
        """The number of numbered things in `text` before `place`."""
        ...

    # The label of what begins a numbered scope ("record 7"); None if no scope has a number.
    numbered: ClassVar[str | None]
    # The number of characters at the start that decide how the whole text is read.
    decided_by: int


@runtime_checkable
class RestartingFormat(Format, Protocol):
    """A format that says of a text where reading it can resume."""

    def restarts(self, outline: OutlineOf, text: str, /) -> Restarts | None:
        """The rules for texts that begin as `text` does, None if there are none; `outline` makes the outlines of whole texts, as the format's own does."""
        ...


def restarts_of(text_format: Format, outline: OutlineOf, text: str) -> Restarts | None:
    """The rules by which `text` can be read from its middle; None where it cannot.

    A class that inherits `restarts` and has an `outline` of its own has none: nothing is promised for that one.
    """
    for kind in type(text_format).__mro__:
        if "restarts" in vars(kind) and isinstance(text_format, RestartingFormat):
            return text_format.restarts(outline, text)
        if "outline" in vars(kind):
            break
    return None


class RestartingOutline:
    """A text of a format that can be read anew. What is kept begins at the last place where that is possible."""

    def __init__(self, rules: Restarts) -> None:
        self.rules = rules
        self._preamble = ""
        self._text = ""  # after the preamble
        self._start = 0  # the start of `_text`
        self._first: Found | None = None  # the boundary at its start; None at the start of the text
        self._numbers = 0  # to be added to the numbers of scopes
        self._enough = STEP
        self._view = View(Outline([]), 0, 0)
        self.settled = 0

    def feed(self, text: str, /) -> Found:
        """The boundaries before the last place but one where the text can be read anew."""
        self._text += text
        if len(self._text) < self._enough:
            return Found([], [], [])
        whole = self._preamble + self._text
        outline = self._outline(whole, self._numbers)
        head = len(self._preamble)
        places = self.rules.places(whole, outline, head + 1)
        # The last one may still change: the text after it may belong to it, or change its kind.
        for place in places[-2:-1]:
            preamble = self.rules.preamble(whole, outline, place)
            rest = preamble + whole[place:]
            again = self.rules.outline(rest)
            numbers = self._numbers + self.rules.counted(whole, outline, place)
            numbers -= self.rules.counted(rest, again, len(preamble))
            again = self._numbered(again, numbers)
            if not _says_the_same(outline, place, again, len(preamble)):
                continue
            found = self._final(outline, head, place)
            self._view = View(outline, self._start, head)
            self._start += place - head
            self._first = Found.of(outline, place, place + 1, self._start - place)
            self._preamble, self._text, self._numbers = preamble, whole[place:], numbers
            self._enough = max(2 * len(self._text), len(self._text) + STEP)
            self.settled = self._start
            return found
        self._enough = 2 * len(self._text)
        return Found([], [], [])

    def finish(self) -> Found:
        """All that is left."""
        whole = self._preamble + self._text
        outline = self._outline(whole, self._numbers)
        found = self._final(outline, len(self._preamble), len(whole))
        self._view = View(outline, self._start, len(self._preamble))
        self.settled = self._start + len(self._text)
        return found

    def view(self) -> View:
        """The outline of the stretch that ends at `settled`."""
        return self._view

    def _final(self, outline: Outline, head: int, end: int) -> Found:
        """The boundaries in outline[head:end], as those of the whole text."""
        if self._first is None:
            return Found.of(outline, head, end, self._start - head)
        offsets, strengths, labels = Found.of(outline, head + 1, end, self._start - head)
        first = self._first
        return Found(first.offsets + offsets, first.strengths + strengths, first.labels + labels)

    def _outline(self, text: str, numbers: int) -> Outline:
        return self._numbered(self.rules.outline(text), numbers)

    def _numbered(self, outline: Outline, by: int) -> Outline:
        label = self.rules.numbered
        return outline if label is None or not by else _renumbered(outline, label, by)


def _renumbered(outline: Outline, label: str, by: int) -> Outline:
    """The outline with `by` added to the number in the name of each scope that begins at a boundary with this label: "page 3" -> "page 5"."""
    starts = {offset for offset, name in zip(outline.offsets, outline.labels, strict=True) if name == label}
    numbered = re.compile(rf"{re.escape(label)} ([0-9]+)")
    scopes: list[Scope] = []
    for scope in outline.scopes:
        match = numbered.fullmatch(scope.name) if scope.start in starts else None
        starts.discard(scope.start)  # the outermost one has the number; a name inside it may look the same
        name = scope.name if match is None else f"{label} {int(match[1]) + by}"
        scopes.append(scope._replace(name=name))
    return Outline.of_columns(
        outline.offsets, outline.strengths, outline.labels, scopes, outline.notes, finest=outline.finest
    )


def _says_the_same(outline: Outline, place: int, again: Outline, head: int) -> bool:
    """Whether `again`, from `head` on, is what `outline` is from `place` on; how strong the first boundary is need not agree."""
    first = outline.offsets.index(place)
    other = next((index for index, offset in enumerate(again.offsets) if offset >= head), len(again.offsets))
    shift = place - head
    if [offset + shift for offset in again.offsets[other:]] != outline.offsets[first:]:
        return False
    same = again.labels[other:] == outline.labels[first:] and again.notes == outline.notes
    if not same or again.strengths[other + 1 :] != outline.strengths[first + 1 :]:
        return False
    if head and again.strengths[other] != outline.strengths[first]:
        return False
    return all(_said_at(outline, offset) == _said_at(again, offset - shift) for offset in outline.offsets[first:])


def _said_at(outline: Outline, offset: int) -> list[tuple[str, str]]:
    return [(scope.name, scope.header) for scope in outline.scopes_around(offset) if scope.name or scope.header]
