"""Colours of syntax: runs that add up to the text, whatever it is, and a page that shows them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunker import CodeChunker
from chunker.formats.registry import format_names
from chunker.view import PageSettings, page, see
from chunker.view.syntax import LONGEST_LINE, MOST_CHARACTERS, syntax_runs

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

SOURCE = 'def price(cents):  # in cents\r\n    return "\U0001f600", cents * 100\n'


def test_python() -> None:
    runs = syntax_runs(SOURCE, "python")
    assert sum(length for length, _ in runs) == len(SOURCE)
    told = {}
    at = 0
    for length, name in runs:
        told[SOURCE[at : at + length].strip()] = name
        at += length
    assert {"def": "k", "price": "f", "# in cents": "c", "100": "m", '"\U0001f600"': "s"}.items() <= told.items()


@settings(max_examples=40)
@given(st.sampled_from(["python", "markdown", "html", "json", "csv", "rust"]), st.text(max_size=80))
def test_runs_add_up(language: str, text: str) -> None:
    assert sum(length for length, _ in syntax_runs(text, language)) in {0, len(text)}


@pytest.mark.parametrize("language", format_names())
def test_no_language_is_a_problem(language: str) -> None:
    runs = syntax_runs(SOURCE, language)
    assert sum(length for length, _ in runs) in {0, len(SOURCE)}


def test_nothing_for_what_takes_too_long() -> None:
    assert syntax_runs("x = 1\n" * (MOST_CHARACTERS // 6 + 1), "python") == []
    assert syntax_runs("x = " + "1" * LONGEST_LINE, "python") == []
    assert syntax_runs(SOURCE, None) == []
    assert syntax_runs(SOURCE, "no such language") == []


def test_the_page_shows_them(browser: Browser, tmp_path: Path) -> None:
    chunker = CodeChunker("python", 16, overlap=6, context=True)
    made = b"".join(page([see(chunker, SOURCE * 4, "a.py")], PageSettings("o200k_base", 16, 2, 6, context=True), "a"))
    found = re.search(rb'id="text-0">(.*?)</script>', made)
    assert found is not None
    runs = json.loads(found[1])["syntax"]
    assert sum(runs[::2]) == len((SOURCE * 4).encode("utf-16-le")) // 2
    file = tmp_path / "page.html"
    file.write_bytes(made)
    tab = browser.new_page()
    tab.goto(file.as_uri())
    tab.wait_for_selector("article")
    for tokens in (False, True):
        if tokens:
            tab.click("#tokens-button")
        shown = tab.eval_on_selector_all("article .text", "all => all.map(it => it.textContent)")
        assert [text.replace("\n", "") for text in shown] == [
            re.sub(r"[\r\n]", "", chunk.text) for chunk in chunker.chunk(SOURCE * 4, source="a.py")
        ]
        keywords = tab.eval_on_selector_all(".text .k", "all => all.map(it => it.textContent).join('')")
        assert "def" in keywords
        assert "return" in keywords
        assert set(tab.eval_on_selector_all(".text .c", "all => all.map(it => it.textContent[0])")) >= {"#"}
    tab.close()
