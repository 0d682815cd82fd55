"""Outlines of growing texts in formats where parsing can resume: text before the last such offset is dropped.

The rest is parsed after a *preamble* that replaces the dropped text: the headings around, the header row. An offset is
chosen only if the format returns the same outline for the rest with the preamble as with the whole text.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

from chunker.formats.open_outline import BoundaryColumns, OpenOutline, OutlineOf, View, own_method
from chunker.formats.outline import Format, Outline, Scope

# The number of characters that are read before the next attempt, which costs as much as reading them.
STEP = 131_072


class NotLocalError(Exception):
    """The text has to be parsed as a whole."""


class Restarts(ABC):
    """The rules for resuming parsing in the texts of one format. `outline` makes the outline of a whole text."""

    # The label of the boundary at which a numbered scope begins ("record 7"); None if no scope has a number.
    numbered: ClassVar[str | None] = None
    # Whether the rules also hold for a text that is still growing.
    holds_for_growing: ClassVar[bool] = False
    # The number of characters at the start of a text that decide how the whole text is parsed.
    decided_by = 0
    # The number of characters of the sample, at the start of a text, that `hold_for` looks at.
    sample_size = 0

    def __init__(self, outline: OutlineOf) -> None:
        self._outline = outline

    def outline(self, text: str, /) -> Outline:
        """Return the outline of a preamble and the text after it."""
        return self._outline(text)

    @abstractmethod
    def places(self, text: str, outline: Outline, start: int, /) -> list[int]:
        """Return the boundaries from `start` on where parsing of `text` could resume, if another such offset
        follows. Raises `NotLocalError` if `text` shows that the whole text is parsed in another way.
        """

    def preamble(self, _text: str, _outline: Outline, _place: int, /) -> str:
        """Return the text that replaces text[:place] when parsing resumes there; by default, none is needed."""
        return ""

    def counted(self, _text: str, _outline: Outline, _place: int, /) -> int:
        """Return the number of numbered scopes in `text` before `place`; 0 if numbers occur only in contexts."""
        return 0

    def hold_for(self, _sample: str, /) -> bool:
        """Whether the rules also hold for a text with this sample that is otherwise the same up to `decided_by`."""
        return True


def restarts_of(text_format: Format, outline: OutlineOf, text: str) -> Restarts | None:
    """Return the rules of a format for parsing texts that begin like `text` from the middle; None if that is
    impossible. `outline` makes the outline of a whole text, like the format's own method.
    """
    rules: Callable[[OutlineOf, str], Restarts | None] | None = own_method(text_format, "restarts")
    return None if rules is None else rules(outline, text)


def open_outline(text_format: Format, outline: OutlineOf) -> OpenOutline | None:
    """Return the outline of a growing text of this format; None if the format needs the whole text. `outline` makes
    outlines of whole texts, like the format's own method.
    """
    opened: Callable[[OutlineOf], OpenOutline] | None = own_method(text_format, "open_outline")
    if opened is not None:
        return opened(outline)
    rules = restarts_of(text_format, outline, "")
    return RestartingOutline(rules) if rules is not None and rules.holds_for_growing else None


class RestartingOutline:
    """The outline of a growing text of a format where parsing can resume. It keeps the text from the last such offset
    on.
    """

    def __init__(self, rules: Restarts) -> None:
        self.rules = rules
        self._preamble = ""
        self._text = ""  # after the preamble
        self._start = 0  # the start of `_text`
        self._first: BoundaryColumns | None = None  # the boundary at its start; None at the start of the text
        self._numbers = 0  # added to the numbers of scopes
        self._enough = STEP
        self._view = View(Outline([]), 0)
        self.settled = 0

    def feed(self, text: str, /) -> BoundaryColumns:
        """Add `text`. Returns the boundaries before the last restart offset but one."""
        self._text += text
        if len(self._text) < self._enough:
            return BoundaryColumns([], [], [])
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
            self._view = View(outline, self._start - head)
            self._start += place - head
            self._first = BoundaryColumns.of(outline, place, place + 1, self._start - place)
            self._preamble, self._text, self._numbers = preamble, whole[place:], numbers
            self._enough = max(2 * len(self._text), len(self._text) + STEP)
            self.settled = self._start
            return found
        self._enough = 2 * len(self._text)
        return BoundaryColumns([], [], [])

    def finish(self) -> BoundaryColumns:
        """Return the remaining boundaries."""
        whole = self._preamble + self._text
        outline = self._outline(whole, self._numbers)
        found = self._final(outline, len(self._preamble), len(whole))
        self._view = View(outline, self._start - len(self._preamble))
        self.settled = self._start + len(self._text)
        return found

    def view(self) -> View:
        """Return the outline of the span that ends at `settled`."""
        return self._view

    def _final(self, outline: Outline, head: int, end: int) -> BoundaryColumns:
        """Return the boundaries in outline[head:end], with offsets of the whole text."""
        if self._first is None:
            return BoundaryColumns.of(outline, head, end, self._start - head)
        offsets, strengths, labels = BoundaryColumns.of(outline, head + 1, end, self._start - head)
        first = self._first
        return BoundaryColumns(first.offsets + offsets, first.strengths + strengths, first.labels + labels)

    def _outline(self, text: str, numbers: int) -> Outline:
        return self._numbered(self.rules.outline(text), numbers)

    def _numbered(self, outline: Outline, by: int) -> Outline:
        label = self.rules.numbered
        return outline if label is None or not by else _renumbered(outline, label, by)


def _renumbered(outline: Outline, label: str, by: int) -> Outline:
    """Add `by` to the number in the name of each scope that begins at a boundary with this label: "page 3" -> "page
    5".
    """
    starts = {offset for offset, name in zip(outline.offsets, outline.labels, strict=True) if name == label}
    numbered = re.compile(rf"{re.escape(label)} ([0-9]+)")
    scopes: list[Scope] = []
    for scope in outline.scopes:
        match = numbered.fullmatch(scope.name) if scope.start in starts else None
        starts.discard(scope.start)  # the outermost scope has the number; an inner one may have a similar name
        name = scope.name if match is None else f"{label} {int(match[1]) + by}"
        scopes.append(scope._replace(name=name))
    return Outline.of_columns(
        outline.offsets, outline.strengths, outline.labels, scopes, outline.notes, finest=outline.finest
    )


def _says_the_same(outline: Outline, place: int, again: Outline, head: int) -> bool:
    """Whether `again` from `head` on equals `outline` from `place` on. After an empty preamble the strength of the
    first boundary need not agree.
    """
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
