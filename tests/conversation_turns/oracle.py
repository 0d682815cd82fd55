"""What `transformers` and `tokenizers` make of a conversation, encoded anew.

Where special tokens that a message spells are text, the oracle is another world: template and tokenizer call their special tokens by other names, of
the same lengths, that nobody spells.

    template    <|im_start|>user\\n ...     ->    \U000f0000\U000f0000...user\\n ...
    tokenizer   <|im_start|> is 602         ->    \U000f0000\U000f0000...  is 602
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from huggingface_files import family
from tokenizers import AddedToken, Tokenizer
from transformers import PreTrainedTokenizerFast

from bpe_engine import Tokenizer as OurTokenizer
from bpe_engine.formats.tokenizer_json import parse_tokenizer_json

PIN = "\U000fff00"
FAMILIES = ("llama3", "qwen2", "deepseek-v3", "roberta", "llama2", "gemma", "sentencepiece, unknown")
_SPELLED = re.compile(
    r"<\|[^|<> ]{1,30}\|>|<[|｜][^<>]{1,40}[|｜]>|<(?:start|end)_of_(?:turn|utterance)>|\[/?(?:INST|TOOL_CALLS)\]"
)


class World(NamedTuple):
    """A tokenizer and a template, in ours and in theirs."""

    ours: OurTokenizer
    tokenizer: PreTrainedTokenizerFast
    renamed: PreTrainedTokenizerFast
    template: str
    renamed_template: str
    specials: tuple[str, ...]
    names: Mapping[str, str]

    def as_renamed(self, text: str) -> str:
        return renamed(text, self.names)


def renamed(text: str, names: Mapping[str, str]) -> str:
    return re.sub("|".join(map(re.escape, sorted(names, key=len, reverse=True))), lambda found: names[found[0]], text)


def specials_of(template: str) -> tuple[str, ...]:
    found = dict.fromkeys(["<|bos|>", "<|eos|>", *_SPELLED.findall(template)])
    # What Phi writes in three parts.
    if re.search(r"'<\|' *\+|<\|\{\{", template):
        found |= dict.fromkeys(f"<|{role}|>" for role in ("system", "user", "assistant", "tool", "end"))
    return tuple(found)


@cache
def world(name: str, template: str) -> World:
    base = Tokenizer.from_str(family(name))
    # What the tokenizer itself has is special in both worlds, and nobody spells it.
    specials = tuple(special for special in specials_of(template) if base.token_to_id(special) is None)
    names = {special: chr(0xF0000 + number) * len(special) for number, special in enumerate(specials)}
    # Some take the white space behind them along, as those of Phi do.
    strips = {special for special in specials if special == "<|end|>"}

    def made(texts: Sequence[str]) -> Tokenizer:
        tokenizer = Tokenizer.from_str(family(name))
        tokenizer.add_special_tokens(
            [
                AddedToken(text, special=True, normalized=False, rstrip=special in strips)
                for special, text in zip(specials, texts, strict=True)
            ]
        )
        tokenizer.add_special_tokens([AddedToken(PIN, special=True, normalized=False)])
        return tokenizer

    wrapped: Any = PreTrainedTokenizerFast
    plain, other = made(specials), made([names[special] for special in specials])
    ours = OurTokenizer.from_specification(parse_tokenizer_json(plain.to_str().encode(), name))
    tokens = {"bos_token": "<|bos|>", "eos_token": "<|eos|>"}
    return World(
        ours,
        wrapped(tokenizer_object=plain, chat_template=template, **tokens),
        wrapped(
            tokenizer_object=other,
            chat_template=renamed(template, names),
            **{key: names[token] for key, token in tokens.items()},
        ),
        template,
        renamed(template, names),
        specials,
        names,
    )


def rendered(tokenizer: PreTrainedTokenizerFast, messages: Any, tools: Any, **options: Any) -> str:
    return str(tokenizer.apply_chat_template(messages, tools=tools, tokenize=False, **options))


def encoded(
    tokenizer: PreTrainedTokenizerFast, text: str, pins: Sequence[tuple[int, int, Sequence[int]]] = ()
) -> list[int]:
    """The ids of a rendered text, with those of pins in their places."""
    place, marked = 0, ""
    for start, end, _ in pins:
        marked += text[place:start] + PIN
        place = end
    found = tokenizer(marked + text[place:], add_special_tokens=False)["input_ids"]
    pin = tokenizer.convert_tokens_to_ids(PIN)
    left = [ids for _, _, ids in pins]
    made: list[int] = []
    for token in found:
        made += left.pop(0) if token == pin else [token]
    assert not left
    return made
