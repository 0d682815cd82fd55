"""The programs of `exactness` on some families; the command runs them on all, as many as one likes."""

from __future__ import annotations

import pytest
from exactness import Program, tokenizers

# Byte-pair merges under a scanner, under an expression, and without a pre-tokenizer; WordPiece; Unigram; marks that are
# dropped; added tokens.
FAMILIES = (
    "o200k_base",
    "qwen2, trained",
    "llama2, trained",
    "sentencepiece, fused, trained",
    "gemma, trained",
    "bert, uncased, trained",
    "t5, trained",
    "deepseek-v3, trained",
)


@pytest.mark.parametrize("name", FAMILIES)
def test_programs(name: str) -> None:
    tokenizer = tokenizers()[name]()
    compared = 0
    for seed in range(60):
        program = Program(tokenizer, seed)
        program.run()
        compared += program.compared
    assert compared > 1000
