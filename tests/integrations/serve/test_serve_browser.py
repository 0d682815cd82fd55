"""The page of `chunker serve` in a real browser: Chromium, without a window, and a real server.

Skipped, with the reason, where there is no Chromium or no playwright to drive it; `.ci/run` installs the one, the extra
`test` the other.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from accessibility import violations
from serving import Server, serving

pytest.importorskip("starlette", reason='needs starlette: pip install "bpe-chunker[serve]"')

from chunker import CodeChunker, MarkdownChunker, TextChunker
from chunker.index import Index

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

DESKTOP = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}
TOKEN = "a-token-of-many-characters"
SOURCE = "".join(f"class Shop{n}:\n    def price(self):\n        return {n}\n\n\n" for n in range(12))
ATTACK = "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"
# A file system allows all but the slash and NUL.
HOSTILE_NAME = "<img src=x onerror='window.hacked=3'>\u202e.md"
HOSTILE = f"# {ATTACK}\n\n## {ATTACK}\n\n" + f"{ATTACK} & \u202e \x1b[31m \x07 words {ATTACK}\n\n" * 8


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    top = tmp_path_factory.mktemp("served")
    (top / "src").mkdir()
    (top / "src/shop.py").write_text(SOURCE)
    (top / "server.pem").write_text("x\n")
    (top / "windows.txt").write_bytes(b"One line.\r\nAnother line.\r\n")
    (top / HOSTILE_NAME).write_text(HOSTILE)
    Index.open(top / ".chunker").sync(top)
    with serving(str(top), "--index", str(top / ".chunker")) as started:
        yield started


Open = Callable[..., "Page"]


@pytest.fixture
def show(browser: Browser) -> Iterator[Open]:
    """Opens the page of a server. At the end: nothing may have been complained of, and nothing asked of anybody else."""
    complaints: list[str] = []
    requests: list[tuple[str, str]] = []
    contexts = []

    def opened(server: Server, *, anchor: str = "", **options: Any) -> Page:
        context = browser.new_context(**{"viewport": DESKTOP, "color_scheme": "light", **options})
        contexts.append(context)
        tab = context.new_page()
        # A status that says no is written to the console by the browser itself.
        tab.on(
            "console", lambda message: complaints.append(message.text) if "Failed to load" not in message.text else None
        )
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on("dialog", lambda dialog: complaints.append(dialog.message))
        tab.on("request", lambda request: requests.append((server.url, request.url)))
        tab.goto(server.url + anchor)
        return tab

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []
    assert [url for own, url in requests if not url.startswith((own, "data:"))] == []


def cut(tab: Page) -> list[str]:
    """The texts of the chunks, once the newest text is cut."""
    tab.wait_for_selector("body:not(.outdated)")
    tab.wait_for_selector("#feed[aria-busy=false]", state="attached")
    return [str(text) for text in tab.eval_on_selector_all("article .text", "all => all.map(it => it.textContent)")]


def bodies(chunks: list[Any]) -> list[str]:
    return [chunk.text for chunk in chunks]


def test_chunks_change_as_one_writes(show: Open, server: Server) -> None:
    tab = show(server)
    assert cut(tab) == []
    tab.fill("#max-tokens", "20")
    tab.focus("#text")
    tab.keyboard.type("One sentence. " * 12, delay=5)
    assert cut(tab) == bodies(TextChunker(20).chunk("One sentence. " * 12))
    assert tab.evaluate("document.activeElement.id") == "text"  # the keyboard stays where one writes
    tab.keyboard.type("And a last one.")
    whole = "One sentence. " * 12 + "And a last one."
    assert cut(tab) == bodies(TextChunker(20).chunk(whole))
    tab.fill("#overlap", "6")
    assert cut(tab) == bodies(TextChunker(20, overlap=6).chunk(whole))
    tab.select_option("#strategy", "optimal")
    assert cut(tab) == bodies(TextChunker(20, overlap=6, strategy="optimal").chunk(whole))
    tab.select_option("#tokenizer", "characters")
    assert cut(tab) == bodies(TextChunker(20, overlap=6, strategy="optimal", tokenizer="characters").chunk(whole))
    assert "chunks, in" in tab.inner_text("#state")
    assert tab.inner_text("#size") == f"{len(whole)} bytes"


def test_options_that_do_not_go_together_are_told_and_nothing_is_lost(show: Open, server: Server) -> None:
    tab = show(server)
    tab.fill("#text", SOURCE)
    tab.fill("#max-tokens", "60")
    before = cut(tab)
    assert len(before) > 2
    tab.fill("#overlap", "60")
    tab.wait_for_selector("#state.wrong")
    assert "overlap must be from 0 to max_tokens - 1 (59), got 60" in tab.inner_text("#state")
    assert tab.locator("article").count() == len(before)
    tab.fill("#overlap", "")
    tab.wait_for_timeout(400)
    assert "A number of tokens is missing" in tab.inner_text("#state")
    tab.fill("#overlap", "0")
    assert cut(tab) == before
    assert tab.locator("#state.wrong").count() == 0


def test_files_of_the_folders_the_picker_and_dropping(show: Open, server: Server, tmp_path: Path) -> None:
    tab = show(server)
    tab.wait_for_selector("#files option:nth-child(3)", state="attached")
    assert tab.inner_text("#left-out") == "Not offered: server.pem (by its name it holds secrets)."
    tab.fill("#file", "src/shop.py")
    tab.press("#file", "Enter")
    tab.fill("#max-tokens", "60")
    tab.check("#context")
    expected = CodeChunker("python", 60, context=True).chunk(SOURCE, source="src/shop.py")
    tab.wait_for_selector("article")
    assert cut(tab) == bodies(expected)
    assert tab.inner_text("#heading") == "src/shop.py"
    assert "python" in tab.inner_text("#state")
    picked = tmp_path / "notes.md"
    picked.write_text("# A\n\nText.\n\n# B\n\nMore.\n")
    tab.set_input_files("#pick", str(picked))
    tab.wait_for_selector("text=notes.md >> nth=0")
    markdown = MarkdownChunker(60, context=True).chunk("# A\n\nText.\n\n# B\n\nMore.\n", source="notes.md")
    assert cut(tab) == bodies(markdown)
    assert "markdown" in tab.inner_text("#state")
    dropped = tab.evaluate_handle(
        """() => { const it = new DataTransfer(); it.items.add(new File(["dropped text"], "dropped.txt")); return it; }"""
    )
    tab.dispatch_event("#text", "drop", {"dataTransfer": dropped})
    tab.wait_for_selector("text=dropped.txt >> nth=0")
    tab.uncheck("#context")
    assert cut(tab) == ["dropped text"]
    binary = tmp_path / "picture.png"
    binary.write_bytes(b"\x89PNG\0\0")
    tab.set_input_files("#pick", str(binary))
    tab.wait_for_selector("#state.wrong")
    assert "picture.png is binary" in tab.inner_text("#state")
    assert tab.input_value("#text") == "dropped text"


def test_line_ends_of_a_file_stay(show: Open, server: Server) -> None:
    tab = show(server)
    tab.wait_for_selector("#files option:nth-child(3)", state="attached")
    tab.fill("#file", "windows.txt")
    tab.press("#file", "Enter")
    tab.wait_for_selector("article")
    cut(tab)
    assert tab.inner_text("#size") == "26 bytes"  # with both characters of each line end
    tab.focus("#text")
    tab.keyboard.press("Control+End")
    tab.keyboard.type("x")
    cut(tab)
    assert tab.inner_text("#size") == "27 bytes"


def test_search_and_the_tabs_by_keyboard(show: Open, server: Server) -> None:
    tab = show(server)
    tab.focus("#cut-tab")
    tab.keyboard.press("ArrowRight")
    assert tab.evaluate("document.activeElement.id") == "search-tab"
    assert not tab.is_visible("#text")
    tab.fill("#query", "Shop7")
    tab.select_option("#by", "words")
    tab.press("#query", "Enter")
    tab.wait_for_selector("#hits li")
    assert "src/shop.py" in tab.inner_text("#hits li >> nth=0")
    assert "class Shop7" in tab.inner_text("#hits li .text >> nth=0")
    tab.fill("#sources", "nothing/*")
    tab.press("#query", "Enter")
    tab.wait_for_selector("text=Nothing found: no file in the index matches nothing/*.")
    tab.fill("#sources", "scr/*")
    tab.press("#query", "Enter")
    tab.wait_for_selector("text=no file in the index matches scr/* (the nearest: src/*).")
    assert tab.locator("#hits li").count() == 0
    tab.focus("#search-tab")
    tab.keyboard.press("ArrowLeft")
    assert tab.is_visible("#text")
    # Each field and button has a name, and is reached by Tab.
    unnamed = tab.eval_on_selector_all(
        "input, select, textarea, button, [role=tab]",
        "all => all.filter(it => !it.labels?.length && !it.ariaLabel && !it.getAttribute('aria-labelledby') && !it.textContent.trim()).map(it => it.id)",
    )
    assert unnamed == []
    tab.focus("#cut-tab")
    reached = set()
    for _ in range(40):
        tab.keyboard.press("Tab")
        reached.add(tab.evaluate("document.activeElement.id"))
    assert {"tokenizer", "max-tokens", "overlap", "strategy", "language", "context", "pick", "file", "text"} <= reached


@pytest.mark.parametrize("tokens", [False, True])
def test_hostile_text_is_only_shown(show: Open, server: Server, *, tokens: bool) -> None:
    tab = show(server)
    tab.wait_for_selector("#files option:nth-child(3)", state="attached")
    tab.fill("#file", HOSTILE_NAME)
    tab.press("#file", "Enter")
    tab.fill("#max-tokens", "60")
    tab.check("#context")
    tab.wait_for_selector("article")
    if tokens:
        tab.click("#tokens-button")
    texts = "".join(cut(tab))
    assert ATTACK in texts
    assert ATTACK in tab.inner_text("article .breadcrumb >> nth=-1")  # a breadcrumb
    assert "<img src=x onerror='window.hacked=3'>" in tab.inner_text("#heading")
    assert tab.locator("#heading .mark[data-name=RLO]").count() > 0
    tab.fill("#filter-text", "<script>")
    tab.click("#search-tab")
    tab.fill("#query", "script window hacked words")
    tab.press("#query", "Enter")
    tab.wait_for_selector("#hits li")
    assert ATTACK in tab.inner_text("#hits li .text >> nth=0")
    assert "onerror" in tab.inner_text("#hits li .source >> nth=0")
    assert tab.evaluate("window.hacked") is None
    assert tab.locator("#feed img, #hits img, #feed script, #hits script, #heading img").count() == 0


def test_no_script_but_its_own_runs(browser: Browser, server: Server) -> None:
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(server.url)
    blocked = tab.evaluate(
        """async () => {
            const seen = [];
            document.addEventListener("securitypolicyviolation", event => seen.push(event.effectiveDirective));
            const script = document.createElement("script");
            try { script.textContent = "window.hacked = 1"; } catch (error) { seen.push(error.name); }
            document.body.append(script);
            const picture = new Image();
            picture.src = "http://127.0.0.1:9/x.png";
            await fetch("http://127.0.0.1:9/").catch(() => null);
            await new Promise(done => setTimeout(done, 200));
            return seen;
        }"""
    )
    assert {"TypeError", "img-src", "connect-src"} <= set(blocked)
    assert tab.evaluate("window.hacked") is None
    context.close()


class Quiet(SimpleHTTPRequestHandler):
    """Another site, which says nothing of who comes."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as it is called there
        pass


