"""Overlap: the units at the end of a chunk that the next one repeats.

    chunk      ... | fifth line | sixth line | seventh line |
    backwards                    <- 9 tokens  <- 5 tokens         overlap=12: the fifth line would make it 14
    next chunk                   | sixth line | seventh line | eighth line ...

The text grows to the left in a prepending encoder, so that its exact count is known at each unit.
"""

from __future__ import annotations

from chunker.counting import PrependingCounter, TokenCounter
from chunker.formats import Strength
from chunker.growing.budget import Budget, OverlapBy
from chunker.growing.limits import LOOK_AHEAD, overlap_look
from chunker.growing.units import Place, Units

# The strength of the parts into which a unit that does not fit is split.
_FINEST: dict[OverlapBy, int] = {
    "unit": Strength.DOCUMENT,
    "sentence": Strength.SENTENCE,
    "token": Strength.GRAPHEME,
}


def finest_of_overlap(budget: Budget) -> int:
    """Return the lowest strength of a boundary inside a unit where an overlap may begin."""
    return _FINEST[budget.overlap_by]


def repeated_places(
    places: list[Place], units: Units, text: str, tokenizer: TokenCounter, budget: Budget
) -> list[Place]:
    """Return the units at the end of a chunk that the next chunk repeats: the longest sequence that fits into the
    overlap.

    `places` are the units that the chunk has taken, `units` those after the chunk. If not even one unit fits, it is
    split into sentences or words, never inside grapheme clusters. If `budget.overlap_by` says so, the first unit that
    does not fit any more is split as well. The start of the chunk itself is never returned, so each chunk starts after
    the previous one.
    """
    places = places.copy()
    limit, finest = budget.overlap, finest_of_overlap(budget)
    while True:
        keep = _farthest_back(places, units.offset, text, tokenizer, limit)
        if units.open_taken(places, keep - 1):
            continue
        # The unit before is too long. But it may consist of several units; and if nothing fits, words are better than
        # nothing.
        place, after = places[keep - 1], places[keep] if keep < len(places) else units.next
        parts = units.parts(place, after)
        finest_now = Strength.GRAPHEME if keep == len(places) else finest
        if not units.holds_several(place, after, parts) and not (parts and parts[0].strength >= finest_now):
            return places[keep:]
        places[keep:keep] = parts


def shortened(repeated: list[Place], end: int, text: str, tokenizer: TokenCounter, limit: int) -> list[Place]:
    """Return at most the last half of the units of an overlap that ends at `end`; in the end none.

    The text is counted again, because less text may be more tokens: the rest of a long token.
    """
    keep = len(repeated) // 2
    while keep and tokenizer.count_up_to(text[repeated[-keep].offset : end], limit) is None:
        keep -= 1
    return repeated[-keep:] if keep else []


def _farthest_back(places: list[Place], end: int, text: str, tokenizer: TokenCounter, limit: int) -> int:
    """Return the first index, except 0, from which the text up to `end` has at most `limit` tokens; len(places) if
    there is none.
    """
    encoder = tokenizer.prepending_encoder()
    keep = len(places)
    for index in range(len(places) - 1, 0, -1):
        start = places[index].offset
        count = _prepend(encoder, text, start, end, limit)
        if count <= limit:
            keep = index
        elif count > limit + LOOK_AHEAD:
            break
        end = start
    return keep


def _prepend(encoder: PrependingCounter, text: str, start: int, end: int, limit: int) -> int:
    """Prepend text[start:end], or only a part of it once the count is far above `limit`. Returns the count."""
    stride = overlap_look(limit)
    for at in range(end, start, -stride):
        encoder.prepend(text[max(start, at - stride) : at])
        if encoder.count > limit + LOOK_AHEAD:
            break
    return encoder.count
