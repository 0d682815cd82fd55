"""Vocabulary: the data of a byte-pair tokenizer, independent of the algorithms that use it.

This module reads no files: `formats/` does, `published/registry.py` finds the published encodings, and
`published/data/` holds the tokens of the embedded encodings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bpe_engine.errors import VocabularyError
from bpe_engine.patterns import Pattern
from bpe_engine.published.data import EMBEDDED, load_planes, load_ranks

LARGEST_ID = 2**32 - 2
"""The largest token id. Buffers hold ids as unsigned 32-bit integers, whose largest value, one more than this, means no token."""


@dataclass(frozen=True)
class Vocabulary:
    """The data of a byte-pair tokenizer: tokens, merge order, special tokens and the pre-tokenization pattern.

    An id is also the merge rank, unless `merge_ranks` is given: of two possible merges the one that makes the token of
    lower rank comes first, regardless of the ids of its halves; of equal ranks the leftmost. Ids are from 0 to
    `LARGEST_ID`, and gaps are allowed (p50k_base has a gap at its special token). The order of the dictionary has no
    meaning. An empty token, which Whisper's file has, keeps its id, and no text is encoded to it.

    Do not change the dictionaries after passing them, because tokenizers share them.

    Args:
        name: The published name of the encoding, any label, or None.
        ranks: The bytes of each token -> its id. A vocabulary of embedded data makes this dictionary on first access,
            which takes a tenth of a second.
        special_tokens: The text of each special token -> its id, which no token in `ranks` has. Two special tokens may
            share an id: o200k_harmony publishes 200018 both as `<|endofprompt|>` and as `<|reserved_200018|>`.
        pattern: Splits a text into pre-tokens, which no merge crosses. None makes the whole text one pre-token.
        merge_ranks: Id -> merge rank, from 0 to `LARGEST_ID`, if ranks are not the ids themselves.

    Attributes:
        embedded: The name of the package data that holds the tokens, if the registry made the vocabulary; otherwise
            None.

    Raises:
        VocabularyError: The vocabulary breaks one of these rules; the message names the token.
    """

    name: str | None
    ranks: dict[bytes, int] = field(repr=False)
    special_tokens: dict[str, int] = field(default_factory=dict, repr=False)
    pattern: Pattern | None = None
    merge_ranks: dict[int, int] | None = field(default=None, repr=False)
    embedded: str | None = field(default=None, init=False, repr=False)
    _load: Callable[[str], Vocabulary] | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_tokens(self.ranks)
        _check_special_tokens(self.special_tokens, self.ranks)
        if self.merge_ranks is not None:
            _check_merge_ranks(self.merge_ranks, self.ranks)

    @classmethod
    def from_ranks(
        cls,
        ranks: Mapping[bytes, int],
        *,
        name: str | None = None,
        special_tokens: Mapping[str, int] | None = None,
        pattern: Pattern | None = None,
    ) -> Vocabulary:
        """Create a vocabulary with copies of the mappings, so that the caller may change the originals.

        Args:
            ranks: The bytes of each token -> its id, which is its merge rank.
            name: A label, or None.
            special_tokens: The text of each special token -> its id.
            pattern: The pre-tokenization pattern; None makes the whole text one pre-token.

        Returns:
            A vocabulary that has been checked.

        Raises:
            VocabularyError: The tokens or ids are not usable; the message names the token.
        """
        return cls(name, dict(ranks), dict(special_tokens or {}), pattern)

    @classmethod
    def from_tokens(
        cls,
        tokens: Iterable[bytes],
        *,
        name: str | None = None,
        special_tokens: Mapping[str, int] | None = None,
        pattern: Pattern | None = None,
    ) -> Vocabulary:
        """Create a vocabulary from tokens in merge order: the n-th token, from 0, has the id n.

        Args:
            tokens: The bytes of the tokens, in merge order.
            name: A label, or None.
            special_tokens: The text of each special token -> its id.
            pattern: The pre-tokenization pattern; None makes the whole text one pre-token.

        Returns:
            A vocabulary whose merge ranks are 0, 1, 2 and so on.

        Raises:
            VocabularyError: A token is a duplicate, or the ids are not usable; the message names the token.

        Examples:
            >>> Vocabulary.from_tokens([b"a", b"b", b"ab"]).ranks
            {b'a': 0, b'b': 1, b'ab': 2}
        """
        ranks: dict[bytes, int] = {}
        for token_id, token in enumerate(tokens):
            if ranks.setdefault(token, token_id) != token_id:
                raise VocabularyError(f"the token {token!r} occurs twice, as id {ranks[token]} and as id {token_id}")
        return cls(name, ranks, dict(special_tokens or {}), pattern)

    @classmethod
    def from_embedded(
        cls,
        name: str,
        embedded: str,
        special_tokens: dict[str, int],
        pattern: Pattern | None,
        load: Callable[[str], Vocabulary] | None = None,
    ) -> Vocabulary:
        """Create a vocabulary over package data, which is read on first use and not checked: the tests check the data.

        Args:
            name: The name of the encoding.
            embedded: The name of the package data that holds its tokens.
            special_tokens: The text of each special token -> its id.
            pattern: The pre-tokenization pattern; None makes the whole text one pre-token.
            load: A function that returns this vocabulary for its name; pickles call it. None pickles the tokens
                themselves.

        Returns:
            A vocabulary that has not read its tokens yet.
        """
        vocabulary = cls.__new__(cls)
        vars(vocabulary).update(
            name=name, embedded=embedded, special_tokens=special_tokens, pattern=pattern, merge_ranks=None, _load=load
        )
        return vocabulary

    if not TYPE_CHECKING:  # otherwise a type checker would assume that any attribute exists

        def __getattr__(self, attribute: str) -> dict[bytes, int]:
            # Called for attributes that are not set, such as `ranks` of an embedded vocabulary at first access.
            if attribute != "ranks" or self.embedded is None:
                return super().__getattribute__(attribute)  # raises the usual error
            return vars(self).setdefault("ranks", load_ranks(self.embedded))

    @property
    def planes(self) -> bytes | None:
        """The tokens in the form that the compiled core reads (`published/data/packing.py`), without making `ranks`.

        Each access reads the data again. None for a vocabulary that is not embedded.
        """
        return None if self.embedded is None else load_planes(self.embedded)

    @property
    def empty_token(self) -> int | None:
        """The id of the token without bytes; None if there is no such token, which is usual."""
        return None if self.embedded is not None else self.ranks.get(b"")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Vocabulary):
            return NotImplemented
        if (self.name, self.special_tokens, self.pattern) != (other.name, other.special_tokens, other.pattern):
            return False
        if self.embedded is not None and self.embedded == other.embedded:
            return True  # without comparing the dictionaries
        return self.ranks == other.ranks and self.merge_ranks == other.merge_ranks

    def __hash__(self) -> int:
        return hash((self.name, len(self), self.pattern))

    def __len__(self) -> int:
        """The number of tokens, without special tokens."""
        return len(self.ranks) if self.embedded is None else EMBEDDED[self.embedded]

    def __reduce__(self) -> tuple[Callable[..., Vocabulary], tuple[Any, ...]]:
        # An embedded vocabulary is pickled as its name: about forty bytes instead of two megabytes.
        if self.embedded is not None and self._load is not None:
            return self._load, (self.name,)
        return Vocabulary, (self.name, self.ranks, self.special_tokens, self.pattern, self.merge_ranks)


def _check_tokens(ranks: dict[bytes, int]) -> None:
    # Each check is one pass in C over a quarter of a million entries; the wrong entry is searched for only if a check
    # fails.
    if not any(ranks):
        raise VocabularyError("the vocabulary has no tokens")
    if set(map(type, ranks)) != {bytes}:
        token = next(token for token in ranks if type(token) is not bytes)
        raise VocabularyError(f"tokens must be bytes, but {token!r} is {type(token).__name__}")
    if set(map(type, ranks.values())) != {int}:
        token, token_id = next((token, i) for token, i in ranks.items() if type(i) is not int)
        raise VocabularyError(f"the id of the token {token!r} must be an int, not {token_id!r}")
    if min(ranks.values()) < 0:
        token = min(ranks, key=ranks.__getitem__)
        raise VocabularyError(f"the token {token!r} has the negative id {ranks[token]}")
    if max(ranks.values()) > LARGEST_ID:
        token = max(ranks, key=ranks.__getitem__)
        raise VocabularyError(f"the token {token!r} has the id {ranks[token]}; the largest that fits is {LARGEST_ID}")
    if len(set(ranks.values())) != len(ranks):
        owners: dict[int, bytes] = {}
        for token, token_id in ranks.items():
            first = owners.setdefault(token_id, token)
            if first != token:
                raise VocabularyError(f"the tokens {first!r} and {token!r} have the same id {token_id}")


def has_lone_surrogate(text: str) -> bool:
    """Whether `text` holds a lone surrogate, which has no UTF-8 form.

    >>> has_lone_surrogate("\\ud800"), has_lone_surrogate("\U0001f44d")
    (True, False)
    """
    return not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)


def _check_merge_ranks(merge_ranks: dict[int, int], ranks: dict[bytes, int]) -> None:
    for token, token_id in ranks.items():
        rank = merge_ranks.get(token_id)
        if type(rank) is not int or not 0 <= rank <= LARGEST_ID:
            raise VocabularyError(
                f"the merge rank of the token {token!r} must be an int from 0 to {LARGEST_ID}, not {rank!r}"
            )


def _check_special_tokens(special_tokens: dict[str, int], ranks: dict[bytes, int]) -> None:
    if not special_tokens:
        return
    for text, token_id in special_tokens.items():
        if type(text) is not str or not text:
            raise VocabularyError(f"a special token must be a str of at least one character, not {text!r}")
        if has_lone_surrogate(text):
            raise VocabularyError(f"the special token {text!r} contains a lone surrogate, which is not a character")
        if type(token_id) is not int or token_id < 0:
            raise VocabularyError(
                f"the id of the special token {text!r} must be an int of at least 0, not {token_id!r}"
            )
        if token_id > LARGEST_ID:
            raise VocabularyError(
                f"the special token {text!r} has the id {token_id}; the largest that fits is {LARGEST_ID}"
            )
    taken = set(special_tokens.values()).intersection(ranks.values())
    if taken:
        text, token_id = next((text, i) for text, i in special_tokens.items() if i in taken)
        token = next(token for token, i in ranks.items() if i == token_id)
        raise VocabularyError(f"the special token {text!r} and the token {token!r} have the same id {token_id}")
