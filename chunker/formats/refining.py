"""`refine`: boundaries inside a unit that is too long, down to single characters.

    "One here. Two."  below LINE       ->  ^10 sentence
    "One here. "      below SENTENCE   ->  ^3 ^4 ^8 ^9 word

Why `refine` does not return all boundaries: a megabyte without a line end has two hundred thousand words or a million
letters, of which the next chunk needs a few. So one call reads a window of some thousand characters and, for words and
graphemes, returns about 32 boundaries spread over it. Each of them is a true boundary. The text between two of them is
refined again only where the budget ends, which makes a search with 32 branches. The text after the window is one more
unit, to be refined when the grower reaches it.

Why it does not even find all boundaries of the window: two neighbouring characters nearly always suffice to decide that
there is a boundary between them. For example, a word begins after a space that carries no combining mark. So a call
goes to 32 offsets and takes the next such pair after each; only if there are none is the whole text read by the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice, repeat
from typing import TYPE_CHECKING

from chunker.formats.expressions import compiled_late
from chunker.formats.outline import Boundary, Strength
from chunker.formats.segmentation import grapheme_ends, tailored_sentence_ends, word_ends, words_of_script

if TYPE_CHECKING:
    import regex

_WINDOW = 16_384  # characters that one call of `refine` reads, except in a longer grapheme cluster
_LOOK_AHEAD = 1_024  # characters after the window in which rule SB8 may find a lower case letter
_BRANCHES = 32
_STEP = 8  # least distance, in characters, between two offsets to search from; if fewer are left, all text is read
_FEW = 8  # this many pairs are enough

# A character that nothing joins to the next one, unless that extends it (GB9, GB9a): no rule joins two clusters between
# them, in any context.
_SINGLE = r"[\p{GCB=Other}\p{GCB=Control}\r\n]"
_EXTENDING = r"\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=ZWJ}"
_APART = compiled_late(rf"{_SINGLE}(?!(?<=\r)\n)(?=[^{_EXTENDING}])", "V0")
# If in addition the first character is in no rule of words, a word begins at the second; but not inside a run of
# spaces, nor between two letters of a script without spaces.
_WORD_APART = compiled_late(
    rf"[\p{{WB=Other}}\p{{WB=WSegSpace}}\p{{WB=Newline}}\r\n](?<={_SINGLE})(?!(?<=\p{{LB=SA}})\p{{LB=SA}})(?!(?<=\r)\n)"
    rf"(?=[^{_EXTENDING}\p{{WB=Extend}}\p{{WB=Format}}\p{{WB=ZWJ}}\p{{WB=WSegSpace}}])",
    "V0",
)


def refine(text: str, start: int, end: int, strength: int) -> list[Boundary]:
    """Find boundaries strictly inside the unit `text[start:end]`, all of the next level below `strength` that has any.

    The levels are sentence, word, grapheme and character. Text outside the unit has no influence: a unit that begins
    inside a word begins a new word.

    - Sentences: all that end within the first 16,384 characters. Whether a sentence continues after a full stop (SB8)
      is decided by at most 1,024 characters after this window. Tailored as in `tailored_sentence_ends`.
    - Words and graphemes: at most 63, spread over the first 16,384 characters; all, if the unit has fewer than 64
      characters. Words inside Thai, Lao, Khmer and Burmese would need a dictionary: there the boundaries are spaces,
      and then graphemes.
    - Characters: only if the unit is one grapheme cluster; about 32, spread evenly over it.

    A call costs O(window), and O(length) if the unit begins with a grapheme cluster longer than the window. Every
    boundary of a level above characters is the end of a grapheme cluster.

    Args:
        text: The text.
        start: Offset of the start of the unit, in characters.
        end: Offset of its end.
        strength: `outline.finest` for a unit of an outline; for a unit between two results of `refine`, their strength.

    Returns:
        The boundaries, ascending. Empty if there is no finer one, as in a single character or CR LF, which is never
        cut.
    """
    ends: list[int] = []
    for level, label, find in _LEVELS:
        if level < strength and not ends:
            ends = find(text, start, end)
            found = int(level), label
    return list(map(Boundary, ends, repeat(found[0]), repeat(found[1]))) if ends else []


def _sentences(text: str, start: int, end: int) -> list[int]:
    size = min(_WINDOW, end - start)
    window = text[start : min(end, start + _WINDOW + _LOOK_AHEAD)]
    ends = [start + offset for offset in tailored_sentence_ends(window) if offset < size]
    return _between_graphemes(text, start, end, ends)


def _words(text: str, start: int, end: int) -> list[int]:
    ends = _pairs_apart(_WORD_APART, text, start, end)
    if ends:
        return ends
    window = text[start : min(end, start + _WINDOW)]
    found = words_of_script(window, list(word_ends(window)))
    # The last end is that of the window. If the window is cut short, its last word may in fact belong to the one before
    # it ("can'" + "t"), so the start of that word is uncertain, too.
    size = len(window) if start + len(window) == end else len(window) - 1
    ends = [start + offset for offset in found if offset < size]
    if size < len(window):
        del ends[-1:]
    return _spread(_between_graphemes(text, start, end, ends))


def _graphemes(text: str, start: int, end: int) -> list[int]:
    ends = _pairs_apart(_APART, text, start, end)
    if ends:
        return ends
    ends = _grapheme_ends_in_window(text, start, end)
    if not ends and start + _WINDOW < end:
        # the first cluster is longer than the window: find its end
        ends = [offset for offset in islice(grapheme_ends(text, start, end), 1) if offset < end]
    return _spread(ends)


def _characters(text: str, start: int, end: int) -> list[int]:
    # Spread over the whole span, not over a window: this costs nothing, and the next call does not read the cluster
    # again.
    return [
        offset for offset in _spread(range(start + 1, end)) if not (text[offset] == "\n" and text[offset - 1] == "\r")
    ]


_LEVELS: tuple[tuple[Strength, str, Callable[[str, int, int], list[int]]], ...] = (
    (Strength.SENTENCE, "sentence", _sentences),
    (Strength.WORD, "word", _words),
    (Strength.GRAPHEME, "grapheme", _graphemes),
    (Strength.CHARACTER, "character", _characters),
)


def _pairs_apart(pair: regex.Pattern[str], text: str, start: int, end: int) -> list[int]:
    """Return the ends of the first characters of matches of `pair` in the window, at most one in each of 32 equal
    parts; [] if it is better to read the whole window.
    """
    size = min(_WINDOW, end - start)
    if size < 2 * _BRANCHES:
        return []
    step = max(size // _BRANCHES, _STEP)
    found = []
    for at in range(start + step - 1, start + size - 2, step):
        match = pair.search(text, at, min(at + step, start + size))
        if match is not None:
            found.append(match.end())
    return found if len(found) >= min(_FEW, size // step // 2) else []


def _grapheme_ends_in_window(text: str, start: int, end: int) -> list[int]:
    """Return the ends of the clusters that end inside the window and inside the span."""
    ends = list(grapheme_ends(text, start, min(end, start + _WINDOW)))
    # The last one is the end of the window or of the span.
    return ends[:-1]


def _between_graphemes(text: str, start: int, end: int, offsets: list[int]) -> list[int]:
    """Return those of `offsets`, all in the window, that do not cut a grapheme cluster."""
    if not offsets or text[start : offsets[-1] + 1].isascii():
        return offsets  # the only cluster of several ASCII characters is CR LF, which neither words nor sentences cut
    if all(_APART.match(text, offset - 1) for offset in offsets):
        return offsets
    allowed = set(_grapheme_ends_in_window(text, start, end))
    return [offset for offset in offsets if offset in allowed]


def _spread(offsets: Sequence[int]) -> list[int]:
    """Return all of `offsets` if they are few, else _BRANCHES - 1 of them that split them into equal parts."""
    if len(offsets) < 2 * _BRANCHES:
        return list(offsets)
    return [offsets[index * len(offsets) // _BRANCHES] for index in range(1, _BRANCHES)]
