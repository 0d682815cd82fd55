"""What `transformers` and `tokenizers` make of a conversation, encoded anew.

Where special tokens that a message spells are text, the oracle is another world: template and tokenizer call their
special tokens by other names, of the same lengths, that nobody spells.

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
TOKENS = {"bos_token": "<|bos|>", "eos_token": "<|eos|>"}
# Byte-level BPE, with the grammars of tiktoken's encodings among them; BPE of SentencePiece; Unigram; WordPiece.
FAMILIES = (
    "llama3",
    "qwen2",
    "deepseek-v3",
    "roberta",
    "gpt2",
    "llama2",
    "gemma",
    "sentencepiece, unknown",
    "t5",
    "bert, cased",
    "bert, uncased",
)
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


# A special token that a template writes in parts: '<|' + message['role'] + '|>', or <|{{ role }}|>.
_PARTS = re.compile(r"""(['"])<\|\1 *\+ *([^+'"]*(?:\[['"]\w+['"]\])?) *\+ *(['"])\|>|<\|\{\{ *([\w.]+) *\}\}\|>""")
_ROLES = ("system", "user", "assistant", "tool", "end", "developer")


def renamed_template(template: str, names: Mapping[str, str]) -> str:
    """The template with its special tokens by other names, those that it writes in parts, too.

    >>> renamed_template("{{ '<|' + m.role + '|>x' }}", {"<|user|>": "UUUUUUUU"})
    "{{ {'user': 'UUUUUUUU'}.get(m.role, '<|' + m.role + '|>') + 'x' }}"
    """
    roles = {role: names[f"<|{role}|>"] for role in _ROLES if f"<|{role}|>" in names}

    def whole(found: re.Match[str]) -> str:
        role = (found[2] or found[4]).strip()
        made = f"{roles}.get({role}, '<|' + {role} + '|>')"
        return f"{made} + {found[3]}" if found[2] else f"{{{{ {made} }}}}"

    return renamed(_PARTS.sub(whole, template), names) if roles else renamed(template, names)


def specials_of(template: str) -> tuple[str, ...]:
    found = dict.fromkeys(["<|bos|>", "<|eos|>", *_SPELLED.findall(template)])
    if _PARTS.search(template):
        found |= dict.fromkeys(f"<|{role}|>" for role in _ROLES)
    return tuple(found)


@cache
def world(name: str, template: str) -> World:
    base = Tokenizer.from_str(family(name))
    # What the tokenizer itself has is special in both worlds, and nobody spells it.
    specials = tuple(special for special in specials_of(template) if base.token_to_id(special) is None)
    names = {special: chr(0xF0000 + number) * len(special) for number, special in enumerate(specials)}
    # Some take the white space after them along, as those of Phi do.
    strips = {special for special in specials if special == "<|end|>"}

    def made(texts: Sequence[str]) -> Tokenizer:
        # So that white space, too, is in the offsets of the token that it is in.
        tokenizer = Tokenizer.from_str(family(name).replace('"trim_offsets":true', '"trim_offsets":false'))
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
    return World(
        ours,
        wrapped(tokenizer_object=plain, chat_template=template, **TOKENS),
        wrapped(
            tokenizer_object=other,
            chat_template=renamed_template(template, names),
            **{key: names[token] for key, token in TOKENS.items()},
        ),
        template,
        renamed_template(template, names),
        specials,
        names,
    )


def rendered(tokenizer: PreTrainedTokenizerFast, messages: Any, tools: Any, **options: Any) -> str:
    return str(tokenizer.apply_chat_template(messages, tools=tools, tokenize=False, **options))


class Encoding(NamedTuple):
    """Ids, and the characters of each in the text."""

    ids: list[int]
    offsets: list[tuple[int, int]]


def encoded(
    tokenizer: PreTrainedTokenizerFast,
    text: str,
    pins: Sequence[tuple[int, int, Sequence[int]]] = (),
    sizes: Sequence[Sequence[int]] = (),
) -> Encoding:
    """The ids of a rendered text, with those of pins in their places. `sizes`: the bytes of each pinned id."""
    place, marked = 0, ""
    starts = [0]
    for start, end, _ in pins:
        marked += text[place:start] + PIN
        starts += [*range(place + 1, start + 1), end]
        place = end
    starts += range(place + 1, len(text) + 1)
    made = tokenizer(marked + text[place:], add_special_tokens=False, return_offsets_mapping=True)
    pin = tokenizer.convert_tokens_to_ids(PIN)
    left = list(zip(pins, sizes or [()] * len(pins), strict=True))
    ids: list[int] = []
    offsets: list[tuple[int, int]] = []
    for token, (first, last) in zip(made["input_ids"], made["offset_mapping"], strict=True):
        if token == pin:
            (start, end, own), bytes_of = left.pop(0)
            ids += own
            offsets += _offsets(text[start:end], start, bytes_of)
        else:
            ids.append(token)
            offsets.append((starts[first], starts[last]))
    assert not left
    return Encoding(ids, offsets)


def _offsets(text: str, start: int, sizes: Sequence[int]) -> list[tuple[int, int]]:
    """The characters of ids with so many bytes each, one after the other."""
    owners = [place for place, character in enumerate(text) for _ in character.encode()]
    made, place = [], 0
    for size in sizes:
        inside = owners[place : place + size]
        made.append((start + inside[0], start + inside[-1] + 1) if inside else (start, start))
        place += size
    return made
