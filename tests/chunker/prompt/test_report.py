"""The report goes to JSON and back, its table says all of it, and the bar is as wide as the budget."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prompt_items import Case, cases
from rich.console import Console

from chunker.prompt import Item, Prompt, PromptConfigurationError, Report, RequiredItemsError, Section, assemble
from chunker.prompt.table import bar_of, print_report, table_of


def example() -> Prompt:
    return assemble(
        [
            Item("Be brief.", id="system", required=True, stable=True),
            Section(
                "files",
                [Item("word " * 30, id="long.py", truncate="tail"), Item("word " * 50, id="other.py")],
                tokens=20,
            ),
            Item("", id="nothing"),
        ],
        60,
        reserve=10,
    )


def test_the_table() -> None:
    assert table_of(example().report, 120).splitlines() == [
        "███" + "█" * 20 + "·" * 27 + "░" * 10 + "  █ system 3 █ files 20 · nothing 0",
        "item      section  status     why      tokens  of",
        "system             kept                     3   3",
        "long.py   files    truncated  section      20  31",
        "other.py  files    dropped    section          51",
        "nothing            dropped    empty             0",
        "files: 20 of 20 tokens, 0 passed on",
        "23 of 50 tokens (10 in reserve); 0 between items, 3 stable",
    ]
    assert str(example().report).splitlines()[1:] == table_of(example().report).splitlines()[1:]


def test_json_and_back() -> None:
    prompt = example()
    assert Report.model_validate_json(prompt.report.model_dump_json()) == prompt.report
    assert Prompt.model_validate_json(prompt.model_dump_json()) == prompt
    assert prompt.report.model_dump()["items"][1]["reason"] == "section"


def test_names_cannot_write_to_the_terminal() -> None:
    prompt = assemble([Section("a\x1b[31m", [Item("text", id="b\r\x07\u202e")], share=1.0)], 10)
    written = io.StringIO()
    print_report(prompt.report, Console(file=written, width=80))
    assert not re.search("[\x1b\r\x07\u202e]", written.getvalue())


@settings(max_examples=30)
@given(case=cases(), width=st.integers(1, 80))
def test_the_bar_is_as_wide_as_the_budget(case: Case, width: int) -> None:
    try:
        report = assemble(case.items, case.budget, **case.options).report
    except (RequiredItemsError, PromptConfigurationError):
        return
    bar = re.match("[█·░]*", bar_of(report, width).plain)
    assert bar is not None
    assert len(bar[0]) == width
    if not report.reserve:
        assert "░" not in bar[0]


@pytest.mark.parametrize("width", [20, 40, 200])
def test_a_table_of_any_width(width: int) -> None:
    assert max(map(len, table_of(example().report, width).splitlines())) <= width
