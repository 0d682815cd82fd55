"""A text in blocks, so that an edit copies the block around it, not the whole text.

blocks   "The quick brown "  "fox jumps over "  "the lazy dog."
edit                          ^^^ "cat"
         "The quick brown "  "cat jumps over "  "the lazy dog."      the first and the last block are shared
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

# Characters of a block when it is made. Edits may double it.
_SIZE = 16_384


class BlockText:
    """One version of a text. It does not change."""

    __slots__ = ("_blocks", "_starts", "_text")

    def __init__(self, blocks: list[str], text: str | None = None) -> None:
        self._blocks = blocks
        self._starts = list(accumulate(map(len, blocks), initial=0))
        self._text = text

    @classmethod
    def of(cls, text: str) -> BlockText:
        """Return the blocks of a text."""
        return cls(_blocks_of(text) or [""], text)

    def __len__(self) -> int:
        return self._starts[-1]

    def __str__(self) -> str:
        if self._text is None:
            self._text = "".join(self._blocks)
        return self._text

    def slice(self, start: int, end: int) -> str:
        """Return text[start:end]. Offsets in characters, not negative."""
        if self._text is not None:
            return self._text[start:end]
        first = self._holding(start)
        begin = self._starts[first]
        if end <= self._starts[first + 1]:
            return self._blocks[first][start - begin : end - begin]
        last = self._holding(end)
        return "".join(self._blocks[first : last + 1])[start - begin : end - begin]

    def replaced(self, start: int, end: int, text: str) -> BlockText:
        """Return the version with `text` in place of text[start:end]."""
        first, last = self._holding(start), self._holding(end)
        before = self._blocks[first][: start - self._starts[first]]
        after = self._blocks[last][end - self._starts[last] :]
        joined = f"{before}{text}{after}"
        blocks = [joined] if 0 < len(joined) <= 2 * _SIZE else _blocks_of(joined)
        return BlockText([*self._blocks[:first], *blocks, *self._blocks[last + 1 :]] or [""])

    def _holding(self, offset: int) -> int:
        """Return the index of the block with this offset; the last block for the end of the text."""
        return min(bisect_right(self._starts, offset), len(self._blocks)) - 1


def _blocks_of(text: str) -> list[str]:
    return [text[start : start + _SIZE] for start in range(0, len(text), _SIZE)]
