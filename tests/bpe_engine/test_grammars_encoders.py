"""The law of the incremental encoders under every named grammar, and the publishers' ids where tiktoken takes the pattern."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest
import tiktoken
from hypothesis import given, note, settings
from hypothesis import strategies as st
from strategies import texts
from thresholds import THRESHOLDS, thresholds_set_to

from bpe_engine import Tokenizer, Vocabulary
from bpe_engine.patterns import PATTERNS
from bpe_engine.published.registry import load_vocabulary

# Enough for words in Latin letters; it also has every single byte.
TOKENS = 3000
# Programs for each of growing and slicing; each runs under every grammar.
PROGRAMS = 200 // len(THRESHOLDS)
# What one grammar or another treats in its own way.
PIECES = [
    "a",
    "A",
    "é",
    "\u0301",
    "1",
    "12",
    "345",
    "²",
    " ",
    "  ",
    "\n",
    "\t",
    "'",
    "'s",
    "!",
    "/",
    "$",
    "¢",
    "\0",
    "中",
    "々",
    "〇",
    "⺀",
    "ア",
    "・",
    "゛",
]


@cache
def tokenizer(name: str) -> Tokenizer:
    ranks = sorted(load_vocabulary("cl100k_base").ranks.items(), key=lambda item: item[1])[:TOKENS]
    return Tokenizer(Vocabulary.from_ranks(dict(ranks), name=name, pattern=PATTERNS[name]))


@pytest.fixture(params=THRESHOLDS, autouse=True, scope="module")
def thresholds(request: pytest.FixtureRequest) -> Iterator[None]:
    """Once as it is, once with every threshold of the engine in Python so small that short texts take the ways that only long ones take."""
    with thresholds_set_to(request.param):
        yield


pieces = st.sampled_from(PIECES)
repeated = st.tuples(pieces, st.integers(2, 12)).map(lambda pair: pair[0] * pair[1])
steps = st.lists(st.one_of(pieces, pieces, repeated, texts(3)), max_size=14)


@settings(max_examples=PROGRAMS)
@given(added=steps, back=st.lists(st.integers(0, 13), max_size=4), again=steps)
def test_growing(added: list[str], back: list[int], again: list[str]) -> None:
    for name in PATTERNS:
        note(name)
        check_growing(tokenizer(name), added, list(back), again)


def check_growing(ours: Tokenizer, added: list[str], back: list[int], again: list[str]) -> None:
    appending, prepending = ours.appending_encoder(), ours.prepending_encoder()
    marks = []
    after = before = ""
    bounds: list[tuple[int, int]] = []
    for step in (*added, *again):
        marks.append((appending.snapshot(), prepending.snapshot(), after, before))
        if step in again and back and back[-1] < len(marks):
            chosen = back.pop()
            mark, other, after, before = marks[chosen]
            del marks[chosen + 1 :], bounds[chosen:]
            appending.rollback(mark)
            prepending.rollback(other)
        after, before = after + step, step + before
        appending.append(step)
        prepending.prepend(step)
        assert appending.count == ours.count(after)
        assert prepending.count == ours.count(before)
        bounds.append((appending.fewest, prepending.fewest))
        # A lower bound for every text that this one has grown to.
        assert max(fewest for fewest, _ in bounds) <= appending.count
        assert max(fewest for _, fewest in bounds) <= prepending.count


@settings(max_examples=PROGRAMS)
@given(text=st.one_of(texts(), steps.map("".join)), data=st.data())
def test_slices(text: str, data: st.DataObject) -> None:
    offsets = st.integers(0, len(text))
    slices = [sorted(pair) for pair in data.draw(st.lists(st.tuples(offsets, offsets), min_size=8, max_size=8))]
    for name in PATTERNS:
        ours = tokenizer(name)
        prices = ours.interval_encoder(text)
        for start, end in slices:
            assert prices.count(start, end) == ours.count(text[start:end]), name


@settings(max_examples=PROGRAMS)
@given(texts_of=st.lists(st.one_of(texts(), steps.map("".join)), min_size=2, max_size=2), data=st.data())
def test_slices_with_one_end(texts_of: list[str], data: st.DataObject) -> None:
    """An encoder remembers the tokens at the end of the last slice. They are not used for another end or another text."""
    ends = [data.draw(st.integers(0, len(text))) for text in texts_of]
    order = data.draw(
        st.permutations([(which, start) for which in (0, 1) for start in range(0, ends[which] + 1, 2)][:24])
    )
    for name in PATTERNS:
        ours = tokenizer(name)
        prices = [ours.interval_encoder(text) for text in texts_of]
        for which, start in order:
            assert prices[which].count(start, ends[which]) == ours.count(texts_of[which][start : ends[which]]), name


def test_a_bound_where_han_signs_join_letters() -> None:
    """Under kimi_k2 a Han letter and a Han symbol are one pre-token."""
    steps = ["中⺀".encode()[start:end] for start, end in ((0, 2), (2, 4), (4, 6), (0, 4), (0, 6))]
    every_byte = [bytes([byte]) for byte in range(256)]
    encoder = Tokenizer(Vocabulary.from_tokens([*every_byte, *steps], pattern=PATTERNS["kimi_k2"])).prepending_encoder()
    encoder.prepend("⺀")
    assert encoder.count == 2
    encoder.prepend("中")
    assert encoder.fewest <= encoder.count == 1


@settings(max_examples=300)
@given(text=texts())
def test_ids_by_tiktoken(text: str) -> None:
    """Llama 3 and Kimi K2 are published with tiktoken."""
    for name in ("gpt2", "llama3", "qwen2", "qwen35", "tekken", "kimi_k2", "llama3_ascii", "qwen35_ascii"):
        assert tokenizer(name).encode(text) == tiktoken_encoding(name).encode_ordinary(text), name


@cache
def tiktoken_encoding(name: str) -> tiktoken.Encoding:
    return tiktoken.Encoding(
        name,
        pat_str=PATTERNS[name].source.removeprefix("(?V1)"),
        mergeable_ranks=tokenizer(name).vocabulary.ranks,
        special_tokens={},
    )
