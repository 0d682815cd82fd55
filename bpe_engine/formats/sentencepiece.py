r"""Read SentencePiece models (`.model`) of byte pair encoding and Unigram, to encode as the package `sentencepiece` does.

    "  Ｈello  world"  ->  "▁Hello▁world"         keys of a compiled table are replaced; spaces become U+2581, with one before the text;
                                                  remove_extra_whitespaces removes superfluous ones
    bpe: characters merge, the pair whose token has the highest score first, the leftmost of equals; also across words
    unigram: of all ways to split the whole text into pieces, the one with the highest sum of scores
    a character that is not a token becomes its bytes ("<0xE4>"), or the unknown token (one for a run of such
    characters)

User-defined symbols are found in any text and never merge; in Unigram they have a score of their own. `sentencepiece`
never finds control symbols such as `</s>` in a text; here they are special tokens, which `allowed_special` may name.

Decoding: as `sentencepiece`, with three differences. Control symbols are written out; in a run of byte tokens that is
not UTF-8 each byte becomes one U+FFFD; and if extra white space is removed, a U+2581 at the start of the original text
is still decoded as a space.

Not supported, and refused with a message that names it: word and character models, white space as a suffix, and byte
pair encoding with unused tokens. For these, pass the package's own processor to a chunker as `tokenizer=`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bpe_engine.errors import VocabularyError
from bpe_engine.formats.scores import byte_fallback_of, ranks_by_score
from bpe_engine.formats.sentencepiece_file import (
    BPE,
    BYTE,
    CONTROL,
    NORMAL,
    UNIGRAM,
    UNKNOWN,
    UNUSED,
    USER_DEFINED,
    SentencePieceModel,
    parse_model,
)
from bpe_engine.formats.tables import ReadNumbers, ReadTokens
from bpe_engine.implementation import core, implementation
from bpe_engine.pipeline.decoders import SentencePieceDecoder
from bpe_engine.pipeline.expressions import Expression
from bpe_engine.pipeline.normalizers import Normalizer, Prepend, Replace, SentencePieceText
from bpe_engine.pipeline.pre_tokenizers import Split
from bpe_engine.pipeline.specification import AddedToken, Specification

if TYPE_CHECKING:
    from bpe_engine import _core

_MODEL_TYPES = {1: "unigram", 2: "bpe", 3: "word", 4: "char"}
_INSTEAD = "use the package itself: pass its SentencePieceProcessor to a chunker as tokenizer="
MOST_BYTES = 1 << 28
"""The largest file that is read, in bytes. Models have a few megabytes."""


# The core's rank for a token that no merge makes.
_NO_RANK = 0xFFFFFFFF
# The options of a MergeModel of the core that is only asked which tokens merging makes.
_ALONE: dict[str, Any] = {
    "by_characters": True,
    "ignore_merges": False,
    "unknown": "error",
    "fuse_unknown": False,
    "continuing_prefix": "",
    "end_suffix": "",
    "byte_fallback": {},
}


def read(path: Path) -> Specification:
    """Read the specification of a file. Raises VocabularyError, naming the file and the place, and OSError."""
    source = str(path)
    if path.stat().st_size > MOST_BYTES:
        raise VocabularyError(f"{source}: no SentencePiece model has more than {MOST_BYTES} bytes")
    return _specification(parse_model(path.read_bytes(), source), path.stem, source)


def _specification(model: SentencePieceModel, name: str, source: str) -> Specification:
    _refuse(model, source)
    if model.model_type == UNIGRAM:
        return _unigram(model, name, source)
    symbols = _symbols(model)
    # User-defined symbols are searched for in normalized text. If normalization inserts and removes no spaces, they are
    # added tokens found in normalized text. Otherwise they are pre-tokens of their own, and a growing text is counted
    # anew.
    are_added = not (model.add_dummy_prefix or model.remove_extra_whitespaces)
    taken_whole = {} if are_added else symbols
    found = _found_by_merging(model, taken_whole)
    control = model.pieces.texts_of({CONTROL})
    added = control | (symbols if are_added else {})
    fallback = _fallback(model, source)
    return Specification(
        name=name,
        source=source,
        alphabet="characters",
        **found,
        ignore_merges=bool(taken_whole),
        byte_fallback=fallback if model.byte_fallback else {},
        unknown=_unknown(model),
        fuse_unknown=True,
        normalizers=_normalizers(model),
        pre_tokenizers=(Split(Expression(_any_of(list(taken_whole.values())))),) if taken_whole else (),
        added_tokens=tuple(
            AddedToken(added[token], token, special=token in control, normalized=token not in control)
            for token in sorted(added)
        ),
        decoders=(_decoder(model, has_bytes=bool(fallback)),),
    )


def _symbols(model: SentencePieceModel) -> dict[int, str]:
    """Return the user-defined symbols that can be found in a text: symbols with a space cannot if spaces become U+2581."""
    defined = model.pieces.texts_of({USER_DEFINED})
    return {token: text for token, text in defined.items() if not (model.escape_whitespaces and " " in text)}


def _unknown(model: SentencePieceModel) -> int:
    """Return the id of the unknown piece."""
    return next(token for token, _, kind in model.pieces.unusual if kind == UNKNOWN)


def _found_by_merging(model: SentencePieceModel, taken_whole: Mapping[int, str]) -> dict[str, Any]:
    """Return the pieces that a text can be encoded to, with their ranks, and the pieces for decoding only."""
    tables = _tables(model, taken_whole)
    if tables is not None:
        tokens = ReadTokens(tables, "characters")
        tokens.texts_only[_unknown(model)] = model.unknown_surface
        return {"tokens": tokens, "texts_only": tokens.texts_only, "ranks": ReadNumbers(tables, "ranks")}
    pieces = model.pieces.all
    # Only normal pieces merge; the others get an empty text, which no piece has.
    normal = [text if kind == NORMAL else "" for text, _, kind in pieces]
    ranks = ranks_by_score(normal, [score for _, score, _ in pieces])
    listed = {token: text for token, (text, _, kind) in enumerate(pieces) if kind == NORMAL or token in taken_whole}
    if taken_whole:
        # With `ignore_merges`, normal pieces that merging never makes would be encoded as themselves.
        for token in _never_made({token: text for token, text in enumerate(normal) if text}, ranks):
            del listed[token]
    return {
        "tokens": listed,
        "texts_only": _only_decoded(model, listed),
        "ranks": {token: rank for token, rank in ranks.items() if token in listed},
    }


def _tables(model: SentencePieceModel, taken_whole: Mapping[int, str]) -> _core.TokenTables | None:
    """Return the pieces as the core has read them, with ranks; None if it has not, or if some of them must be left out."""
    read = model.pieces.read
    tables = None if read is None else read.select([NORMAL], ranked=True)
    if read is None or tables is None or not taken_whole:
        return tables
    if (
        taken_whole != model.pieces.texts_of({USER_DEFINED})
        or core().MergeModel.of_tables(tables, **_ALONE).never_made()
    ):
        return None
    return read.select([NORMAL, USER_DEFINED], ranked=True)


def _only_decoded(model: SentencePieceModel, found: Mapping[int, str]) -> dict[int, str]:
    """Return the pieces for decoding only: all that are not in `found`."""
    unknown = _unknown(model)
    return {
        token: model.unknown_surface if token == unknown else text
        for token, (text, _, _) in enumerate(model.pieces.all)
        if token not in found
    }


def _fallback(model: SentencePieceModel, source: str) -> dict[int, int]:
    """Return byte value -> id for the byte pieces."""
    found = byte_fallback_of({text: token for token, text in model.pieces.texts_of({BYTE}).items()})
    if model.byte_fallback and len(found) < 256:
        raise VocabularyError(f"{source}: the model has byte fallback, but {256 - len(found)} of the 256 have no piece")
    return found


def _unigram(model: SentencePieceModel, name: str, source: str) -> Specification:
    fallback = _fallback(model, source)
    return Specification(
        name=name,
        source=source,
        alphabet="characters",
        model="unigram",
        **_found_by_scores(model),
        user_defined=frozenset(model.pieces.texts_of({USER_DEFINED})),
        like="sentencepiece",
        byte_fallback=fallback if model.byte_fallback else {},
        unknown=_unknown(model),
        normalizers=(_rules(model),),
        added_tokens=tuple(AddedToken(text, token) for token, text in model.pieces.texts_of({CONTROL}).items()),
        decoders=(_decoder(model, has_bytes=bool(fallback)),),
    )


def _found_by_scores(model: SentencePieceModel) -> dict[str, Any]:
    """Return the pieces that a text can be encoded to, with their scores, and the pieces for decoding only."""
    read = model.pieces.read
    tables = None if read is None else read.select([NORMAL, USER_DEFINED], ranked=False)
    if tables is not None:
        tokens = ReadTokens(tables, "characters")
        tokens.texts_only[_unknown(model)] = model.unknown_surface
        return {"tokens": tokens, "texts_only": tokens.texts_only, "scores": ReadNumbers(tables, "scores")}
    pieces = model.pieces.all
    listed = {token: text for token, (text, _, kind) in enumerate(pieces) if kind in (NORMAL, USER_DEFINED)}
    return {
        "tokens": listed,
        "texts_only": _only_decoded(model, listed),
        "scores": {token: pieces[token][1] for token in listed},
    }


def _rules(model: SentencePieceModel) -> SentencePieceText:
    """Return the rules of normalization, which are applied in one pass."""
    return SentencePieceText(
        model.precompiled_charsmap,
        frozenset(model.pieces.texts_of({USER_DEFINED}).values()),
        model.add_dummy_prefix,
        model.remove_extra_whitespaces,
        model.escape_whitespaces,
    )


def _any_of(symbols: list[str]) -> str:
    """Return an expression that matches the longest of the symbols at an offset.

    >>> _any_of(["<a", "<a>"])
    '<a>|<a'
    """
    return "|".join(re.escape(symbol) for symbol in sorted(symbols, key=len, reverse=True))


def _never_made(normal: dict[int, str], ranks: dict[int, int]) -> list[int]:
    """Return the ids of the normal pieces that merging their own characters does not make.

    >>> _never_made(dict(enumerate(["a", "b", "c", "d", "bc", "ab", "cd", "abcd", "xyz"])), {4: 0, 5: 1, 6: 2, 7: 3})
    [7, 8]
    """
    if implementation() == "cpp":
        return _never_made_by_the_core(normal, ranks)
    from bpe_engine.fallback.definition import merge_by_definition  # noqa: PLC0415 - the core does not need it

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
        **_ALONE,
    )
    never: list[int] = model.never_made()
    return never


def _refuse(model: SentencePieceModel, source: str) -> None:
    if model.model_type not in (UNIGRAM, BPE):
        kind = _MODEL_TYPES.get(model.model_type, str(model.model_type))
        raise VocabularyError(
            f"{source}: a SentencePiece model of the type {kind!r} is not supported, only 'bpe' and 'unigram'; {_INSTEAD}"
        )
    _check_tables(model, source)
    if model.whitespace_as_suffix:
        raise VocabularyError(f"{source}: white space as a suffix is not supported; {_INSTEAD}")
    if not model.pieces.are_distinct():
        seen: set[str] = set()
        for number, (twice, _, _) in enumerate(model.pieces.all):
            if twice in seen:
                raise VocabularyError(f"{source}: piece {number}: the piece {twice!r:.80} occurs twice")
            seen.add(twice)
    for place, text, piece_type in model.pieces.unusual:
        if piece_type == UNUSED and model.model_type == BPE:
            raise VocabularyError(
                f"{source}: piece {place}: unused pieces such as {text!r:.80} are not supported; {_INSTEAD}"
            )
        if not NORMAL <= piece_type <= BYTE:
            raise VocabularyError(f"{source}: piece {place}: {text!r:.80} has the type {piece_type}, which is unknown")
        if piece_type == BYTE and not byte_fallback_of({text: place}):
            raise VocabularyError(f"{source}: piece {place}: {text!r:.80} is not a byte, though its type says so")
    unknown = [piece_type for _, _, piece_type in model.pieces.unusual].count(UNKNOWN)
    if unknown != 1:
        raise VocabularyError(f"{source}: a model must have exactly one unknown piece, not {unknown}")


def _check_tables(model: SentencePieceModel, source: str) -> None:
    if model.precompiled_charsmap:
        from bpe_engine.pipeline.charsmaps import table_of  # noqa: PLC0415 - not every file has a table

        try:
            table_of(model.precompiled_charsmap)
        except ValueError as error:
            raise VocabularyError(f"{source}: the normalization {model.normalization!r:.40}: {error}") from None
    if model.denormalizes:
        raise VocabularyError(f"{source}: a denormalization table is not supported; {_INSTEAD}")


def _normalizers(model: SentencePieceModel) -> tuple[Normalizer, ...]:
    if model.precompiled_charsmap or any(" " in text for text in model.pieces.texts_of({USER_DEFINED}).values()):
        return (_rules(model),)
    space = "\u2581" if model.escape_whitespaces else " "
    stages: list[Normalizer] = []
    if model.remove_extra_whitespaces:
        # Only spaces are removed, no other white space. At the end of the text, U+2581 from the text itself is removed,
        # too.
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


def _decoder(model: SentencePieceModel, *, has_bytes: bool) -> SentencePieceDecoder:
    if model.remove_extra_whitespaces:
        return SentencePieceDecoder(has_bytes, "all")
    return SentencePieceDecoder(has_bytes, "first" if model.add_dummy_prefix else "none")
