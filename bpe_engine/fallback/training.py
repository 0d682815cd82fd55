"""Learn merges, in Python: the algorithm of `cpp/include/bpe/training.hpp`, with the same results.

    words    h u g x10   p u g x5   h u g s x5            merges   (u,g) x20   (h,ug) x15 ...
    cells    . h u g . p u g . h u g s .                  after both:  . hug - - . p ug - . hug - - s .

All words are in one list of cells, with an empty cell between words. A token is stored in its first and its last cell,
and the cells between are empty, so its length leads to its neighbours. Each pair has the list of places where it
occurred when it first appeared; a place where it no longer occurs is noticed when it is visited. Counts only fall and
first places only move to the right, so a heap gives the best pair if each entry is checked when it is popped.

Not here: threads, and counting in blocks of bounded size. The whole text is split at once.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from heapq import heapify, heappop, heappush

from bpe_engine.errors import TrainingError
from bpe_engine.fallback.pretokenizer import LOOKBACK, pretokenizer_for
from bpe_engine.patterns import PATTERNS
from bpe_engine.text.input import cut_unfinished_end, received, to_bytes

Pair = tuple[int, int]
Report = Callable[[int], object]

EMPTY = -1
REPORTED_AFTER = 1000
"""Merges between two reports."""


class PretokenCounter:
    """Counts the pre-tokens of texts, and learns merges from them."""

    def __init__(self, grammar: str | None, threads: int) -> None:  # noqa: ARG002 - that of the core has threads
        self._grammar = grammar
        self._split = pretokenizer_for(PATTERNS[grammar] if grammar else None).spans
        self._counts: dict[bytes, int] = {}  # in the order of first sight

    def add(self, texts: list[str | bytes]) -> None:
        """Count whole texts."""
        for text in texts:
            characters = received(text)
            for start, end in self._split(characters):
                self._count(to_bytes(characters[start:end]), 1)

    def add_open(self, block: bytes) -> int:
        """Count the pre-tokens of a block of a longer text. Returns the number of bytes counted; the rest belongs before the next block."""
        if self._grammar is None:
            return 0
        characters, _ = cut_unfinished_end(block)
        done = 0
        for start, end in self._split(characters)[: -LOOKBACK[self._grammar]]:
            piece = to_bytes(characters[start:end])
            self._count(piece, 1)
            done += len(piece)
        return done

    def add_pretokens(self, pieces: list[bytes], counts: list[int]) -> None:
        """Add the counts of pre-tokens that the caller has split."""
        for piece, count in zip(pieces, counts, strict=True):
            self._count(piece, count)

    def learn(
        self,
        symbols: bytes,
        merges: int,
        min_frequency: int,
        first: bool,  # noqa: FBT001 - as that of the core
        progress: Report | None,
    ) -> list[Pair]:
        """Learn merges and return them as pairs of symbols: `symbols[byte]` for a byte, 256 + n for the n-th merge. Leaves the counter empty."""
        words = [piece.translate(symbols) for piece in self._counts]
        counts = list(self._counts.values())
        self._counts = {}
        return _Training(words, counts, 256, min_frequency, first=first).run(merges, progress)

    def _count(self, piece: bytes, times: int) -> None:
        self._counts[piece] = self._counts.get(piece, 0) + times

    def __len__(self) -> int:
        """The number of distinct pre-tokens."""
        return len(self._counts)


def learn_merges(  # noqa: PLR0917 - as that of the core
    words: list[bytes],
    counts: list[int],
    symbols: int,
    merges: int,
    min_frequency: int,
    first: bool,  # noqa: FBT001 - as above
    progress: Report | None,
) -> list[Pair]:
    """Learn the merges of words, each an array of unsigned 32-bit integers below `symbols`.

    >>> hug, pug, hugs = (array("I", map("ghpsu".index, word)).tobytes() for word in ("hug", "pug", "hugs"))
    >>> learn_merges([hug, pug, hugs], [10, 5, 5], 5, 2, 1, False, None)
    [(4, 0), (1, 5)]
    """
    return _Training([array("I", word) for word in words], counts, symbols, min_frequency, first=first).run(
        merges, progress
    )


class _Training:
    def __init__(
        self, words: Sequence[Sequence[int]], counts: Sequence[int], symbols: int, min_frequency: int, *, first: bool
    ) -> None:
        if sum(len(word) * count for word, count in zip(words, counts, strict=True)) >= 1 << 63:
            raise TrainingError("the words have 2^63 symbols or more, each counted as often as it occurs")
        self._cells = [EMPTY]
        self._weights = [0]  # the count of the word that a cell belongs to
        for word, count in zip(words, counts, strict=True):
            if count:
                self._cells += [*word, EMPTY]
                self._weights += [count] * len(word) + [0]
        self._lengths = [1] * symbols
        self._min_frequency = min_frequency
        self._first = first
        self._counts: dict[Pair, int] = {}
        self._places: dict[Pair, list[int]] = {}  # ascending
        self._outdated: dict[Pair, int] = {}  # the number of places, from the start, where the pair is known to be gone
        for place in range(len(self._cells) - 1):
            pair = (self._cells[place], self._cells[place + 1])
            if EMPTY not in pair:
                self._meet(pair, place, self._weights[place])

    def run(self, most: int, progress: Report | None) -> list[Pair]:
        """Merge up to `most` times."""
        heap = [(-count, self._key(pair), pair) for pair, count in self._counts.items()]
        heapify(heap)
        merges: list[Pair] = []
        while heap and len(merges) < most:
            count, key, pair = heappop(heap)
            now = (-self._counts[pair], self._key(pair))
            if now != (count, key):
                heappush(heap, (*now, pair))
                continue
            if -count < self._min_frequency:
                break
            made = len(self._lengths)
            merges.append(pair)
            for new in self._merge(pair, made):
                heappush(heap, (-self._counts[new], self._key(new), new))
            if progress and len(merges) % REPORTED_AFTER == 0:
                progress(len(merges))
        if progress:
            progress(len(merges))
        return merges

    def _meet(self, pair: Pair, place: int, count: int) -> None:
        self._counts[pair] = self._counts.get(pair, 0) + count
        self._places.setdefault(pair, []).append(place)

    def _is_at(self, pair: Pair, place: int) -> bool:
        return self._cells[place] == pair[0] and self._cells[place + self._lengths[pair[0]]] == pair[1]

    def _key(self, pair: Pair) -> Pair:
        """Return the key that decides between pairs of equal count: the pair itself, or its first place."""
        if not self._first:
            return pair
        places = self._places[pair]
        outdated = self._outdated.get(pair, 0)
        while outdated < len(places) and not self._is_at(pair, places[outdated]):
            outdated += 1
        self._outdated[pair] = outdated
        return (places[outdated] if outdated < len(places) else len(self._cells), 0)

    def _merge(self, pair: Pair, made: int) -> list[Pair]:
        """Replace the pair by the token `made` at all its places. Returns the pairs that this creates."""
        left_length = self._lengths[pair[0]]
        length = left_length + self._lengths[pair[1]]
        self._lengths.append(length)
        new: dict[Pair, None] = {}
        for place in self._places.pop(pair):
            if not self._is_at(pair, place):
                continue
            count = self._weights[place]
            self._cells[place + left_length] = EMPTY
            self._cells[place] = self._cells[place + length - 1] = made
            before, after = self._cells[place - 1], self._cells[place + length]
            if before != EMPTY:
                self._counts[before, pair[0]] -= count
                self._meet((before, made), place - self._lengths[before], count)
                new[before, made] = None
            if after != EMPTY:
                self._counts[pair[1], after] -= count
                self._meet((made, after), place, count)
                new[made, after] = None
        del self._counts[pair]
        return list(new)
