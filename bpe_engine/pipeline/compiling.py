"""Compile a specification into a pipeline of the compiled core, or say why it cannot be.

    specification                                        core
    added tokens                                         looked for in the text
    normalizers; a first Metaspace or ByteLevel          a normalizer
    pre-tokenizers                                       stages: a named scanner, or a matcher and what becomes of matches and gaps
    a Metaspace or ByteLevel that puts something         an insertion, and the stages after it: done once a piece, and remembered
      before pieces of other stages
    merges                                               a model

Each behaviour of Hugging Face, inverted or not, is one of six of the core:

    Split(..., "removed", invert=True)     without_gap
    Split(..., "merged_with_next")         with_next
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, cast

from bpe_engine import _core
from bpe_engine.at_exit import cache_until_exit
from bpe_engine.errors import PatternError, VocabularyError
from bpe_engine.formats.byte_alphabet import BYTE_OF_CHARACTER
from bpe_engine.formats.overlaps import overlapping
from bpe_engine.formats.tables import ReadMerges, ReadNumbers, ReadTokens
from bpe_engine.patterns import PATTERNS, Pattern
from bpe_engine.pipeline.characters import WHITE_SPACE, code_points, members, numbers, script_runs
from bpe_engine.pipeline.expressions import WORD, Expression, escaped
from bpe_engine.pipeline.merges import check_merges
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
from bpe_engine.pipeline.oniguruma import translated
from bpe_engine.pipeline.pre_tokenizers import (
    ByteLevel,
    CharDelimiterSplit,
    Digits,
    Metaspace,
    PreTokenizer,
    Punctuation,
    Split,
    UnicodeScripts,
    Whitespace,
    WhitespaceSplit,
)
from bpe_engine.pipeline.recognition import named_pattern

if TYPE_CHECKING:
    from bpe_engine.pipeline.specification import Specification

Step: TypeAlias = tuple[str, object, object]
Stage: TypeAlias = "tuple[str | tuple[str, _core.Matcher] | _core.Matcher, str]"
Insertion: TypeAlias = "tuple[str, str, str, list[Stage]]"

_BEHAVIOURS = {
    ("removed", False): "without_match",
    ("removed", True): "without_gap",
    ("isolated", False): "isolated",
    ("isolated", True): "isolated",
    ("contiguous", False): "contiguous",
    ("contiguous", True): "contiguous",
    ("merged_with_previous", False): "with_previous",
    ("merged_with_previous", True): "with_next",
    ("merged_with_next", False): "with_next",
    ("merged_with_next", True): "with_previous",
}

# Grammars whose hand-written scanner goes character by character: 30 to 60 MB/s on English where their expression makes 150 to 200.
_BY_EXPRESSION = frozenset({"deepseek_v3", "falcon"})

# What normalizers of SentencePiece leave out at an end of a text: the runs of characters, and the side.
_STRIPS: Final = {
    r"\A +": ("  ", "left"),
    r"[  ]+\z": ("  ", "right"),
    "[ \u2581]+\\z": ("  \u2581\u2581", "right"),
}
_NO_RANK: Final = 0xFFFFFFFF


class NotNativeError(Exception):
    """The core cannot run a specification; the message says why."""


class PipelineParts(NamedTuple):
    """The parts that `_core.Pipeline` is made of."""

    added_tokens: list[tuple[str, int, bool, bool, bool, bool, bool, str]]
    normalizer: _core.Normalizer | None
    stages: list[Stage]
    insertions: list[Insertion]
    model: _core.PieceModel
    looks_inside: bool
    second: _core.Normalizer | None


def compile_specification(specification: Specification) -> PipelineParts:
    """The tables of the core that run `specification`. Raises NotNativeError, or VocabularyError for merges that cannot be honoured."""
    try:
        return _compiled(specification)
    except PatternError as error:
        raise NotNativeError(str(error)) from error


def token_normalizer(specification: Specification) -> Callable[[str], str] | None:
    """The function by which the normalizers change an added token; None if they leave each as it is. For specifications
    that compile.
    """
    if not specification.normalizers or not any(token.normalized for token in specification.added_tokens):
        return None
    normalizer = _normalizer(specification.normalizers)
    return None if normalizer is None else normalizer.normalize


def _compiled(specification: Specification) -> PipelineParts:
    if specification.model == "merges":
        check_merges(specification)
    model = _merge_model(specification) if specification.model == "merges" else _piece_model(specification)
    before, pre_tokenizers = _first_insertion(specification.pre_tokenizers)
    stages, insertions = _stages(pre_tokenizers)
    normalizer, second = _normalizer(specification.normalizers), None
    # What is looked for in normalized text parts it before anything else is put in.
    looks_inside = normalizer is not None and (
        any(token.normalized for token in specification.added_tokens)
        or (bool(before) and isinstance(specification.normalizers[0], SentencePieceText))
    )
    if looks_inside and before:
        second = _of_steps(tuple(before))
    elif before:
        normalizer = _of_steps((*map(_step, specification.normalizers), *before))
    if (
        isinstance(model, _core.MergeModel)
        and not insertions
        and (not stages or specification.alphabet == "characters")
    ):
        # Pieces may be long, up to whole texts: they come apart where no token reaches over.
        touching = model.touching()
        if touching is not None:
            stages = [*stages, (touching, "isolated")]
    added = specification.added_tokens
    if specification.added_tokens_order == "longest_first":
        # Only those that are always found, special ones being none of the core's business then.
        added = tuple(token for token in added if not token.special)
        if overlapping({token.text for token in added}) is not None or any(token.single_word for token in added):
            raise NotNativeError("added tokens that overlap, of which the longest is found first")
    if any(token.rstrip for token in added) and any(token.text[0] in WHITE_SPACE for token in added):
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
            normalizer.normalize(token.text) if looks_inside and normalizer and token.normalized else "",
        )
        for token in added
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


# A normalizer looks up what becomes of each character once it is made, which takes as long as reading a small vocabulary; and many files have the same one.
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
            expression = translated(source)
            _matcher(expression)
            return "replace_matches", expression, content
        case Charsmap(data):
            return "charsmap", data, None
        case ReplaceCharacters(kind, content):
            return "replace_members", _ends(kind), content
        case Surround(kind, text):
            return "surround", _ends(kind), text
    raise NotNativeError(f"the normalizer {normalizer!r}")


def _ends(kind: str) -> str:
    """The first and the last character of each run of characters of a kind."""
    return "".join(chr(first) + chr(last) for first, last in code_points(kind))


def _first_insertion(pre_tokenizers: tuple[PreTokenizer, ...]) -> tuple[list[Step], tuple[PreTokenizer, ...]]:
    """The text that the first pre-tokenizer inserts, as steps of a normalizer, and the pre-tokenizers without it."""
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


def _piece_model(specification: Specification) -> _core.PieceModel:
    """WordPiece, WordLevel or Unigram."""
    if any(isinstance(one, ByteLevel) for one in specification.pre_tokenizers):
        raise NotNativeError(f"the model {specification.model!r} behind ByteLevel")
    tokens = cast("Mapping[int, str]", specification.tokens)  # of characters, as those of all of these models
    unknown = specification.unknown if isinstance(specification.unknown, int) else None
    if specification.model == "wordpiece":
        return _core.WordPieceModel(
            _utf8(tokens),
            unknown=unknown,
            prefix=specification.continuing_prefix.encode(),
            most_characters=specification.max_characters,
        )
    if specification.model == "wordlevel":
        return _core.WordLevelModel(_utf8(tokens), unknown=unknown)
    scores = specification.scores or {}
    return _core.UnigramModel(
        tokens.tables
        if isinstance(tokens, ReadTokens) and isinstance(scores, ReadNumbers)
        else [
            (token.encode("utf-8", "surrogatepass"), token_id, scores[token_id]) for token_id, token in tokens.items()
        ],
        unknown=unknown,
        bytes=dict(specification.byte_fallback),
        user_defined=specification.user_defined,
        like=specification.like,
    )


def _utf8(tokens: Mapping[int, str]) -> _core.TokenTables | dict[bytes, int]:
    """Token -> id; tokens that the core has read as they are."""
    if isinstance(tokens, ReadTokens):
        return tokens.tables
    return {token.encode("utf-8", "surrogatepass"): token_id for token_id, token in tokens.items()}


def _merge_model(specification: Specification) -> _core.MergeModel:
    tokens = specification.tokens
    by_characters = specification.alphabet == "characters"
    if by_characters and any(isinstance(one, ByteLevel) for one in specification.pre_tokenizers):
        # Its characters stand for bytes; a token with another one is never made.
        if specification.byte_fallback:
            raise NotNativeError("byte fallback where characters stand for bytes")
        tokens, by_characters = _in_bytes(tokens), False
    is_read = isinstance(specification.merges, ReadMerges) or isinstance(specification.ranks, ReadNumbers)
    if isinstance(tokens, ReadTokens) and is_read:
        return _core.MergeModel.of_tables(
            tokens.tables,
            by_characters=by_characters,
            ignore_merges=specification.ignore_merges,
            unknown=specification.unknown,
            fuse_unknown=specification.fuse_unknown,
            continuing_prefix=specification.subword_prefix,
            end_suffix=specification.word_suffix,
            byte_fallback=dict(specification.byte_fallback),
        )
    texts = [token if isinstance(token, bytes) else token.encode("utf-8", "surrogatepass") for token in tokens.values()]
    merges, ranks = None, None
    if specification.merges is not None:
        merges = (
            specification.merges
            if len(tokens) == len(specification.tokens)
            else [pair for pair in specification.merges if pair[0] in tokens and pair[1] in tokens]
        )
    elif specification.ranks is not None:
        ranks = [specification.ranks.get(token_id, _NO_RANK) for token_id in tokens]
    else:
        ranks = list(tokens)
    try:
        return _core.MergeModel.create(
            texts,
            list(tokens),
            merges,
            ranks,
            by_characters=by_characters,
            ignore_merges=specification.ignore_merges,
            unknown=specification.unknown,
            fuse_unknown=specification.fuse_unknown,
            continuing_prefix=specification.subword_prefix,
            end_suffix=specification.word_suffix,
            byte_fallback=dict(specification.byte_fallback),
        )
    except VocabularyError as error:
        raise VocabularyError(f"{specification.source}: {error}") from error


def _in_bytes(tokens: Mapping[int, bytes] | Mapping[int, str]) -> dict[int, bytes]:
    return {
        token_id: bytes(map(BYTE_OF_CHARACTER.__getitem__, token))
        for token_id, token in tokens.items()
        if isinstance(token, str) and all(character in BYTE_OF_CHARACTER for character in token)
    }


def _stages(pre_tokenizers: tuple[PreTokenizer, ...]) -> tuple[list[Stage], list[Insertion]]:
    """The stages of a chain, and after an insertion those that are done piece by piece."""
    scanner = _scanner(pre_tokenizers)
    if scanner in _BY_EXPRESSION:
        return [(_matcher(PATTERNS[scanner].source), "isolated")], []
    if scanner is not None:
        return [(_named(scanner), "isolated")], []
    if pre_tokenizers == (WhitespaceSplit(), Punctuation("isolated")):
        # In one pass, as BertPreTokenizer has it: twice as fast as two stages.
        marks = members("punctuation")
        return [(_matcher(rf"(?V1)[{marks}]|[^\s{marks}]+"), "without_gap")], []
    stages: list[Stage] = []
    insertions: list[Insertion] = []
    here = stages
    for place, one in enumerate(pre_tokenizers):
        match one:
            case Metaspace(replacement, scheme, split):
                here = [(_matcher(escaped(replacement)), "with_next")] if split else []
                insertions.append((replacement if scheme != "never" else "", scheme, replacement, here))
                continue
            case ByteLevel(adds, use_regex):
                behind = [other for other in pre_tokenizers[place + 1 :] if not isinstance(other, ByteLevel)]
                if behind and not use_regex:
                    raise NotNativeError("a pre-tokenizer behind ByteLevel, which sees bytes as characters")
                if adds:
                    here = []
                    insertions.append((" ", "always", "", here))
                if use_regex:
                    here.append((_named("gpt2"), "isolated"))
                if behind:
                    # Pieces of words alone are cut inside of characters, so no cut of the chain is there.
                    here += map(_stage_of_bytes, behind)
                    return stages, insertions
                continue
        here.append(_stage(one))
    return stages, insertions


def _stage_of_bytes(one: PreTokenizer) -> Stage:
    """A stage after ByteLevel, for which each byte is a character of its alphabet."""
    match one:
        case Digits(individual):
            is_number = re.compile(f"[{numbers()}]")
            members = bytes(byte for character, byte in BYTE_OF_CHARACTER.items() if is_number.match(character))
            return _core.Matcher.of_bytes(members), "isolated" if individual else "contiguous"
        case Split(Expression(source), behaviour, invert) if re.fullmatch(r"(\[0-9\]|[0-9]|\{\d+\})+", source):
            return _matcher(source), _BEHAVIOURS[behaviour, invert]
    raise NotNativeError(f"the pre-tokenizer {one!r} behind ByteLevel, which sees bytes as characters")


def _stage(one: PreTokenizer) -> Stage:
    match one:
        case Split(str(literal), behaviour, invert):
            return _matcher(escaped(literal)), _BEHAVIOURS[behaviour, invert]
        case Split(Expression(source), behaviour, invert):
            return _matcher(translated(source)), _BEHAVIOURS[behaviour, invert]
        case Pattern(source, behaviour):
            return _matcher(source), "without_gap" if behaviour == "match" else "isolated"
        case Digits(individual):
            return _matcher(f"[{numbers()}]"), "isolated" if individual else "contiguous"
        case Punctuation(behaviour):
            return _matcher(f"[{members('punctuation')}]"), _BEHAVIOURS[behaviour, False]
        case Whitespace():
            return _matcher(rf"(?V1)[{WORD}]+|[^\s{WORD}]+"), "without_gap"
        case WhitespaceSplit():
            return _matcher(r"\s"), "without_match"
        case UnicodeScripts():
            return _scripts(), "without_gap"
        case CharDelimiterSplit(delimiter):
            return _matcher(escaped(delimiter)), "without_match"
    raise NotNativeError(f"the pre-tokenizer {one!r}")


@cache
def _named(scanner: str) -> str | tuple[str, _core.Matcher]:
    """A scanner, with the expression whose matches it finds, from which the core learns where texts come apart."""
    try:
        return scanner, _matcher(PATTERNS[scanner].source)
    except NotNativeError:
        return scanner


@cache
def _scripts() -> _core.Matcher:
    """Each run of one script; a character of no script, or a byte that is no character, belongs to what stands before it."""

    def escaped_runs(wanted: int | None = None) -> str:
        return "".join(
            f"\\U{first:08X}-\\U{last:08X}" for first, last, script in runs if wanted is None or script == wanted
        )

    runs = script_runs()
    of_none = f"[^{escaped_runs()}]"
    scripts = [f"[{escaped_runs(script)}]" for script in sorted({script for _, _, script in runs})]
    return _matcher("|".join(f"{one}(?:{one}|{of_none})*" for one in scripts))


def _matcher(source: str) -> _core.Matcher:
    try:
        matcher = _core.Matcher.of_expression(source)
    except PatternError as error:
        raise NotNativeError(f"the expression {source!r}: {error}") from error
    if matcher is None:
        raise NotNativeError(f"the expression {source!r} looks behind, or matches nothing")
    return matcher


def _scanner(pre_tokenizers: tuple[PreTokenizer, ...]) -> str | None:
    """The name of the scanner that finds the same pieces as all of these."""
    named = named_pattern(pre_tokenizers)
    if named is None and len(pre_tokenizers) == 1 and isinstance(pre_tokenizers[0], Pattern):
        named = pre_tokenizers[0]
    return next((name for name, pattern in PATTERNS.items() if pattern == named), None)
