"""Count the tokens of any slice of a text that is one pre-token, after one pass over the text.

The last tokens of all prefixes form a tree: the parent of a prefix is the prefix without its last token, and the path
from the root to a prefix is its encoding. To count a slice, encode it from its own start. As soon as its tokens end at
an offset on the path to the slice's end, and the two tokens that meet there are compatible, the rest is known: both
parts are encodings, and so is their concatenation. Its count is a difference of depths. On ordinary text that takes a
few tokens.

    text  abacbb      prefix lengths as nodes:  0 -> 1 (a), 2 (ab)   2 -> 3 (a), 4 (ac), 6 (acbb)   4 -> 5 (b)
    slice [1, 6)      b ends at 2, which is on the path 0 2 6, and b may be followed by acbb:  1 + (2 - 1) = 2 tokens

If the two never meet (a run of one letter, cut at another phase), the slice is read to its end: linear in the slice.

Source: `IntervalEncoding` of the `bpe` crate of github/rust-gems.
"""

from __future__ import annotations

from array import array

from bpe_engine.reference.compatible import compatible
from bpe_engine.reference.dictionary import TokenDictionary
from bpe_engine.reference.table import TokenTable

# Bytes. The encoding of a slice is extended by this many at a time until it meets the path.
STRIDE = 32


class IntervalTree:
    """Counts slices of `data`; offsets are bytes. Building takes linear time and about 60 bytes of memory for each byte of text.

    >>> tree = IntervalTree(TokenDictionary.of("a b c ac bb ab acbb"), b"abacbb")
    >>> tree.count(0, 6), tree.count(1, 6), tree.count(2, 5), tree.count(3, 3)
    (2, 2, 2, 0)
    """

    def __init__(self, dictionary: TokenDictionary, data: bytes) -> None:
        self._dictionary = dictionary
        self._data = data
        self._table = TokenTable(dictionary)
        self._table.extend(data)
        size = len(data) + 1
        length_of = {token: len(found) for token, found in dictionary.bytes_of.items()}
        parent = array("q", [0])
        parent.extend(end - length_of[self._table.last(end)] for end in range(1, size))
        weight = array("q", [1]) * size  # the size of the subtree of each node
        for end in range(size - 1, 0, -1):
            weight[parent[end]] += weight[end]
        # Numbers in depth-first order: the subtree of a node has [number, number + weight).
        self._number = array("q", [0]) * size
        next_free = array("q", [1]) * size
        self._first_child = array("q", [0]) * size
        self._next_sibling = array("q", [0]) * size
        for end in range(1, size):
            parent_end = parent[end]
            self._number[end] = next_free[parent_end]
            next_free[parent_end] += weight[end]
            next_free[end] = self._number[end] + 1
            self._next_sibling[end] = self._first_child[parent_end]
            self._first_child[parent_end] = end
        self._weight = weight

    def count(self, start: int, end: int) -> int:
        """Return the number of tokens of data[start:end], encoded by itself."""
        if start == 0:
            return self._table.count(end)
        own = TokenTable(self._dictionary)
        for stop in range(start, end, STRIDE):
            place = stop
            own.extend(self._data[stop : min(stop + STRIDE, end)])
            while place < min(stop + STRIDE, end):
                place += 1
                step = self._step_towards(place, end)
                if step and compatible(self._dictionary, own.last(place - start), self._table.last(step)):
                    return own.count(place - start) + self._table.count(end) - self._table.count(place)
        return own.count(end - start)

    def _step_towards(self, place: int, end: int) -> int:
        """Return the next offset after `place` on the path to `end`; 0 if `place` is not on that path, or is `end`."""
        target = self._number[end]
        if place == end or not self._number[place] < target < self._number[place] + self._weight[place]:
            return 0
        child = self._first_child[place]
        while not self._number[child] <= target < self._number[child] + self._weight[child]:
            child = self._next_sibling[child]
        return child
