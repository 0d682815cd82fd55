"""Recognize pre-tokenizers that equal a named grammar of `patterns.py`, for which the engine has a scanner and incremental encoders.

Split("(?i:'s|'t|...", isolated), ByteLevel(use_regex=False)      llama3
Digits(individual=True), ByteLevel()                              starcoder
Split, Split, Split, ByteLevel(use_regex=False)                   deepseek_v3
"""

from __future__ import annotations

import re
from functools import cache

from bpe_engine.patterns import GPT2, PATTERNS, STAGES, Pattern
from bpe_engine.pipeline.expressions import Expression
from bpe_engine.pipeline.pre_tokenizers import ByteLevel, Digits, PreTokenizer, Split

# Written for the `regex` package or tiktoken; in Oniguruma the same source has another meaning: "{1,3}+" repeats, "$"
# matches at any line end.
_NOT_ONIGURUMA = frozenset({"r50k", "cl100k"})
_NUMBER = r"\p{N}"
# Three spellings of a character in an expression: by its number, after a backslash, or (line ends and tabs) as itself;
# in a set or outside.
_SPELLING = r"\\u([0-9A-Fa-f]{4})|\\(.)|([\r\n\t])"
_BY_LETTER = {"\r": r"\r", "\n": r"\n", "\t": r"\t"}
_NEVER_SPECIAL = frozenset('!"#%,/:;=@_~\r\n\t')


def named_pattern(stages: tuple[PreTokenizer, ...]) -> Pattern | None:
    """Return the named grammar with the same pre-tokens as `stages`; None if there is none.

    >>> named = named_pattern((Digits(individual=True), ByteLevel()))
    >>> named and named.name
    'starcoder'
    """
    sources = []
    for place, stage in enumerate(stages):
        if isinstance(stage, ByteLevel):
            # The stages after ByteLevel see bytes, and it may insert a space before each piece.
            if stage.add_prefix_space or place + 1 < len(stages):
                return None
            sources += [GPT2.source] if stage.use_regex else []
        elif isinstance(stage, Digits) and stage.individual:
            sources.append(_NUMBER)
        elif (
            isinstance(stage, Split)
            and isinstance(stage.pattern, Expression)
            and stage.behaviour == "isolated"
            and not stage.invert
        ):
            sources.append(stage.pattern.source)
        elif isinstance(stage, Pattern) and len(stages) == 1:
            return stage if PATTERNS.get(stage.name or "") == stage else None
        else:
            return None
    return _published().get(tuple(map(spelled, sources)))


def spelled(source: str) -> str:
    r"""Return the normal spelling of an expression: published files write line ends as themselves, as "\r\n" or as numbers.

    >>> print(spelled("[^\r\\n\\/]+\\\\|[\\u4e00-龥]"))
    [^\r\n/]+\\|[一-龥]
    """

    def one(found: re.Match[str]) -> str:
        number, escaped, plain = found.groups()
        if number is not None:
            character = chr(int(number, 16))
            return character if character.isalpha() and not character.isascii() else found[0].lower()
        if escaped in _NEVER_SPECIAL or plain:
            return _BY_LETTER.get(escaped or plain, escaped or plain)
        return found[0]

    return re.sub(_SPELLING, one, source, flags=re.DOTALL)


@cache
def _published() -> dict[tuple[str, ...], Pattern]:
    from bpe_engine.formats.written_patterns import CL100K  # noqa: PLC0415 - few files need it

    known = {
        (spelled(pattern.source.removeprefix("(?V1)")),): pattern
        for name, pattern in PATTERNS.items()
        if name not in STAGES and name not in _NOT_ONIGURUMA
    }
    known[spelled(CL100K),] = PATTERNS["cl100k"]
    return known | {tuple(map(spelled, stages)): PATTERNS[name] for name, stages in STAGES.items()}


def is_published(source: str) -> bool:
    """Whether an Oniguruma expression is by itself one of the named grammars.

    >>> is_published(GPT2.source), is_published("[a-z]+")
    (True, False)
    """
    return (spelled(source),) in _published()
