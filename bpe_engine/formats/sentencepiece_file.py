"""Read SentencePiece `.model` files: the pieces, and the settings of training and normalization.

ModelProto   1: pieces    text (1), score (2) and kind (3) each
             2: trainer   model type (3), white space as suffix (24), byte fallback (35), how the unknown piece is written (44)
             3: rules     a name (1), a compiled table (2), a space in front (3), extra spaces removed (4), spaces written as U+2581 (5)
             5: rules for decoded text
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from bpe_engine.errors import VocabularyError
from bpe_engine.formats.protobuf import FOUR_BYTES, LENGTH, NUMBER, fields, float_of
from bpe_engine.implementation import core, implementation

if TYPE_CHECKING:
    from bpe_engine import _core

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6
UNIGRAM, BPE = 1, 2


class Pieces:
    """The pieces of a model, from the list `listed`, or from `read` if the core has read the file; then lists are made on first access."""

    def __init__(self, listed: list[tuple[str, float, int]], read: _core.PieceFile | None = None) -> None:
        self.read = read
        self._listed = listed

    @cached_property
    def all(self) -> list[tuple[str, float, int]]:
        """Text, score and kind of each piece."""
        return self._listed if self.read is None else self.read.pieces()

    @cached_property
    def unusual(self) -> list[tuple[int, str, int]]:
        """Id, text and kind of each piece that is not normal."""
        if self.read is not None:
            return self.read.unusual()
        return [(place, text, kind) for place, (text, _, kind) in enumerate(self._listed) if kind != NORMAL]

    def are_distinct(self) -> bool:
        """Whether no two pieces have the same text."""
        if self.read is not None:
            return self.read.are_distinct()
        return len({text for text, _, _ in self._listed}) == len(self._listed)

    def texts_of(self, kinds: Collection[int]) -> dict[int, str]:
        """Return id -> text of the pieces of these kinds, which must not include NORMAL."""
        return {place: text for place, text, kind in self.unusual if kind in kinds}


@dataclass
class SentencePieceModel:
    """The parts of a `.model` file that encoding and decoding need. Flags have the defaults of the format."""

    pieces: Pieces
    model_type: int = UNIGRAM
    byte_fallback: bool = False
    whitespace_as_suffix: bool = False
    unknown_surface: str = " \u2047 "
    normalization: str = ""
    precompiled_charsmap: bytes = b""
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    denormalizes: bool = False


def parse_model(data: bytes, source: str) -> SentencePieceModel:
    """Parse the contents of a file; `source` is the name of the file in error messages. Raises VocabularyError."""
    read = core().read_sentencepiece(data) if implementation() == "cpp" else None
    if read is not None:
        try:
            return _parsed(read.rest, source, read)
        except VocabularyError:
            pass  # raised again below, with the place in the whole file
    return _parsed(data, source, None)


def _parsed(data: bytes, source: str, read: _core.PieceFile | None) -> SentencePieceModel:
    """Parse the model; `read` has the pieces if they are not in `data`."""
    listed: list[tuple[str, float, int]] = []
    model = SentencePieceModel(Pieces(listed, read))
    for number, kind, value, place in fields(data, source):
        if number not in (1, 2, 3, 5):
            continue
        if kind != LENGTH or not isinstance(value, bytes):
            raise VocabularyError(
                f"{source}: byte {place}: field {number} has the type {kind}: not a SentencePiece model"
            )
        if number == 1:
            listed.append(_piece(value, source, place))
        elif number == 2:
            _trainer(model, value, source, place)
        elif number == 3:
            _normalizer(model, value, source, place)
        else:
            model.denormalizes = any(inner == 2 and content for inner, _, content, _ in fields(value, source, place))
    if read is None and not listed:
        raise VocabularyError(f"{source}: the model has no pieces")
    return model


def _piece(data: bytes, source: str, offset: int) -> tuple[str, float, int]:
    text, score, piece_type = "", 0.0, NORMAL
    for number, kind, value, place in fields(data, source, offset):
        if number == 1:
            text = _text(value, source, place)
        elif number == 2:
            found = float_of(value) if kind == FOUR_BYTES else None
            if found is None or found != found:  # noqa: PLR0124 - only NaN is not itself
                raise VocabularyError(f"{source}: byte {place}: the score of the piece {text!r:.80} is not a number")
            score = found
        elif number == 3 and kind == NUMBER and isinstance(value, int):
            piece_type = value
    if not text:
        raise VocabularyError(f"{source}: byte {offset}: a piece is empty")
    return text, score, piece_type


def _trainer(model: SentencePieceModel, data: bytes, source: str, offset: int) -> None:
    for number, _, value, place in fields(data, source, offset):
        if number == 44:
            model.unknown_surface = _text(value, source, place)
        elif not isinstance(value, int):
            continue
        elif number == 3:
            model.model_type = value
        elif number == 24:
            model.whitespace_as_suffix = bool(value)
        elif number == 35:
            model.byte_fallback = bool(value)


def _normalizer(model: SentencePieceModel, data: bytes, source: str, offset: int) -> None:
    for number, kind, value, place in fields(data, source, offset):
        if number == 1:
            model.normalization = _text(value, source, place)
        elif number == 2 and kind == LENGTH and isinstance(value, bytes):
            model.precompiled_charsmap = value
        elif number == 3:
            model.add_dummy_prefix = bool(value)
        elif number == 4:
            model.remove_extra_whitespaces = bool(value)
        elif number == 5:
            model.escape_whitespaces = bool(value)


def _text(value: int | bytes, source: str, place: int) -> str:
    if not isinstance(value, bytes):
        raise VocabularyError(f"{source}: byte {place}: expected a string, not a number")
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError as error:
        raise VocabularyError(f"{source}: byte {place + error.start}: not UTF-8: {error.reason}") from error
