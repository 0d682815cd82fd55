r"""Pre-tokenization patterns in the syntax of Oniguruma, which is what a tokenizer.json holds.

It reads most of what the `regex` package reads, and some of it otherwise: "{1,3}+" repeats what it should only make possessive, "$" ends any line, "[^\w]" is
another set. A named grammar is written as it was published; a pattern of the user's own if all that it is made of means the same to both.

    regex      ...|\s++$|\s*[\r\n]|...           Oniguruma      ...|\s++(?![\s\S])|\s*[\r\n]|...
"""

from __future__ import annotations

import re

from bpe_engine.errors import VocabularyError
from bpe_engine.patterns import GPT2, PATTERNS, STAGES, Pattern

CL100K = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s++(?![\s\S])|\s*[\r\n]|\s+(?!\S)|\s"
)
"""The grammar cl100k as Oniguruma understands it: what Hugging Face files have in its place is the one of Llama 3, which ends white space otherwise."""
# Two spellings of the same pre-tokens.
_WRITTEN_OTHERWISE = {"cl100k": (CL100K,), "r50k": (GPT2.source,)}

# One element of a pattern after the other, each with the same meaning for both. Case-insensitive groups are the contractions: Oniguruma
# also takes "ß" for "ss".
_PORTABLE = r"""(?:
        \\[pP]\{\^?[A-Za-z_=]+\} | \\u[0-9A-Fa-f]{4} | \\x[0-9A-Fa-f]{2}
        | \\[\\.^$|?*+()\[\]{}\-/"'\ #&~@!%,;:=<>_`tnrfvsSdDA]
        | \[\^?\]?(?:\\[pP]\{\^?[A-Za-z_=]+\}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\[^wWbBhHpPuUNxXQE0-9]|(?!&&|--|\|\||~~|\[)[^\]\\])+\]
        | \(\?(?:[:=!>]|<[=!])
        | \(\?i:'?(?:\[[a-z]+\]|[a-z]{1,2})(?:\|'?(?:\[[a-z]+\]|[a-z]{1,2}))*\)
        | \((?!\?) | \)
        | \{[0-9]+(?:,[0-9]*)?\}(?!\+)
        | [^\\\[\](){}^$]
    )*+"""
_TWO_AS_ONE = re.compile(r"\(\?i:[^)]*(?:ss|ff|fi|fl|st)")


def oniguruma_stages(pattern: Pattern) -> tuple[str, ...]:
    """The splits of a text, one expression after the other, in the syntax of Oniguruma.

    Raises VocabularyError for an expression that it may read otherwise.

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
    import regex  # noqa: PLC0415 - 40 ms that only writing a pattern of one's own costs

    read = regex.match(_PORTABLE, pattern.source, regex.VERBOSE | regex.DOTALL)
    end = read.end() if read else 0
    if end < len(pattern.source) or _TWO_AS_ONE.search(pattern.source):
        place = pattern.source[end : end + 20] or "a case-insensitive group"
        raise VocabularyError(
            f"the pattern {pattern.source!r:.200} cannot be written to a tokenizer.json: Oniguruma, which `tokenizers` "
            f"splits with, may read {place!r} otherwise than the `regex` package does"
        )
    return (pattern.source,)
