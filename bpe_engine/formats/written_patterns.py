r"""Write pre-tokenization patterns in the syntax of Oniguruma, which a tokenizer.json contains.

Oniguruma accepts most of the syntax of the `regex` package, but some of it has another meaning: "{1,3}+" repeats
instead of being possessive, "{2}?" is optional, "$" matches at any line end, "[^\w]" is another set. A named grammar is written as it was
published; a custom pattern only if all its elements mean the same to both.

    regex      ...|\s++$|\s*[\r\n]|...           Oniguruma      ...|\s++(?![\s\S])|\s*[\r\n]|...
"""

from __future__ import annotations

import re

from bpe_engine.errors import PatternError, VocabularyError
from bpe_engine.patterns import GPT2, PATTERNS, STAGES, Pattern
from bpe_engine.pipeline.expressions import Expression

CL100K = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s++(?![\s\S])|\s*[\r\n]|\s+(?!\S)|\s"
)
"""The grammar cl100k for Oniguruma. Hugging Face files have Llama 3's grammar in its place, which ends white space differently."""
# Patterns with another spelling than their own for the same pre-tokens.
_WRITTEN_OTHERWISE = {"cl100k": (CL100K,), "r50k": (GPT2.source,)}

# A sequence of pattern elements, each with the same meaning for both. The only case-insensitive groups are
# contractions, because Oniguruma also matches "ß" with "ss".
_PORTABLE = r"""(?:
        \\[pP]\{\^?(?!(?i:is|word\}|xdigit\}))[A-Za-z_]+\} | \\u[0-9A-Fa-f]{4} | \\x[0-7][0-9A-Fa-f]
        | \\[\\.^$|?*+()\[\]{}\-/"'\ #&~@!%,;:=<>_`tnrfvsSdDA]
        | \[\^?\]?(?:
            \\[pP]\{\^?(?!(?i:is|word\}|xdigit\}))[A-Za-z_]+\}|\\u[0-9A-Fa-f]{4}|\\x[0-7][0-9A-Fa-f]|\\[^wWbBhHpPuUNxXQE0-9]
            |(?!&&|--|\|\||~~|\[|-\\[A-Za-z])[^\]\\]
        )+\]
        | \(\?(?:[:=!>]|<[=!])
        | \(\?i:'?(?:\[[a-z]+\]|[a-z]{1,2})(?:\|'?(?:\[[a-z]+\]|[a-z]{1,2}))*\)
        | \((?!\?) | \)
        | \{[0-9]+\}(?![+?]) | \{[0-9]+,[0-9]*\}(?!\+)
        | [^\\\[\](){}^$]
    )*+"""
_ASCII = "".join(map(chr, range(128)))
_TWO_AS_ONE = re.compile(r"\(\?i:[^)]*(?:ss|ff|fi|fl|st)")


def is_grammar(pattern: Pattern) -> bool:
    """Whether a pattern has the expression of a named grammar."""
    return any(known.source == pattern.source for known in PATTERNS.values())


def oniguruma_stages(pattern: Pattern) -> tuple[str, ...]:
    """Return the expressions that split a text, one after the other, in the syntax of Oniguruma.

    Raises VocabularyError for an expression that may have another meaning in Oniguruma.

    >>> oniguruma_stages(PATTERNS["gpt2"]) == oniguruma_stages(PATTERNS["r50k"])
    True
    >>> oniguruma_stages(Pattern(r"[a-z]+|\\s"))
    ('[a-z]+|\\\\s',)
    """
    named = next((name for name, known in PATTERNS.items() if known.source == pattern.source), None)
    if named in _WRITTEN_OTHERWISE:
        return _WRITTEN_OTHERWISE[named]
    if named in STAGES:
        return STAGES[named]
    if named is not None:
        return (pattern.source.removeprefix("(?V1)"),)
    import regex  # noqa: PLC0415 - takes 40 ms, and only custom patterns need it

    from bpe_engine.pipeline.matching import matcher  # noqa: PLC0415 - as above

    read = regex.match(_PORTABLE, pattern.source, regex.VERBOSE | regex.DOTALL)
    end = read.end() if read else 0
    if end < len(pattern.source) or _TWO_AS_ONE.search(pattern.source):
        place = pattern.source[end : end + 20] or "a case-insensitive group"
        raise VocabularyError(
            f"the pattern {pattern.source!r:.200} cannot be written to a tokenizer.json: Oniguruma, which `tokenizers` "
            f"splits with, may interpret {place!r} differently from the `regex` package does"
        )
    try:
        found = matcher(Expression(pattern.source)).spans(_ASCII)
    except PatternError as error:
        raise VocabularyError(f"{error}, in a tokenizer.json") from error
    if any(is_match and start == end for start, end, is_match in found):
        raise VocabularyError(
            f"the pattern {pattern.source!r:.200} cannot be written to a tokenizer.json: it matches where there is no text, and `tokenizers` splits there"
        )
    return (pattern.source,)
