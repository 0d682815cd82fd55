"""`fewest` where the end of an open pre-token gives back characters: the bound is one for all that the text may grow to."""

from __future__ import annotations

import pytest

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
