"""`refine`: boundaries inside a unit that is too long, down to single characters.

    "One here. Two."  below LINE       ->  ^10 sentence
    "One here. "      below SENTENCE   ->  ^3 ^4 ^8 ^9 word

Why `refine` does not return all there are: a megabyte without a line end has two hundred thousand words or a million
letters, of which the next chunk needs a few. So one call looks at a window of a few thousand characters and, for words
and graphemes, returns about 32 boundaries spread over it. Each of them is a true boundary; the text between two of them
is again too long or is not, and is refined again only where the budget ends: a search with 32 branches. The text after
the window is one more unit to refine when its turn comes.

And why it does not look for all of which it returns 32: whether two neighbouring characters are apart can nearly always
be seen from the two alone. After a space, say, a word begins if no mark is set upon that space. So a call goes to 32
offsets and takes the next such pair from each; only where there are none is everything between read by the rules.
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

_WINDOW = 16_384  # characters that one call of `refine` looks at, but for the parts of a longer grapheme cluster
_LOOK_AHEAD = 1_024  # how far after the window rule SB8 may search for the lower case letter that continues a sentence
_BRANCHES = 32
_STEP = 8  # characters between two of the places that are looked at, at least: where fewer are left, all is read
_FEW = 8  # so many pairs that tell are enough to go on with

# A character to which nothing that follows is joined but what extends it (GB9, GB9a): between these two no rule joins two clusters,
# whatever is around them.
_SINGLE = r"[\p{GCB=Other}\p{GCB=Control}\r\n]"
_EXTENDING = r"\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=ZWJ}"
_APART = compiled_late(rf"{_SINGLE}(?!(?<=\r)\n)(?=[^{_EXTENDING}])", "V0")
# And if the first takes no part in any rule of words either, a word begins at the second; but not inside a run of spaces, and not
# between two letters of a script without spaces.
_WORD_APART = compiled_late(
    rf"[\p{{WB=Other}}\p{{WB=WSegSpace}}\p{{WB=Newline}}\r\n](?<={_SINGLE})(?!(?<=\p{{LB=SA}})\p{{LB=SA}})(?!(?<=\r)\n)"
    rf"(?=[^{_EXTENDING}\p{{WB=Extend}}\p{{WB=Format}}\p{{WB=ZWJ}}\p{{WB=WSegSpace}}])",
    "V0",
)


def refine(text: str, start: int, end: int, strength: int) -> list[Boundary]:
    """Boundaries strictly inside the unit `text[start:end]`, all of the next level below `strength` that has any there.

    The levels are sentence, word, grapheme and character. A unit that begins inside a word begins a new word: text
    outside it has no influence.

    - Sentences: all that end within the first 16,384 characters. Whether one goes on after a full stop (SB8) is decided
      by at most 1,024 characters after this window. Tailored as `tailored_sentence_ends` says.
    - Words and graphemes: at most 63, spread over the first 16,384 characters; all, if the unit has fewer than 64
      characters. Words are not looked for inside Thai, Lao, Khmer and Burmese, which need a dictionary: there spaces
      are boundaries, and then graphemes.
    - Characters: only if the unit is one grapheme cluster; about 32, spread evenly over it.

    A call costs O(window), and O(length) if the unit begins with a grapheme cluster longer than the window. Every
    boundary of a level above characters is the end of a grapheme cluster.

    Args:
        text: The text.
        start: Offset of the start of the unit, in characters.
        end: Offset of its end.
        strength: `outline.finest` for a unit of an outline; for a unit between two results of `refine`, their strength.

    Returns:
        The boundaries, ascending. Empty if nothing finer exists, as in one character or CR LF, which is never cut.
    """
    ends: list[int] = []
    for level, label, find in _LEVELS:
        if level < strength and not ends:
            ends = find(text, start, end)
            found = int(level), label
    return list(map(Boundary, ends, repeat(found[0]), repeat(found[1]))) if ends else []


def _sentences(text: str, start: int, end: int) -> list[int]:
    size = min(_WINDOW, end - start)
    stretch = text[start : min(end, start + _WINDOW + _LOOK_AHEAD)]
    ends = [start + offset for offset in tailored_sentence_ends(stretch) if offset < size]
    return _between_graphemes(text, start, end, ends)


def _words(text: str, start: int, end: int) -> list[int]:
    ends = _pairs_apart(_WORD_APART, text, start, end)
    if ends:
        return ends
    window = text[start : min(end, start + _WINDOW)]
    found = words_of_script(window, list(word_ends(window)))
    # The last end is that of the window. Where the window is cut short, its last word may in truth belong to the one
    # before it ("can'" + "t"), so that the start of that word is uncertain too.
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


def _pairs_apart(pair: regex.Pattern[str], text: str, start: int, end: int) -> list[int]:
    """The matches of `pair` in the window, at most one in each of 32 equal parts; empty if it is better to read it all."""
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
    """The ends of the clusters that end inside the window and inside the stretch."""
    ends = list(grapheme_ends(text, start, min(end, start + _WINDOW)))
    # The last one is the end of the window or of the stretch.
    return ends[:-1]


def _between_graphemes(text: str, start: int, end: int, offsets: list[int]) -> list[int]:
    """The `offsets`, all in the window, that do not cut a grapheme cluster."""
    if not offsets or text[start : offsets[-1] + 1].isascii():
        return offsets  # the only cluster of several ASCII characters is CR LF, which neither words nor sentences cut
    if all(_APART.match(text, offset - 1) for offset in offsets):
        return offsets
    allowed = set(_grapheme_ends_in_window(text, start, end))
    return [offset for offset in offsets if offset in allowed]


def _spread(offsets: Sequence[int]) -> list[int]:
    """All of `offsets` if they are few, else _BRANCHES - 1 of them that split it into equal parts."""
    if len(offsets) < 2 * _BRANCHES:
        return list(offsets)
    return [offsets[index * len(offsets) // _BRANCHES] for index in range(1, _BRANCHES)]
