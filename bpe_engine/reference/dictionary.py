"""The token dictionary: bytes <-> ids, the automaton that finds tokens in a text, and how each token came about.

Two facts carry every fast algorithm here (GitHub's `bpe` crate is built on them):

1. Each text has one encoding, and each prefix of it has one last token.
2. A sequence of tokens is the encoding of its bytes if and only if each neighbouring pair is (see `compatible.py`).

Ids are in merge order: of two possible merges the one with the lower id comes first, and a token comes after the two that
it is merged from; `check_merge_order` tells. Where no order of tokens is that of merging in all texts (`bpe_engine/fallback/merge_order.py` tells why), there are
priorities besides, and pairs of merges of which the ids say the wrong one first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import ahocorasick

from bpe_engine.errors import EncodingError, VocabularyError
from bpe_engine.reference.naive import merges

__all__ = ["TokenDictionary"]


class TokenDictionary:
    """All tokens of a vocabulary, without specials. Immutable, but for what it remembers; shared by threads.

    >>> dictionary = TokenDictionary.of("a b c ac bb ab acbb")
    >>> dictionary.id_of[b"acbb"], dictionary.bytes_of[3], dictionary.longest
    (6, b'ac', 4)
    """

    def __init__(
        self,
        ranks: Mapping[bytes, int],
        halves: Mapping[int, tuple[int, int] | None] | None = None,
        priorities: Sequence[int] | None = None,
        crossings: Collection[tuple[int, int]] = (),
    ) -> None:
        """`halves`: where they are known. `priorities`, by id, the lowest first: where ids are not in merge order."""
        self.id_of = ranks if isinstance(ranks, dict) else dict(ranks)
        self.bytes_of = {token: data for data, token in self.id_of.items()}
        self.longest = max(map(len, self.id_of), default=0)
        """The length of the longest token, in bytes."""
        self._halves: dict[int, tuple[int, int] | None] = dict(halves or {})
        self.priorities = priorities
        self.crossings = frozenset(crossings)
        """Two merges that share a half, the left one's right and the right one's left, of which the one with the higher id comes first."""
        self.compatible_pairs: dict[tuple[int, int], bool] = {}
        """What `compatible` has found out so far."""

    @classmethod
    def of(cls, tokens: str) -> TokenDictionary:
        """A small dictionary from its tokens in merge order, parted by spaces; for examples and tests."""
        return cls({token.encode(): number for number, token in enumerate(tokens.split())})

    def __reduce__(self) -> tuple[type[TokenDictionary], tuple[Any, ...]]:
        if self.priorities is None:
            return type(self), (self.id_of,)
        return type(self), (self.id_of, self._halves, self.priorities, self.crossings)

    def comes_first(self, left: int, right: int) -> bool:
        """Whether `left` is made before `right`, of two merges that share a half: the right one of `left` and the left
        one of `right`.
        """
        return (left <= right) != ((left, right) in self.crossings)

    @cached_property
    def automaton(self) -> ahocorasick.Automaton:
        """Finds every token that ends at each byte, longest first. The bytes go in as Latin-1.

        >>> dictionary = TokenDictionary.of("a b c ac bb ab acbb")
        >>> [(end, dictionary.bytes_of[token]) for end, (length, token) in dictionary.automaton.iter("acbb")]
        [(0, b'a'), (1, b'ac'), (1, b'c'), (2, b'b'), (3, b'acbb'), (3, b'bb'), (3, b'b')]
        """
        return self._build_automaton(step=1)

    @cached_property
    def mirrored_automaton(self) -> ahocorasick.Automaton:
        """The automaton for texts that are read from right to left."""
        return self._build_automaton(step=-1)

    def _build_automaton(self, step: int) -> ahocorasick.Automaton:
        automaton = ahocorasick.Automaton()
        for data, token in self.id_of.items():
            automaton.add_word(data[::step].decode("latin-1"), (len(data), token))
        automaton.make_automaton()
        return automaton

    def halves(self, token: int) -> tuple[int, int] | None:
        """The two tokens that `token` is merged from; itself twice where it is a single byte.

        None where merging its bytes does not end in it: no merge ever makes such a token, so it only stands for a
        pre-token that equals it. Raises VocabularyError where one of the two is a byte that is no token.

        >>> dictionary = TokenDictionary.of("a b c ac bb ab acbb")
        >>> dictionary.halves(6), dictionary.halves(0)
        ((3, 4), (0, 0))
        """
        if token not in self._halves:
            self._halves[token] = self._last_merge(token)
        return self._halves[token]

    def check_merge_order(self) -> None:
        """Raise VocabularyError where a token is merged from one that comes later, or from a byte that is no token.

        About 15 microseconds a token.

        >>> TokenDictionary.of("a b bb bbb bbbbbb bbbb").check_merge_order()
        Traceback (most recent call last):
        bpe_engine.errors.VocabularyError: ids are not in merge order: b'bbbbbb' (id 4) is merged from b'bbbb' (id 5)
        """
        for token, data in self.bytes_of.items():
            later = max(self.halves(token) or (token,))
            if later > token:
                raise VocabularyError(
                    f"ids are not in merge order: {data!r} (id {token}) is merged from "
                    f"{self.bytes_of[later]!r} (id {later})"
                )

    def _last_merge(self, token: int) -> tuple[int, int] | None:
        data = self.bytes_of[token]
        if len(data) == 1:
            return token, token
        steps = merges(self, data)
        if steps[-1] != [data]:
            return None
        left, right = steps[-2]
        for half in (left, right):
            if half not in self.id_of:  # a single byte then: all else comes from merging
                raise VocabularyError(f"the token {data!r} (id {token}) holds the byte {half!r}, which is no token")
        return self.id_of[left], self.id_of[right]

    def tokens_at(self, data: bytes, start: int) -> Iterator[int]:
        """The tokens that `data` has at byte `start`, longest first.

        >>> dictionary = TokenDictionary.of("a b c ac bb ab acbb")
        >>> [dictionary.bytes_of[token] for token in dictionary.tokens_at(b"bacbb", 1)]
        [b'acbb', b'ac', b'a']
        """
        window = data[start : start + self.longest]
        for length in range(self.automaton.longest_prefix(window.decode("latin-1")), 0, -1):
            if (token := self.id_of.get(window[:length])) is not None:
                yield token

    def no_token(self, data: bytes, offset: int) -> EncodingError:
        """The error for a byte that is in no token."""
        return EncodingError(f"byte 0x{data[offset]:02x} at byte offset {offset} is in no token of the vocabulary")
