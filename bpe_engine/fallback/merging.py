"""Merge a pre-token into ids for a specification: the merges become the ranks of an internal vocabulary for the engine.

    specification            ids in any order; characters or bytes; a list of pairs, or ranks; tokens that no merge makes
    internal vocabulary      bytes; the id is the merge rank

With `alphabet="characters"` the internal text is bytes, too, and each character is merged from its UTF-8 before any
other merge:

    a known character        its UTF-8: E4 B8 AD                          merges: E4 B8, then E4B8 AD; their ranks are below all real ones
    a byte of another one    two bytes never in UTF-8: F5-F8, 80-BF       merges: F5 80
    an unknown character     F9 80                                        merges: F9 80

The bytes merge to whole characters first, so half a character is never left over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate

from bpe_engine.errors import EncodingError
from bpe_engine.fallback.definition import RankOf, merge_by_definition
from bpe_engine.fallback.engine import VocabularyEngine
from bpe_engine.fallback.ranking import rank_by_pairs
from bpe_engine.patterns import Pattern
from bpe_engine.pipeline.characters import compiled
from bpe_engine.pipeline.merges import check_merges
from bpe_engine.pipeline.specification import Specification
from bpe_engine.text.input import to_bytes
from bpe_engine.vocabulary import Vocabulary

# In recoded text a byte that is not UTF-8 is a lone surrogate, as errors="surrogateescape" makes it.
_UNKNOWN = "\udcf9\udc80"
_SYNTHETIC = -1


class Merging:
    """The merges of a specification. Immutable except for its caches; threads may share it.

    Raises VocabularyError, beginning with the specification's source, for merges that cannot be honoured.
    """

    def __init__(self, specification: Specification, pattern: Pattern | None) -> None:
        self._specification = specification
        self._tokens = specification.tokens
        self._by_characters = specification.alphabet == "characters"
        check_merges(specification)
        self.whole_tokens: dict[str | bytes, int] = {}
        """Pre-token -> the id of the token that it is, whatever its merges would give: `ignore_merges`."""
        self._rank_of: RankOf | None = None
        order = self._order()
        tokens = self._internal_tokens(order)
        self._ids = list(tokens.values())
        self.engine = VocabularyEngine(Vocabulary.from_tokens(tokens, name=specification.name, pattern=pattern))
        """The engine over the internal vocabulary."""
        self.recoding = Recoding(specification) if self._by_characters else None

    @property
    def is_ordered(self) -> bool:
        """Whether the engine runs the merges; otherwise `merge_by_definition` does."""
        return self._rank_of is None

    @property
    def joins_unknown(self) -> bool:
        """Whether the tokens of an unknown character depend on whether the character before it is unknown."""
        return self._specification.fuse_unknown and isinstance(self._specification.unknown, int)

    def _order(self) -> list[int]:
        """The ids of the internal vocabulary in merge order; none where the definition has to do."""
        specification, tokens = self._specification, self._tokens
        merges = specification.merges
        has_ties = False
        if merges is None:
            ranks = specification.ranks
            if ranks is None:
                ranks = {token_id: token_id for token_id in tokens}
            merges = _pairs_of(tokens, ranks)
            long = [rank for token_id, rank in ranks.items() if len(tokens[token_id]) > 1]
            has_ties = len(set(long)) < len(long)
        if specification.subword_prefix or specification.word_suffix:
            self.whole_tokens = (
                {token: token_id for token_id, token in tokens.items()} if specification.ignore_merges else {}
            )
            self._rank_of = self._by_pairs(merges)
            return []
        ranking = rank_by_pairs(tokens, merges, specification.source)
        if has_ties or ranking.disordered is not None:
            if specification.ignore_merges:
                self.whole_tokens = {token: token_id for token_id, token in tokens.items()}
            self._rank_of = self._by_tokens() if specification.merges is None else self._by_pairs(merges)
            return []
        if not specification.ignore_merges:
            return ranking.order
        # The engine also encodes a whole pre-token as a token that no merge makes.
        by_engine = [] if self._by_characters else ranking.unreachable
        left = [*ranking.blocked, *ranking.unreachable] if self._by_characters else ranking.blocked
        self.whole_tokens = {tokens[token_id]: token_id for token_id in left}
        return ranking.order + by_engine

    def _by_pairs(self, merges: Sequence[tuple[int, int]]) -> RankOf:
        id_of = {token: token_id for token_id, token in self._tokens.items()}
        skipped = len(self._specification.subword_prefix)
        known = {
            pair: (place, id_of[self._tokens[pair[0]] + self._tokens[pair[1]][skipped:]])  # type: ignore[operator]  # all are bytes, or all are str
            for place, pair in enumerate(merges)
        }
        return lambda left, right: known.get((left, right))

    def _by_tokens(self) -> RankOf:
        tokens, ranks = self._tokens, self._specification.ranks
        known = {
            tokens[token_id]: (rank, token_id)
            for token_id, rank in (ranks if ranks is not None else {token_id: token_id for token_id in tokens}).items()
        }

        def rank_of(left: int, right: int) -> tuple[int, int] | None:
            if left < 0 or right < 0:
                return None
            return known.get(tokens[left] + tokens[right])  # type: ignore[operator]  # as above

        # Among equal ranks the leftmost merge comes first, whatever token it makes.
        return rank_of

    def _internal_tokens(self, order: list[int]) -> dict[bytes, int]:
        """Return the tokens of the internal vocabulary in merge order, each with the external id; `_SYNTHETIC` for parts of characters."""
        specification, tokens = self._specification, self._tokens
        if not self._by_characters:
            found = {_utf8(tokens[token_id]): token_id for token_id in order}
            return found or {bytes([byte]): _SYNTHETIC for byte in range(256)}
        found = {bytes([byte]): _SYNTHETIC for byte in range(256)}
        for byte, token_id in specification.byte_fallback.items():
            found[to_bytes(_code(byte))] = token_id
        if isinstance(specification.unknown, int):
            found[to_bytes(_UNKNOWN)] = specification.unknown
        for token_id in order:
            if len(tokens[token_id]) == 1:
                character = _utf8(tokens[token_id])
                found |= {
                    character[:size]: _SYNTHETIC for size in range(2, len(character)) if character[:size] not in found
                }
        for token_id in order:
            found[_utf8(tokens[token_id])] = token_id
        return found

    # --- text -> internal text -> ids

    def recoded(self, text: str) -> bytes:
        """Return the internal text of text that has gone through `received`."""
        return to_bytes(text) if self.recoding is None else self.recoding.encode(text)

    def external(self, internal: Sequence[int]) -> list[int]:
        """Return the external ids of internal ids."""
        return list(map(self._ids.__getitem__, internal))

    def encode_piece(self, piece: str) -> Sequence[int]:
        """Return the ids of one pre-token. Raises EncodingError for a character or byte that is not a token, if the specification asks for it."""
        whole = self._whole(piece)
        if whole is not None:
            return (whole,)
        if self._rank_of is not None:
            return [token_id for token_id, _ in self._by_definition(piece, self._rank_of)]
        return self.external(self.engine.encode_piece(self.recoded(piece)))

    def encode_aligned(self, piece: str) -> list[tuple[int, int]]:
        """Return the ids of one pre-token, each with its start offset in `piece`, in characters."""
        whole = self._whole(piece)
        if whole is not None:
            return [(whole, 0)]
        if self._rank_of is not None:
            return self._by_definition(piece, self._rank_of)
        found = self.engine.encode_piece(self.recoded(piece))
        starts = accumulate((len(self.engine.table.decode_single_token_bytes(token)) for token in found), initial=0)
        if self.recoding is None:
            places = [place for place, character in enumerate(piece) for _ in to_bytes(character)]
        else:
            places = self.recoding.places(piece)
        return [(self._ids[token], places[start]) for token, start in zip(found, starts, strict=False)]

    def _whole(self, piece: str) -> int | None:
        return self.whole_tokens.get(piece if self._by_characters else to_bytes(piece)) if self.whole_tokens else None

    def _by_definition(self, piece: str, rank_of: RankOf) -> list[tuple[int, int]]:
        merged = merge_by_definition(list(self._symbols(piece)), rank_of)
        return [(token if token >= 0 else ~token, place) for token, place in merged]

    def _symbols(self, piece: str) -> Iterator[tuple[int, int]]:
        """Yield the ids from which `merge_by_definition` starts, each with its offset in `piece`.

        A token that stands for an unknown character never merges, even if merging can make the same token from other
        text (such as "<0x0A>"). So it is `~token_id` here, which no merge contains.
        """
        fallback, unknown = self._specification.byte_fallback, self._specification.unknown
        after_unknown = False
        for place, character in enumerate(piece):
            parts: list[str | bytes] = (
                [character] if self._by_characters else [bytes([byte]) for byte in to_bytes(character)]
            )
            for number, part in enumerate(parts):
                is_last = place == len(piece) - 1 and number == len(parts) - 1
                atom = self._atom(part, is_first=place == number == 0, is_last=is_last)
                if atom is not None:
                    yield atom, place
                elif fallback and all(byte in fallback for byte in to_bytes(character)):
                    for byte in to_bytes(character):
                        yield ~fallback[byte], place
                elif isinstance(unknown, int):
                    if not (after_unknown and self._specification.fuse_unknown):
                        yield ~unknown, place
                    after_unknown = True
                    continue
                elif unknown == "error":
                    raise no_token(part, place)
                after_unknown = False

    def _atom(self, part: str | bytes, *, is_first: bool, is_last: bool) -> int | None:
        """Return the id of a character or byte at its place in a pre-token (with the subword prefix, the word suffix), or None if it has none."""
        prefix = "" if is_first else self._specification.subword_prefix
        suffix = self._specification.word_suffix if is_last else ""
        if not prefix and not suffix:
            return self._atoms.get(part)
        if isinstance(part, str):
            return self._whole_ids.get(prefix + part + suffix)
        return self._whole_ids.get(prefix.encode() + part + suffix.encode())

    @cached_property
    def _whole_ids(self) -> dict[str | bytes, int]:
        return {token: token_id for token_id, token in self._tokens.items()}

    @cached_property
    def _atoms(self) -> dict[str | bytes, int]:
        return {token: token_id for token_id, token in self._tokens.items() if len(token) == 1}


class Recoding(dict[int, str]):
    """Code point -> its internal text, in the form of `received`; filled as characters are first seen.

    `encode` makes unknown characters in a row one, if the specification fuses them.
    """

    def __init__(self, specification: Specification) -> None:
        super().__init__()
        self._known = {token for token in specification.tokens.values() if len(token) == 1}
        self._fallback = specification.byte_fallback
        self._unknown = specification.unknown
        self._fuses = specification.fuse_unknown and isinstance(specification.unknown, int)

    def __missing__(self, point: int) -> str:
        found = self[point] = self._recode(chr(point))
        return found

    def _recode(self, character: str) -> str:
        if character in self._known:
            return character
        data = to_bytes(character)
        if self._fallback and all(byte in self._fallback for byte in data):
            return "".join(map(_code, data))
        if self._unknown == "error":
            raise no_token(character, 0)
        return "" if self._unknown == "drop" else _UNKNOWN

    def is_unknown(self, character: str) -> bool:
        """Whether this character is encoded as the unknown token."""
        return self[ord(character)] == _UNKNOWN

    def encode(self, text: str) -> bytes:
        """Return the internal text of a text."""
        recoded = text.translate(self)
        if self._fuses and _UNKNOWN in recoded:
            recoded = compiled(f"(?:{_UNKNOWN}){{2,}}").sub(_UNKNOWN, recoded)
        return to_bytes(recoded)

    def places(self, text: str) -> list[int]:
        """Return the source offset in `text`, in characters, of each byte of the internal text."""
        places: list[int] = []
        before = ""
        for place, character in enumerate(text):
            recoded = self[ord(character)]
            if not (self._fuses and recoded == before == _UNKNOWN):
                places += [place] * len(to_bytes(recoded))
            before = recoded or before
        return places


def no_token(part: str | bytes, place: int) -> EncodingError:
    """Return the error for a character or byte that is not a token; `place` is its offset in characters."""
    return EncodingError(f"{part!r} at character {place} is not a token of the vocabulary")


def _code(byte: int) -> str:
    """Return the symbol for one byte of a character that is not a token."""
    return chr(0xDCF5 + (byte >> 6)) + chr(0xDC80 + (byte & 0x3F))


def _utf8(token: str | bytes) -> bytes:
    return token if isinstance(token, bytes) else token.encode("utf-8", "surrogatepass")


def _pairs_of(tokens: Mapping[int, bytes] | Mapping[int, str], ranks: Mapping[int, int]) -> list[tuple[int, int]]:
    """Return the merges as a list of pairs: all pairs of halves of the token with the lowest rank, then of the next.

    >>> _pairs_of({0: b"a", 1: b"aa", 2: b"aaa"}, {2: 9, 1: 5})
    [(0, 0), (0, 1), (1, 0)]
    """
    id_of: dict[bytes | str, int] = {token: token_id for token_id, token in tokens.items()}
    pairs = []
    for token_id in sorted(ranks, key=ranks.__getitem__):
        token = tokens[token_id]
        for cut in range(1, len(token)):
            left = id_of.get(token[:cut])
            right = None if left is None else id_of.get(token[cut:])
            if left is not None and right is not None:
                pairs.append((left, right))
    return pairs
