"""Counters of functions, of tiktoken, and of characters, bytes and words; and what is said of what counts nothing."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest
import tiktoken
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_engine import Tokenizer
from bpe_engine.patterns import PATTERNS
from chunker import BudgetTooSmallError, OptionError, TextChunker
from chunker.counting import AnyTokenizer, RecountingCounter, UnitCounter, resolve_tokenizer
from chunker.counting.counters import UNITS
from chunker.counting.growing_tails import TailAppender

TEXTS = st.text(st.sampled_from("ab \n\t\u3000é中\ud83d😀."), max_size=12)


def falling(text: str) -> int:
    """Costs more with every letter, but full sentences are cheap: neither monotone nor the sum of its parts."""
    sentences = text.count(".")
    return sentences + max(len(text) - 9 * sentences, 0)


def vowels(text: str) -> list[str]:
    return [letter for letter in text if letter in "aeiouAEIOU"]


def utf8(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


FUNCTIONS: dict[str, tuple[AnyTokenizer, Callable[[str], int]]] = {
    "characters": ("characters", len),
    "bytes": ("bytes", utf8),
    "words": ("words", lambda text: len(text.split())),
    "a function that counts": (falling, falling),
    "a function that lists": (vowels, lambda text: len(vowels(text))),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@given(pieces=st.lists(TEXTS, max_size=6), limit=st.integers(-1, 20))
def test_growing_counts_are_fresh_counts(name: str, pieces: list[str], limit: int) -> None:
    tokenizer, count = FUNCTIONS[name]
    counter = resolve_tokenizer(tokenizer)
    to_the_right, to_the_left = counter.appending_encoder(), counter.prepending_encoder()
    marks = []
    right = left = ""
    for piece in pieces:
        marks.append((to_the_right.snapshot(), right))
        to_the_right.append(piece)
        right += piece
        assert to_the_right.count == count(right) == counter.count(right)
        to_the_left.prepend(piece)
        left = piece + left
        assert to_the_left.count == count(left)
        expected = count(right)
        assert counter.count_up_to(right, limit) == (expected if expected <= limit else None)
    for mark, text in reversed(marks):
        to_the_right.rollback(mark)
        assert to_the_right.count == count(text)


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(max_examples=40)
@given(
    text=st.text(st.sampled_from("abc. \né中"), max_size=300),
    max_tokens=st.integers(12, 40),
    overlap=st.integers(0, 8),
)
def test_any_function_keeps_the_budget(name: str, text: str, max_tokens: int, overlap: int) -> None:
    tokenizer, count = FUNCTIONS[name]
    chunks = TextChunker(max_tokens, tokenizer=resolve_tokenizer(tokenizer), overlap=overlap).chunk(text)
    for chunk in chunks:
        assert chunk.token_count == count(chunk.text) <= max_tokens
    if not overlap:
        assert "".join(chunk.body for chunk in chunks) == text


def test_a_function_that_forbids_every_text() -> None:
    with pytest.raises(BudgetTooSmallError):
        TextChunker(10, tokenizer=resolve_tokenizer(lambda text: 11 * len(text))).chunk("no way")


@pytest.mark.parametrize("answer", [-1, 2.5, "three", None, {"input_ids": [1, 2]}, True, float("nan")])
def test_answers_that_are_no_count(answer: object) -> None:
    counter = resolve_tokenizer(lambda _text: answer)
    with pytest.raises(OptionError, match="must return the number of tokens"):
        counter.count("text")


@pytest.mark.parametrize("tokenizer", [7, None, object(), Tokenizer, ["o200k_base"]])
def test_what_counts_nothing(tokenizer: Any) -> None:
    with pytest.raises(OptionError, match="tokenizer must be the name of an encoding"):
        resolve_tokenizer(tokenizer)


def test_what_counts_already_is_taken_as_it_is() -> None:
    tokenizer = Tokenizer.load("o200k_base")
    assert resolve_tokenizer(tokenizer) is tokenizer
    counter = RecountingCounter(len)
    assert resolve_tokenizer(counter) is counter
    assert resolve_tokenizer("words") is resolve_tokenizer("words")


class Encoder:
    """A tokenizer of another package: it can encode, and is no function."""

    def encode(self, text: str) -> list[int]:
        return list(text.encode())


def test_anything_with_encode() -> None:
    assert resolve_tokenizer(Encoder()).count("é") == 2


class SlowTokenizer:
    """The shape of a tokenizer of transformers without a fast core: called, it returns a mapping."""

    def __call__(self, text: str) -> dict[str, list[int]]:
        return {"input_ids": self.encode(text), "attention_mask": [1]}

    def encode(self, text: str, *, add_special_tokens: bool = True) -> list[int]:
        return [0, *range(len(text.split())), 1] if add_special_tokens else list(range(len(text.split())))

    def num_special_tokens_to_add(self, *, pair: bool) -> int:
        return 3 if pair else 2


def test_special_tokens_of_a_slow_tokenizer_are_reserved() -> None:
    counter = resolve_tokenizer(SlowTokenizer())
    assert counter.count("one two three") == 3
    assert getattr(counter, "reserve", None) == 2


# --- tiktoken


def encoding_like(name: str, pattern: str) -> tiktoken.Encoding:
    ranks = dict(Tokenizer.load(name).vocabulary.ranks)
    return tiktoken.Encoding(f"{name} under another name", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})


def test_an_encoding_of_tiktoken_is_ours() -> None:
    counter = resolve_tokenizer(encoding_like("cl100k_base", PATTERNS["cl100k"].source))
    assert isinstance(counter, Tokenizer)
    # Other ranks, or the pattern of another encoding: ours, but made of these ranks.
    mixed = encoding_like("cl100k_base", PATTERNS["o200k"].source)
    counter = resolve_tokenizer(mixed)
    assert isinstance(counter, Tokenizer)
    for text in ("Hello, HTTPServer's  world", "naïve café 1234567", "\n\n  x"):
        assert counter.count(text) == len(mixed.encode_ordinary(text))


def test_an_encoding_with_a_pattern_of_its_own_is_asked() -> None:
    encoding = encoding_like("cl100k_base", r"\w+|\W")
    counter = resolve_tokenizer(encoding)
    assert isinstance(counter, RecountingCounter)
    chunks = TextChunker(20, tokenizer=counter).chunk("Words, and more words. " * 20)
    assert all(chunk.token_count == len(encoding.encode_ordinary(chunk.text)) <= 20 for chunk in chunks)


# --- cost


@pytest.mark.parametrize("unit", UNITS)
def test_units_read_a_growing_text_once(unit: str) -> None:
    """Also one without a space: read again for each piece, it would be five hundred times as much."""
    read = 0

    def count(text: str) -> int:
        nonlocal read
        read += len(text)
        return UNITS[unit][0](text)

    encoder = TailAppender(count, UNITS[unit][1])
    for _ in range(1_000):
        encoder.append("x" * 100)
        assert encoder.count > 0
    assert encoder.count == UnitCounter(unit).count("x" * 100_000)
    assert read <= 100_000


def test_a_limit_ends_the_reading_of_a_function() -> None:
    read = 0

    def count(text: str) -> int:
        nonlocal read
        read += len(text)
        return len(text)

    assert RecountingCounter(count).count_up_to("x" * 10_000_000, 100) is None
    assert read < 100_000


@pytest.mark.parametrize("tokenizer", ["words", "bytes", len])
def test_counters_pickle(tokenizer: AnyTokenizer) -> None:
    chunker = TextChunker(9, tokenizer=resolve_tokenizer(tokenizer))
    text = "some words in a row, and more of them. " * 5
    assert pickle.loads(pickle.dumps(chunker)).chunk(text) == chunker.chunk(text)
