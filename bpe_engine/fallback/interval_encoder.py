"""IntervalEncoder: the count of any slice of a text, after one pass over it.

A slice may start and end inside pre-tokens of the whole text. Its own pre-tokens differ there, and agree in between:

    whole text    def| compute|_total|(self|):\\n|   | return
    slice           ute_total(self):\\n
                    ute|_total|(self|):\\n              its own
                    ^^^ read anew      ^^^ read anew    the rest: a difference of two sums

Pre-tokens are read from the start of the slice until one ends where a pre-token of the whole text ends. The last few
pre-tokens of the slice are read anew, because the text ends there for them. A pre-token of thousands of characters gets
an `IntervalTree`.

With `pattern=None` the whole text is one such pre-token. It is unknown how far a custom pattern looks, so its slices
are counted anew: exact, in time proportional to the slice.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

from bpe_engine import encoders
from bpe_engine.fallback.appending_encoder import LONG_TAIL
from bpe_engine.fallback.class_runs import ClassRuns
from bpe_engine.fallback.pretokenizer import NamedPattern, WholeText
from bpe_engine.reference.interval import IntervalTree
from bpe_engine.text.input import byte_places, received, to_bytes
from bpe_engine.text.slices import check_slice, source_offsets
from bpe_engine.text.unicode_classes import stand_ins

if TYPE_CHECKING:
    from bpe_engine.fallback.incremental_vocabulary import IncrementalVocabulary

# The number of whole pre-tokens before the end of a slice that are read anew, because the end may change them: "\\n  x" is
# "\\n", " ", " x", and its slice "\\n  " is one pre-token under cl100k. One more than any named pattern needs.
REREAD = 3
# Characters. The size of the first window read from the start of a slice.
WINDOW = 64


class IntervalEncoder(encoders.IntervalEncoder):
    """Counts any slice of one text. `tokenizer.interval_encoder(text)` makes one. Immutable; threads may share it.

    Offsets are in the unit of the text: characters of a str, bytes of bytes.

    >>> from bpe_engine import Tokenizer
    >>> prices = Tokenizer.load("o200k_base").interval_encoder("def compute_total(self):")
    >>> prices.count(0, 24), prices.count(8, 17), prices.count(5, 5)
    (5, 2, 0)
    """

    def __init__(self, engine: IncrementalVocabulary, text: str | bytes) -> None:
        self._engine = engine
        self._text = received(text)
        self._source = text if isinstance(text, str) else bytes(text)
        # Characters. A longer pre-token gets a tree. Not below the longest token, because a tree does not see that a
        # whole pre-token is a token.
        self._short = max(LONG_TAIL, self._engine.dictionary.longest)
        self._counts = self._engine.piece_counts
        self._places = source_offsets(self._source, self._text)
        self._pretokenizer = self._engine.pretokenizer
        self._starts = array("q")
        self._sums = array("q", [0])  # tokens before each start
        if isinstance(self._pretokenizer, NamedPattern):
            pieces = [piece for block in self._engine.pieces(self._text) for piece in block]
            self._starts.extend(accumulate(map(len, pieces), initial=0))
            self._sums.extend(accumulate(map(self._counts.__getitem__, pieces)))
        self._class_runs: ClassRuns | None = None
        self._trees: dict[tuple[int, int], tuple[IntervalTree, array[int] | None]] = {}

    def __reduce__(self) -> tuple[type[IntervalEncoder], tuple[IncrementalVocabulary, str | bytes]]:
        return type(self), (self._engine, self._source)

    def __len__(self) -> int:
        """The length of the text, in its own unit."""
        return len(self._source)

    def count(self, start: int, end: int) -> int:
        """The number of tokens of text[start:end]: equal to `tokenizer.count(text[start:end])`.

        Typically the time of a few pre-tokens, whatever the slice's length. Raises IndexError unless
        0 <= start <= end <= len(text).
        """
        check_slice(start, end, len(self._source))
        if start == end:
            return 0
        first, last = (start, end) if self._places is None else (self._places[start], self._places[end])
        if first >= 0 and last >= 0:
            if isinstance(self._pretokenizer, NamedPattern):
                return self._count_pretokens(self._pretokenizer, first, last)
            if isinstance(self._pretokenizer, WholeText):
                return self._count_piece(first, last)
        # Inside a character of bytes or a surrogate pair, or under a pattern of the user's own.
        return self._engine.count(self._source[start:end])

    def _count_pretokens(self, pretokenizer: NamedPattern, place: int, end: int) -> int:
        total = 0
        window = WINDOW
        index = bisect_left(self._starts, place)
        while self._starts[index] != place and place < end:
            stop = min(end, place + window)
            text = self._text[place:stop]
            spans = pretokenizer.spans(text)
            if stop < end:
                spans = spans[: max(0, len(spans) - pretokenizer.open_count(text, spans))]
                if not spans:
                    spans = [(0, self._runs(pretokenizer).pretoken_end(place, end) - place)]
            offset = place
            for first, last in spans:
                total += self._count_piece(offset + first, offset + last)
                place = offset + last
                index = bisect_left(self._starts, place, index)
                if self._starts[index] == place:
                    break
            window *= 2
        if place == end:
            return total
        reread = max(index, bisect_left(self._starts, end) - 1 - REREAD)
        total += self._sums[reread] - self._sums[index]
        place = self._starts[reread]
        while end - place > LONG_TAIL:
            stop = self._runs(pretokenizer).pretoken_end(place, end)
            total += self._count_piece(place, stop)
            place = stop
        for first, last in pretokenizer.spans(self._text[place:end]):
            total += self._count_piece(place + first, place + last)
        return total

    def _count_piece(self, start: int, end: int) -> int:
        """Return the count of text[start:end] as one pre-token."""
        if end - start <= self._short:
            return self._counts[self._text[start:end]]
        first, last = 0, len(self._text)
        if len(self._starts) > 0:
            before = bisect_right(self._starts, start) - 1
            after = bisect_left(self._starts, end)
            if after == before + 1 and self._starts[before] == start and self._starts[after] == end:
                return self._sums[after] - self._sums[before]
            first, last = self._starts[before], self._starts[after]
        tree, places = self._tree(first, last)
        if places is None:
            return tree.count(start - first, end - first)
        return tree.count(places[start - first], places[end - first])

    def _tree(self, first: int, last: int) -> tuple[IntervalTree, array[int] | None]:
        """Return the tree over text[first:last], and the byte offset of each character, or None if all characters are single bytes."""
        if (first, last) not in self._trees:
            text = self._text[first:last]
            data = to_bytes(text)
            places = byte_places(text) if len(data) != len(text) else None
            self._trees[first, last] = IntervalTree(self._engine.dictionary, data), places
        return self._trees[first, last]

    def _runs(self, pretokenizer: NamedPattern) -> ClassRuns:
        if self._class_runs is None:
            text = stand_ins(self._text)
            runs = ClassRuns(pretokenizer.name, text.__getitem__)
            runs.extend(text)
            self._class_runs = runs
        return self._class_runs
