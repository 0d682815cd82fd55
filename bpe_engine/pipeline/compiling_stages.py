"""Compile pre-tokenizers into stages of the core: a named scanner, or a matcher and a behaviour for its matches and the gaps between them.

Each behaviour of Hugging Face, inverted or not, is one of six behaviours of the core:

    Split(..., "removed", invert=True)     without_gap
    Split(..., "merged_with_next")         with_next
"""

from __future__ import annotations

import re
from functools import cache
from typing import TypeAlias

from bpe_engine import _core
from bpe_engine.errors import NotNativeError, PatternError
from bpe_engine.formats.byte_alphabet import BYTE_OF_CHARACTER
from bpe_engine.patterns import PATTERNS, Pattern
from bpe_engine.pipeline.characters import members, numbers, script_runs
from bpe_engine.pipeline.expressions import WORD, Expression, escaped
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

# Grammars whose hand-written scanner goes character by character: 30 to 60 MB/s on English; their expression reaches
# 150 to 200.
_BY_EXPRESSION = frozenset({"deepseek_v3", "falcon"})


def stages_of(pre_tokenizers: tuple[PreTokenizer, ...]) -> tuple[list[Stage], list[Insertion]]:
    """Compile pre-tokenizers into the stages of a chain, and the insertions with their stages, which run piece by piece."""
    scanner = _scanner(pre_tokenizers)
    if scanner in _BY_EXPRESSION:
        return [(matcher_of(PATTERNS[scanner].source), "isolated")], []
    if scanner is not None:
        return [(_named(scanner), "isolated")], []
    if pre_tokenizers == (WhitespaceSplit(), Punctuation("isolated")):
        # BertPreTokenizer in one pass: twice as fast as two stages.
        marks = members("punctuation")
        return [(matcher_of(rf"(?V1)[{marks}]|[^\s{marks}]+"), "without_gap")], []
    stages: list[Stage] = []
    insertions: list[Insertion] = []
    here = stages
    for place, one in enumerate(pre_tokenizers):
        match one:
            case Metaspace(replacement, scheme, split):
                here = [(matcher_of(escaped(replacement)), "with_next")] if split else []
                insertions.append((replacement if scheme != "never" else "", scheme, replacement, here))
                continue
            case ByteLevel(adds, use_regex):
                following = _following(pre_tokenizers, place)
                if adds:
                    here = []
                    insertions.append((" ", "always", "", here))
                if use_regex and not adds and pre_tokenizers[place - 1 : place] == (Punctuation("contiguous"),):
                    here[-1] = matcher_of(_between_punctuation()), "isolated"
                elif use_regex:
                    here.append((_named("gpt2"), "isolated"))
                if following:
                    # These stages may split inside of characters, so they run piece by piece, where the chain has no
                    # boundary.
                    here += map(_stage_of_bytes, following)
                    return stages, insertions
                continue
        here.append(_stage(one))
    return stages, insertions


def _following(pre_tokenizers: tuple[PreTokenizer, ...], place: int) -> tuple[PreTokenizer, ...]:
    """Return the pre-tokenizers after the ByteLevel at this place."""
    byte_level, following = pre_tokenizers[place], pre_tokenizers[place + 1 :]
    if any(isinstance(other, ByteLevel) for other in following):
        raise NotNativeError("a second ByteLevel")
    if following and isinstance(byte_level, ByteLevel) and not byte_level.use_regex:
        raise NotNativeError("a pre-tokenizer after ByteLevel, which sees bytes as characters")
    return following


def _between_punctuation() -> str:
    """Return the expression of gpt2 for what runs of punctuation leave, and of these runs: as Falcon begins, in one pass."""
    marks = members("punctuation")
    return rf"(?V1)[{marks}]+| ?\p{{L}}+| ?\p{{N}}+| ?[^\s\p{{L}}\p{{N}}{marks}]+|\s+(?![^\s{marks}])|\s+"


