r"""SentencePiece models (`.model`) of byte pair encoding and Unigram, as the package `sentencepiece` encodes by them.

    "  Ｈello  world"  ->  "▁Hello▁world"         texts of a compiled table are replaced; spaces are U+2581; one before the text; with remove_extra_whitespaces none too many
    bpe: characters merge, the pair whose token has the highest score first, the leftmost of equals; across words, too
    unigram: of all ways to part the whole text into pieces the one with the highest sum of scores
    a character that is no token is its bytes ("<0xE4>") or the unknown token, one for a run of them

User-defined symbols are found in any text and merge with nothing; in Unigram they have a score of their own. Control symbols such as `</s>` are never found in a text by `sentencepiece`; here they
are special tokens, which `allowed_special` may name.

Decoding: as `sentencepiece`, with three differences. Control symbols are written out; of a run of byte tokens that is no UTF-8 each byte becomes one
U+FFFD; and where extra white space is removed, a U+2581 that the text itself began with is still a space.

Not supported, and refused by name: word and character models, white space as a suffix, and vocabularies of byte pair encoding with unused tokens. All of them count well with
the package itself, whose processor a chunker takes as `tokenizer=`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from bpe_engine.errors import VocabularyError
from bpe_engine.fallback.definition import merge_by_definition
from bpe_engine.formats.protobuf import FOUR_BYTES, LENGTH, NUMBER, fields, float_of
from bpe_engine.formats.scores import byte_fallback_of, ranks_by_score
from bpe_engine.implementation import core, implementation
from bpe_engine.pipeline.charsmaps import table_of
from bpe_engine.pipeline.decoders import ByteFallbackDecoder, Decoder, FuseDecoder, ReplaceDecoder, StripDecoder
from bpe_engine.pipeline.expressions import Expression
from bpe_engine.pipeline.normalizers import Normalizer, Prepend, Replace, SentencePieceText
from bpe_engine.pipeline.pre_tokenizers import Split
from bpe_engine.pipeline.specification import AddedToken, Specification

_NORMAL, _UNKNOWN, _CONTROL, _USER_DEFINED, _UNUSED, _BYTE = 1, 2, 3, 4, 5, 6
_MODEL_TYPES = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}
_UNIGRAM, _BPE = 1, 2
_INSTEAD = "count with the package itself: give its SentencePieceProcessor to a chunker as tokenizer="
MOST_BYTES = 1 << 28
"""A larger file is refused: models have a few megabytes."""


# What the core takes for a piece that no merge makes.
_NO_RANK = 0xFFFFFFFF


@dataclass
class SentencePieceModel:
    """What a `.model` file says, as far as byte pair encoding needs it. Flags have the defaults of the format."""

    pieces: list[tuple[str, float, int]] = field(default_factory=list)
    model_type: int = 1
    byte_fallback: bool = False
    whitespace_as_suffix: bool = False
    unknown_surface: str = " \u2047 "
    normalization: str = ""
    precompiled_charsmap: bytes = b""
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True
    denormalizes: bool = False


def read(path: Path) -> Specification:
    """The specification of a file. Raises VocabularyError naming the file and the place, and OSError."""
    source = str(path)
    if path.stat().st_size > MOST_BYTES:
        raise VocabularyError(f"{source}: no SentencePiece model has more than {MOST_BYTES} bytes")
    return _specification(parse_model(path.read_bytes(), source), path.stem, source)


def parse_model(data: bytes, source: str) -> SentencePieceModel:
    """What the contents of a file say; `source` is what messages call the file. Raises VocabularyError."""
    read = core().read_sentencepiece(data) if implementation() == "cpp" else None
    if read is None:
        return _parsed(data, source, [])
    pieces, rest = read
    try:
        return _parsed(rest, source, pieces)
    except VocabularyError:
        return _parsed(data, source, [])  # says the place in the whole file


def _parsed(data: bytes, source: str, pieces: list[tuple[str, float, int]]) -> SentencePieceModel:
    """The same, `pieces` being those that are not in `data`."""
    model = SentencePieceModel(pieces=pieces)
    for number, kind, value, place in fields(data, source):
        if number not in (1, 2, 3, 5):
            continue
        if kind != LENGTH or not isinstance(value, bytes):
            raise VocabularyError(
                f"{source}: byte {place}: field {number} has the type {kind}: not a SentencePiece model"
            )
        if number == 1:
            model.pieces.append(_piece(value, source, place))
        elif number == 2:
            _trainer(model, value, source, place)
        elif number == 3:
            _normalizer(model, value, source, place)
        else:
            model.denormalizes = any(inner == 2 and content for inner, _, content, _ in fields(value, source, place))
    if not model.pieces:
        raise VocabularyError(f"{source}: the model has no pieces")
    return model


def _piece(data: bytes, source: str, offset: int) -> tuple[str, float, int]:
    text, score, piece_type = "", 0.0, _NORMAL
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


def _specification(model: SentencePieceModel, name: str, source: str) -> Specification:
    _refuse(model, source)
    if model.model_type == _UNIGRAM:
        return _unigram(model, name, source)
    texts = [text for text, _, _ in model.pieces]
    types = [piece_type for _, _, piece_type in model.pieces]
    # Merging knows normal pieces alone: the text of no piece, as an empty one is, keeps the others out.
    normal = [text if kind == _NORMAL else "" for text, kind in zip(texts, types, strict=True)]
    ranks = ranks_by_score(normal, [score for _, score, _ in model.pieces])
    # User-defined symbols are looked for in normalized text. Where normalization puts nothing in and takes nothing out they are added tokens of that kind.
    # Else they are pre-tokens that are taken whole, with which a growing text is counted anew.
    are_added = not (model.add_dummy_prefix or model.remove_extra_whitespaces)
    pre_tokens = () if are_added else (_USER_DEFINED,)
    symbols = [text for text, kind in zip(texts, types, strict=True) if kind in pre_tokens]
    tokens = {token: text for token, text in enumerate(texts) if types[token] in (_NORMAL, *pre_tokens)}
    if symbols:
        # No other pre-token may be taken whole, but those that merging makes, too.
        for token in _never_made({token: text for token, text in enumerate(normal) if text}, ranks):
            del tokens[token]
    fallback = _fallback(model, source)
    unknown = types.index(_UNKNOWN)
    return Specification(
        name=name,
        source=source,
        alphabet="characters",
        tokens=tokens,
        texts_only={
            token: model.unknown_surface if token == unknown else text
            for token, text in enumerate(texts)
            if token not in tokens
        },
        ranks={token: rank for token, rank in ranks.items() if token in tokens},
        ignore_merges=bool(symbols),
        byte_fallback=fallback if model.byte_fallback else {},
        unknown=unknown,
        fuse_unknown=True,
        normalizers=_normalizers(model),
        pre_tokenizers=(Split(Expression(_any_of(symbols))),) if symbols else (),
        added_tokens=tuple(
            AddedToken(text, token, special=types[token] == _CONTROL, normalized=types[token] == _USER_DEFINED)
            for token, text in enumerate(texts)
            if types[token] == _CONTROL or (are_added and types[token] == _USER_DEFINED)
        ),
        decoders=_decoders(model, has_bytes=bool(fallback)),
    )


def _fallback(model: SentencePieceModel, source: str) -> dict[int, int]:
    """The ids of the pieces that stand for bytes."""
    found = byte_fallback_of({text: token for token, (text, _, kind) in enumerate(model.pieces) if kind == _BYTE})
    if model.byte_fallback and len(found) < 256:
        raise VocabularyError(
            f"{source}: the model falls back to bytes, and {256 - len(found)} of the 256 have no piece"
        )
    return found


def _unigram(model: SentencePieceModel, name: str, source: str) -> Specification:
    tokens = {token: text for token, (text, _, kind) in enumerate(model.pieces) if kind in (_NORMAL, _USER_DEFINED)}
    fallback = _fallback(model, source)
    unknown = next(token for token, (_, _, kind) in enumerate(model.pieces) if kind == _UNKNOWN)
    return Specification(
        name=name,
        source=source,
        alphabet="characters",
        model="unigram",
        tokens=tokens,
        texts_only={
            token: model.unknown_surface if token == unknown else text
            for token, (text, _, _) in enumerate(model.pieces)
            if token not in tokens
        },
        scores={token: model.pieces[token][1] for token in tokens},
        user_defined=frozenset(token for token, (_, _, kind) in enumerate(model.pieces) if kind == _USER_DEFINED),
        like="sentencepiece",
        byte_fallback=fallback if model.byte_fallback else {},
        unknown=unknown,
        normalizers=(_rules(model),),
        added_tokens=tuple(
            AddedToken(text, token) for token, (text, _, kind) in enumerate(model.pieces) if kind == _CONTROL
        ),
        decoders=_decoders(model, has_bytes=bool(fallback)),
    )


def _rules(model: SentencePieceModel) -> SentencePieceText:
    """What is done to a text, in one pass."""
    return SentencePieceText(
        model.precompiled_charsmap,
        frozenset(text for text, _, kind in model.pieces if kind == _USER_DEFINED),
        model.add_dummy_prefix,
        model.remove_extra_whitespaces,
        model.escape_whitespaces,
    )


def _any_of(symbols: list[str]) -> str:
    """An expression for the longest of the symbols at a place.

    >>> _any_of(["<a", "<a>"])
    '<a>|<a'
    """
    return "|".join(re.escape(symbol) for symbol in sorted(symbols, key=len, reverse=True))


def _never_made(normal: dict[int, str], ranks: dict[int, int]) -> list[int]:
    """The normal pieces that their own characters do not merge to.

    >>> _never_made(dict(enumerate(["a", "b", "c", "d", "bc", "ab", "cd", "abcd", "xyz"])), {4: 0, 5: 1, 6: 2, 7: 3})
    [7, 8]
    """
    if implementation() == "cpp":
        return _never_made_by_the_core(normal, ranks)
    id_of = {text: token for token, text in normal.items()}

    def rank_of(left: int, right: int) -> tuple[int, int] | None:
        token = id_of.get(normal[left] + normal[right])
        return None if token is None or token not in ranks else (ranks[token], token)

    never = []
    for token, text in normal.items():
        if len(text) > 1:
            atoms = [(id_of[character], place) for place, character in enumerate(text) if character in id_of]
            if len(atoms) < len(text) or [made for made, _ in merge_by_definition(atoms, rank_of)] != [token]:
                never.append(token)
    return never


def _never_made_by_the_core(normal: dict[int, str], ranks: dict[int, int]) -> list[int]:
    model = core().MergeModel.create(
        [text.encode() for text in normal.values()],
        list(normal),
        None,
        [ranks.get(token, _NO_RANK) for token in normal],
        by_characters=True,
        ignore_merges=False,
        unknown="error",
        fuse_unknown=False,
        continuing_prefix="",
        end_suffix="",
        byte_fallback={},
    )
    never: list[int] = model.never_made()
    return never


def _refuse(model: SentencePieceModel, source: str) -> None:
    if model.model_type not in (_UNIGRAM, _BPE):
        kind = _MODEL_TYPES.get(model.model_type, str(model.model_type))
        raise VocabularyError(
            f"{source}: a SentencePiece model of the type {kind!r} is not supported, only 'bpe' and 'unigram'; {_INSTEAD}"
        )
    _check_tables(model, source)
    if model.whitespace_as_suffix:
        raise VocabularyError(f"{source}: white space as a suffix is not supported; {_INSTEAD}")
    seen: set[str] = set()
    unknown = 0
    are_distinct = len({text for text, _, _ in model.pieces}) == len(model.pieces)
    for number, (text, _, piece_type) in enumerate(model.pieces):
        if are_distinct and piece_type == _NORMAL:
            continue
        if text in seen:
            raise VocabularyError(f"{source}: piece {number}: the piece {text!r:.80} stands twice")
        seen.add(text)
        if piece_type == _UNUSED and model.model_type == _BPE:
            raise VocabularyError(
                f"{source}: piece {number}: unused pieces such as {text!r:.80} are not supported; {_INSTEAD}"
            )
        if not _NORMAL <= piece_type <= _BYTE:
            raise VocabularyError(
                f"{source}: piece {number}: {text!r:.80} has the type {piece_type}, which is not known"
            )
        if piece_type == _BYTE and not byte_fallback_of({text: number}):
            raise VocabularyError(f"{source}: piece {number}: {text!r:.80} is no byte, as its type says")
        if piece_type == _USER_DEFINED and " " in text:
            raise VocabularyError(
                f"{source}: piece {number}: a space in the symbol {text!r:.80} is not supported; {_INSTEAD}"
            )
        unknown += piece_type == _UNKNOWN
    if unknown != 1:
        raise VocabularyError(f"{source}: there is one unknown piece in a model, not {unknown}")


def _check_tables(model: SentencePieceModel, source: str) -> None:
    if model.precompiled_charsmap:
        try:
            table_of(model.precompiled_charsmap)
        except ValueError as error:
            raise VocabularyError(f"{source}: the normalization {model.normalization!r:.40}: {error}") from None
    if model.denormalizes:
        raise VocabularyError(f"{source}: a table by which decoded text is changed is not supported; {_INSTEAD}")


def _normalizers(model: SentencePieceModel) -> tuple[Normalizer, ...]:
    if model.precompiled_charsmap:
        return (_rules(model),)
    space = "\u2581" if model.escape_whitespaces else " "
    stages: list[Normalizer] = []
    if model.remove_extra_whitespaces:
        # Of spaces alone: other white space is text. A U+2581 of the text's own at its end goes, too.
        stages += [
            Replace(Expression(r"\A +"), ""),
            Replace(Expression(r" {2,}"), " "),
            Replace(Expression(rf"[ {space}]+\z"), ""),
        ]
    if model.add_dummy_prefix:
        stages.append(Prepend(space))
    if model.escape_whitespaces:
        stages.append(Replace(" ", space))
    return tuple(stages)


def _decoders(model: SentencePieceModel, *, has_bytes: bool) -> tuple[Decoder, ...]:
    stages: list[Decoder] = [ReplaceDecoder("\u2581", " ")]
    if has_bytes:
        stages.append(ByteFallbackDecoder())
    stages.append(FuseDecoder())
    if model.add_dummy_prefix:
        stages.append(StripDecoder(" ", 1, 0))
    return tuple(stages)


def _text(value: int | bytes, source: str, place: int) -> str:
    if not isinstance(value, bytes):
        raise VocabularyError(f"{source}: byte {place}: expected a text, not a number")
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError as error:
        raise VocabularyError(f"{source}: byte {place + error.start}: not UTF-8: {error.reason}") from error
