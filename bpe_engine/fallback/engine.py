"""The engine of a vocabulary, in Python."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from bpe_engine.encoders import AppendingEncoder, IntervalEncoder, PrependingEncoder
from bpe_engine.errors import VocabularyError
from bpe_engine.fallback import appending_encoder, interval_encoder, prepending_encoder
from bpe_engine.fallback.merge_order import Reordered, find_halves, reorder
from bpe_engine.fallback.pieces import PieceCounts, PieceIds, encode_piece
from bpe_engine.fallback.pretokenizer import NamedPattern, PreTokenizer, pretokenizer_for
from bpe_engine.reference.dictionary import TokenDictionary
from bpe_engine.special_tokens import Specials, SpecialTokens
from bpe_engine.text.input import received, require_int, to_bytes
from bpe_engine.text.offsets import character_starts, starts_of_pieces
from bpe_engine.text.truncation import Text, truncated
from bpe_engine.threads import in_threads
from bpe_engine.token_table import Lookup, TokenTable
from bpe_engine.vocabulary import Vocabulary

if TYPE_CHECKING:
    from bpe_engine.engine import Engine

# Characters. A text is split block by block, so that the pre-tokens of a large one are never all in memory.
BLOCK = 1 << 16


class VocabularyEngine:
    """The engine of a vocabulary, in Python. Raises VocabularyError for tokens that it cannot merge. See `engine.Engine`.

    Args:
        encode_piece: Encodes the bytes of one pre-token to ids; the engine's own merging by default. A caller that
            passes it also passes `lookup`, and `reordered` if it applies.
        reordered: The tokens in merge order, if their ids are not in that order.
        lookup: The source of the token table's tokens; this engine by default.
        not_native: The reason why the compiled core does not run this vocabulary.
        made_by: Makes the same engine again when it is unpickled.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        encode_piece: Callable[[bytes], Sequence[int]] | None = None,
        reordered: Reordered | None = None,
        *,
        lookup: Lookup | None = None,
        not_native: str = "the implementation that runs is 'python'",
        made_by: Callable[[Vocabulary], Engine] | None = None,
    ) -> None:
        self._vocabulary = vocabulary
        self._reordered = reordered
        if (
            encode_piece is None and vocabulary.embedded is None
        ):  # other vocabularies come with their order or need none
            self._reordered = _reordered(vocabulary)
        found = self._reordered
        self._places = None if found is None else {token_id: place for place, token_id in enumerate(found.ids)}
        self.pretokenizer: PreTokenizer = pretokenizer_for(vocabulary.pattern)
        self.encode_piece = encode_piece or self._encode_piece
        self._piece_ids = PieceIds(self.encode_piece)
        self.piece_counts = PieceCounts(self._piece_ids)
        self.table = TokenTable(vocabulary, lookup or self)
        self._special_tokens = SpecialTokens(vocabulary.special_tokens)
        self.not_native = not_native
        self._made_by = made_by

    def __reduce__(self) -> tuple[Callable[[Vocabulary], Engine], tuple[Vocabulary]]:
        return self._made_by or type(self), (self._vocabulary,)

    @property
    def is_incremental(self) -> bool:
        """As `Engine`: false under a custom pattern that looks back."""
        return not self.pretokenizer.looks_back

    @cached_property
    def dictionary(self) -> TokenDictionary:
        """The tokens in merge order. If they are reordered, their ids here are places in `Reordered.tokens`, not the ids of the vocabulary."""
        found = self._reordered
        if found is None:
            ranks = self._vocabulary.ranks
            return TokenDictionary(
                {token: token_id for token, token_id in ranks.items() if token} if b"" in ranks else ranks
            )
        ids = {token: number for number, token in enumerate(found.tokens)}
        halves = dict(enumerate(found.halves))
        return (
            TokenDictionary(ids, halves)
            if found.is_exact
            else TokenDictionary(ids, halves, found.priorities, found.crossings)
        )

    def encode_ordinary(self, text: str | bytes) -> list[int]:
        """Return the token ids of `text`, taking special tokens in it as plain text: `encode` with no options."""
        ids: list[int] = []
        for block in self.pieces(received(text)):
            ids.extend(chain.from_iterable(map(self._piece_ids.__getitem__, block)))
        return ids

    def encode_to_buffer(self, text: str | bytes) -> memoryview:
        """Return the token ids of `text` as one array of unsigned 32-bit integers (buffer protocol, four bytes a token)."""
        return memoryview(array("I", self.encode_ordinary(text))).toreadonly()

    def count(self, text: str | bytes) -> int:
        """Return the number of tokens of `text`: `len(encode(text))`, without making the ids."""
        return self.count_characters(received(text))

    def count_characters(self, characters: str) -> int:
        """Return the `count` of text that has already gone through `received`."""
        return sum(sum(map(self.piece_counts.__getitem__, block)) for block in self.pieces(characters))

    def count_up_to(self, text: str | bytes, limit: int) -> int | None:
        """Return the number of tokens of `text`, or None if it is above `limit`. Stops reading soon after the limit."""
        require_int(limit, "limit")
        characters = received(text)
        encoder = self.appending_encoder()
        step = max(64, limit)
        for start in range(0, len(characters), step):
            encoder.append(to_bytes(characters[start : start + step]))
            if encoder.fewest > limit:
                return None
        return encoder.count if encoder.count <= limit else None

    def split(self, text: str | bytes) -> list[str]:
        """Return the pre-tokens of `text`; no token crosses from one to the next. Bytes that are not UTF-8 appear as U+DC80..U+DCFF."""
        return list(chain.from_iterable(self.pieces(received(text))))

    def count_batch(self, texts: Iterable[str | bytes], *, num_threads: int = 8) -> list[int]:
        """Return the `count` of each text, in order."""
        return in_threads(self.count, texts, num_threads)

    def encode_ordinary_batch(self, text: Iterable[str | bytes], *, num_threads: int = 8) -> list[list[int]]:
        """Return the `encode_ordinary` of each text, in order."""
        return in_threads(self.encode_ordinary, text, num_threads)

    def appending_encoder(self) -> AppendingEncoder:
        """Return an encoder that counts a text growing to the right."""
        return appending_encoder.AppendingEncoder(self)

    def prepending_encoder(self) -> PrependingEncoder:
        """Return an encoder that counts a text growing to the left."""
        return prepending_encoder.PrependingEncoder(self)

    def interval_encoder(self, text: str | bytes) -> IntervalEncoder:
        """Return an encoder that counts any slice of `text`."""
        return interval_encoder.IntervalEncoder(self, text)

    @staticmethod
    def interface() -> None:
        """As `Engine` says."""

    def encode_with_starts(self, text: str | bytes) -> tuple[list[int], list[int]]:
        """As `Engine`; works for patterns that drop some of the text, too."""
        characters = received(text)
        starts = starts_of_pieces(
            characters,
            self.pretokenizer.spans(characters),
            self._piece_ids.__getitem__,
            self.table.decode_single_token_bytes,
        )
        return self.encode_ordinary(text), starts

    character_starts = staticmethod(character_starts)

    def encode_special(self, text: str | bytes, allowed: Specials, disallowed: Specials) -> list[int]:
        """As `Engine` says."""
        return self._special_tokens.encode(text, allowed, disallowed, self.encode_ordinary)

    def check_special(self, text: str | bytes, allowed: Specials, disallowed: Specials) -> None:
        """As `Engine` says."""
        self._special_tokens.check(text, allowed, disallowed)

    def find_special(self, characters: str, allowed: Specials) -> Iterable[tuple[int, int, int]]:
        """As `Engine` says."""
        return self._special_tokens.spans(characters, allowed)

    def truncate(self, text: Text, most: int, *, head: bool) -> Text:
        """As `Engine` says."""
        return truncated(self, text, most, head=head)

    def pieces(self, characters: str) -> Iterator[list[str]]:
        """Yield the pre-tokens of text that has gone through `received`, block by block."""
        pretokenizer = self.pretokenizer
        if not isinstance(pretokenizer, NamedPattern):
            yield [characters[start:end] for start, end in pretokenizer.spans(characters)]
            return
        start, size = 0, BLOCK
        while start < len(characters):
            text = characters[start : start + size]
            found = pretokenizer.split(text)
            if start + size < len(characters):
                del found[-pretokenizer.lookback :]
                if not found:
                    size *= 2  # one pre-token fills the block
                    continue
            yield found
            start += sum(map(len, found))
            size = BLOCK

    # --- the tokens, for the token table (`Lookup`)

    def bytes_of(self, token: int) -> bytes | None:
        """Return the bytes of a token that is not special, or None if no such token has the id."""
        if self._places is not None:
            token = self._places.get(token, -1)
        return self.dictionary.bytes_of.get(token)

    def id_of(self, token: bytes) -> int | None:
        """Return the id of the token with exactly these bytes, or None if there is none."""
        found = self.dictionary.id_of.get(token)
        return found if found is None or self._reordered is None else self._reordered.ids[found]

    def largest_id(self) -> int:
        """Return the largest id of a token that is not special."""
        return max(self.dictionary.bytes_of if self._reordered is None else self._reordered.ids)

    def joined(self, tokens: Sequence[int], special: Mapping[int, bytes]) -> bytes | None:
        """Return the bytes of tokens, special or not, as one; None if no token has one of the ids."""
        parts = []
        for token in tokens:
            found = self.bytes_of(token)
            parts.append(special.get(token) if found is None else found)
        return None if None in parts else b"".join(filter(None, parts))

    def sorted_tokens(self) -> list[bytes]:
        """Return the bytes of all tokens except the special ones, ascending."""
        return sorted(self.dictionary.id_of)

    def _encode_piece(self, piece: bytes) -> Sequence[int]:
        found = encode_piece(self.dictionary, piece)
        return found if self._reordered is None else tuple(map(self._reordered.ids.__getitem__, found))


def vocabulary_engine(vocabulary: Vocabulary) -> Engine:
    """Return the engine of a vocabulary.

    Raises VocabularyError if its tokens cannot be merged, PatternError if its pattern does not compile.
    """
    return VocabularyEngine(vocabulary)


def _reordered(vocabulary: Vocabulary) -> Reordered | None:
    """Return the tokens in merge order, or None if that is the order of their ids. Raises VocabularyError."""
    ranks, merge_ranks = vocabulary.ranks, vocabulary.merge_ranks
    tokens = sorted(filter(None, ranks), key=ranks.__getitem__)
    if merge_ranks is None:
        try:
            TokenDictionary({token: ranks[token] for token in tokens}).check_merge_order()
        except VocabularyError:
            merge_ranks = {}  # the ids are the ranks; `reorder` raises the error again unless it was the order alone
        else:
            return None
    ids = [ranks[token] for token in tokens]
    return reorder(tokens, ids, [merge_ranks.get(token_id, token_id) for token_id in ids], find_halves)
