"""Compiled tables of SentencePiece, made by its own trainer from rules or by name."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import sentencepiece

from bpe_engine.formats.sentencepiece_file import parse_model

TEXTS = ["hello world", "abc def the"] * 20


@cache
def named(name: str) -> bytes:
    """The table of a rule that comes with the package: "nmt_nfkc", say."""
    return _table(normalization_rule_name=name)


def of_rules(rules: Mapping[str, str]) -> bytes:
    """The table of some rules: a text, and what stands in its place."""
    lines = ("\t".join(" ".join(f"{ord(one):X}" for one in side) for side in rule) for rule in rules.items())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rules.tsv"
        path.write_text("\n".join(lines) + "\n", "ascii")
        return _table(normalization_rule_tsv=str(path))


def _table(**options: Any) -> bytes:
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS),
        model_writer=written,
        vocab_size=30,
        hard_vocab_limit=False,
        minloglevel=2,
        **options,
    )
    return parse_model(written.getvalue(), "a model").precompiled_charsmap
