"""The table of all incremental encoding: the last token of every prefix of a text, one row a byte.

Of the tokens that end at a byte, exactly one is the last token of the encoding of the prefix: the one that is
compatible with the last token of the prefix before it. So earlier rows determine a new row. Rows are only appended and
cut off at the end, and each stores the number of tokens of its prefix.

    text        a    b    a    c    b     b           dictionary a b c ac bb ab acbb
    last token  a    ab   a    ac   b     acbb
    tokens      1    1    2    2    3     2

The mirrored table goes from right to left and has the first token of every suffix.

Source: `encode_via_table` and `AppendableEncoder` of the `bpe` crate of github/rust-gems.
"""

from __future__ import annotations

from array import array

from bpe_engine.reference.compatible import compatible
from bpe_engine.reference.dictionary import TokenDictionary

__all__ = ["TokenTable"]


class TokenTable:
    """The rows of a growing text, one a byte. Time per byte: the number of tokens that end there, at most the length of the longest token.

    With `mirrored=True` the text grows to the left: bytes are added from right to left.

    >>> table = TokenTable(TokenDictionary.of("a b c ac bb ab acbb"))
    >>> table.extend(b"abacbb")
    >>> [table.count(length) for length in range(7)], table.tokens()
    ([0, 1, 1, 2, 2, 3, 2], [5, 6])
    """

    def __init__(self, dictionary: TokenDictionary, *, mirrored: bool = False) -> None:
        self._dictionary = dictionary
        self._mirrored = mirrored
        self._automaton = dictionary.mirrored_automaton if mirrored else dictionary.automaton
        self._data = bytearray()
        self._last = array("q", [-1])  # the last token of the prefix of each length, in bytes
        self._count = array("q", [0])
        self._matches = self._automaton.iter("")
        self._matches_end = 0  # the number of bytes that the automaton has read; if it differs from the length, the automaton starts again
        self._matches_offset = 0  # the offset of the first byte that the automaton has read

    def __len__(self) -> int:
        return len(self._data)

    def extend(self, data: bytes) -> None:
        """Add the rows of more bytes. Raises EncodingError, and adds nothing, if a byte has no token."""
        if not data:
            return
        length = len(self._data)
        offset = self._feed(data)
        self._matches_end = -1  # until all matches of the automaton have been read
        self._data += data
        last, count, dictionary = self._last, self._count, self._dictionary
        remembered = (
            dictionary.compatible_pairs.get
        )  # the cache is also looked up here, because a run of spaces has eighty matches a byte
        due = length - offset  # the byte whose row is to be found
        for byte, (size, token) in self._matches:
            if byte < due:
                continue  # the row is found already: a longer token was the right one
            if byte > due:
                break  # no token ends at the byte that is due
            start = offset + byte + 1 - size
            if start == 0:
                fits: bool | None = dictionary.halves(token) is not None
            else:
                pair = (token, last[start]) if self._mirrored else (last[start], token)
                fits = remembered(pair)
                if fits is None:
                    fits = compatible(dictionary, *pair)
            if fits:
                last.append(token)
                count.append(count[start] + 1)
                due += 1
        if len(last) <= len(self._data):
            missing = len(last) - 1
            error = dictionary.no_token(bytes(self._data), missing)
            self.truncate(length)
            raise error
        self._matches_end = len(self._data)

    def _feed(self, data: bytes) -> int:
        """Continue the automaton with `data`. Returns the offset to add to the places that it reports."""
        length = len(self._data)
        if self._matches_end == length and length:
            self._matches.set(data.decode("latin-1"), False)  # noqa: FBT003 - the library takes it by position alone
        else:
            # A token that ends in the new bytes starts at this offset or after it.
            self._matches_offset = max(0, length - self._dictionary.longest + 1)
            seen = self._data[self._matches_offset :] + data
            self._matches = self._automaton.iter(seen.decode("latin-1"))
        return self._matches_offset

    def truncate(self, length: int) -> None:
        """Cut the text back to its first `length` bytes."""
        del self._data[length:]
        del self._last[length + 1 :]
        del self._count[length + 1 :]
        self._matches_end = -1 if self._matches_end != length else length

    def count(self, length: int) -> int:
        """Return the number of tokens of the prefix of `length` bytes."""
        return self._count[length]

    def last(self, length: int) -> int:
        """Return the last token of the prefix of `length` bytes, for `length` > 0."""
        return self._last[length]

    def fewest(self, length: int) -> int:
        """Return a lower bound for the count of every prefix of at least `length` bytes, whatever is appended.

        The token that covers byte `length` starts at the end of a prefix, at most the length of the longest token
        before it.
        """
        return min(self._count[max(0, length - self._dictionary.longest + 1) : length + 1])

    def prefix(self, length: int) -> bytes:
        """Return the bytes of the first `length` rows, in reading order."""
        return bytes(self._data[:length][::-1] if self._mirrored else self._data[:length])

    def tokens(self, length: int | None = None) -> list[int]:
        """Return the encoding of the prefix of `length` bytes, by default of the whole text."""
        end = len(self._data) if length is None else length
        found = []
        while end:
            found.append(self._last[end])
            end -= len(self._dictionary.bytes_of[self._last[end]])
        return found if self._mirrored else found[::-1]


def encode(dictionary: TokenDictionary, data: bytes) -> list[int]:
    """Return the token ids of `data`, in linear time on any input.

    >>> encode(TokenDictionary.of("a b c ab cb ac bb cbb acbb"), b"abacbb")
    [3, 8]
    """
    table = TokenTable(dictionary)
    table.extend(data)
    return table.tokens()
