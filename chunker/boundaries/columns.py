"""What the markup formats have in common: boundaries written down in the order of the text, and sections under headings.

headings   0 "A" 1, 10 "B" 2, 20 "C" 1        (offset, name, level)
sections   "A" 0..20, "B" 10..20, "C" 20..30
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import regex

from chunker.boundaries.base import Outline, Scope, Strength
from chunker.boundaries.embedded import Stretch, code_inside
from chunker.boundaries.prose import prose_ends
from chunker.boundaries.sketches import Inside, Sketch
from chunker.expressions import re

# A line start inside a sentence: better than a cut between two words, no better than that.
_SOFT_LINE = Strength.WORD + 5

_LINE, _PARAGRAPH, _SENTENCE = int(Strength.LINE), int(Strength.PARAGRAPH), int(Strength.SENTENCE)
_LINE_START = re.compile(r"\n(?:[ \t]*+\n)*+(?=.)", re.DOTALL)
_BLANK_LINE = re.compile(r"[ \t]*+\n")

# No cut before the ones, nor behind the others: parts of one character to a reader.
_STICKY = regex.compile(r"[\p{GCB=Extend}\p{GCB=SpacingMark}\u200d]")
_PREPENDED = regex.compile(r"\p{GCB=Prepend}")


class Columns:
    """The boundaries of one text by columns: offsets, which ascend, strengths and labels.

    `copy` is the text with a line feed for each line end, every character in its place. `closing`: what is inside blocks is left for
    later, for a sketch; each block then has to begin with a boundary that is stronger than all inside, or belong to one that does.
    """

    def __init__(self, text: str, copy: str, label: str = "document", *, closing: bool = False) -> None:
        self._text = text
        self._copy = copy
        self._offsets = [0]
        self._strengths = [int(Strength.DOCUMENT)]
        self._labels = [label]
        self._first = -1  # the strength of what begins at 0, were it not the start of the text
        self.scopes: list[Scope] = []
        # Where a unit begins -> what is to be done to look into it.
        self._later: dict[int, list[Callable[[Columns], None]]] | None = {} if closing else None

    def put(self, offset: int, strength: int, label: str) -> None:
        """A boundary at `offset`, not before the last one; at the same place the stronger one stays."""
        last = self._offsets[-1]
        if offset > last:
            self._offsets.append(offset)
            self._strengths.append(int(strength))
            self._labels.append(label)
        elif offset == last == 0:
            if self._first < strength:
                self._first, self._labels[0] = int(strength), label
        elif offset == last and self._strengths[-1] < strength:
            self._strengths[-1], self._labels[-1] = int(strength), label

    def cut_before(self, offset: int) -> int:
        """Where to cut before what stands at `offset`: before the indentation of its line, if there is nothing else on it.

        The last boundary, if a cut there would part characters that belong together. Not before the last boundary.
        """
        at, floor = offset, self._offsets[-1]
        while at > floor and self._copy[at - 1] in " \t":
            at -= 1
        if at == 0 or self._copy[at - 1] == "\n":
            return at
        if _STICKY.match(self._text, offset) or _PREPENDED.match(self._text, offset - 1):
            return floor
        return offset

    def strengthen(self, start: int, strength: int) -> None:
        """Give the first boundary at or behind `start` this strength."""
        index = next((index for index, offset in enumerate(self._offsets) if offset >= start), None)
        if index is not None:
            self._strengths[index] = int(strength)

    def verbatim(self, start: int, end: int, line_start: re.Pattern[str] = _LINE_START) -> None:
        """All lines of a stretch but the first that are not blank. `start` is a line start, or in the middle of a line."""
        if not self._puts_off(Columns.verbatim, start, end, line_start):
            self.lines(start, end, line_start)

    def lines(self, start: int, end: int, line_start: re.Pattern[str] = _LINE_START) -> None:
        """The same where these lines may be stronger than what they stand behind."""
        if start and self._copy[start - 1] == "\n" and _BLANK_LINE.match(self._copy, start, end):
            start -= 1
        found = [
            (match.end(), match.end() - match.start() > 1) for match in line_start.finditer(self._copy, start, end)
        ]
        self._offsets += [offset for offset, _ in found]
        self._strengths += [_PARAGRAPH if blank else _LINE for _, blank in found]
        self._labels += ["paragraph" if blank else "line" for _, blank in found]

    def prose(self, start: int, end: int, ends: Iterable[int] | None = None) -> None:
        """The sentences of a paragraph, and its lines; `ends` of the sentences, if the caller knows them."""
        if self._puts_off(Columns.prose, start, end, ends):
            return
        if ends is None:
            ends = prose_ends(self._text, start, end)
        if self._copy.find("\n", start, end - 1) < 0:
            for offset in ends:
                if offset < end:
                    self.put(offset, _SENTENCE, "sentence")
            return
        places = {match.end(): (int(_SOFT_LINE), "line") for match in _LINE_START.finditer(self._copy, start, end)}
        places.update((offset, (_SENTENCE, "sentence")) for offset in ends if offset < end)
        for offset in sorted(places):
            self.put(offset, *places[offset])

    def code(self, stretch: Stretch, language: str) -> None:
        """The lines of code, or what its own format makes of them."""
        if self._puts_off(Columns.code, stretch, language):
            return
        outline = code_inside(self._text, stretch, language)
        if outline is None:
            self.verbatim(stretch.start, stretch.end)
            return
        for boundary in outline.boundaries:
            self.put(*boundary)
        self.scopes += outline.scopes

    def _puts_off(self, work: Callable[..., None], *arguments: object) -> bool:
        """Whether this work is left for later, which it now is."""
        if self._later is None:
            return False
        self._later.setdefault(self._offsets[-1], []).append(lambda columns: work(columns, *arguments))
        return True

    def _inside(self, offset: int) -> Inside:
        """What was left for later of the unit that begins at `offset`."""
        inside = Columns(self._text, self._copy)
        inside._offsets[0] = offset
        for work in (self._later or {})[offset]:
            work(inside)
        return Inside(inside._offsets[1:], inside._strengths[1:], inside._labels[1:], inside.scopes)

    def sketch(self, scopes_of: Callable[[], Iterable[Scope]]) -> Sketch:
        """What `outline` will be, once it is opened; `scopes_of` tells of the scopes then. For columns that were made with `closing`."""
        later = {} if self._later is None else self._later
        columns = (self._offsets, self._strengths, self._labels)
        return Sketch.of(
            columns if self._text else ([], [], []),
            later.keys(),
            self._inside,
            lambda inside: nested([*inside, *self.scopes, *scopes_of()]),
            finest=Strength.SENTENCE,
        )

    def outline(self, scopes: Iterable[Scope] = ()) -> Outline:
        """The outline with these scopes and those of the code inside. What is too long is cut into words."""
        return Outline.of_columns(
            self._offsets,
            self._strengths,
            self._labels,
            nested([*self.scopes, *scopes]),
            finest=Strength.SENTENCE,
        )


class Heading(NamedTuple):
    """Where a heading begins, its level (1 is the highest) and its text. `end`: where its section ends at the latest, if anything says so."""

    start: int
    level: int
    name: str
    end: int | None = None


def sections(headings: list[Heading], size: int) -> Iterator[Scope]:
    """The sections of the headings, last one first: each goes on to the next heading of its level or a higher one.

    >>> list(sections([Heading(0, 1, "A"), Heading(10, 2, "B"), Heading(20, 1, "C")], 30))[::-1]
    ... # doctest: +NORMALIZE_WHITESPACE
    [Scope(start=0, end=20, name='A', header=''), Scope(start=10, end=20, name='B', header=''),
     Scope(start=20, end=30, name='C', header='')]
    """
    ends: list[tuple[int, int]] = []  # (level, start) of the later headings that end sections above them
    for start, level, name, latest in reversed(headings):
        while ends and ends[-1][0] > level:
            ends.pop()
        end = ends[-1][1] if ends else size
        if name:
            yield Scope(start, end if latest is None else min(end, latest), name)
        ends.append((level, start))


def nested(scopes: Iterable[Scope]) -> list[Scope]:
    """The scopes in their order; one that would reach out of the one around it ends with that; none is empty.

    >>> nested([Scope(3, 9, "b"), Scope(0, 5, "a")])
    [Scope(start=0, end=5, name='a', header=''), Scope(start=3, end=5, name='b', header='')]
    """
    result: list[Scope] = []
    ends: list[int] = []
    for scope in sorted(scopes, key=lambda scope: (scope.start, -scope.end)):
        while ends and ends[-1] <= scope.start:
            ends.pop()
        end = min(scope.end, ends[-1]) if ends else scope.end
        if end > scope.start:
            result.append(scope._replace(end=end))
            ends.append(end)
    return result