def _stage_of_bytes(one: PreTokenizer) -> Stage:
    """Compile a stage after ByteLevel, which sees each byte as its character in the byte alphabet."""
    match one:
        case Digits(individual):
            is_number = re.compile(f"[{numbers()}]")
            members = bytes(byte for character, byte in BYTE_OF_CHARACTER.items() if is_number.match(character))
            return _core.Matcher.of_bytes(members), "isolated" if individual else "contiguous"
        case Split(Expression(source), behaviour, invert) if re.fullmatch(r"(\[0-9\]|[0-9]|\{\d+\})+", source):
            return matcher_of(source), _BEHAVIOURS[behaviour, invert]
    raise NotNativeError(f"the pre-tokenizer {one!r} after ByteLevel, which sees bytes as characters")


def _stage(one: PreTokenizer) -> Stage:
    match one:
        case Split(str(literal), behaviour, invert):
            return matcher_of(escaped(literal)), _BEHAVIOURS[behaviour, invert]
        case Split(Expression(source), behaviour, invert):
            from bpe_engine.pipeline.oniguruma import translated  # noqa: PLC0415 - not every file has an expression

            return matcher_of(translated(source)), _BEHAVIOURS[behaviour, invert]
        case Pattern(source, behaviour):
            return matcher_of(source), "without_gap" if behaviour == "match" else "isolated"
        case Digits(individual):
            return matcher_of(f"[{numbers()}]"), "isolated" if individual else "contiguous"
        case Punctuation(behaviour):
            return matcher_of(f"[{members('punctuation')}]"), _BEHAVIOURS[behaviour, False]
        case Whitespace():
            return matcher_of(rf"(?V1)[{WORD}]+|[^\s{WORD}]+"), "without_gap"
        case WhitespaceSplit():
            return matcher_of(r"\s"), "without_match"
        case UnicodeScripts():
            return _scripts(), "without_gap"
        case CharDelimiterSplit(delimiter):
            return matcher_of(escaped(delimiter)), "without_match"
    raise NotNativeError(f"the pre-tokenizer {one!r}")


@cache
def _named(scanner: str) -> str | tuple[str, _core.Matcher]:
    """Return a scanner with the equivalent expression, from which the core derives safe splits; the scanner alone if the core does not take it."""
    try:
        return scanner, matcher_of(PATTERNS[scanner].source)
    except NotNativeError:
        return scanner


@cache
def _scripts() -> _core.Matcher:
    """Return the matcher of runs of one script; a character of no script, or an invalid byte, belongs to the run before it."""

    def escaped_runs(wanted: int | None = None) -> str:
        return "".join(
            f"\\U{first:08X}-\\U{last:08X}" for first, last, script in runs if wanted is None or script == wanted
        )

    runs = script_runs()
    of_none = f"[^{escaped_runs()}]"
    scripts = [f"[{escaped_runs(script)}]" for script in sorted({script for _, _, script in runs})]
    return matcher_of("|".join(f"{one}(?:{one}|{of_none})*" for one in scripts))


def matcher_of(source: str) -> _core.Matcher:
    """Return the matcher of an expression. Raises NotNativeError for an expression that the core does not support."""
    try:
        matcher = _core.Matcher.of_expression(source)
    except PatternError as error:
        raise NotNativeError(f"the expression {source!r}: {error}") from error
    if matcher is None:
        raise NotNativeError(f"the expression {source!r} looks behind, or matches nothing")
    return matcher


def _scanner(pre_tokenizers: tuple[PreTokenizer, ...]) -> str | None:
    """Return the name of the scanner that finds the same pieces as these pre-tokenizers; None if there is none."""
    named = named_pattern(pre_tokenizers)
    if named is None and len(pre_tokenizers) == 1 and isinstance(pre_tokenizers[0], Pattern):
        named = pre_tokenizers[0]
    return next((name for name, pattern in PATTERNS.items() if pattern == named), None)
