"""The publishers' own tokenizers, built offline from the vocabularies under test."""

from __future__ import annotations

from functools import cache

import tiktoken

from bpe_engine import Tokenizer, Vocabulary
from bpe_engine.patterns import R50K
from bpe_engine.published.registry import load_vocabulary

ENCODINGS = ("o200k_base", "cl100k_base")


@cache
def tokenizer(name: str) -> Tokenizer:
    """A tokenizer of each kind: the embedded ones; "r50k" and "whole", the same tokens under another or no pattern."""
    if name == "whole":
        return Tokenizer(Vocabulary.from_ranks(load_vocabulary("cl100k_base").ranks, name=name))
    if name == "r50k":
        return Tokenizer(Vocabulary.from_ranks(load_vocabulary("cl100k_base").ranks, name=name, pattern=R50K))
    return Tokenizer.load(name)


@cache
def tiktoken_encoding(name: str) -> tiktoken.Encoding:
    """What `tiktoken.get_encoding(name)` would download."""
    vocabulary = tokenizer(name).vocabulary
    # "(?s:.+)" matches the whole text: tiktoken has no way to say that there is no pattern.
    pattern = vocabulary.pattern.source if vocabulary.pattern else "(?s:.+)"
    return tiktoken.Encoding(
        name, pat_str=pattern, mergeable_ranks=vocabulary.ranks, special_tokens=vocabulary.special_tokens
    )
