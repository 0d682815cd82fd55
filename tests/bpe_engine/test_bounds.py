"""`fewest` where the end of an open pre-token gives back characters: the bound is one for all that the text may grow to."""

from __future__ import annotations

import pytest
from huggingface_files import both, family
from tokenizers import AddedToken
from tokenizers import Tokenizer as HuggingFaceTokenizer

from bpe_engine import Tokenizer, Vocabulary
from bpe_engine.patterns import PATTERNS

BYTES = [bytes([value]) for value in range(256)]


@pytest.mark.parametrize(
    ("name", "tokens", "text", "more"),
    [
        # "²…²12" is one pre-token of three tokens; with a 3 after it, "²…²" and "123": two.
        ("falcon", ["12", "123", "²" * 40], "²" * 40 + "12", "3"),
        # A run of what no split takes gives its last character to the word after it.
        ("deepseek_v3", ["\u200b" * 40, "\u200ba"], "\u200b" * 41, "a"),
        ("o200k", [" " * 40, " a"], " " * 41, "a"),
    ],
)
def test_a_bound_holds_when_the_end_is_given_back(name: str, tokens: list[str], text: str, more: str) -> None:
    ours = Tokenizer(Vocabulary.from_tokens([*BYTES, *(token.encode() for token in tokens)], pattern=PATTERNS[name]))
    encoder = ours.appending_encoder()
    encoder.append(text)
    bound = encoder.fewest
    encoder.append(more)
    assert bound <= encoder.count == ours.count(text + more) == 2


@pytest.mark.parametrize(
    ("name", "normalized"),
    [("llama3", False), ("llama3", True), ("bert, uncased", False), ("gemma", False), ("t5", False)],
)
def test_a_bound_to_the_left_is_near_the_count_although_tokens_are_added(name: str, *, normalized: bool) -> None:
    """Otherwise all of a text is read where its end is truncated."""
    theirs = HuggingFaceTokenizer.from_str(family(name))
    theirs.add_tokens([AddedToken(text, normalized=normalized) for text in ("<x>", "ords <y")])
    _, tokenizer = both(theirs.to_str())
    encoder = tokenizer.prepending_encoder()
    text = "words <x> <y and words of a text that grows, " * 40
    for end in range(len(text), 0, -45):
        encoder.prepend(text[end - 45 : end])
    assert encoder.count * 0.8 < encoder.fewest <= encoder.count == tokenizer.count(text)
    kept = tokenizer.truncate(text, 30, side="tail")
    assert tokenizer.count(kept) <= 30 < tokenizer.count(text[len(text) - len(kept) - 1 :])
