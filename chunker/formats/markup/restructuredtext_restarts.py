"""Offsets where parsing of reStructuredText can resume: each block after a blank line that is at the margin, or in
directives alone.

    Guide                   the preamble at "Second."
    =====                       x        the styles of titles in the order of their first use,
                                ====     which gives the levels of all titles that follow
    First                       x
    -----                       ----
                                Guide    the titles of the sections around
    Second.                     =====
                                First
                                -----
                                x        a paragraph

Before a block in directives, their first lines follow, with a paragraph in them.

An edit that changes the order of the styles changes the preambles after it, until the order is the same again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from operator import attrgetter
from typing import NamedTuple

from chunker.formats.outline import Outline
from chunker.formats.restarting import Restarts

_LINE_ENDS = ("\n", "\r")
_LONGEST_BLANK_LINE = 200
LONGEST_TITLE = 400
# Ends the last title, so that the rest does not directly follow a title.
PARAGRAPH = "x\n\n"


class Title(NamedTuple):
    """A title. `style`: the character that underlines it, twice if it is also above the title. `styles`: the number of
    styles up to here. `around`: the index of the title of the section around; -1 if there is none.
    """

    start: int
    level: int
    name: str
    style: str
    styles: int
    around: int = -1

    def after(self, titles: list[Title]) -> Title:
        """Return this title with the section around it, which is that of one of the `titles` before."""
        around = len(titles) - 1
        while around >= 0 and titles[around].level >= self.level:
            around = titles[around].around
        return self._replace(around=around)


class TitledOutline(Outline):
    """An outline with the titles of the text and their styles by first use; and the blocks inside directives, each with
    text that opens these. Text after its end can change how the text is read from `certain` on.
    """

    __slots__ = ("certain", "inner", "styles", "titles")

    titles: list[Title]
    styles: list[str]
    inner: dict[int, str]
    certain: int


class RestructuredTextRestarts(Restarts):
    """Restart rules for reStructuredText. `level`: the strength of a block outside of all others."""

    def __init__(self, read: Callable[[str], TitledOutline], level: int) -> None:
        super().__init__(read)
        self._level = level

    def places(self, text: str, outline: Outline, start: int, /) -> list[int]:
        """Return the blocks outside of all others, and those in directives."""
        read = _titled(outline)
        # The preambles would repeat a long title again and again.
        end = next((title.start for title in read.titles if len(title.name) > LONGEST_TITLE), read.certain)
        end = min(end, read.certain)
        margin = (
            offset
            for offset, strength in zip(outline.offsets, outline.strengths, strict=True)
            if strength >= self._level and start <= offset and text[offset] not in " \t"
        )
        return [
            offset
            for offset in sorted({*margin, *(offset for offset in read.inner if start <= offset)})
            if offset < end and _follows_blank_line(text, offset)
        ]

    def preamble(self, _text: str, outline: Outline, place: int, /) -> str:
        """Return a title for each style in use, the titles of the sections around `place`, and the directives around
        it.
        """
        outline = _titled(outline)
        titles, block = outline.titles, outline.inner.get(place, PARAGRAPH)
        last = bisect_left(titles, place, key=attrgetter("start")) - 1
        if last < 0:
            return block
        sources: list[str] = []
        around = last
        while around >= 0:
            sources.append(_source(titles[around].name, titles[around].style))
            around = titles[around].around
        sources += [_source("x", style) for style in reversed(outline.styles[: titles[last].styles])]
        return "".join(reversed(sources)) + block


def _follows_blank_line(text: str, offset: int) -> bool:
    before = text[max(offset - _LONGEST_BLANK_LINE, 0) : offset]
    return before.endswith(_LINE_ENDS) and before[:-1].rstrip(" \t").endswith(_LINE_ENDS)


def _titled(outline: Outline) -> TitledOutline:
    if not isinstance(outline, TitledOutline):
        raise TypeError("the outline must be that of these rules")
    return outline


def _source(name: str, style: str) -> str:
    adornment = style[0] * 4 + "\n"  # four are enough for any title
    return f"{adornment if len(style) > 1 else ''}{name}\n{adornment}\n"
