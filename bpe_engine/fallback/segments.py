"""Encode segments of normalized text: as a whole by the engine, or pre-token by pre-token.

    EngineSegments    the pre-tokenizers are a named grammar, one pattern, or none: the engine splits and merges the segment, and the
                      engine's own encoders count it while it grows
    PieceSegments     any other pre-tokenizers: `fallback/splitting.py` splits, and each pre-token is merged by itself and cached

Some pre-tokenizers put a character before a segment (ByteLevel with `add_prefix_space`, Metaspace), only at its start:
`at_start`.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from bpe_engine.fallback.cuts import PieceCuts
from bpe_engine.fallback.merging import Merging
from bpe_engine.fallback.piece_models import PieceModel
from bpe_engine.fallback.pieces import PieceCounts, PieceIds
from bpe_engine.fallback.splitting import Piece, Splitting
from bpe_engine.formats.byte_alphabet import bytes_of
from bpe_engine.patterns import GPT2, Pattern
from bpe_engine.pipeline.pre_tokenizers import ByteLevel, Metaspace, PreTokenizer
from bpe_engine.pipeline.recognition import named_pattern
from bpe_engine.pipeline.specification import Specification
from bpe_engine.text.input import byte_places
from bpe_engine.text.safe_splits import SAFE_SPLIT, has_safe_splits

_BEFORE_SPACE = re.compile(r"(?<=[0-9A-Za-z])(?= )")
_PLAIN_SAFE_SPLIT = re.compile(r"(?<=[0-9A-Za-z])(?=[ \t\n\r!\"#$%&()*+,\-./:;<=>?@\[\\\]^_`{|}~])")


class Start(NamedTuple):
    """The text put before a segment, unless it already starts with it. `first_only`: only at the start of the whole text."""

    text: str = ""
    first_only: bool = False
    space: str = " "
    """The text that replaces a space."""

    def before(self, text: str, *, is_first: bool) -> str:
        """Return the text to put before a segment that starts with `text`."""
        if not self.text or not text or (self.first_only and not is_first) or text.startswith(self.text):
            return ""
        return self.text


def segments_of(specification: Specification) -> Segments:
    """Return the object that splits and merges the segments of a specification. Raises VocabularyError and PatternError."""
    stages = specification.pre_tokenizers
    if specification.model != "merges":
        return PieceSegments(PieceModel(specification), Splitting(stages))
    in_bytes = specification.alphabet == "bytes"
    single = (_single_pattern(stages) if in_bytes else None) or _no_pattern(stages, in_bytes=in_bytes)
    if single is not None:
        pattern, start = single
        merging = Merging(specification, pattern)
        if merging.is_ordered and not merging.whole_tokens:
            return EngineSegments(merging, start, Splitting(stages), pattern)
    return PieceSegments(Merging(specification, None), Splitting(stages))


def _single_pattern(stages: tuple[PreTokenizer, ...]) -> tuple[Pattern, Start] | None:
    """Return the one pattern that equals these stages, and the text put before a segment; None if no pattern does."""
    match stages:
        case (Pattern() as pattern,):
            return pattern, Start()
        case (ByteLevel(True, True),):
            return GPT2, Start(" ")
        case _:
            named = named_pattern(stages)
            return None if named is None else (named, Start())


def _no_pattern(stages: tuple[PreTokenizer, ...], *, in_bytes: bool) -> tuple[None, Start] | None:
    """Return the text put before a segment if the stages never split; None if they do."""
    match stages:
        case ():
            return None, Start()
        case (ByteLevel(added, False),) if in_bytes:
            return None, Start(" " if added else "")
        case (Metaspace(replacement, scheme, False),):
            return None, Start("" if scheme == "never" else replacement, scheme == "first", replacement)
        case _:
            return None


class Segments(ABC):
    """Segments of normalized text -> tokens. Immutable except for its caches; threads may share it."""

    def __init__(self, merging: Merging | PieceModel, splitting: Splitting) -> None:
        self.merging = merging
        self.splitting = splitting
        # After ByteLevel the characters of a piece stand for bytes. A vocabulary of characters has its tokens in that
        # form, too.
        self._in_bytes = splitting.in_bytes and isinstance(merging, Merging) and merging.recoding is None

    @property
    @abstractmethod
    def is_incremental(self) -> bool:
        """Whether safe splits inside a segment are known."""

    @abstractmethod
    def safe_splits(self, text: str, *, plain: bool, space: str) -> Iterator[int]:
        """Return the safe splits of a text, ascending, in characters.

        `plain`: only those between ASCII characters, because normalizers may change others. `space` is the normalized
        form of a space.
        """

    @abstractmethod
    def count(self, text: str, *, is_first: bool, at_start: bool = True) -> int:
        """Return the number of tokens of a segment, or of its part after its start if `at_start` is false."""

    @abstractmethod
    def encode(self, text: str, *, is_first: bool) -> list[int]:
        """Return the token ids of a segment."""

    def split(self, text: str, *, is_first: bool) -> list[str]:
        """Return the pre-tokens of a segment."""
        return [piece.text for piece in self.splitting.pieces(Piece(text, is_first, None))]

    def encode_aligned(self, text: str, places: list[int], *, is_first: bool) -> Iterable[tuple[int, int]]:
        """Yield the token ids, each with its start offset in the whole text; `places` are the offsets of the characters of `text` there."""
        for piece in self.splitting.pieces(Piece(text, is_first, places)):
            if piece.places is not None:
                yield from ((token, piece.places[start]) for token, start in self._encode_piece(piece.text))

    def _encode_piece(self, piece: str) -> list[tuple[int, int]]:
        """Return the ids of a pre-token as the stages produce it, each with its offset in `piece`."""
        if not self._in_bytes:
            return self.merging.encode_aligned(piece)
        text = bytes_of(piece).decode("utf-8", "surrogateescape")
        places = byte_places(text)
        return [(token, places[start]) for token, start in self.merging.encode_aligned(text)]


class EngineSegments(Segments):
    """Segments that the engine encodes as a whole."""

    def __init__(self, merging: Merging, start: Start, splitting: Splitting, pattern: Pattern | None) -> None:
        super().__init__(merging, splitting)
        self.merging: Merging = merging
        self.start = start
        self.engine = merging.engine
        self.pattern = pattern
        self._separators: dict[str, bool] = {}

    @property
    def is_incremental(self) -> bool:
        """Whether safe splits inside a segment are known: true unless the pattern is a custom one without safe splits."""
        return self.pattern is None or has_safe_splits(self.pattern)

    def internal(self, text: str, *, is_first: bool = False, at_start: bool = False) -> bytes:
        """Return the internal text for the engine of a part of a segment."""
        if self.start.space != " ":
            text = text.replace(" ", self.start.space)
        if at_start:
            text = self.start.before(text, is_first=is_first) + text
        return self.merging.recoded(text)

    def safe_splits(self, text: str, *, plain: bool, space: str) -> Iterator[int]:
        """As `Segments.safe_splits`."""
        if self.pattern is None:
            space = space.replace(" ", self.start.space)
            cut = _BEFORE_SPACE if self._begins_tokens(space) else None
        else:
            cut = (_PLAIN_SAFE_SPLIT if plain else SAFE_SPLIT) if space == " " else None
        return iter(()) if cut is None else (found.start() for found in cut.finditer(text))

    def _begins_tokens(self, space: str) -> bool:
        """Whether no token has an ASCII letter or digit before a space, so that no merge crosses such a place."""
        known = self._separators.get(space)
        if known is None:
            joined = re.compile(b"[0-9A-Za-z]" + re.escape(space[:1].encode()))
            known = bool(space) and not any(joined.search(token) for token in self.engine.sorted_tokens())
            self._separators[space] = known
        return known

    def count(self, text: str, *, is_first: bool, at_start: bool = True) -> int:
        """As `Segments.count`."""
        return self.engine.count(self.internal(text, is_first=is_first, at_start=at_start))

    def encode(self, text: str, *, is_first: bool) -> list[int]:
        """As `Segments.encode`."""
        return self.merging.external(self.engine.encode_ordinary(self.internal(text, is_first=is_first, at_start=True)))


class PieceSegments(Segments):
    """Segments that are encoded pre-token by pre-token."""

    def __init__(self, merging: Merging | PieceModel, splitting: Splitting) -> None:
        super().__init__(merging, splitting)
        self._piece_ids = _PieceIds(self._ids_of_piece)
        self._piece_counts = PieceCounts(self._piece_ids)

    @cached_property
    def cuts(self) -> PieceCuts | None:
        """The safe splits between pre-tokens; None if they are not known."""
        return PieceCuts.of(self.splitting.stages)

    @property
    def is_incremental(self) -> bool:
        """As `Segments.is_incremental`."""
        return self.cuts is not None

    def safe_splits(self, text: str, *, plain: bool, space: str) -> Iterator[int]:  # noqa: ARG002 - they are between plain characters anyway
        """As `Segments.safe_splits`."""
        return iter(()) if self.cuts is None or space != " " else self.cuts.all(text)

    def count(self, text: str, *, is_first: bool, at_start: bool = True) -> int:  # noqa: ARG002 - the stages look for themselves
        """As `Segments.count`."""
        return sum(self._piece_counts[piece.text] for piece in self.splitting.pieces(Piece(text, is_first, None)))

    def encode(self, text: str, *, is_first: bool) -> list[int]:
        """As `Segments.encode`."""
        ids: list[int] = []
        for piece in self.splitting.pieces(Piece(text, is_first, None)):
            ids += self._piece_ids[piece.text]
        return ids

    def _ids_of_piece(self, piece: str) -> Sequence[int]:
        return self.merging.encode_piece(
            bytes_of(piece).decode("utf-8", "surrogateescape") if self._in_bytes else piece
        )


class _PieceIds(PieceIds):
    """Pre-token -> ids, computed from the pre-token itself instead of its bytes."""

    def __init__(self, encode: Callable[[str], Sequence[int]]) -> None:
        super().__init__(lambda data: encode(data.decode("utf-8", "surrogateescape")))
