"""No strategy and no option is worse than linear, on texts made to break them. Work is counted, so nothing here depends on a clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from work import Ledger, NotingSlices, work_of

from bpe_engine import Tokenizer
from chunker import TextChunker

TOKENIZER = Tokenizer.load("o200k_base")
BUDGET = 8
SIZE = 300  # characters: longer than a chunk of any of these, which may take the square of its own length

# What begins the text, what is repeated, and what is repeated as often at its end. No long sentences: their words are found 32 branches at a
# time, so that the work of one rises in steps.
RUNS = {
    "line ends": ("", "\n", ""),
    "CR LF": ("", "\r\n", ""),
    "CR": ("", "\r", ""),
    "spaces and line ends": ("", " \n", ""),
    "marks": ("e", "\u0301", ""),
    "flags": ("", "🇩🇪", ""),
    "CJK": ("", "東京", ""),
    "sentences": ("", "Yes. ", ""),
}
GROWN: dict[str, Any] = {"overlap": 2, "context": ["breadcrumb", "imports", "summary"], "desired_tokens": 4}
BEST: dict[str, Any] = {"strategy": "optimal"}
BEST_WITH_ALL: dict[str, Any] = {"strategy": "optimal", "overlap": 2, "context": True, "min_tokens": 2}
OPTIONS: list[dict[str, Any]] = [
    {},
    {"overlap": 2, "overlap_by": "token"},
    {"context": True},
    {"desired_tokens": 4},
    {"min_tokens": 0},
    {"strategy": "optimal", "desired_tokens": 4},
    {"strategy": "optimal", "min_tokens": 0},
    GROWN,
    BEST,
    BEST_WITH_ALL,
]


def hostile_text(parts: tuple[str, str, str], size: int) -> str:
    """A text of about so many characters."""
    start, unit, end = parts
    number = size // len(unit + end)
    return start + unit * number + end * number


def check_growth(work: Callable[[int], int], *, size: int = SIZE) -> None:
    """Each stretch of `size` characters more takes as much work as the one before; the fourth of a square takes 7 times the first, 7/5 of the second."""
    once, twice, thrice, fourth = (work(size * times) for times in (1, 2, 3, 4))
    assert fourth - thrice <= 1.3 * max(twice - once, once), (once, twice, thrice, fourth)


def chunking(parts: tuple[str, str, str], options: dict[str, Any]) -> Callable[[int], int]:
    """The work of chunking a text of some length."""

    def work(size: int) -> int:
        ledger = Ledger()
        chunker = TextChunker(BUDGET, tokenizer=NotingSlices(TOKENIZER, ledger), **options)
        text = hostile_text(parts, size)
        return work_of(ledger, lambda: chunker.chunk(text))

    return work


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_each_option_is_linear(name: str, options: dict[str, Any]) -> None:
    check_growth(chunking(RUNS[name], options))


def test_growth_is_told_from_the_square() -> None:
    check_growth(lambda size: 1_000 + 50 * size)
    with pytest.raises(AssertionError):
        check_growth(lambda size: size * size)
