"""Encodings of ours and the same of tiktoken: the published ones, and some with a pattern of one's own."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import tiktoken
from oracles import ENCODINGS, tiktoken_encoding

import bpe_engine
from bpe_engine import Encoding, get_encoding

END, PROMPT = "<|endoftext|>", "<|endofprompt|>"
# In tiktoken's syntax; none is the pattern of a published encoding.
PATTERNS = {
    "words": r"\p{L}+|\p{N}|\s+(?!\S)|\s+|[^\s\p{L}\p{N}]+",
    "drops spaces": r"[^\s]+",
    "end of the text": r"\p{L}+$|\p{L}|\s+$|\s|[^\s\p{L}]+",
    "sets in sets": r"[\p{L}&&[^aeiou]]+|[aeiou]+|[[:space:]]+|\P{L}",
    "lazy, case": r"(?i:the|of)+?|\p{Lu}?\p{Ll}{1,4}|.|\n",
    "hexadecimal": r"\h+|\H",
    "looks behind": r"(?<=a)b|a+|.|\n",
}
ALL = [*ENCODINGS, *PATTERNS]


@cache
def small_ranks() -> dict[bytes, int]:
    """Bytes, and some tokens learned from this file."""
    text = Path(__file__).read_text(encoding="utf-8")
    learned = bpe_engine.train([text], vocab_size=500, pattern=bpe_engine.Pattern(r"\w+|\s+|[^\w\s]+"))
    return learned.vocabulary.ranks


def pair(name: str) -> tuple[Encoding, tiktoken.Encoding]:
    """Ours and theirs: of a published encoding, or of a pattern of one's own."""
    return (get_encoding(name), tiktoken_encoding(name)) if name in ENCODINGS else custom_pair(name)


@cache
def custom_pair(name: str) -> tuple[Encoding, tiktoken.Encoding]:
    arguments = arguments_of(PATTERNS[name])
    return Encoding(name, **arguments), tiktoken.Encoding(name, **arguments)


def arguments_of(pat_str: str) -> dict[str, Any]:
    ranks = small_ranks()
    special_tokens = {END: max(ranks.values()) + 1, PROMPT: max(ranks.values()) + 9}
    return {"pat_str": pat_str, "mergeable_ranks": ranks, "special_tokens": special_tokens}
