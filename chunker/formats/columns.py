"""Columns: the common part of the markup formats. Collects boundaries in the order of the text."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import regex

from chunker.formats.embedded import EmbeddedSpan, code_inside
from chunker.formats.expressions import re
from chunker.formats.outline import Outline, Scope, Strength, outermost_first
from chunker.formats.segmentation import prose_sentence_ends
from chunker.formats.sketches import Inside
from chunker.native import native

# The start of a line inside a sentence: slightly stronger than a boundary between two words.
_SOFT_LINE = Strength.WORD + 5

_LINE, _PARAGRAPH, _SENTENCE = int(Strength.LINE), int(Strength.PARAGRAPH), int(Strength.SENTENCE)
_LINE_START = re.compile(r"\n(?:[ \t]*+\n)*+(?=.)", re.DOTALL)
_BLANK_LINE = re.compile(r"[ \t]*+\n")

# No cut before the characters of the first set, nor after those of the second: readers see them as parts of one
# character.
_STICKY = regex.compile(r"[\p{GCB=Extend}\p{GCB=SpacingMark}\u200d]")
_PREPENDED = regex.compile(r"\p{GCB=Prepend}")

_compiled = native()


class Columns:
    """The boundaries of one text in columns: ascending offsets, strengths and labels.

    `copy` is the text with a line feed as each line end, and every character at its offset. `start`: the start of the
    unit that is refined, if it is not the whole text.
    """

    def __init__(self, text: str, copy: str, *, start: int = 0) -> None:
        self._text = text
        self._copy = copy
        # What begins after a byte order mark begins the text.
        self._beginning = int(start == 0 and text.startswith("\ufeff"))
        self.offsets = [start]
        self.strengths = [int(Strength.DOCUMENT)]
        self.labels = ["document"]
        self._first = -1  # the strength that the boundary at 0 would have if it were not the start of the text
        self.scopes: list[Scope] = []

    def put(self, offset: int, strength: int, label: str) -> None:
        """Add a boundary at `offset`, not before the last one; at the same offset the stronger one stays. A boundary after
        a byte order mark is at 0.
        """
        last = self.offsets[-1]
        if offset <= self._beginning:
            offset = 0
        if offset > last:
            self.offsets.append(offset)
            self.strengths.append(int(strength))
            self.labels.append(label)
        elif offset == last == 0:
            if self._first < strength:
                self._first, self.labels[0] = int(strength), label
        elif offset == last and self.strengths[-1] < strength:
            self.strengths[-1], self.labels[-1] = int(strength), label

    def begin(self, start: int) -> None:
        """Make what begins at `start` or before begin the text."""
        self._beginning = start

    def cut_before(self, offset: int) -> int:
        """Return the offset of a cut before the text at `offset`: before the indentation of its line, if nothing else
        precedes it on the line.

        Never before the last boundary; the last boundary itself if a cut at `offset` would separate characters that
        belong together.
        """
        at, floor = offset, self.offsets[-1]
        while at > floor and self._copy[at - 1] in " \t":
            at -= 1
        if at == 0 or self._copy[at - 1] == "\n":
            return at
        if _STICKY.match(self._text, offset) or _PREPENDED.match(self._text, offset - 1):
            return floor
        return offset

    def strengthen(self, start: int, strength: int) -> None:
        """Give the first boundary at or after `start` this strength."""
        index = next((index for index, offset in enumerate(self.offsets) if offset >= start), None)
        if index is not None:
            self.strengths[index] = int(strength)

    def verbatim(self, start: int, end: int) -> None:
        """Add all non-blank lines of a span but the first. `start` is at the start of a line, or inside one."""
        if start and self._copy[start - 1] == "\n" and _BLANK_LINE.match(self._copy, start, end):
            start -= 1
        if _compiled is not None:
            self._append(start, _compiled.verbatim_columns(self._text[start:end]))
            return
        found = [
            (match.end(), match.end() - match.start() > 1) for match in _LINE_START.finditer(self._copy, start, end)
        ]
        self.offsets += [offset for offset, _ in found]
        self.strengths += [_PARAGRAPH if blank else _LINE for _, blank in found]
        self.labels += ["paragraph" if blank else "line" for _, blank in found]

    def prose(self, start: int, end: int, ends: Iterable[int] | None = None) -> None:
        """Add the sentences and lines of a paragraph; `ends` are the ends of its sentences, if the caller knows
        them.
        """
        if ends is None and _compiled is not None:
            found = _compiled.prose_columns(self._text[start:end])
        else:
            inside = None if ends is None else [offset - start for offset in ends]
            found = prose_columns(self._text[start:end], self._copy[start:end], inside)
        # The boundaries inside a paragraph come before any other boundary after its start.
        self._append(start, found)

    def _append(self, start: int, found: tuple[list[int], list[int], list[str]]) -> None:
        """Append the boundaries of a span, which come after all others and count from `start`."""
        offsets, strengths, labels = found
        self.offsets += [start + offset for offset in offsets]
        self.strengths += strengths
        self.labels += labels

    def code(self, span: EmbeddedSpan, language: str) -> None:
        """Add the boundaries inside code, by its own format or by lines."""
        outline = code_inside(self._text, span, language)
        if outline is None:
            self.verbatim(span.start, span.end)
            return
        for offset, strength, label in zip(outline.offsets, outline.strengths, outline.labels, strict=True):
            self.put(offset, strength, label)
        self.scopes += outline.scopes

    def inside(self) -> Inside:
        """Return the boundaries after the first one, which is that of the refined unit."""
        return Inside(self.offsets[1:], self.strengths[1:], self.labels[1:], self.scopes)

    def outline(self, scopes: Iterable[Scope] = ()) -> Outline:
        """Return the outline with these scopes and those of embedded code. Units that are too long are refined into
        words.
        """
        return Outline.of_columns(
            self.offsets,
            self.strengths,
            self.labels,
            nested([*self.scopes, *scopes]),
            finest=Strength.SENTENCE,
        )


def prose_columns(
    paragraph: str, copy: str, ends: Iterable[int] | None = None
) -> tuple[list[int], list[int], list[str]]:
    """Return the boundaries inside a paragraph: those of its sentences, and its lines. `ends`: the ends of its
    sentences, if the caller knows them.
    """
    end = len(paragraph)
    if ends is None:
        ends = prose_sentence_ends(paragraph)
    places: dict[int, tuple[int, str]] = {}
    if copy.find("\n", 0, end - 1) >= 0:
        places = {match.end(): (int(_SOFT_LINE), "line") for match in _LINE_START.finditer(copy)}
    places.update((offset, (_SENTENCE, "sentence")) for offset in ends if offset < end)
    offsets = sorted(places)
    return offsets, [places[offset][0] for offset in offsets], [places[offset][1] for offset in offsets]


class CodeFound:
    """A callable with which compiled readers find boundaries inside code. `language` returns the language of the code,
    from the span of the text that names it.
    """

    def __init__(self, text: str, language: Callable[[int, int], str]) -> None:
        self._text = text
        self._language = language
        self.scopes: list[Scope] = []  # the scopes of all refined units

    def __call__(
        self, start: int, end: int, named: int, named_end: int
    ) -> tuple[list[int], list[int], list[str]] | None:
        """Return the boundaries inside the lines text[start:end]; None if their language is unknown."""
        outline = code_inside(self._text, EmbeddedSpan(start, end), self._language(named, named_end))
        if outline is None:
            return None
        self.scopes += outline.scopes
        return outline.offsets, outline.strengths, outline.labels


def outline_by_compiled(
    columns: tuple[list[int], list[int], list[str]], scopes: Callable[[], Iterable[Scope]]
) -> Outline:
    """Return the outline of marked-up text with these boundaries. `scopes` returns the scopes, in any order; called on
    first use.
    """
    return Outline.of_columns(*columns, lambda: nested(scopes()), finest=Strength.SENTENCE)


def nested(scopes: Iterable[Scope]) -> list[Scope]:
    """Sort the scopes, outermost first. A scope that would extend past the scope around it is shortened; empty ones are
    dropped.

    >>> nested([Scope(3, 9, "b"), Scope(0, 5, "a")])
    [Scope(start=0, end=5, name='a', header=''), Scope(start=3, end=5, name='b', header='')]
    """
    result: list[Scope] = []
    ends: list[int] = []
    for scope in outermost_first(scopes):
        while ends and ends[-1] <= scope.start:
            ends.pop()
        end = min(scope.end, ends[-1]) if ends else scope.end
        if end > scope.start:
            result.append(scope._replace(end=end))
            ends.append(end)
    return result
