r"""The pre-tokenizers of GGUF files: what each name in `tokenizer.ggml.pre` stands for in llama.cpp.

llama.cpp splits by regular expressions in sequence, each within the pieces that the one before has left, and what none matches stays a piece. They are those
of the published tokenizers as far as its own engine can say them. Where it cannot, the pieces are others, and here they are llama.cpp's:

    gpt-4o, tekken     no letter beyond ASCII has a case: "École" may follow a small letter, "éCOLE" may begin with a capital
    kimi-k2            letters have no case at all, and marks are no letters
    llama3, qwen2, ... contractions are made of ASCII letters: an apostrophe and U+017F (ſ), which is an S for the published ones, are none

Where a name stands for one of the grammars of `patterns.py`, that grammar is taken, for which the engine has a scanner. One thing is left that differs: llama.cpp knows the characters
of Unicode 15, we those of 16.
"""

from __future__ import annotations

from dataclasses import dataclass

from bpe_engine.patterns import DEEPSEEK_V3, FALCON, GPT2, LLAMA3_ASCII, QWEN2_ASCII, QWEN35_ASCII, STARCODER, Pattern


@dataclass(frozen=True)
class PreTokenization:
    """What llama.cpp does for one name.

    `ignore_merges`: a piece that is a token is that token. `adds_bos`: the text gets the beginning-of-text token unless the file says otherwise.
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
# A letter that may be in upper case, and one that may be in lower case: of all the others llama.cpp does not know.
_UPPER, _LOWER = r"[\p{L}--[a-z]]", r"[\p{L}--[A-Z]]"
_CASED = (rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+", rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*")
_HAN = (
    r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
    r"\U0002b820-\U0002ceaf\U0002ceb0-\U0002ebef\U0002f800-\U0002fa1f]"
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
    PreTokenization(
        _stages(r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", r"[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+", r"\p{N}")
    ): "deepseek-coder",
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
    # What llama.cpp takes where a file says nothing, too: it warns, as the tokens are hardly those of the model.
    PreTokenization(_stages(r"[\p{P}$+<=>^~|]+", _GPT2, r"\p{N}+", r"[0-9][0-9][0-9]")): "default",
}

PRE_TOKENIZATIONS: dict[str, PreTokenization] = {
    name: found for found, names in _BY_PRE_TOKENIZATION.items() for name in names.split()
}
"""The names of `tokenizer.ggml.pre` that are supported, and what they stand for."""
