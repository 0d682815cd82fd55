"""Slices of texts that a Unigram model reads as one piece: equal to fresh counts where sums are rounded, begin anew, or words join."""

from __future__ import annotations

import io
from random import Random
from typing import Any

import pytest
import sentencepiece
from hypothesis import given, settings
from hypothesis import strategies as st
from sentencepiece_files import NORMAL, UNKNOWN, USER_DEFINED, unigram_model
from small_tokenizers import corpus

from bpe_engine import Tokenizer, implementation

# Texts, scores: sums are beyond 100,000 after a dozen tokens, ways are equally good, or differ by less than what is
# rounded.
VOCABULARIES: dict[str, list[tuple[str, float]]] = {
    "large": [("a", -9000.3), ("b", -7000.7), ("ab", -16001.002), ("▁", -5000.1), ("▁a", -14000.398), ("ba", -12000.5)],
    "ties": [("a", -1.0), ("aa", -2.0), ("aaa", -3.0), ("b", -0.5), ("ab", -1.5), ("▁", -1.25), ("▁a", -2.25), ("▁b", -1.75)],
    "near": [("a", -33_333.25), ("b", -0.1), ("ab", -33_333.352), ("▁", -0.3), ("▁b", -0.4000001), ("b▁", -0.39999998)],
    "nothing joins": [("a", -8.5), ("b", -9.25), ("▁", -3.125)],
}  # fmt: skip
FRAGMENTS = ["a", "b", "ab", " ", "  ", "▁", "a a", "b b", "zz", "é", "ba ab", "ab ab ab ab ", "foo"]


def by_hand(name: str) -> bytes:
    """A model whose tokens are written above."""
    pieces = [("<unk>", 0.0, UNKNOWN), ("foo", 0.0, USER_DEFINED)]
    pieces += [(text, score, NORMAL) for text, score in VOCABULARIES[name]]
    return unigram_model(pieces, byte_fallback=False)


def trained(**options: Any) -> bytes:
    """A model that is trained on the corpus of the tests, with a table of characters."""
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([line.rstrip("\n") for line in corpus()]),
        model_writer=written,
        model_type="unigram",
        vocab_size=500,
        normalization_rule_name="nmt_nfkc",
        minloglevel=2,
        hard_vocab_limit=False,
        user_defined_symbols=["<sep>", "foo"],
        **options,
    )
    return written.getvalue()


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Tokenizer, Any]]:
    """Ours and theirs, of each model."""
    models = {name: by_hand(name) for name in VOCABULARIES}
    models |= {"spaces stay": trained(remove_extra_whitespaces=False), "spaces go": trained()}
    found = {}
    for name, data in models.items():
        path = tmp_path_factory.mktemp("models") / "a.model"
        path.write_bytes(data)
        found[name] = Tokenizer.from_file(path), sentencepiece.SentencePieceProcessor(model_proto=data)
    return found


def check(ours: Tokenizer, theirs: Any, text: str, slices: list[tuple[int, int]]) -> None:
    """Each slice has the count of its text, here and there."""
    prices = ours.interval_encoder(text)
    for start, end in slices:
        part = text[start:end]
        assert prices.count(start, end) == len(theirs.encode(part)) == ours.count(part), (start, end, text)


def drawn(random: Random, text: str, number: int) -> list[tuple[int, int]]:
    """Random slices, of which some end where others begin."""
    found = [sorted(random.choices(range(len(text) + 1), k=2)) for _ in range(number)]
    return [(start, end) for start, end in found] + [(0, end) for _, end in found[:3]]


@pytest.mark.parametrize("name", VOCABULARIES)
@settings(max_examples=40)
@given(
    parts=st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=30),
    times=st.integers(1, 8),
    seed=st.integers(0, 99),
)
def test_sums_are_those_of_the_slice(
    pairs: dict[str, tuple[Tokenizer, Any]], name: str, parts: list[str], times: int, seed: int
) -> None:
    text = "".join(parts) * times
    check(*pairs[name], text, drawn(Random(seed), text, 10))


@pytest.mark.parametrize("name", ["spaces stay", "spaces go"])
@settings(max_examples=40)
@given(
    parts=st.lists(
        st.sampled_from([" the", "tokens ", "  ", "\n", "ﬁ", "Ｆoo①", "e\u0301", "foo", "<sep>", "…", "中文", "\u200b", "\u3000", "a", "."]),
        min_size=1,
        max_size=40,
    ),
    seed=st.integers(0, 99),
)  # fmt: skip
def test_normalized_texts(pairs: dict[str, tuple[Tokenizer, Any]], name: str, parts: list[str], seed: int) -> None:
    text = "".join(parts) * 4
    check(*pairs[name], text, drawn(Random(seed), text, 10))


def test_a_long_text(pairs: dict[str, tuple[Tokenizer, Any]]) -> None:
    """Sums begin anew several times; slices are far longer than what is read of them."""
    ours, theirs = pairs["spaces go"]
    text = "".join(corpus()) * (8 if implementation() == "cpp" else 1)
    text = text[: 400_000 if implementation() == "cpp" else 4000]
    check(ours, theirs, text, drawn(Random(5), text, 12 if implementation() == "cpp" else 3))
