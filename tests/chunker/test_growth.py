"""No strategy and no option is worse than linear, on texts made to break them. Work is counted, so nothing here depends on a clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from work import Ledger, Noting, NotingSlices, work_of

from bpe_engine import Tokenizer
from chunker import CodeChunker, EditedText, TextChunker
from chunker.streams.chunk_stream import chunk_stream

TOKENIZER = Tokenizer.load("o200k_base")
BUDGET = 8
SIZE = 300  # characters: longer than a chunk of any of these, which may take the square of its own length

# The same where a unit is cut 32 parts at a time, and these again once each of them is over the budget: the work of
# less rises in steps.
BEYOND_STEPS = 1_100

# What begins the text, what is repeated, and what is repeated as often at its end. No long sentences: their words are
# found 32 branches at a time, so that the work of one rises in steps.
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
BY_SENTENCE: dict[str, Any] = {"overlap": 4, "overlap_by": "sentence", "min_tokens": 2}
BY_UNIT: dict[str, Any] = {"overlap": 4, "overlap_by": "unit", "min_tokens": 3}
# A format, a text that is deep or broken in it, and options.
FORMATS: list[tuple[str, tuple[str, str, str], dict[str, Any]]] = [
    ("json", ("", "[", "]"), GROWN),
    ("json", ("", '{"a":', "}"), BEST),
    ("json", ("[", " e[]", ""), GROWN),
    ("jsonl", ("", "[\n", "]\n"), BY_UNIT),
    ("yaml", ("", "- ", ""), GROWN),
    ("yaml", ("", "a:\n ", ""), BEST),
    ("notebook", ('{"cells":[', '{"source":["#a\\n",', ""), BY_UNIT),
    ("notebook", ("", "{\n", ""), BEST),
    ("markdown", ("", "- ", ""), GROWN),
    ("markdown", ("", "a\r\n", ""), BEST_WITH_ALL),
    ("html", ("", "<b>\n", ""), GROWN),
    ("latex", ("", "{", "}"), BY_SENTENCE),
    ("csv", ("", "\r\n", ""), GROWN),
    ("toml", ("", "[\n", "]\n"), BEST),
    ("restructuredtext", ("", "- ", ""), BY_SENTENCE),
    ("python", ("", "[\n", "]\n"), GROWN),
]
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
# All of a chunk but one token is repeated.
WIDE: list[dict[str, Any]] = [{"overlap": BUDGET - 1}, {"strategy": "optimal", "overlap": BUDGET - 1}]


def hostile_text(parts: tuple[str, str, str], size: int) -> str:
    """A text of about so many characters."""
    start, unit, end = parts
    number = size // len(unit + end)
    return start + unit * number + end * number


def check_growth(work: Callable[[int], int], *, size: int = SIZE) -> None:
    """Each span of `size` characters more takes as much work as the one before; the fourth of a square takes 7 times the first, 7/5 of the second."""
    once, twice, thrice, fourth = (work(size * times) for times in (1, 2, 3, 4))
    assert fourth - thrice <= 1.3 * max(twice - once, once), (once, twice, thrice, fourth)


def chunking(
    parts: tuple[str, str, str], options: dict[str, Any], kind: str = "text", noting: type[Noting] = NotingSlices
) -> Callable[[int], int]:
    """The work of chunking a text of some length."""

    def work(size: int) -> int:
        ledger = Ledger()
        chunker = chunker_of(kind, noting(TOKENIZER, ledger), options)
        text = hostile_text(parts, size)
        return work_of(ledger, lambda: chunker.chunk(text))

    return work


def chunker_of(kind: str, tokenizer: Noting, options: dict[str, Any]) -> TextChunker:
    """A chunker that counts with `tokenizer`."""
    if kind == "python":
        return CodeChunker(kind, BUDGET, tokenizer=tokenizer, **options)
    return TextChunker(BUDGET, format=kind, tokenizer=tokenizer, **options)


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_each_option_is_linear(name: str, options: dict[str, Any]) -> None:
    check_growth(chunking(RUNS[name], options))


@pytest.mark.parametrize("name", ["line ends", "marks", "CJK"])
@pytest.mark.parametrize("options", WIDE, ids=str)
def test_wide_overlaps_are_linear(name: str, options: dict[str, Any]) -> None:
    check_growth(chunking(RUNS[name], options))


@pytest.mark.parametrize("options", [{"overlap": 2}, BEST, BEST_WITH_ALL], ids=str)
def test_spaces_are_linear(options: dict[str, Any]) -> None:
    """A token is up to 80 of them, so that a chunk is hundreds."""
    check_growth(chunking(("word", " ", ""), options), size=2_000)


@pytest.mark.parametrize("options", [BEST, BEST_WITH_ALL], ids=str)
def test_the_parts_of_a_cluster_are_as_long_whatever_its_length(options: dict[str, Any]) -> None:
    """Cut 32 parts at a time, some lengths had parts of a character each, and eight times the work of others."""
    work = chunking(("e", "\u0304\u0317\u032c\u0353\u0361", ""), options)
    each = [work(size) / size for size in (1_025, 1_500, 2_050, 3_100, 4_100)]
    assert max(each) < 2 * min(each), each


@pytest.mark.parametrize("options", [{}, *WIDE], ids=str)
def test_lone_surrogates_are_linear(options: dict[str, Any]) -> None:
    check_growth(chunking(("", "\ud800", ""), options), size=BEYOND_STEPS)


@pytest.mark.parametrize("options", [BY_SENTENCE, BY_UNIT], ids=["sentence", "unit"])
@pytest.mark.parametrize("name", ["line ends", "sentences"])
def test_overlaps_are_linear(name: str, options: dict[str, Any]) -> None:
    check_growth(chunking(RUNS[name], options))


@pytest.mark.parametrize(("kind", "parts", "options"), FORMATS)
def test_each_format_is_linear(kind: str, parts: tuple[str, str, str], options: dict[str, Any]) -> None:
    check_growth(chunking(parts, options, kind))


@pytest.mark.parametrize("kind", ["markdown", "latex", "python", "restructuredtext", "html"])
@pytest.mark.parametrize("options", [GROWN, BEST_WITH_ALL], ids=["grow", "optimal"])
def test_line_ends_are_linear(options: dict[str, Any], kind: str) -> None:
    check_growth(chunking(("", "\r\n", ""), options, kind), size=BEYOND_STEPS)


@pytest.mark.parametrize("options", [GROWN, BEST], ids=["grow", "optimal"])
@pytest.mark.parametrize("kind", ["json", "text"])
def test_counters_that_price_no_slices_read_little_more_than_the_text(options: dict[str, Any], kind: str) -> None:
    check_growth(chunking(("", "[\n", "]\n"), options, kind, Noting))


@pytest.mark.parametrize("name", ["line ends", "marks", "sentences"])
def test_streams_are_linear(name: str) -> None:
    def work(size: int) -> int:
        ledger = Ledger()
        chunker = chunker_of("text", NotingSlices(TOKENIZER, ledger), {"overlap": 2, "desired_tokens": 4})
        text = hostile_text(RUNS[name], size)
        parts = [text[start : start + 100] for start in range(0, len(text), 100)]
        return work_of(ledger, lambda: list(chunk_stream(parts, chunker)))

    check_growth(work)


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        ("text", ("", "Yes. ", "")),
        ("text", ("。", "。e . (", "")),
        ("text", ("", "東京", "")),
        ("markdown", ("", "(b)===\n", "")),
        ("latex", ("", "\\begin{a}[ ", "")),
        ("json", ("", "[\n", "]\n")),
    ],
)
@pytest.mark.parametrize("options", [{"min_tokens": 0}, {"overlap": 2, "context": True}], ids=["plain", "both"])
def test_edits_are_linear(kind: str, parts: tuple[str, str, str], options: dict[str, Any]) -> None:
    def work(size: int) -> int:
        ledger = Ledger()
        chunker = chunker_of(kind, NotingSlices(TOKENIZER, ledger), options)
        text = hostile_text(parts, size)

        def edit() -> None:
            edited = EditedText(chunker, text)
            for part in range(3):
                edited.replace(len(text) * part // 3, len(text) * part // 3, "x")

        return work_of(ledger, edit)

    check_growth(work, size=1_000)


def test_growth_is_told_from_the_square() -> None:
    check_growth(lambda size: 1_000 + 50 * size)
    with pytest.raises(AssertionError):
        check_growth(lambda size: size * size)
