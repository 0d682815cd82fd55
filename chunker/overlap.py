"""Overlap: which units at the end of a chunk the next one repeats.

    chunk      ... | fifth line | sixth line | seventh line |
    backwards                    <- 9 tokens  <- 5 tokens         overlap=12: the fifth line would make it 14
    next chunk                   | sixth line | seventh line | eighth line ...

The text grows to the left in a prepending encoder, so that its exact count is known at each unit.
"""

from __future__ import annotations

from chunker.boundaries import Strength
from chunker.counting import PrependingCounter, TokenCounter
from chunker.units import Place, Units

# See `growing`: a first overflow proves nothing. A unit is prepended in strides of so many characters a token.
_LOOK_AHEAD = 4
_STRIDE = 16


def repeated_places(places: list[Place], units: Units, text: str, tokenizer: TokenCounter, limit: int) -> list[Place]:
    """The last of `places`, which a chunk has taken, and what is inside them: from the earliest whose text is at most `limit` tokens.

    `units` are those behind the chunk. A unit that is too long is cut into words, clusters never. The chunk's own start is never
    among the answer, so each chunk starts behind the previous one.
    """
    places = places.copy()
    while True:
        keep = _farthest_back(places, units.offset, text, tokenizer, limit)
        # The unit in front of it is too long; but it may be several, and if nothing fits then words are better than nothing.
        place, after = places[keep - 1], places[keep] if keep < len(places) else units.next
        parts = units.parts(place, after)
        if not units.holds_several(place, after, parts) and not (
            keep == len(places) and parts and parts[0].strength >= Strength.GRAPHEME
        ):
            return places[keep:]
        places[keep:keep] = parts


def _farthest_back(places: list[Place], end: int, text: str, tokenizer: TokenCounter, limit: int) -> int:
    """The first index but 0 from which the text up to `end` is at most `limit` tokens; len(places) if there is none."""
    encoder = tokenizer.prepending_encoder()
    keep = len(places)
    for index in range(len(places) - 1, 0, -1):
        start = places[index].offset
        count = _prepend(encoder, text, start, end, limit)
        if count <= limit:
            keep = index
        elif count > limit + _LOOK_AHEAD:
            break
        end = start
    return keep


def _prepend(encoder: PrependingCounter, text: str, start: int, end: int, limit: int) -> int:
    """Prepend text[start:end], but not much of it once the count is far above `limit`; the count then."""
    stride = max(limit, 16) * _STRIDE
    for at in range(end, start, -stride):
        encoder.prepend(text[max(start, at - stride) : at])
        if encoder.count > limit + _LOOK_AHEAD:
            break
    return encoder.count
