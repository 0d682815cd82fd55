"""Special tokens are found alike whichever way a text is searched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_engine import special_tokens
from bpe_engine.special_tokens import SpecialTokens

SETS = (
    ("<|a|>", "<|ab|>", "<|a|>b", "<|"),
    ("<<", "<<<", "<<a"),
    ("<s>", "</s>", "[X]"),
    ("<|end|>",),
)


@given(
    texts=st.sampled_from(SETS),
    pieces=st.lists(st.sampled_from([*"<|ab>s/[X]é ", "<|a|>", "<|end|>", "<<<", "x" * 40])),
)
def test_rare_and_frequent(texts: tuple[str, ...], pieces: list[str]) -> None:
    found = SpecialTokens({text: number for number, text in enumerate(texts)})
    text = "".join(pieces)
    made = []
    for rare in (0, 1 << 60):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(special_tokens, "_RARE", rare)
            made.append(list(found.spans(text, "all")))
    assert made[0] == made[1]
    assert all(text[start:end] == texts[token] for start, end, token in made[0])
