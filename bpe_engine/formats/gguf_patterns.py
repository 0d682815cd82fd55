r"""The pre-tokenizers of GGUF files: the pattern of each name in `tokenizer.ggml.pre`, as in llama.cpp.

llama.cpp applies regular expressions in sequence, each to the pieces of the one before; text that no expression matches
stays a piece. The expressions are those of the published tokenizers, as far as its own regex engine supports them.
Where it does not, the pieces differ, and ours are llama.cpp's:

    gpt-4o, tekken     letters beyond ASCII have no case: "École" may follow a lower-case letter, "éCOLE" may start with an upper-case one
    kimi-k2            letters have no case at all, and marks are not letters
    llama3, qwen2, ... contractions have ASCII letters only: an apostrophe and U+017F (ſ), which published tokenizers
    take for an S, are none

The expressions come from src/llama-vocab.cpp in https://github.com/ggml-org/llama.cpp; src/unicode.cpp there defines
what they match. If a name stands for one of the grammars of `patterns.py`, that grammar is used, because the engine has
a scanner for it. One difference remains: llama.cpp knows the characters of Unicode 15, this package those of Unicode
16.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpe_engine.patterns import DEEPSEEK_V3, FALCON, GPT2, LLAMA3_ASCII, QWEN2_ASCII, QWEN35_ASCII, STARCODER, Pattern

__all__ = ["PRE_TOKENIZATIONS"]


@dataclass(frozen=True)
class PreTokenization:
    """A pre-tokenization of llama.cpp.

    `ignore_merges`: a piece that is a token is encoded as that token. `adds_bos`: a text gets the beginning-of-text
    token unless the file says otherwise.
    """

    stages: tuple[Pattern, ...]
    ignore_merges: bool = False
    adds_bos: bool = False


def _stages(*sources: str) -> tuple[Pattern, ...]:
    return tuple(Pattern("(?V1)" + source, "split") for source in sources)


_CONTRACTION = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])"
_WHITE_SPACE = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_WORD = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)"
# A letter that may be upper case, and one that may be lower case: llama.cpp knows the case of ASCII letters only.
_UPPER, _LOWER = r"[\p{L}--[a-z]]", r"[\p{L}--[A-Z]]"
_CASED = (rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+", rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*")
_HAN = (
    r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
    r"\U0002b820-\U0002ceaf\U0002ceb0-\U0002ebef\U0002f800-\U0002fa1f]"
)
# llama.cpp matches these ranges by code point, but not white space beyond ASCII, which it represents as U+000B.
_CJK = r"[[\u0800-\u9fa5\uac00-\ud7ff]--\s]+"
# The letters of "deepseek-llm".
_DEEPSEEK_LETTERS = (
    r"A-Za-z\u00b5\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u01ba\u01bc-\u01bf\u01c4-\u0293\u0295-\u02af\u0370-\u0373\u0376\u0377\u037b-\u037d"
    r"\u037f\u0386\u0388-\u038a\u038c\u038e-\u03a1\u03a3-\u03f5\u03f7-\u0481\u048a-\u052f\u0531-\u0556\u10a0-\u10c5\u13a0-\u13f5"
    r"\u13f8-\u13fd\u1c90-\u1cba\u1cbd-\u1cbf\u1d00-\u1d2b\u1d6b-\u1d77\u1d79-\u1d9a\u1e00-\u1f15\u1f18-\u1f1d\u1f20-\u1f45\u1f48-\u1f4d"
    r"\u1f50-\u1f57\u1f59\u1f5b\u1f5d\u1f5f-\u1f7d\u1f80-\u1fb4\u1fb6-\u1fbc\u1fbe\u1fc2-\u1fc4\u1fc6-\u1fcc\u1fd0-\u1fd3\u1fd6-\u1fdb"
    r"\u1fe0-\u1fec\u1ff2-\u1ff4\u1ff6-\u1ffc\u2102\u2107\u210a-\u2113\u2115\u2119-\u211d\u2124\u2126\u2128\u212a-\u212d\u212f-\u2134"
    r"\u2139\u213c-\u213f\u2145-\u2149\u214e\u2183\u2184\u2c00-\u2c7b\u2c7e-\u2ce4\u2ceb-\u2cee\u2cf2\u2cf3\ua640-\ua66d\ua680-\ua69b"
    r"\ua722-\ua76f\ua771-\ua787\ua78b-\ua78e\uab70-\uabbf\ufb00-\ufb06\ufb13-\ufb17\uff21-\uff3a\uff41-\uff5a\U00010400-\U0001044f"
    r"\U000104b0-\U000104d3\U000104d8-\U000104fb\U00010c80-\U00010cb2\U00010cc0-\U00010cf2\U000118a0-\U000118df\U0001e900-\U0001e943"
)
_LETTER_NOT_HAN = rf"[\p{{L}}--{_HAN}]"

_LLAMA3 = PreTokenization((LLAMA3_ASCII,), ignore_merges=True, adds_bos=True)
_PORO = r" ?[^(\s|.,!?…。，、।۔،)]+"

_BY_PRE_TOKENIZATION: dict[PreTokenization, str] = {
    PreTokenization((GPT2,)): (
        "gpt-2 phi-2 jina-es jina-de gigachat jina-v2-es jina-v2-de a.x-4.0 mellum modern-bert jina-v1-en jina-v2-code roberta-bpe"
        " mpt olmo jais trillion granite-docling exaone4"
    ),
    _LLAMA3: "llama3 llama-v3 llama-bpe falcon3 falcon-h1 pixtral midm-2.0 lfm2 jina-v5-nano",
    PreTokenization((LLAMA3_ASCII,)): "dbrx smaug-bpe glm4 chatglm-bpe",
    PreTokenization((QWEN2_ASCII,)): "qwen2 deepseek-r1-qwen kormo f2llmv2 megrez stablelm2 hunyuan solar-open grok-2",
    PreTokenization((QWEN35_ASCII,)): "qwen35",
    PreTokenization((STARCODER,)): "starcoder refact command-r smollm codeshell exaone minerva-7b mellum2",
    PreTokenization((FALCON,)): "falcon",
    PreTokenization((DEEPSEEK_V3,)): "deepseek-v3 hunyuan-dense joyai-llm hy_v4",
    PreTokenization(_stages(r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", _CJK, r"\p{N}")): "deepseek-coder",
    PreTokenization(
        _stages(
            r"[\r\n]",
            rf"\s?[{_DEEPSEEK_LETTERS}]+",
            r"\s?[!-/:-~\uff01-\uff0f\uff1a-\uff5e\u2018-\u201f\u3001\u3002]+",
            r"\s++(?![\s\S])",
            _CJK,
            r"\p{N}+",
        )
    ): "deepseek-llm",
    PreTokenization(
        _stages(
            r"<sentinel:[0-9]+>", r"IMGIMG[A-I]{1,4}Z", r"[\t\n]|    |  ", r"\p{N}", r"[\p{P}!-/:-@\[-`{-~]", _GPT2
        ),
        adds_bos=True,
    ): "chameleon",
    PreTokenization(
        _stages(rf"{_CASED[0]}|{_CASED[1]}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_WHITE_SPACE}"),
        ignore_merges=True,
        adds_bos=True,
    ): "tekken",
    PreTokenization(
        _stages(
            rf"{_CASED[0]}{_CONTRACTION}?|{_CASED[1]}{_CONTRACTION}?|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_WHITE_SPACE}"
        )
    ): "gpt-4o llama4 kanana2 talkie minimax-m2",
    PreTokenization(
        _stages(
            rf"{_HAN}+|[^\r\n\p{{L}}\p{{N}}]?{_LETTER_NOT_HAN}+{_CONTRACTION}?|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_WHITE_SPACE}"
        )
    ): "kimi-k2",
    PreTokenization(
        _stages(r"\p{N}{1,3}", rf"{_CONTRACTION}|{_WORD}|\p{{N}}+| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_WHITE_SPACE}"),
        ignore_merges=True,
    ): "minicpm5",
    PreTokenization(_stages(_PORO)): "bloom poro-chat gpt3-finnish",
    PreTokenization(_stages(_PORO, r"\p{N}")): "viking",
    PreTokenization(
        _stages(
            rf"'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|{_WORD}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
        )
    ): "bailingmoe bailingmoe2 llada-moe",
    PreTokenization(
        _stages(rf"{_CONTRACTION}|{_WORD}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}\r\n]+|{_WHITE_SPACE}")
    ): "seed-coder",
    PreTokenization(_stages(rf"{_WORD}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_WHITE_SPACE}")): "ufakzeka",
    PreTokenization(
        _stages(r"[^\n]+|[\n]+", rf"{_CONTRACTION}|{_WORD}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_WHITE_SPACE}")
    ): "laguna",
    # llama.cpp also uses this one for a file without a name, and warns that results may be wrong.
    PreTokenization(_stages(r"[\p{P}$+<=>^~|]+", _GPT2, r"\p{N}+", r"[0-9][0-9][0-9]")): "default",
}

PRE_TOKENIZATIONS: dict[str, PreTokenization] = {
    name: found for found, names in _BY_PRE_TOKENIZATION.items() for name in names.split()
}
"""Supported name in `tokenizer.ggml.pre` -> its pre-tokenization."""
