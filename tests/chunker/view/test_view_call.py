"""One call for the page: chunks, a text, several chunkers side by side."""

from __future__ import annotations

import html
import re
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from accessibility import violations
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from chunker import MarkdownChunker, OptionError, TextChunker, WrongTypeError, chunk
from chunker.view import see, view

if TYPE_CHECKING:
    from playwright.sync_api import Browser

GUIDE = "# A & B\n\n" + "Some <b>words</b>. " * 40 + "\n\n## More\n\nThe end.\n"


def test_chunks_and_texts_give_the_page_of_the_command() -> None:
    one = MarkdownChunker(64)
    page = view(one.chunk(GUIDE, source="a.md"), one).html
    assert page == view(GUIDE, one, source="a.md").html
    assert page.startswith("<!doctype html>")
    assert "Content-Security-Policy" in page
    assert view(chunk(GUIDE, 64, language="markdown")).html.count('"start":') == page.count('"start":')


def test_a_tokenizer_that_drops_text(tmp_path: Path) -> None:
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.save(str(tmp_path / "words.json"))
    one = TextChunker(20, tokenizer=tmp_path / "words.json")
    for text, lengths in (("\n", []), (" \x00\u200b", []), ("   a a", [5, 1]), ("a  a \n", [3, 3])):
        assert [seen.token_lengths for seen in see(one, text, "a").chunks] == [lengths]
        assert view(text, one).html


def test_two_settings_side_by_side() -> None:
    shown = view(GUIDE, MarkdownChunker(64), MarkdownChunker(32, overlap=4))
    frames = re.findall(r'<iframe title="column \d" sandbox="allow-scripts" srcdoc="([^"]*)"', shown.html)
    alone = [view(GUIDE, made).html for made in (MarkdownChunker(64), MarkdownChunker(32, overlap=4))]
    assert [html.unescape(frame) for frame in frames] == alone
    assert "from chunker import MarkdownChunker\nMarkdownChunker(max_tokens=32, overlap=4).chunk(text)" in shown.html
    assert repr(shown).startswith("ChunkView('text', MarkdownChunker(max_tokens=64): ")
    assert "<b>" not in shown.html


def test_notebooks_show_it_in_a_frame() -> None:
    shown = view(GUIDE, TextChunker(64))
    found = re.fullmatch(r'<iframe [^>]*height:640px[^>]* srcdoc="([^"]*)"></iframe>', shown._repr_html_())
    assert found is not None
    assert html.unescape(found[1]) == shown.html


def test_it_is_saved_and_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    file = tmp_path / "page.html"
    shown = view(GUIDE)
    with pytest.raises(OptionError, match="save"):
        shown.open()
    shown.save(file).open()
    assert file.read_text(encoding="utf-8") == shown.html
    assert opened == [file.as_uri()]


@pytest.mark.parametrize("shown", [None, 512, b"bytes", ["a"]])
def test_wrong_types(shown: Any) -> None:
    with pytest.raises(WrongTypeError):
        view(shown)


def test_only_all_chunks_of_one_text() -> None:
    chunks = MarkdownChunker(32).chunk(GUIDE)
    for given in (chunks[1:], [*chunks, *chunks], []):
        with pytest.raises(OptionError, match="all chunks of one text"):
            view(given)
    with pytest.raises(OptionError, match="to compare"):
        view(chunks, MarkdownChunker(32), MarkdownChunker(64))


def test_both_columns_work_in_a_browser(tmp_path: Path, browser: Browser) -> None:
    file = tmp_path / "page.html"
    view(GUIDE, MarkdownChunker(64), MarkdownChunker(32, overlap=4)).save(file)
    faults: list[str] = []
    page = browser.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda told: faults.append(told.text) if told.type == "error" else None)
    page.goto(file.as_uri())
    for number, one in enumerate((MarkdownChunker(64), MarkdownChunker(32, overlap=4)), 1):
        column = page.frame_locator(f"iframe[title='column {number}']")
        column.locator(".chunk").first.wait_for()
        assert column.locator(".chunk").count() == len(one.chunk(GUIDE))
        column.locator("body").press("j")
        column.locator("body").press("j")
    page.close()
    assert faults == []


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_keeps_anybody_out(tmp_path: Path, browser: Browser, theme: str, width: int) -> None:
    file = tmp_path / "both.html"
    view(GUIDE, MarkdownChunker(32), MarkdownChunker(64)).save(file)
    context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": 900}, bypass_csp=True)  # type: ignore[arg-type]
    tab = context.new_page()
    tab.goto(file.as_uri())
    tab.frame_locator("iframe").nth(1).locator("article").first.wait_for()
    assert violations(tab) == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    context.close()


def test_the_code_is_on_the_page_where_it_is_known() -> None:
    chunker = MarkdownChunker(32, overlap=4)
    chunks = chunker.chunk(GUIDE)
    made = "MarkdownChunker(max_tokens=32, overlap=4).chunk(text)"
    assert made in view(GUIDE, chunker).html
    assert made in view(chunks, chunker).html
    assert '"code":""' in view(chunks).html
