"""Plain text: paragraphs and lines; and `refine`, which cuts what is too long still, down to single characters.

    "One.\\nTwo.\\n\\nThree."   ->   ^0 DOCUMENT   ^5 LINE   ^11 PARAGRAPH

Why `refine` does not return all there is: a megabyte without a line end has two hundred thousand words or a million
letters, of which the next chunk needs a few. So one call looks at a window of a few thousand characters and, for
words and graphemes, returns about 32 boundaries spread over it. Each of them is a true boundary; the stretch between
two of them is again too long or is not, and is refined again only where the budget ends: a search with 32 branches.
What lies behind the window is one more stretch to refine when its turn comes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice

import regex

from chunker.boundaries.base import Boundary, Outline, Strength
from chunker.boundaries.segmentation import grapheme_ends, sentence_ends, word_ends

# Line ends: those of Unicode (UAX #14 BK, CR, LF, NL). A PARAGRAPH SEPARATOR is one that ends a paragraph on its own.
_LINE_END = r"(?:\r\n|[\n\r\v\f\x85\u2028\u2029])"
_BLANK = r"[^\S\n\r\v\f\x85\u2028\u2029]"
_LINE_RUN = regex.compile(rf"(?:(?P<separator>\u2029)|{_LINE_END})(?P<blank>(?:{_BLANK}*+{_LINE_END})++)?+")

_WINDOW = 16_384  # characters that one call of `refine` looks at, but for the parts of a longer grapheme cluster
_LOOK_AHEAD = 1_024  # how far behind the window rule SB8 may look for the lower case letter that continues a sentence
_BRANCHES = 32


class TextFormat:
    """Plain text. Boundaries stand at line starts; blank lines belong to the paragraph before them."""

    language: str | None = None

    def outline(self, text: str) -> Outline:
        """The paragraphs and lines of `text`; a run of blank lines is not cut. Linear."""
        if not text:
            return Outline([])
        boundaries = [Boundary(0, int(Strength.DOCUMENT), "paragraph")]
        paragraph, line = int(Strength.PARAGRAPH), int(Strength.LINE)
        size = len(text)
        for match in _LINE_RUN.finditer(text):
            offset = match.end()
            if offset == size:
                break
            if match["blank"] is None and match["separator"] is None:
                boundaries.append(Boundary(offset, line, "line"))
            else:
                boundaries.append(Boundary(offset, paragraph, "paragraph"))
        return Outline(boundaries, finest=Strength.LINE)


def refine(text: str, start: int, end: int, strength: int) -> list[Boundary]:
    """Boundaries strictly inside the unit `text[start:end]`, all of the next level below `strength` that has any there.

    The levels are sentence, word, grapheme and character. `start` and `end` are taken as boundaries: what is beyond
    them has no say, and a stretch that begins inside a word begins a new word. Pass `outline.finest` as the strength
    for a unit of an outline, and again for the stretches between the answers. Empty when nothing finer exists: one
    character, or CR LF, which is never cut.

    - Sentences: all that end within the first 16,384 characters. Whether one goes on behind a full stop (SB8) is looked up
      in the next 1,024 characters behind the window at most.
    - Words and graphemes: about 32 spread evenly over the first 16,384 characters; all if there are fewer than 64.
    - Characters: only when the stretch is one grapheme cluster; about 32 that are spread evenly over it.

    A call costs O(window), and O(length) when it begins with a grapheme cluster longer than the window.
    Every answer of a level above characters is the end of a grapheme cluster.
    """
    ends: list[int] = []
    for level, label, find in _LEVELS:
        if level < strength and not ends:
            ends = find(text, start, end)
            found = int(level), label
    return [Boundary(offset, *found) for offset in ends]


def _sentences(text: str, start: int, end: int) -> list[int]:
    size = min(_WINDOW, end - start)
    stretch = text[start : min(end, start + _WINDOW + _LOOK_AHEAD)]
    ends = []
    for offset in sentence_ends(stretch):
        if offset >= size:
            break
        ends.append(start + offset)
    return _between_graphemes(text, start, end, ends)


def _words(text: str, start: int, end: int) -> list[int]:
    window = text[start : min(end, start + _WINDOW)]
    ends = [start + offset for offset in word_ends(window)]
    # The last end is that of the window. Where the window is cut short, its last word may in truth belong to the one
    # before it ("can'" + "t"), so that the start of that word is uncertain too.
    del ends[-1 if start + len(window) == end else -2 :]
    return _spread(_between_graphemes(text, start, end, ends))


def _graphemes(text: str, start: int, end: int) -> list[int]:
    ends = _grapheme_ends_in_window(text, start, end)
    if not ends and start + _WINDOW < end:
        # The first cluster is longer than the window: only its end will do.
        ends = [offset for offset in islice(grapheme_ends(text, start, end), 1) if offset < end]
    return _spread(ends)


def _characters(text: str, start: int, end: int) -> list[int]:
    # Spread over the whole stretch, not over a window: that costs nothing, and the next call does not read the
    # cluster again.
    return [
        offset for offset in _spread(range(start + 1, end)) if not (text[offset] == "\n" and text[offset - 1] == "\r")
    ]


_LEVELS: tuple[tuple[Strength, str, Callable[[str, int, int], list[int]]], ...] = (
    (Strength.SENTENCE, "sentence", _sentences),
    (Strength.WORD, "word", _words),
    (Strength.GRAPHEME, "grapheme", _graphemes),
    (Strength.CHARACTER, "character", _characters),
)


def _grapheme_ends_in_window(text: str, start: int, end: int) -> list[int]:
    """The ends of the clusters that end inside the window and inside the stretch."""
    ends = list(grapheme_ends(text, start, min(end, start + _WINDOW)))
    # The last one is the end of the window or of the stretch.
    return ends[:-1]


def _between_graphemes(text: str, start: int, end: int, offsets: list[int]) -> list[int]:
    """Those of `offsets`, all in the window, that do not cut a grapheme cluster."""
    if not offsets or text[start : offsets[-1] + 1].isascii():
        return offsets  # the only cluster of several ASCII characters is CR LF, which neither words nor sentences cut
    allowed = set(_grapheme_ends_in_window(text, start, end))
    return [offset for offset in offsets if offset in allowed]


def _spread(offsets: Sequence[int]) -> list[int]:
    """All of `offsets` if they are few, else _BRANCHES - 1 of them that split it into equal parts."""
    if len(offsets) < 2 * _BRANCHES:
        return list(offsets)
    return [offsets[index * len(offsets) // _BRANCHES] for index in range(1, _BRANCHES)]
