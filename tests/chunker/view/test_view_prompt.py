"""The page of a prompt: its data from Python, and what Chromium makes of it.

The second part is skipped, with the reason, where there is no Chromium or no playwright to drive it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from accessibility import violations

from chunker.prompt import Item, Prompt, Section, assemble
from chunker.prompt.prompt_parts import prompt_parts
from chunker.view.prompt_page import prompt_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'> over\u202eride\0 😀"
ITEMS: list[Item | Section] = [
    Item("You are a careful reviewer.", id="system", required=True, stable=True),
    Section(
        "context",
        [
            Item(HOSTILE, id="<b>hostile</b>", priority=3),
            Item("Line upon line. " * 40, id="long", priority=2, truncate="tail"),
            Item("No room for this one. " * 90, id="huge"),
        ],
        share=0.8,
        header="Files:\n",
    ),
    Item("Why?", id="question", required=True),
]


@pytest.fixture(scope="module")
def prompt() -> Prompt:
    return assemble(ITEMS, 200, reserve=30)


def page_of(prompt: Prompt) -> str:
    return b"".join(prompt_page(prompt, prompt_parts(prompt, ITEMS), "a <spec>", "o200k_base")).decode()


def test_the_page_holds_the_prompt_as_data(prompt: Prompt) -> None:
    page = page_of(prompt)
    assert page == page_of(prompt)
    assert "<title>a &lt;spec&gt;: the prompt</title>" in page
    assert page.count("<script>") == page.count("</script>") - 1 == 1
    found = re.search(r'<script type="application/json" id="prompt">(.*?)</script>', page)
    assert found
    told: dict[str, Any] = json.loads(found[1])
    assert "".join(text for _, text in told["parts"]) == prompt.text
    assert [(item["id"], item["status"], item["reason"]) for item in told["items"]] == [
        ("system", "kept", ""),
        ("<b>hostile</b>", "kept", ""),
        ("long", "truncated", "section"),
        ("huge", "dropped", "section"),
        ("question", "kept", ""),
    ]
    assert [place for place, _ in told["parts"]] == [0, -1, 1, -1, 2, -1, 4]


@pytest.fixture
def tab(browser: Browser, prompt: Prompt, tmp_path: Path) -> Iterator[Page]:
    """The page, opened. At the end: nothing may have been complained of, and nothing asked of the network."""
    complaints: list[str] = []
    requests: list[str] = []
    file = tmp_path / "page.html"
    file.write_text(page_of(prompt), "utf-8")
    context = browser.new_context(viewport={"width": 1200, "height": 800}, color_scheme="light")
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("request", lambda request: requests.append(request.url))
    page.goto(file.as_uri() + "#item-5")
    yield page
    assert page.evaluate("window.hacked") is None
    context.close()
    assert complaints == []
    assert {url for url in requests if not url.startswith(("file:", "data:"))} == set()


def test_the_text_is_the_prompt_and_each_part_has_its_colour(tab: Page, prompt: Prompt) -> None:
    parts = tab.eval_on_selector_all("#text > span", "all => all.map(it => [it.id, it.className, it.textContent])")
    # What cannot be seen is a mark with a name and no text.
    shown = prompt.text.replace("\u202e", "").replace("\0", "")
    assert "".join(text for _, _, text in parts) == shown
    assert [(name, style) for name, style, _ in parts] == [
        ("item-1", "item c0"), ("", "between"), ("item-2", "item c1"), ("", "between"), ("item-3", "item c2"), ("", "between"),
        ("item-5", "item c3"),
    ]  # fmt: skip
    colours = tab.eval_on_selector_all("#text .item", "all => all.map(it => getComputedStyle(it).backgroundColor)")
    assert len(set(colours)) == 4
    assert tab.eval_on_selector("#text :target", "it => it.textContent") == "Why?"


def test_the_bar_is_as_wide_as_the_budget(tab: Page, prompt: Prompt) -> None:
    bar = tab.eval_on_selector("#bar", "it => it.clientWidth")
    parts = tab.eval_on_selector_all(
        "#bar span", "all => all.map(it => [it.className, it.title, it.getBoundingClientRect().width])"
    )
    assert sum(width for _, _, width in parts) == pytest.approx(bar, abs=1)
    widths = {title.split(":")[0]: (style, width) for style, title, width in parts}
    report = {item.id: item for item in prompt.report.items}
    assert set(widths) == {"system", "<b>hostile</b>", "long", "question", "between items", "free", "reserve"}
    for name in ("system", "long", "question"):
        assert widths[name][1] == pytest.approx(bar * report[name].tokens / 200, abs=1)
    assert widths["reserve"][1] == pytest.approx(bar * 30 / 200, abs=1)
    assert widths["long"][0] == "item c2"


def test_the_tables_say_why(tab: Page, prompt: Prompt) -> None:
    rows = tab.eval_on_selector_all("#items tr", "all => all.map(it => [...it.children].map(one => one.textContent))")
    assert rows == [
        [
            item.id,
            item.section,
            item.status,
            item.reason or "",
            "" if item.status == "dropped" else str(item.tokens),
            str(item.tokens_before),
        ]
        for item in prompt.report.items
    ]
    (section,) = tab.eval_on_selector_all("#sections tr", "all => all.map(it => it.textContent)")
    (told,) = prompt.report.sections
    assert section == f"context{told.given}{told.used}{told.passed_on}"
    tab.click("text=<b>hostile</b>")
    assert tab.evaluate("location.hash") == "#item-2"
    assert tab.inner_text("#position") == f"{prompt.token_count} of 170 tokens"


def test_the_theme_can_be_chosen(tab: Page) -> None:
    before = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    tab.keyboard.press("d")
    tab.keyboard.press("d")
    assert tab.inner_text("#theme") == "dark"
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") != before
    tab.click("#theme-button")
    assert tab.inner_text("#theme") == "auto"


def test_it_fits_a_phone(tab: Page) -> None:
    tab.set_viewport_size({"width": 360, "height": 740})
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_keeps_anybody_out(browser: Browser, prompt: Prompt, tmp_path: Path, theme: str, width: int) -> None:
    file = tmp_path / "page.html"
    file.write_text(page_of(prompt), "utf-8")
    context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": 900}, bypass_csp=True)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(file.as_uri())
    page.wait_for_selector("#items tr")
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
