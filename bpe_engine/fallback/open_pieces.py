"""Tables of open pre-tokens that are too long to be counted again at each step.

A growing pre-token keeps one `TokenTable` from its fixed end, the anchor: its start if text is appended, its end if
text
is prepended. More than one may grow over the same text: "\\n     " is one pre-token at the end of the text, and two
before a word, so the second has a table that starts after the line break.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, insort
from collections.abc import Callable
from itertools import accumulate, islice

from bpe_engine.reference.dictionary import TokenDictionary
from bpe_engine.reference.table import TokenTable
from bpe_engine.text.input import to_bytes


class OpenPiece:
    """A pre-token that grows away from `anchor`, with the count of each of its lengths.

    Lengths are characters. `mirrored` pieces grow to the left.
    """

    def __init__(self, dictionary: TokenDictionary, anchor: int, *, mirrored: bool) -> None:
        self.anchor = anchor
        self._dictionary = dictionary
        self._mirrored = mirrored
        self._table = TokenTable(dictionary, mirrored=mirrored)
        self._byte_length = array("q", [0])  # bytes for each length in characters

    def __len__(self) -> int:
        return len(self._byte_length) - 1

    def grow(self, characters: str) -> None:
        """Add characters at the growing end: after the existing ones, or before them if the piece is mirrored."""
        data = to_bytes(characters)
        self._table.extend(data[::-1] if self._mirrored else data)  # first: it may raise
        start = self._byte_length[-1]
        if len(data) == len(characters):
            self._byte_length.extend(range(start + 1, start + len(data) + 1))
        else:
            ordered = reversed(characters) if self._mirrored else characters
            sizes = (len(to_bytes(character)) for character in ordered)
            self._byte_length.extend(islice(accumulate(sizes, initial=start), 1, None))

    def truncate(self, length: int) -> None:
        """Cut back to `length` characters."""
        if length < len(self):
            self._table.truncate(self._byte_length[length])
            del self._byte_length[length + 1 :]

    def count(self, length: int) -> int:
        """Return the number of tokens of the `length` characters next to the anchor, as a pre-token by themselves."""
        size = self._byte_length[length]
        if size <= self._dictionary.longest and self._table.prefix(size) in self._dictionary.id_of:
            return 1  # a whole pre-token that is a token is that token, even if its merges would give others
        return self._table.count(size)

    def fewest(self, length: int) -> int:
        """Return a lower bound for the count at `length` characters and at every greater length, whatever is added."""
        size = self._byte_length[length]
        return self._table.fewest(size) if size > self._dictionary.longest else min(1, length)


class OpenPieces:
    """The open pieces of a growing text, and the settled pieces that a rollback may open again.

    Offsets are characters from the fixed side of the text; `read(start, end)` returns the characters between two
    offsets.
    """

    # Characters. A settled piece shorter than this is dropped: the cost of reading it again is bounded.
    KEPT_LENGTH = 256

    def __init__(self, dictionary: TokenDictionary, read: Callable[[int, int], str], *, mirrored: bool = False) -> None:
        self._dictionary = dictionary
        self._read = read
        self._mirrored = mirrored
        self._open: list[OpenPiece] = []  # by anchor
        self._settled: list[OpenPiece] = []  # by anchor

    def count(self, anchor: int, end: int) -> int:
        """Return the count of the pre-token between `anchor` and `end`."""
        return self._grown(anchor, end).count(end - anchor)

    def fewest(self, anchor: int, end: int) -> int:
        """Return a lower bound for the count of the pre-token that starts at `anchor` and ends at `end` or after it."""
        return self._grown(anchor, end).fewest(end - anchor)

    @property
    def any_open(self) -> bool:
        """Whether any piece is open."""
        return bool(self._open)

    def is_open(self, anchor: int) -> bool:
        """Whether the piece at `anchor` is open."""
        index = bisect_left(self._open, anchor, key=_anchor)
        return index < len(self._open) and self._open[index].anchor == anchor

    def _grown(self, anchor: int, end: int) -> OpenPiece:
        index = bisect_left(self._open, anchor, key=_anchor)
        if index == len(self._open) or self._open[index].anchor != anchor:
            self._open.insert(index, OpenPiece(self._dictionary, anchor, mirrored=self._mirrored))
        piece = self._open[index]
        if anchor + len(piece) < end:
            piece.grow(self._read(anchor + len(piece), end))
        return piece

    def settle(self, place: int) -> None:
        """Settle the pieces whose anchor is before `place`."""
        if self._open and self._open[0].anchor < place:
            index = bisect_left(self._open, place, key=_anchor)
            for piece in self._open[:index]:
                if len(piece) >= self.KEPT_LENGTH:
                    insort(self._settled, piece, key=_anchor)
            del self._open[:index]

    def truncate(self, length: int, settled: int) -> None:
        """Follow a rollback of the text to `length` characters, of which `settled` are settled."""
        while self._settled and self._settled[-1].anchor >= settled:
            insort(self._open, self._settled.pop(), key=_anchor)
        while self._open and self._open[-1].anchor >= length:
            self._open.pop()
        for piece in self._open:
            piece.truncate(length - piece.anchor)


def _anchor(piece: OpenPiece) -> int:
    return piece.anchor
