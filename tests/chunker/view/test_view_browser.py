"""The page of `chunker view` in a real browser: Chromium, without a window.

Skipped, with the reason, where there is no Chromium or no playwright to drive it; `.ci/run` installs the one, the extra
`test` the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from accessibility import violations

from chunker import CodeChunker, MarkdownChunker, TextChunker
from chunker.view import PageSettings, SeenText, page, see

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
# Waits without a string for the page to evaluate, which its policy forbids.
expect = playwright.expect
SETTINGS = PageSettings("o200k_base", 40, 5, 8, context=True)
DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}

SOURCE = "import os\n\n\nclass Shop:\n" + "".join(
    f'    def method_{n}(self, value):\n        """Number {n}."""\n        return os.getpid() * {n} + value * {n}\n\n'
    for n in range(30)
)
HOSTILE = (
    "</script><script>window.hacked = 1</script>\n<img src=x onerror='window.hacked = 2'>\n<!-- \" ' ` ${1} &amp;\n"
    "over\u202eride\u202c \0\0\0 nul \ufeff bom esc\x1b[31m lone \ud800 half\r\nsecond line\rthird \u2028 line tag\U000e0041\n"
    "مرحبا بالعالم ، hello\n👩‍👩‍👧 family " + "word" * 200 + "\n"
)


Open = Callable[..., "Page"]


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Open]:
    """Opens a page of some texts. At the end: nothing may have been complained of, and nothing asked of the network."""
    complaints: list[str] = []
    requests: list[str] = []
    contexts = []

    def opened(
        texts: list[SeenText],
        *,
        settings: PageSettings = SETTINGS,
        anchor: str = "",
        **options: Any,
    ) -> Page:
        file = tmp_path / "page.html"
        file.write_bytes(b"".join(page(texts, settings, "test")))
        context = browser.new_context(**{"viewport": DESKTOP, "color_scheme": "light", **options})
        contexts.append(context)
        tab = context.new_page()
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on("dialog", lambda dialog: complaints.append(dialog.message))
        tab.on("request", lambda request: requests.append(request.url))
        tab.goto(file.as_uri() + anchor)
        tab.wait_for_selector("#feed[aria-busy=false]", state="attached")
        return tab

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
    assert {url for url in requests if not url.startswith(("file:", "data:"))} == set()


def source_text() -> SeenText:
    return see(CodeChunker("python", 40, overlap=8, context=True), SOURCE, "src/shop.py")


def current(tab: Page) -> str:
    return str(tab.eval_on_selector("[aria-current=true][id^=chunk]", "it => it.id"))


def shown(tab: Page) -> list[int]:
    return [int(number) for number in tab.eval_on_selector_all("article", "all => all.map(it => it.place + 1)")]


def settled(tab: Page) -> list[int]:
    """The chunks that are shown when the page has done what it was asked for."""
    tab.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    tab.wait_for_selector("#feed[aria-busy=false]", state="attached")
    return shown(tab)


def colour(tab: Page, selector: str, of: str = "backgroundColor") -> str:
    return str(tab.eval_on_selector(selector, f"it => getComputedStyle(it).{of}"))


def test_the_text_of_each_chunk_and_its_facts(show: Open) -> None:
    seen = source_text()
    tab = show([seen])
    assert tab.title() == "test in chunks"
    assert tab.inner_text("#heading") == "src/shop.py"
    assert len(shown(tab)) == len(seen.chunks) > 20
    told = tab.eval_on_selector_all(
        "article",
        """all => all.map(article => {
            const text = selector => article.querySelector(selector)?.textContent ?? "";
            return {
                text: text(".text"), facts: text(".facts-line"), breadcrumb: text(".breadcrumb"), cut: text(".cut"), repeated: text(".repeated"),
                cutClass: article.querySelector(".cut")?.className ?? "",
                width: parseFloat(article.querySelector(".meter span").style.width),
            };
        })""",
    )
    for item, article in zip(seen.chunks, told, strict=True):
        assert article["text"] == item.chunk.text
        assert f"{item.chunk.token_count} of 40 tokens, " in article["facts"]
        assert item.chunk.kind in article["facts"]
        assert article["breadcrumb"] == "›".join(item.breadcrumb)
        assert article["cut"] == ("" if item.cut is None else str(item.cut))
        assert article["cutClass"] == ("" if item.cut is None else f"cut g{int(item.cut.grade)}")
        assert article["repeated"] == item.chunk.body[: item.repeated]
        assert (f"repeats {item.repeated_tokens} token" in article["facts"]) == (item.repeated > 0)
        assert article["width"] == pytest.approx(100 * item.fill, abs=0.01)
    assert any(item.repeated for item in seen.chunks)
    assert any(len(item.breadcrumb) == 2 for item in seen.chunks)


def test_neighbours_never_have_the_same_colour(show: Open) -> None:
    tab = show([source_text()])
    for theme in ("light", "dark"):
        tab.emulate_media(color_scheme=theme)
        colours = tab.eval_on_selector_all(".card", "all => all.map(it => getComputedStyle(it).backgroundColor)")
        assert all(one != other for one, other in pairwise(colours))
        assert len(set(colours)) == 4


def test_keys(show: Open) -> None:
    seen = source_text()
    tab = show([seen])
    press = tab.keyboard.press
    assert current(tab) == "chunk-1"
    press("j")
    press("ArrowDown")
    assert current(tab) == "chunk-3"
    assert tab.evaluate("document.activeElement.id") == "chunk-3"
    assert tab.inner_text("#position") == f"3 / {len(seen.chunks)}"
    assert tab.evaluate("location.hash") == "#1.3"
    press("k")
    press("ArrowUp")
    press("ArrowUp")
    assert current(tab) == "chunk-1"
    press("End")
    assert current(tab) == f"chunk-{len(seen.chunks)}"
    assert tab.eval_on_selector("[aria-current=true]", "it => it.getBoundingClientRect().top < innerHeight")
    press("Home")
    assert current(tab) == "chunk-1"
    # Scrolled by other means, the next chunk is one that can be seen.
    tab.eval_on_selector("#chunk-15", "it => it.scrollIntoView({ block: 'start' })")
    press("j")
    assert 13 <= int(current(tab).removeprefix("chunk-")) <= 16
    press("?")
    assert tab.evaluate("document.getElementById('help').open")
    press("j")
    press("Escape")
    assert not tab.evaluate("document.getElementById('help').open")
    # Keys with a modifier are the browser's.
    before = current(tab)
    press("Control+j")
    assert current(tab) == before


def test_focus_can_be_seen(show: Open) -> None:
    tab = show([source_text()])
    seen = set()
    for _ in range(12):
        tab.keyboard.press("Tab")
        style = tab.evaluate(
            "(({ outlineStyle, outlineWidth }) => [outlineStyle, outlineWidth])(getComputedStyle(document.activeElement))"
        )
        assert style == ["solid", "2px"]
        seen.add(tab.evaluate("document.activeElement.id || document.activeElement.className"))
    assert {"skip", "tokens-button", "theme-button", "help-button"} <= seen


def test_the_reason_for_a_cut_can_be_read_without_a_mouse(show: Open) -> None:
    seen = source_text()
    tab = show([seen])
    reasons = [str(item.reason or "") for item in seen.chunks]
    told = tab.eval_on_selector_all(
        "article",
        "all => all.map(it => document.getElementById(it.getAttribute('aria-describedby'))?.textContent ?? '')",
    )
    assert told == reasons  # what a screen reader reads with the chunk, open or not
    assert sum(map(bool, reasons)) > 10
    tab.keyboard.press("j")
    reason = tab.locator("#reason-2")
    cut = tab.locator("#chunk-2 .cut")
    expect(reason).to_be_hidden()
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.matches('#chunk-2 button.cut')")
    for key in ("Enter", "Space", "w"):
        tab.keyboard.press(key)
        expect(reason).to_be_visible()
        assert reason.inner_text() == reasons[1]
        assert cut.get_attribute("aria-expanded") == "true"
        tab.keyboard.press(key)
        expect(reason).to_be_hidden()
        assert cut.get_attribute("aria-expanded") == "false"
    # The other cuts are no stops of the Tab key, of which a page would have hundreds.
    assert tab.locator("button.cut[tabindex='0']").count() == 1
    tab.locator("#chunk-4 .cut").click()
    expect(tab.locator("#reason-4")).to_be_visible()
    assert current(tab) == "chunk-4"


def test_tokens(show: Open) -> None:
    seen = source_text()
    tab = show([seen])
    assert tab.locator(".t").count() == 0
    tab.keyboard.press("t")
    assert tab.get_attribute("#tokens-button", "aria-pressed") == "true"
    chunk = seen.chunks[1].chunk
    tokens = tab.eval_on_selector_all("#chunk-2 .t:not(.rest)", "all => all.map(it => it.textContent)")
    offsets = [0]
    assert seen.chunks[1].token_lengths is not None
    for length in seen.chunks[1].token_lengths:
        offsets.append(offsets[-1] + length)
    expected = [chunk.text[start:end] for start, end in pairwise(offsets)]
    rest = tab.locator("#chunk-2 .t.rest").count()  # a token on both sides of the overlap's end
    assert len(tokens) == chunk.token_count == len(expected)
    assert rest or tokens == expected
    assert tab.text_content("#chunk-2 .text") == chunk.text
    first, second = (tab.locator("#chunk-2 .t").nth(at) for at in (0, 1))
    assert first.evaluate("it => getComputedStyle(it).backgroundColor") != second.evaluate(
        "it => getComputedStyle(it).backgroundColor"
    )
    second.hover()
    assert second.get_attribute("title") == f"Token 2 of {chunk.token_count}"
    tab.click("#tokens-button")
    assert tab.locator(".t").count() == 0
    assert tab.text_content("#chunk-2 .text") == chunk.text


def test_tokens_from_the_start_and_those_that_share_a_character(show: Open) -> None:
    seen = see(TextChunker(40), "a👩\u200d👩\u200d👧b", "x.txt")
    tab = show([seen], settings=SETTINGS._replace(show_tokens=True))
    several = tab.locator(".t.several")
    assert several.count() > 0
    several.first.hover()
    assert "share a character" in (several.first.get_attribute("title") or "")
    numbers = tab.eval_on_selector_all(".t", "all => all.map(it => [+it.dataset.first, +it.dataset.last])")
    assert [first for first, _ in numbers] == [1, *(last + 1 for _, last in numbers[:-1])]
    assert numbers[-1][1] == seen.tokens


def test_filter(show: Open) -> None:
    seen = source_text()
    tab = show([seen])
    total = len(seen.chunks)

    tab.keyboard.press("/")
    tab.keyboard.type("METHOD_7")
    expected = [n for n, item in enumerate(seen.chunks, 1) if "method_7" in item.chunk.text]
    assert settled(tab) == expected
    assert 0 < len(expected) < total
    assert tab.inner_text("#outcome") == f"{len(expected)} of {total} chunks"
    assert tab.locator(".hidden-before").first.inner_text() == f"{expected[0] - 1} chunks not shown"
    assert tab.evaluate("[...CSS.highlights.get('found')].map(range => range.toString().toLowerCase())") == [
        "method_7"
    ] * sum("".join([*item.breadcrumb, item.chunk.text]).count("method_7") for item in seen.chunks)
    tab.keyboard.press("Enter")
    assert current(tab) == f"chunk-{expected[0]}"
    # Keys go from shown chunk to shown chunk; letters in the field are text.
    tab.keyboard.press("End")
    assert current(tab) == f"chunk-{expected[-1]}"
    tab.keyboard.press("/")
    tab.keyboard.press("j")
    assert tab.input_value("#filter-text") == "j"
    tab.keyboard.press("Escape")
    assert tab.input_value("#filter-text") == "j"
    tab.keyboard.press("Escape")
    assert settled(tab) == list(range(1, total + 1))
    assert tab.input_value("#filter-text") == ""

    kind = seen.chunks[-1].chunk.kind
    tab.select_option("#filter-kind", kind)
    assert settled(tab) == [n for n, item in enumerate(seen.chunks, 1) if item.chunk.kind == kind]
    tab.click("button[type=reset]")
    quality = str(seen.chunks[-1].cut and seen.chunks[-1].cut.quality)
    tab.select_option("#filter-cut", quality)
    assert settled(tab) == [n for n, item in enumerate(seen.chunks, 1) if item.cut and item.cut.quality == quality]
    tab.click("button[type=reset]")
    tab.fill("#filter-least", "50")
    tab.fill("#filter-most", "90")
    assert settled(tab) == [n for n, item in enumerate(seen.chunks, 1) if 0.5 <= item.fill <= 0.9]
    tab.fill("#filter-text", "nowhere at all")
    assert settled(tab) == []
    assert tab.inner_text("#nothing") == "No chunk matches the filter."
    tab.keyboard.press("Escape")
    tab.keyboard.press("j")  # nothing to go to, and nothing goes wrong


def test_the_histogram_counts_and_filters(show: Open) -> None:
    seen = source_text()
    tab = show([seen])
    labels = tab.eval_on_selector_all("#fills button", "all => all.map(it => it.getAttribute('aria-label'))")
    counts = [int(label.split(": ")[1].split()[0]) for label in labels]
    expected = [0] * 10
    for item in seen.chunks:
        expected[min(int(item.fill * 10), 9)] += 1
    assert counts == expected
    fullest = max(range(10), key=counts.__getitem__)
    bar = tab.locator("#fills button").nth(fullest)
    bar.click()
    assert bar.get_attribute("aria-pressed") == "true"
    assert tab.input_value("#filter-least") == str(fullest * 10)
    assert len(settled(tab)) >= counts[fullest]
    bar.click()
    assert settled(tab) == list(range(1, len(seen.chunks) + 1))
    assert bar.get_attribute("aria-pressed") == "false"
    assert tab.inner_text("#outcome") == f"{len(seen.chunks)} chunks"


def test_light_and_dark(show: Open) -> None:
    tab = show([source_text()], color_scheme="dark")
    dark = colour(tab, "body")
    assert dark == "rgb(20, 22, 27)"
    tab.emulate_media(color_scheme="light")
    light = colour(tab, "body")
    assert light == "rgb(251, 250, 247)"
    assert colour(tab, "body", "color") != light
    tab.keyboard.press("d")  # light, whatever the system says
    tab.emulate_media(color_scheme="dark")
    assert colour(tab, "body") == light
    tab.click("#theme-button")
    tab.emulate_media(color_scheme="light")
    assert colour(tab, "body") == dark
    tab.click("#theme-button")
    assert colour(tab, "body") == light
    assert tab.inner_text("#theme") == "auto"


@pytest.mark.parametrize("tokens", [False, True])
def test_a_phone_scrolls_up_and_down_alone(show: Open, tokens: bool) -> None:
    long_name = see(TextChunker(40, overlap=8), HOSTILE + "x" * 3000, "a/" + "very_long_name_" * 20 + ".txt")
    tab = show([long_name, source_text()], viewport=PHONE, is_mobile=True, has_touch=True)
    if tokens:
        tab.tap("#tokens-button")
    assert not tab.is_visible("#panel")
    tab.tap("#panel-button")
    assert tab.is_visible("#filter")
    assert tab.get_attribute("#panel-button", "aria-expanded") == "true"
    for _ in range(2):
        assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        boxes = tab.eval_on_selector_all(".bar .tool", "all => all.map(it => it.getBoundingClientRect().right)")
        assert max(boxes) <= PHONE["width"]
        tab.locator("#texts-list button").nth(1).tap()
    assert tab.inner_text("#heading") == "shop.py"


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_keeps_anybody_out(show: Open, theme: str, width: int) -> None:
    tab = show([source_text()], color_scheme=theme, viewport={"width": width, "height": 900}, bypass_csp=True)
    if width < 960:
        tab.click("#panel-button")
    assert violations(tab) == []
    tab.locator("#chunk-2 .cut").click()
    expect(tab.locator("#reason-2")).to_be_visible()
    assert violations(tab) == []
    tab.fill("#filter-text", "no chunk has this")
    expect(tab.locator("#nothing")).to_be_visible()
    assert violations(tab) == []


def test_hostile_text_is_only_shown(show: Open) -> None:
    seen = see(TextChunker(60, context=True), HOSTILE, "<img src=x onerror=window.hacked=3>.txt")
    tab = show([seen, see(TextChunker(60), HOSTILE, "second")])
    assert tab.evaluate("window.hacked") is None
    assert tab.locator("main script, main img, aside img, h1 img").count() == 0
    assert tab.inner_text("#heading") == "<img src=x onerror=window.hacked=3>.txt"
    text = "".join(tab.eval_on_selector_all(".text", "all => all.map(it => it.textContent)"))
    assert "</script><script>window.hacked = 1</script>" in text
    assert "<!-- \" ' ` ${1} &amp;" in text
    assert not set("\u202e\u202c\0\x1b\ufeff\r\u2028\U000e0041") & set(text)
    assert "second line\nthird" in text  # a lone carriage return ends a line, too
    marks = tab.eval_on_selector_all("main .mark:not(.quiet)", "all => all.map(it => it.dataset.name)")
    assert marks == ["RLO", "PDF", "NUL×3", "BOM", "ESC", "U+D800", "CR", "LS", "U+E0041"]
    assert tab.eval_on_selector("main .mark", "it => getComputedStyle(it, '::before').content") == '"RLO"'
    tab.keyboard.press("t")
    assert tab.evaluate("window.hacked") is None


def test_what_is_copied_is_the_text_that_was_counted(show: Open) -> None:
    seen = see(TextChunker(60), HOSTILE.replace("\ud800", ""), "x.txt")
    tab = show([seen], permissions=["clipboard-read", "clipboard-write"])
    tab.keyboard.press("c")
    expect(tab.locator("#said")).not_to_be_empty()
    assert tab.inner_text("#said") == "Chunk 1 copied."
    assert tab.evaluate("navigator.clipboard.readText()") == seen.chunks[0].chunk.text


def test_several_files_and_a_place_in_the_address(show: Open) -> None:
    texts = [
        see(MarkdownChunker(40), "# One\n\n" + "Some words. " * 40, "docs/deep/one.md"),
        see(TextChunker(40), "", "docs/empty.txt"),
        source_text(),
    ]
    tab = show(texts, anchor="#3.5")
    assert tab.inner_text("#heading") == "src/shop.py"
    assert current(tab) == "chunk-5"
    assert tab.evaluate("document.activeElement.id") == "chunk-5"
    names = tab.eval_on_selector_all("#texts-list .path", "all => all.map(it => it.textContent)")
    assert names == ["docs/deep/one.md", "docs/empty.txt", "src/shop.py"]
    assert tab.get_attribute("#texts-list li:nth-child(3) button", "aria-current") == "true"
    tab.keyboard.press("[")
    assert tab.inner_text("#nothing") == "This text is empty."
    assert shown(tab) == []
    for key in ("j", "k", "Home", "End", "c", "t", "t"):
        tab.keyboard.press(key)
    tab.keyboard.press("[")
    assert tab.inner_text("#heading") == "docs/deep/one.md"
    tab.keyboard.press("[")
    assert tab.inner_text("#heading") == "docs/deep/one.md"


def test_a_page_without_texts(show: Open) -> None:
    tab = show([])
    assert tab.inner_text("#nothing") == "There is no text to show."
    for key in ("j", "End", "]", "c", "t", "Escape", "/"):
        tab.keyboard.press(key)


def test_a_long_text_holds_only_what_is_near(show: Open) -> None:
    text = "".join(f"Line {n} of a long text, with some words and more of them.\n" for n in range(18_000))
    assert len(text) > 1_000_000
    seen = see(TextChunker(128), text, "long.txt")
    tab = show([seen], settings=SETTINGS._replace(show_tokens=True))
    last = len(seen.chunks)
    assert tab.locator("article").count() < last / 3
    tab.keyboard.press("End")
    assert current(tab) == f"chunk-{last}"
    assert tab.text_content(f"#chunk-{last} .text") == seen.chunks[-1].chunk.text
    expect(tab.locator("#chunk-1")).to_have_count(0)
    tab.keyboard.press("Home")
    assert tab.text_content("#chunk-1 .text") == seen.chunks[0].chunk.text
    tab.keyboard.press("/")
    tab.keyboard.type("line 17999 ")
    expect(tab.locator("#outcome")).to_have_text(f"1 of {last:,} chunks")
    assert tab.text_content("article .text") == seen.chunks[-1].chunk.text
    assert tab.locator(".group:not([hidden])").count() == 1


def test_roles_and_names(show: Open) -> None:
    seen = source_text()
    tab = show([seen, see(TextChunker(40), "x", "y.txt")])
    assert tab.get_by_role("feed", name="Chunks").count() == 1
    second = tab.get_by_role("article").nth(1)
    assert second.get_attribute("aria-posinset") == "2"
    assert second.get_attribute("aria-setsize") == str(len(seen.chunks))
    assert tab.get_by_role("article", name=f"2 {seen.chunks[1].chunk.kind}", exact=True).count() == 1
    for role, name in (
        ("searchbox", "Text"), ("combobox", "Kind"), ("combobox", "Cut"), ("spinbutton", "Fill from, %"), ("spinbutton", "to, %"),
        ("button", "Tokens"), ("button", "Help"), ("button", "Reset"), ("navigation", "Files"), ("search", "Filter"),
    ):  # fmt: skip
        assert tab.get_by_role(role, name=name, exact=True).count() == 1, (role, name)  # type: ignore[arg-type]  # a str, not one of its literals
    assert tab.locator("h1").count() == 1
    tab.keyboard.press("?")
    assert tab.get_by_role("dialog", name="Keys and colours").count() == 1


def test_highlighting_survives_letters_that_grow(show: Open) -> None:
    # The small form of this letter is two characters long.
    tab = show([see(TextChunker(40), "İstanbul and Izmir, İstanbul\n", "x.txt")])
    tab.fill("#filter-text", "izmir")
    assert settled(tab) == [1]
