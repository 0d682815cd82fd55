r"""Find the strength of the cut before each chunk from the outline of the text.

    text     def f():\n    return 1\n\n\ndef g(): ...        x = "a very long line that had to be cut some
    cut                              ^ before function              ^ before word
                                       structure, 1 of 2              inside a line

Chunks do not store the strength of the cuts between them. Most cuts are at a boundary of the outline and have its
strength. Any other cut was made inside a unit that was too long; the kind of the chunk after it names the level. If
that chunk begins with an overlap, its kind describes another offset, and the level is searched for in the two chunks
around the cut.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise, starmap

from chunker.formats import Boundary, Outline, Strength
from chunker.formats.segmentation import grapheme_ends, sentence_ends, word_ends
from chunker.models import Chunk


class Grade(IntEnum):
    """The strengths in a few steps, worst first: enough for a person, and equal for all formats."""

    CHARACTER = 0  # inside a grapheme cluster
    GRAPHEME = 1  # inside a word
    WORD = 2  # inside a sentence
    SENTENCE = 3  # inside a line or a paragraph
    LINE = 4  # at a line start
    PARAGRAPH = 5  # after a blank line
    STRUCTURE = 6  # at a part of the format's own structure


_FINER = {
    "character": Strength.CHARACTER,
    "grapheme": Strength.GRAPHEME,
    "word": Strength.WORD,
    "sentence": Strength.SENTENCE,
}
_ENDS: tuple[tuple[str, Callable[[str], Iterator[int]]], ...] = (
    ("sentence", sentence_ends),
    ("word", word_ends),
    ("grapheme", grapheme_ends),
)


@dataclass(frozen=True, slots=True)
class SeenCut:
    """The cut before a chunk. `label` names the unit that begins there, `strength` is that of the boundary.

    `level`: the rank of that strength among the `levels` structural strengths in the text, 1 for the strongest; 0 if
    the cut is weaker than structure.
    """

    label: str
    strength: int
    grade: Grade
    level: int = 0
    levels: int = 0

    def __str__(self) -> str:
        """For people.

        >>> str(SeenCut("method", 120, Grade.STRUCTURE, 2, 4)), str(SeenCut("word", 20, Grade.WORD))
        ('before method, structure 2 of 4', 'before word, inside a sentence')
        """
        return f"before {self.label}, {self.quality}"

    @property
    def quality(self) -> str:
        """The quality of the cut: "structure 2 of 4", "inside a sentence"."""
        return f"structure {self.level} of {self.levels}" if self.level else _QUALITIES[self.grade]


_QUALITIES = {
    Grade.CHARACTER: "inside a character",
    Grade.GRAPHEME: "inside a word",
    Grade.WORD: "inside a sentence",
    Grade.SENTENCE: "between sentences",
    Grade.LINE: "between lines",
    Grade.PARAGRAPH: "between paragraphs",
    Grade.STRUCTURE: "structure",
}


class Cuts:
    """Finds the cuts of one text. Linear in the text for chunks in the order of the text."""

    def __init__(self, text: str, outline: Outline) -> None:
        self._text = text
        self._boundaries = outline.boundaries
        self._offsets = [boundary.offset for boundary in outline.boundaries]
        levels = {boundary.strength for boundary in outline.boundaries}
        levels = {strength for strength in levels if Strength.STRUCTURE <= strength < Strength.DOCUMENT}
        self._levels = {strength: place for place, strength in enumerate(sorted(levels, reverse=True), 1)}
        # The end of the last unit, and the start of its blank lines.
        self._unit_end, self._unit_text_end = -1, -1

    def before(self, chunks: Sequence[Chunk]) -> list[SeenCut | None]:
        """Return the cut before each chunk, at the end of the previous one. None for the first chunk, and for a chunk
        after the end of the text.
        """
        return [None, *starmap(self._between, pairwise(chunks))] if chunks else []

    def _between(self, previous: Chunk, following: Chunk) -> SeenCut | None:
        offset = previous.span.end
        if offset >= len(self._text):
            return None
        place = bisect_right(self._offsets, offset)
        boundary = self._boundaries[place - 1]
        if boundary.offset == offset:
            return self._cut(boundary)
        after = self._boundaries[place] if place < len(self._boundaries) else None
        overlaps = following.span.start < offset
        if not overlaps and following.kind in _FINER:
            return self._cut(Boundary(offset, _FINER[following.kind], following.kind))
        if after is not None and self._is_blank(boundary.offset, offset, after.offset):
            return self._cut(
                after
            )  # the cut is before the blank lines of this boundary, which belong to the next chunk
        label = following.kind
        if overlaps:
            unit_end = len(self._text) if after is None else after.offset
            start, end = max(boundary.offset, previous.span.start), min(unit_end, following.span.end)
            label = self._finest_level(start, offset, end)
        return self._cut(Boundary(offset, _FINER.get(label, Strength.CHARACTER), label))

    def _finest_level(self, start: int, offset: int, end: int) -> str:
        text, wanted = self._text[start:end], offset - start
        for label, ends in _ENDS:
            if next((found for found in ends(text) if found >= wanted), -1) == wanted:
                return label
        return "character"

    def _is_blank(self, start: int, offset: int, end: int) -> bool:
        """Whether the unit text[start:end] of the outline has only blank lines from `offset` on."""
        if self._unit_end != end:
            self._unit_end, self._unit_text_end = end, start + len(self._text[start:end].rstrip())
        return offset > self._unit_text_end and self._text[offset - 1] in "\r\n"

    def _cut(self, boundary: Boundary) -> SeenCut:
        _, strength, label = boundary
        if strength >= Strength.STRUCTURE:
            return SeenCut(label, strength, Grade.STRUCTURE, self._levels[strength], len(self._levels))
        for grade in reversed(Grade):
            if strength >= Strength[grade.name]:
                return SeenCut(label, strength, grade)
        return SeenCut(label, strength, Grade.CHARACTER)
