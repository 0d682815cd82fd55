"""Content-defined anchors: boundaries chosen from nearby text alone, so an edit re-cuts only the chunks around it.

    boundaries   |   |  #  | | |  #     |   |  #  |      #: the strongest as far as one can see from it, to both sides
    spans        |------|---------|------------|---       from anchor to anchor: each is cut into chunks for itself

If chunks were simply filled one after the other, a word inserted before them could shift all cuts that follow. Whether
a boundary is the best within `reach` characters depends on the text near it alone. The best is the strongest; of
equally strong ones, the one whose following text has the largest hash (content-defined chunking by local maxima:
Bjørner, Blass and Gurevich, 2010). Two anchors are never closer than `reach`.
"""

from __future__ import annotations

import zlib
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator, Sequence

from chunker.chunkers import TextChunker
from chunker.formats import Outline, Strength
from chunker.growing.pieces import ContextAt, Piece, context_from
from chunker.models import Chunk

# Characters after a boundary that decide between equal ones.
_HASHED = 160
_MIXER = 0x9E3779B1

_Priority = tuple[int, int]


def chunks_of(chunker: TextChunker, text: str, reach: int, outline: Outline | None = None) -> list[Chunk]:
    """Chunk `text` from anchor to anchor; the chunks have no source. Linear time.

    With an overlap each chunk depends on the one before, so the text has no anchors. `outline` is that of the text, if
    the caller has it. Raises what `chunker.chunk` raises.
    """
    if chunker.overlap:
        return chunker.chunk(text)
    outline = chunker.outline(text) if outline is None else outline
    context_at = chunker.context_of(text, outline, None)
    pieces = list(_pieces(chunker, text, outline, context_at, reach))
    return chunker.origin_of(text, outline, pieces, None).chunks()


def _pieces(chunker: TextChunker, text: str, outline: Outline, context_at: ContextAt, reach: int) -> Iterator[Piece]:
    if not text:
        return
    starts = [0, *anchors(text, outline, reach)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        first, last = bisect_left(outline.offsets, start), bisect_left(outline.offsets, end)
        strengths = outline.strengths[first:last]
        strengths[0] = Strength.DOCUMENT
        part = Outline.of_columns(
            [offset - start for offset in outline.offsets[first:last]],
            strengths,
            outline.labels[first:last],
            finest=outline.finest,
            heads={
                offset - start: min(outline.heads[offset], end) - start
                for offset in outline.offsets[first:last]
                if offset in outline.heads
            },
        )
        for piece in chunker.pieces(text[start:end], part, context_from(start, context_at)):
            yield piece._replace(start=piece.start + start, end=piece.end + start)


def anchors(text: str, outline: Outline, reach: int) -> list[int]:
    """The anchors: boundaries better than all others less than `reach` characters before them, and no worse than all less than `reach` after them."""
    offsets = outline.offsets
    priorities = _priorities(text, outline)
    before = _best_before(offsets, priorities, reach)
    after = _best_before([-offset for offset in reversed(offsets)], priorities[::-1], reach)[::-1]
    heads = outline.heads
    return [
        offset
        for last, offset, own, left, right in zip(
            offsets, offsets[1:], priorities[1:], before[1:], after[1:], strict=False
        )
        if own > left
        and own >= right
        and offset >= reach
        and len(text) - offset >= reach
        and heads.get(last, 0) <= offset  # never between a definition and the comments above it
    ]


def _priorities(text: str, outline: Outline) -> list[_Priority]:
    ends = [*outline.offsets[1:], len(text)]
    return [
        (
            strength,
            zlib.crc32(text[start : min(end, start + _HASHED)].encode("utf-8", "surrogatepass")) * _MIXER & 0xFFFFFFFF,
        )
        for start, end, strength in zip(outline.offsets, ends, outline.strengths, strict=True)
    ]


def _best_before(offsets: Sequence[int], priorities: Sequence[_Priority], reach: int) -> list[_Priority]:
    """For each offset, the best priority of the offsets less than `reach` before it; (-1, -1) if there are none."""
    best: list[_Priority] = []
    window: deque[int] = deque()  # positions in `offsets`, with falling priorities
    for number, offset in enumerate(offsets):
        while window and offsets[window[0]] <= offset - reach:
            window.popleft()
        best.append(priorities[window[0]] if window else (-1, -1))
        while window and priorities[window[-1]] <= priorities[number]:
            window.pop()
        window.append(number)
    return best