def test_another_site_gets_nothing(browser: Browser, server: Server, tmp_path: Path) -> None:
    """A page of another origin, in the same browser, tries what such pages try."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        context = browser.new_context()
        tab = context.new_page()
        tab.goto(f"http://127.0.0.1:{other.server_address[1]}/")
        outcomes = tab.evaluate(
            """async (url) => {
                const tried = async (options) => {
                    try {
                        const answer = await fetch(url + "api/files", {method: "POST", body: "{}", ...options});
                        return [answer.type, answer.status, await answer.text()];
                    } catch (error) { return [error.name]; }
                };
                return [
                    await tried({headers: {"Content-Type": "application/json"}}),
                    await tried({headers: {"Content-Type": "text/plain"}}),
                    await tried({mode: "no-cors"}),
                ];
            }""",
            server.url,
        )
        tab.set_content(f"<iframe src={server.url}></iframe>")
        tab.wait_for_timeout(500)
        framed = [frame.url for frame in tab.frames[1:]]
        context.close()
        other.shutdown()
    assert outcomes[:2] == [["TypeError"], ["TypeError"]]
    assert outcomes[2] in (["opaque", 0, ""], ["TypeError"])
    assert framed == [
        "chrome-error://chromewebdata/"
    ]  # what Chromium shows in place of a page that is not to be embedded


def test_with_a_token(show: Open, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("text\n")
    with serving(str(tmp_path), CHUNKER_SERVE_TOKEN=TOKEN) as server:
        tab = show(server, anchor=f"#token={TOKEN}")
        tab.wait_for_selector("#files option", state="attached")
        assert TOKEN not in tab.url  # it does not stay in the address
        tab.fill("#text", "some text")
        assert cut(tab) == ["some text"]
        tab = show(server)
        tab.fill("#token", "wrong token, of some length")
        tab.press("#token", "Enter")
        tab.wait_for_selector("#token-form:not([hidden])")
        tab.wait_for_selector("#state.wrong")
        tab.fill("#token", TOKEN)
        tab.press("#token", "Enter")
        tab.wait_for_selector("#files option", state="attached")
        tab.fill("#text", "more text")
        assert cut(tab) == ["more text"]


def test_light_dark_and_a_phone(show: Open, server: Server) -> None:
    colours = []
    for theme in ("light", "dark"):
        tab = show(server, color_scheme=theme, viewport=PHONE)
        tab.fill("#text", SOURCE)
        cut(tab)
        assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert not tab.is_visible("#tokenizer")
        tab.click("#panel-button")
        assert tab.is_visible("#tokenizer")
        colours.append(tab.eval_on_selector("#text", "it => getComputedStyle(it).backgroundColor"))
        tab.click("#search-tab")
        tab.fill("#query", "Shop")
        tab.press("#query", "Enter")
        tab.wait_for_selector("#hits li")
        assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert colours[0] != colours[1]


def test_a_sample_to_begin_with(show: Open, server: Server) -> None:
    tab = show(server)
    cut(tab)
    samples = tab.locator("#samples-list button")
    assert samples.all_inner_texts() == ["Markdown", "Python", "CSV", "Prose"]
    samples.nth(1).click()
    tab.wait_for_selector("article")
    assert not tab.is_visible("#samples")
    assert tab.inner_text("#heading") == "cart.py"
    text = tab.input_value("#text")
    assert cut(tab) == bodies(CodeChunker("python", 256).chunk(text, source="cart.py"))
    tab.fill("#text", "")
    assert cut(tab) == []
    assert tab.is_visible("#samples")


def test_every_option_the_code_and_a_file(show: Open, server: Server, tmp_path: Path) -> None:
    tab = show(server)
    tab.fill("#text", SOURCE)
    tab.evaluate("for (const it of document.querySelectorAll('details')) it.open = true")
    for name, value in {"max-tokens": 60, "overlap": 8, "min-tokens": 3, "desired-tokens": 30, "reserve": 2}.items():
        tab.fill(f"#{name}", str(value))
    tab.select_option("#overlap-by", "token")
    tab.select_option("#language", "python")
    for name in ("context", "context-summary"):
        tab.check(f"#{name}")
    options: dict[str, Any] = {"overlap": 8, "min_tokens": 3, "desired_tokens": 30, "reserve": 2}
    expected = CodeChunker("python", 60, **options, overlap_by="token", context=["breadcrumb", "summary"]).chunk(SOURCE)
    assert cut(tab) == bodies(expected)
    imports, made = tab.inner_text("#code").split("\n")
    names: dict[str, Any] = {"text": SOURCE}
    exec(imports, names)
    assert eval(made, names) == expected
    assert not tab.is_visible("#command-part")  # the command has no such context
    tab.uncheck("#context-summary")
    cut(tab)
    assert tab.inner_text("#command").startswith("chunker chunk - --language python --max-tokens 60 --min-tokens 3")
    tab.select_option("#export-format", "json")
    with tab.expect_download() as saved:
        tab.click("#save")
    saved.value.save_as(tmp_path / "chunks.json")
    assert saved.value.suggested_filename == "chunks.json"
    records = json.loads((tmp_path / "chunks.json").read_text(encoding="utf-8"))
    assert [record["text"] for record in records] == cut(tab)


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_keeps_anybody_out(show: Open, server: Server, theme: str, width: int) -> None:
    tab = show(server, color_scheme=theme, viewport={"width": width, "height": 900}, bypass_csp=True)
    cut(tab)
    assert violations(tab) == []
    tab.click("#samples-list button")
    tab.wait_for_selector("article")
    if width < 960:
        tab.click("#panel-button")
    tab.evaluate("for (const it of document.querySelectorAll('details')) it.open = true")
    cut(tab)
    assert violations(tab) == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    tab.click("#search-tab")
    tab.fill("#query", "Shop")
    tab.press("#query", "Enter")
    tab.wait_for_selector("#hits li")
    assert violations(tab) == []
    tab.goto(f"{server.url}docs")
    assert violations(tab) == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


def test_a_long_text_does_not_block(show: Open, server: Server) -> None:
    tab = show(server)
    tab.fill("#text", "A sentence of some words. " * 5_000)
    tab.fill("#max-tokens", "512")
    tab.wait_for_selector("article")
    tab.focus("#text")
    tab.keyboard.press("Control+Home")
    tab.keyboard.type("Typed while it is cut. ")
    assert tab.input_value("#text").startswith("Typed while it is cut. A sentence")
    tab.wait_for_timeout(300)
    tab.wait_for_selector("body:not(.outdated)")
    tab.wait_for_selector("#chunk-1 >> text=Typed while it is cut.")
