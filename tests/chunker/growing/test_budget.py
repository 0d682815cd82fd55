"""The limits, and what is said of those that cannot be used."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from bpe_engine import Tokenizer
from bpe_engine.errors import UnknownEncodingError
from chunker import BudgetTooSmallError, CodeChunker, MarkdownChunker, OptionError, TextChunker, UnknownLanguageError
from chunker.growing.budget import Budget


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_tokens": 0}, "max_tokens must be at least 1, got 0"),
        ({"max_tokens": -5}, "max_tokens must be at least 1, got -5"),
        ({"max_tokens": 2.5}, "max_tokens must be a whole number of tokens, got 2.5"),
        ({"max_tokens": True}, "max_tokens must be a whole number of tokens, got True"),
        ({"max_tokens": 1 << 70}, "max_tokens must be at most 4,294,967,296, got 1,180,591"),
        ({"max_tokens": None}, "max_tokens must be a whole number of tokens, got None"),
        ({"max_tokens": 10, "min_tokens": 11}, r"min_tokens must be from 0 to max_tokens \(10\), got 11"),
        ({"max_tokens": 10, "min_tokens": -1}, r"min_tokens must be from 0 to max_tokens \(10\), got -1"),
        ({"max_tokens": 10, "overlap": 10}, r"overlap must be from 0 to max_tokens - 1 \(9\), got 10"),
        ({"max_tokens": 10, "overlap": -1}, r"overlap must be from 0 to max_tokens - 1 \(9\), got -1"),
        ({"max_tokens": 10, "overlap": "5"}, "overlap must be a whole number of tokens, got '5'"),
        ({"max_tokens": 10, "tokenizer": 7}, "tokenizer must be the name of an encoding or model, .* got 7"),
    ],
)
def test_options_that_do_not_go_together(options: dict[str, object], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        TextChunker(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{}, {"overlap": 1 << 31}, {"desired_tokens": 1 << 32}, {"strategy": "optimal"}])
def test_the_largest_limit_takes_any_text(options: dict[str, Any]) -> None:
    text = "# One\n\nTwo, three. Four.\n\n" * 50
    assert [chunk.text for chunk in MarkdownChunker(1 << 32, **options).chunk(text)] == [text]


def test_unknown_names() -> None:
    with pytest.raises(UnknownLanguageError, match="klingon"):
        CodeChunker("klingon")
    with pytest.raises(UnknownEncodingError, match="no_such_encoding"):
        TextChunker(tokenizer="no_such_encoding")


def test_min_tokens_leaves_room_for_a_unit_of_four_fifths() -> None:
    for max_tokens in range(1, 5_000):
        min_tokens = Budget.of(max_tokens, None, 0).min_tokens
        assert min_tokens + 0.8 * max_tokens <= max_tokens
        assert min_tokens >= max_tokens // 10


def test_what_is_reserved_is_taken_off() -> None:
    budget = Budget.of(512, None, 0, reserve=2)
    assert (budget.max_tokens, budget.min_tokens, budget.reserve) == (510, 63, 2)
    assert Budget.of(3, reserve=2).max_tokens == 1
    for reserve, message in ((-1, "from 0 to max_tokens - 1"), (512, r"\(511\), got 512"), (2.0, "a whole number")):
        with pytest.raises(OptionError, match=message):
            Budget.of(512, reserve=reserve)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"overlap must be from 0 to max_tokens - 1 \(9\), got 10"):
        Budget.of(12, None, 10, reserve=2)


def test_a_character_that_cannot_fit_is_named() -> None:
    tokenizer = Tokenizer.load("o200k_base")
    egyptian = "\U00013000"
    tokens = tokenizer.count(egyptian)
    assert tokens > 2
    with pytest.raises(BudgetTooSmallError) as caught:
        TextChunker(2).chunk(f"well, {egyptian}{egyptian}")
    error = caught.value
    assert (error.character, error.offset, error.tokens, error.max_tokens) == (egyptian, 6, tokens, 2)
    assert str(error) == (
        f"the character '\\U00013000' (U+13000) at offset 6 needs {tokens} tokens, but max_tokens is 2: "
        f"set max_tokens to at least {tokens}"
    ).replace("'\\U00013000'", repr(egyptian))
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    # As much as it asks for is enough.
    assert [chunk.body for chunk in TextChunker(error.tokens).chunk(egyptian * 2)] == [egyptian, egyptian]


def test_line_ends_of_two_characters_must_fit_whole() -> None:
    byte_level = Tokenizer.load("o200k_base")
    assert byte_level.count("\r\n") == 1

    class TwoTokensForCrLf:
        """Counts characters."""

        def count(self, text: str) -> int:
            return len(text)

        count_up_to = appending_encoder = prepending_encoder = count

    with pytest.raises(BudgetTooSmallError, match=r"U\+000D U\+000A"):
        TextChunker(1, tokenizer=TwoTokensForCrLf()).chunk("a\r\nb")  # type: ignore[arg-type]


def test_a_chunker_keeps_the_reserve_free() -> None:
    text = "Some words of a text, line by line.\n" * 60
    chunker = TextChunker(64, reserve=8)
    assert (chunker.max_tokens, chunker.reserve) == (64, 8)
    sizes = [chunk.token_count for chunk in chunker.chunk(text)]
    assert max(sizes) <= 56
    assert sizes == [chunk.token_count for chunk in TextChunker(56).chunk(text)]
