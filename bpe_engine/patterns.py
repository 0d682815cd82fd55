"""The named pre-tokenization grammars, as patterns for the `regex` package.

r50k, gpt2     GPT-2, GPT-3; two spellings of the same pre-tokens
cl100k         GPT-3.5, GPT-4
o200k          GPT-4o and later, gpt-oss, Llama 4
llama3         Llama 3, OLMo 2, DBRX, GLM-4
qwen2          Qwen 2, 2.5, 3                          qwen35       Qwen 3.5
tekken         Mistral Nemo, Nemotron                  kimi_k2      Kimi K2
starcoder      StarCoder, Command R, SmolLM            deepseek_v3  DeepSeek V3, R1
falcon         Falcon as llama.cpp splits it
llama3_ascii, qwen2_ascii, qwen35_ascii     llama3, qwen2 and qwen35 in GGUF files

In llama.cpp a contraction has ASCII letters only: `'[sS]`. The published `(?i:'s)` also matches U+017F (ſ) as an s.

starcoder, falcon and deepseek_v3 are published as several splits in sequence, each applied to every piece from the one
before (`STAGES`). Here each is one pattern with the same pieces, for two reasons. The later splits see the matches of a
split as ends of the text, so `\\s+(?!\\S)` becomes `\\s+(?![^\\s...])` with the characters of that split for the dots.
And text that no split matches remains as a piece, so it gets an alternative of its own.

Not here: Falcon as Hugging Face splits it. There the digits are searched for after the text has become bytes, and the
second byte of "ò" is taken for a "²": its pieces do not consist of whole characters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bpe_engine.errors import PatternError

__all__ = ["PATTERNS", "STAGES", "Pattern"]


@dataclass(frozen=True)
class Pattern:
    """A pre-tokenization pattern.

    Args:
        source: A regular expression in the syntax of the `regex` package.
        behaviour: With "match" the matches are the pre-tokens, and text between two matches is dropped, as in tiktoken.
            With "split" both the matches and the texts between them are pre-tokens, as with Hugging Face's
            `Split(behavior="isolated")`.
        name: The name of a grammar of this module; None for a pattern of your own.

    Raises:
        PatternError: `behaviour` is neither.
    """

    source: str
    behaviour: Literal["match", "split"] = "match"
    name: str | None = None

    def __post_init__(self) -> None:
        if self.behaviour not in ("match", "split"):
            raise PatternError(f'behaviour must be "match" or "split", not {self.behaviour!r}')


R50K = Pattern(r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s", name="r50k")

CL100K = Pattern(
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s",
    name="cl100k",
)

O200K = Pattern(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+",
    name="o200k",
)

_CONTRACTION = "'s|'t|'re|'ve|'m|'ll|'d"
_WHITE_SPACE = r"\s*[\r\n]+|\s+(?!\S)|\s+"

GPT2 = Pattern(rf"{_CONTRACTION}| ?\p{{L}}+| ?\p{{N}}+| ?[^\s\p{{L}}\p{{N}}]+|\s+(?!\S)|\s+", name="gpt2")

LLAMA3 = Pattern(
    rf"(?i:{_CONTRACTION})|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_WHITE_SPACE}",
    name="llama3",
)

QWEN2 = Pattern(
    rf"(?i:{_CONTRACTION})|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_WHITE_SPACE}",
    name="qwen2",
)

QWEN35 = Pattern(
    rf"(?i:{_CONTRACTION})|[^\r\n\p{{L}}\p{{N}}]?[\p{{L}}\p{{M}}]+|\p{{N}}| ?[^\s\p{{L}}\p{{M}}\p{{N}}]+[\r\n]*|{_WHITE_SPACE}",
    name="qwen35",
)

# The contractions in llama.cpp's spelling.
_CONTRACTION_OF_ASCII = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"


def _ascii(pattern: Pattern) -> Pattern:
    source = pattern.source.replace(f"(?i:{_CONTRACTION})", _CONTRACTION_OF_ASCII)
    return Pattern(source, pattern.behaviour, f"{pattern.name}_ascii")


LLAMA3_ASCII, QWEN2_ASCII, QWEN35_ASCII = _ascii(LLAMA3), _ascii(QWEN2), _ascii(QWEN35)

TEKKEN = Pattern(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*"
    rf"|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_WHITE_SPACE}",
    name="tekken",
)

# (?V1) makes the `regex` package support && and -- in a set; the rest of kimi_k2 is as published.
KIMI_K2 = Pattern(
    r"(?V1)[\p{Han}]+"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+"
    rf"(?i:{_CONTRACTION})?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*"
    rf"(?i:{_CONTRACTION})?"
    rf"|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_WHITE_SPACE}",
    name="kimi_k2",
)

STARCODER = Pattern(
    rf"{_CONTRACTION}| ?\p{{L}}+|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+|\s+(?![^\s\p{{N}}])|\s+",
    name="starcoder",
)

# The first split of falcon splits at these characters. They include the apostrophe, so no contraction is left to find.
_FALCON_CUT = r"\p{P}$+<=>^~|`"
FALCON = Pattern(
    rf"[{_FALCON_CUT}]+| ?\p{{L}}+|[0-9]{{3}}| ?(?:(?![0-9]{{3}})\p{{N}})+| ?[^\s\p{{L}}\p{{N}}{_FALCON_CUT}]+"
    rf"|\s+(?![^\s{_FALCON_CUT}])|\s+",
    name="falcon",
)

# The kana and ideographs that the second split of deepseek_v3 matches: Hiragana, Katakana and a part of Han, including
# a few marks, signs and unassigned code points. Inside such a run the third split has the same alternatives as outside
# of it.
CJK = r"\u3040-\u30ff\u4e00-\u9fa5"
DEEPSEEK_V3 = Pattern(
    r"(?V1)\p{N}{1,3}|[!-/:-@\[-`\{-\~][A-Za-z]+"
    rf"|[^\r\n\p{{L}}\p{{N}}\p{{P}}\p{{S}}{CJK}]?[\p{{L}}\p{{M}}--[{CJK}]]+"
    rf"|[{CJK}--[\p{{L}}\p{{P}}\p{{S}}]]?[{CJK}&&[\p{{L}}\p{{M}}]]+"
    rf"| ?[\p{{P}}\p{{S}}--[{CJK}]]+[\r\n]*|[{CJK}&&[\p{{P}}\p{{S}}]]+"
    rf"|\s*[\r\n]+|\s+(?![^\s\p{{N}}{CJK}])|\s+"
    # The rest: characters of no other class, without the last one if it belongs to the word after it.
    rf"|[^\s\p{{L}}\p{{M}}\p{{N}}\p{{P}}\p{{S}}{CJK}]+(?![\p{{L}}\p{{M}}--[{CJK}]])"
    rf"|[{CJK}--[\p{{L}}\p{{M}}\p{{P}}\p{{S}}]]+(?![{CJK}&&[\p{{L}}\p{{M}}]])",
    name="deepseek_v3",
)

PATTERNS: dict[str, Pattern] = {
    "r50k": R50K,
    "cl100k": CL100K,
    "o200k": O200K,
    "gpt2": GPT2,
    "llama3": LLAMA3,
    "qwen2": QWEN2,
    "qwen35": QWEN35,
    "tekken": TEKKEN,
    "kimi_k2": KIMI_K2,
    "starcoder": STARCODER,
    "falcon": FALCON,
    "deepseek_v3": DEEPSEEK_V3,
    "llama3_ascii": LLAMA3_ASCII,
    "qwen2_ascii": QWEN2_ASCII,
    "qwen35_ascii": QWEN35_ASCII,
}
"""The patterns by name."""

STAGES: dict[str, tuple[str, ...]] = {
    "starcoder": (r"\p{N}", GPT2.source),
    "falcon": (rf"[{_FALCON_CUT}]+", GPT2.source.removesuffix(r"|\s+"), "[0-9][0-9][0-9]"),
    "deepseek_v3": (
        r"\p{N}{1,3}",
        "[一-龥぀-ゟ゠-ヿ]+",
        (
            r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
            rf"| ?[\p{{P}}\p{{S}}]+[\r\n]*|{_WHITE_SPACE}"
        ),
    ),
}
"""Name -> the published sequence of isolated splits, for the grammars that are not published as a single pattern."""
