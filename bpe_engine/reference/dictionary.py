"""The token dictionary: bytes <-> ids, the automaton that finds tokens in a text, and the halves of each token.

Every fast algorithm here rests on two facts (as does GitHub's `bpe` crate):

1. Each text has one encoding, and each prefix of it has one last token.
2. A sequence of tokens is the encoding of its bytes if and only if each neighbouring pair is (see `compatible.py`).

Ids are in merge order: of two possible merges the one with the lower id comes first, and a token comes after its two
halves; `check_merge_order` checks that. If no order of tokens is the merge order in all texts (see
`bpe_engine/fallback/merge_order.py`), there are also priorities, and crossings: pairs of merges that happen in the
opposite order of their ids.
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
    """All tokens of a vocabulary, without special tokens. Immutable except for its caches; threads may share it.

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
        """Create a dictionary. `halves`: those already known. `priorities`: merge ranks by id, lowest first, if ids are not in merge order."""
        self.id_of = ranks if isinstance(ranks, dict) else dict(ranks)
        self.bytes_of = {token: data for data, token in self.id_of.items()}
        self.longest = max(map(len, self.id_of), default=0)
        """The length of the longest token, in bytes."""
        self._halves: dict[int, tuple[int, int] | None] = dict(halves or {})
        self.priorities = priorities
        self.crossings = frozenset(crossings)
        """Pairs of merges of which the one with the higher id comes first; the right half of the left token is the left half of the right token."""
        self.compatible_pairs: dict[tuple[int, int], bool] = {}
        """The cache of `compatible`."""

    @classmethod
    def of(cls, tokens: str) -> TokenDictionary:
        """Return a dictionary of tokens in merge order, separated by spaces; for examples and tests."""
        return cls({token.encode(): number for number, token in enumerate(tokens.split())})

    def __reduce__(self) -> tuple[type[TokenDictionary], tuple[Any, ...]]:
        if self.priorities is None:
            return type(self), (self.id_of,)
        return type(self), (self.id_of, self._halves, self.priorities, self.crossings)

    def comes_first(self, left: int, right: int) -> bool:
        """Whether the merge of `left` comes before that of `right`, where the right half of `left` is the left half of
        `right`.
        """
        return (left <= right) != ((left, right) in self.crossings)

    @cached_property
    def automaton(self) -> ahocorasick.Automaton:
        """The automaton that finds every token that ends at each byte, longest first. Its input is the bytes as Latin-1.

        >>> dictionary = TokenDictionary.of("a b c ac bb ab acbb")
        >>> [(end, dictionary.bytes_of[token]) for end, (length, token) in dictionary.automaton.iter("acbb")]
        [(0, b'a'), (1, b'ac'), (1, b'c'), (2, b'b'), (3, b'acbb'), (3, b'bb'), (3, b'b')]
        """
        return self._build_automaton(step=1)

    @cached_property
    def mirrored_automaton(self) -> ahocorasick.Automaton:
        """The automaton for text that is read from right to left."""
        return self._build_automaton(step=-1)

    def _build_automaton(self, step: int) -> ahocorasick.Automaton:
        automaton = ahocorasick.Automaton()
        for data, token in self.id_of.items():
            automaton.add_word(data[::step].decode("latin-1"), (len(data), token))
        automaton.make_automaton()
        return automaton

    def halves(self, token: int) -> tuple[int, int] | None:
        """Return the two tokens that `token` is merged from; itself twice if it is a single byte.

        Returns None if merging its bytes does not make it: no merge ever makes such a token, so it only encodes a
        pre-token that equals it. Raises VocabularyError if one of the two is a byte that is not a token.

        >>> dictionary = TokenDictionary.of("a b c ac bb ab acbb")
        >>> dictionary.halves(6), dictionary.halves(0)
        ((3, 4), (0, 0))
        """
        if token not in self._halves:
            self._halves[token] = self._last_merge(token)
        return self._halves[token]

    def check_merge_order(self) -> None:
        """Raise VocabularyError if a token is merged from a later token, or from a byte that is not a token.

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
            if half not in self.id_of:  # then it is a single byte, because merging makes all others
                raise VocabularyError(
                    f"the token {data!r} (id {token}) contains the byte {half!r}, which is not a token"
                )
        return self.id_of[left], self.id_of[right]

    def tokens_at(self, data: bytes, start: int) -> Iterator[int]:
        """Yield the tokens that start at byte `start` of `data`, longest first.

        >>> dictionary = TokenDictionary.of("a b c ac bb ab acbb")
        >>> [dictionary.bytes_of[token] for token in dictionary.tokens_at(b"bacbb", 1)]
        [b'acbb', b'ac', b'a']
        """
        window = data[start : start + self.longest]
        for length in range(self.automaton.longest_prefix(window.decode("latin-1")), 0, -1):
            if (token := self.id_of.get(window[:length])) is not None:
                yield token

    def no_token(self, data: bytes, offset: int) -> EncodingError:
        """Return the error for a byte that is in no token."""
        return EncodingError(
            f"byte 0x{data[offset]:02x} at byte offset {offset} is not part of any token of the vocabulary"
        )
