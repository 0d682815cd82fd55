"""Compile a specification into a pipeline of the compiled core, or report why that is impossible.

    specification                                        core
    added tokens                                         searched for in the text
    normalizers; a first Metaspace or ByteLevel          a normalizer
    pre-tokenizers                                       stages: a named scanner, or a matcher and a behaviour for matches and gaps
    a Metaspace or ByteLevel that inserts text           an insertion, with the stages after it: run once per piece, and cached
      before pieces of other stages
    merges                                               a model

This module compiles the whole and the normalizers; compiling_stages.py and compiling_models.py compile the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from bpe_engine import _core
from bpe_engine.at_exit import cache_until_exit
from bpe_engine.errors import NotNativeError, PatternError
from bpe_engine.pipeline.characters import WHITE_SPACE, code_points
from bpe_engine.pipeline.compiling_models import merge_model, piece_model
from bpe_engine.pipeline.compiling_stages import Insertion, Stage, matcher_of, stages_of
from bpe_engine.pipeline.expressions import Expression
from bpe_engine.pipeline.normalizers import (
    Charsmap,
    Lowercase,
    Normalizer,
    Prepend,
    Replace,
    ReplaceCharacters,
    SentencePieceText,
    Strip,
    StripAccents,
    Surround,
    UnicodeForm,
)
from bpe_engine.pipeline.pre_tokenizers import (
    ByteLevel,
    Metaspace,
    PreTokenizer,
    Split,
    UnicodeScripts,
)
from bpe_engine.pipeline.records import Record

if TYPE_CHECKING:
    from bpe_engine.pipeline.specification import Specification

# Modules that few files need are imported where they are used: importing one takes a hundredth of the time to load a file.
# ruff: noqa: PLC0415

Step: TypeAlias = tuple[str, object, object]

# Expressions by which our SentencePiece normalizers strip an end of a text -> the runs of characters (first, last,
# ...), and the side.
_STRIPS: Final = {
    r"\A +": ("  ", "left"),
    r"[  ]+\z": ("  ", "right"),
    "[ \u2581]+\\z": ("  \u2581\u2581", "right"),
}


class PipelineParts(Record):
    """The arguments of `_core.Pipeline`."""

    added_tokens: list[tuple[str, int, bool, bool, bool, bool, bool, str]]
    normalizer: _core.Normalizer | None
    stages: list[Stage]
    insertions: list[Insertion]
    model: _core.PieceModel
    looks_inside: bool
    second: _core.Normalizer | None


def compile_specification(specification: Specification) -> PipelineParts:
    """Compile the parts of the core that run `specification`.

    Raises NotNativeError if the core cannot run it, VocabularyError for merges that no engine can honour.
    """
    try:
        return _compiled(specification)
    except PatternError as error:
        raise NotNativeError(str(error)) from error


def token_normalizer(specification: Specification) -> Callable[[str], str] | None:
    """Return the function that normalizes the text of an added token; None if no token is normalized. For specifications
    that compile.
    """
    if not specification.normalizers or not any(token.normalized for token in specification.added_tokens):
        return None
    normalizer = _normalizer(specification.normalizers)
    return None if normalizer is None else normalizer.normalize


def _compiled(specification: Specification) -> PipelineParts:
    if specification.model == "merges":
        from bpe_engine.pipeline.merges import check_merges

        check_merges(specification)
        model: _core.PieceModel = merge_model(specification)
    else:
        model = piece_model(specification)
    before, pre_tokenizers = _first_insertion(specification.pre_tokenizers)
    stages, insertions = stages_of(pre_tokenizers)
    # Added tokens split normalized text before the first pre-tokenizer inserts anything, so the insertion becomes a
    # second normalizer.
    looks_inside = bool(specification.normalizers) and (
        any(token.normalized for token in specification.added_tokens)
        or (bool(before) and isinstance(specification.normalizers[0], SentencePieceText))
    )
    normalizer: _core.Normalizer | None
    if before and not looks_inside:
        normalizer = _of_steps((*map(_step, specification.normalizers), *before))
    else:
        normalizer = _normalizer(specification.normalizers)
    second = _of_steps(tuple(before)) if before and looks_inside else None
    if (
        isinstance(model, _core.MergeModel)
        and not insertions
        and (not stages or specification.alphabet == "characters" or UnicodeScripts() in specification.pre_tokenizers)
    ):
        # Pieces may be as long as whole texts, so they are also split where no token crosses.
        touching = model.touching()
        if touching is not None:
            stages = [*stages, (touching, "isolated")]
    added = specification.added_tokens
    if specification.added_tokens_order == "longest_first":
        from bpe_engine.formats.overlaps import overlapping

        # Only tokens that are always found: with this order the core does not search for special tokens.
        added = tuple(token for token in added if not token.special)
        if overlapping({token.text for token in added}) is not None or any(token.single_word for token in added):
            raise NotNativeError("added tokens that overlap, of which the longest is found first")
    sought = [
        normalizer.normalize(token.text) if looks_inside and normalizer and token.normalized else "" for token in added
    ]
    starts = ((text or token.text)[0] for token, text in zip(added, sought, strict=True))
    if any(token.rstrip for token in added) and any(start in WHITE_SPACE for start in starts):
        raise NotNativeError("an added token that takes white space along, which another one may begin with")
    tokens = [
        (
            token.text,
            token.id,
            token.special,
            token.lstrip,
            token.rstrip,
            token.single_word,
            token.normalized,
            text,
        )
        for token, text in zip(added, sought, strict=True)
    ]
    return PipelineParts(tokens, normalizer, stages, insertions, model, looks_inside, second)


def _normalizer(normalizers: tuple[Normalizer, ...]) -> _core.Normalizer | None:
    match normalizers:
        case ():
            return None
        case (SentencePieceText() as rules,):
            return _core.Normalizer.of_sentence_piece(
                rules.charsmap,
                sorted(symbol.encode() for symbol in rules.user_defined),
                add_dummy_prefix=rules.add_dummy_prefix,
                remove_extra_whitespaces=rules.remove_extra_whitespaces,
                escape_whitespaces=rules.escape_whitespaces,
            )
    return _of_steps(tuple(map(_step, normalizers)))


# Cached: a new normalizer computes the result for every character, which takes as long as reading a small vocabulary,
# and many files have the same one.
@cache_until_exit
@lru_cache(maxsize=8)
def _of_steps(steps: tuple[Step, ...]) -> _core.Normalizer:
    return _core.Normalizer.of_steps(steps)


def _step(normalizer: Normalizer) -> Step:
    match normalizer:
        case UnicodeForm(form):
            return form, None, None
        case Lowercase():
            return "lower", None, None
        case StripAccents():
            return "strip_accents", None, None
        case Strip(left, right):
            return "strip", left, right
        case Prepend(text):
            return "prepend", text, None
        case Replace(str(pattern), content):
            return "replace", pattern, content
        case Replace(Expression(source), content):
            if not content and source in _STRIPS:
                return "strip_members", *_STRIPS[source]
            from bpe_engine.pipeline.oniguruma import translated

            expression = translated(source)
            matcher_of(expression)
            return "replace_matches", expression, content
        case Charsmap(data):
            return "charsmap", data, None
        case ReplaceCharacters(kind, content):
            return "replace_members", _ends(kind), content
        case Surround(kind, text):
            return "surround", _ends(kind), text
    raise NotNativeError(f"the normalizer {normalizer!r}")


def _ends(kind: str) -> str:
    """Return the first and the last character of each run of characters of a kind."""
    return "".join(chr(first) + chr(last) for first, last in code_points(kind))


def _first_insertion(pre_tokenizers: tuple[PreTokenizer, ...]) -> tuple[list[Step], tuple[PreTokenizer, ...]]:
    """Return the insertion of the first pre-tokenizer as steps of a normalizer, and the pre-tokenizers without that insertion."""
    match pre_tokenizers:
        case (Metaspace(replacement, scheme, split), *others):
            steps: list[Step] = [("replace", " ", replacement)]
            if scheme != "never":
                steps.append(("prepend_unless", replacement, scheme == "first"))
            splits = [Split(replacement, "merged_with_next")] if split else []
            return steps, (*splits, *others)
        case (ByteLevel(True, use_regex), *others):
            return [("prepend_unless", " ", False)], (ByteLevel(add_prefix_space=False, use_regex=use_regex), *others)
    return [], pre_tokenizers
