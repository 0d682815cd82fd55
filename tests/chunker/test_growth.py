"""No strategy and no option is worse than linear, on texts made to break them. Work is counted, so nothing here depends on a clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from work import Ledger, Noting, NotingSlices, work_of

from bpe_engine import Tokenizer
from chunker import CodeChunker, TextChunker
from chunker.streaming import chunk_stream

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
NESTED = {
    "CR LF": ("", "\r\n", ""),
    "brackets": ("", "[", "]"),
    "brackets, one a line": ("", "[\n", "]\n"),
    "objects": ("", '{"a":', "}"),
    "braces, open, one a line": ("", "{\n", ""),
    "items in items": ("", "- ", ""),
    "keys": ("", "a:\n ", ""),
    "cells": ('{"cells":[', '{"source":["#a\\n",', ""),
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
KINDS = ["csv", "html", "json", "jsonl", "latex", "markdown", "notebook", "python", "restructuredtext", "toml", "yaml"]


def hostile_text(parts: tuple[str, str, str], size: int) -> str:
    """A text of about so many characters."""
    start, unit, end = parts
    number = size // len(unit + end)
    return start + unit * number + end * number


def chunker_of(kind: str, tokenizer: Noting, options: dict[str, Any]) -> TextChunker:
    """A chunker that counts with `tokenizer`."""
    if kind == "python":
        return CodeChunker(kind, BUDGET, tokenizer=tokenizer, **options)
    return TextChunker(BUDGET, format=kind, tokenizer=tokenizer, **options)


def check_growth(work: Callable[[int], int], *, size: int = SIZE) -> None:
    """Each stretch of `size` characters more takes as much work as the one before; the fourth of a square takes 7 times the first, 7/5 of the second."""
    once, twice, thrice, fourth = (work(size * times) for times in (1, 2, 3, 4))
    assert fourth - thrice <= 1.3 * max(twice - once, once), (once, twice, thrice, fourth)


def chunking(
    kind: str, parts: tuple[str, str, str], options: dict[str, Any], noting: type[Noting]
) -> Callable[[int], int]:
    """The work of chunking a text of some length."""

    def work(size: int) -> int:
        ledger = Ledger()
        chunker = chunker_of(kind, noting(TOKENIZER, ledger), options)
        text = hostile_text(parts, size)
        return work_of(ledger, lambda: chunker.chunk(text))

    return work


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_each_option_is_linear(name: str, options: dict[str, Any]) -> None:
    check_growth(chunking("text", RUNS[name], options, NotingSlices))


@pytest.mark.parametrize("name", NESTED)
@pytest.mark.parametrize("options", [GROWN, BEST_WITH_ALL], ids=["grow", "optimal"])
@pytest.mark.parametrize("kind", KINDS)
def test_each_format_is_linear(kind: str, options: dict[str, Any], name: str) -> None:
    check_growth(chunking(kind, NESTED[name], options, NotingSlices))


@pytest.mark.parametrize("name", NESTED)
@pytest.mark.parametrize("options", [GROWN, BEST_WITH_ALL], ids=["grow", "optimal"])
def test_counters_that_price_no_slices_read_little_more_than_the_text(options: dict[str, Any], name: str) -> None:
    check_growth(chunking("json", NESTED[name], options, Noting))


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("options", [{}, {"overlap": 2, "desired_tokens": 4}], ids=["plain", "options"])
def test_streams_are_linear(options: dict[str, Any], name: str) -> None:
    def work(size: int) -> int:
        ledger = Ledger()
        chunker = chunker_of("text", NotingSlices(TOKENIZER, ledger), options)
        text = hostile_text(RUNS[name], size)
        parts = [text[start : start + 100] for start in range(0, len(text), 100)]
        return work_of(ledger, lambda: list(chunk_stream(parts, chunker)))

    check_growth(work)


def test_growth_is_told_from_the_square() -> None:
    check_growth(lambda size: 1_000 + 50 * size)
    with pytest.raises(AssertionError):
        check_growth(lambda size: size * size)
