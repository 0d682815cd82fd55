"""Convert HTML to Markdown: headings, paragraphs, items, tables, quotes and code; without scripts, styles, forms and
navigation.

Used for pages inside books and mails, and for web pages on request: `HtmlFormat` instead cuts the source of a page,
including its tags.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any

from chunker.files.readers import ReadText, TextBuilder
from chunker.files.readers.pages import table_text

_UNSEEN = frozenset(
    """head script style template noscript svg math nav footer form iframe object select button textarea""".split()  # noqa: SIM905  # words are easier to read than strings
)
_BLOCKS = frozenset(
    """p div section article main header aside figure figcaption dl dt dd address details summary body html center hr
    fieldset caption""".split()  # noqa: SIM905  # words are easier to read than strings
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_EMPTY = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
)
_DEEPEST = 8
_COMMENT_END = re.compile(r"--\s*!?>")
_OPEN_TAG = re.compile(r"<(?=[A-Za-z/])")


def read_web_page(html: str) -> ReadText:
    """Read an HTML page. Invalid HTML is read as far as possible, without errors."""
    builder = TextBuilder()
    add_page(builder, html, {})
    return builder.built()


def add_page(builder: TextBuilder, html: str, place: Mapping[str, Any]) -> None:
    """Add the blocks of a page to a text."""
    # HTMLParser would look for the end of each comment and tag that nothing ends, up to the end of the page.
    last = max((match.end() for match in _COMMENT_END.finditer(html)), default=0)
    html = html[:last] + html[last:].replace("<!--", "&lt;!--")
    last = html.rfind(">") + 1
    page = _Page(builder, place)
    page.feed(html[:last] + _OPEN_TAG.sub("&lt;", html[last:]))
    page.close()
    page.end()


class _Page(HTMLParser):
    """Collects blocks as their elements end."""

    def __init__(self, builder: TextBuilder, place: Mapping[str, Any]) -> None:
        super().__init__(convert_charrefs=True)
        self._builder = builder
        self._place = place
        self._words: list[str] = []
        self._unseen: list[str] = []  # the open elements, from the first invisible one on ...
        self._unseen_tags: Counter[str] = Counter()  # ... and how often each is open
        self._prefix = ""
        self._lists: list[int | None] = []  # the number of the last item, None for bullets
        self._in_pre = 0
        self._quotes = 0
        self._rows: list[list[str]] | None = None
        self._tables = 0
        self._in_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if self._unseen or tag in _UNSEEN:
            if tag not in _EMPTY:
                self._unseen.append(tag)
                self._unseen_tags[tag] += 1
        elif tag in {"br", "img"}:
            self._words.append("\n" if tag == "br" else dict(attrs).get("alt") or "")
        elif tag == "table":
            self._flush()
            self._tables += 1
            self._rows = [] if self._rows is None else self._rows
        elif self._rows is not None:
            self._table_tag(tag)
        else:
            self._block_tag(tag)

    def _block_tag(self, tag: str) -> None:
        if tag in _HEADINGS:
            self._flush()
            self._prefix = "#" * _HEADINGS[tag] + " "
        elif tag in {"ul", "ol", "menu"}:
            self._flush()
            self._lists.append(0 if tag == "ol" else None)
        elif tag == "li":
            self._item()
        elif tag == "blockquote":
            self._flush()
            self._quotes += 1
        elif tag == "pre":
            self._flush()
            self._in_pre += 1
        elif tag in _BLOCKS:
            self._flush()

    def handle_endtag(self, tag: str) -> None:
        if self._unseen:
            if self._unseen_tags[tag]:
                ended = None
                while ended != tag:
                    ended = self._unseen.pop()
                    self._unseen_tags[ended] -= 1
        elif tag == "table" and self._tables:
            self._tables -= 1
            if not self._tables:
                self._end_table()
        elif self._rows is not None:
            if tag in {"td", "th"}:
                self._end_cell()
        elif tag in _HEADINGS or tag in _BLOCKS or tag == "li":
            self._flush()
        elif tag in {"ul", "ol", "menu"}:
            self._flush()
            del self._lists[-1:]
        elif tag == "blockquote":
            self._flush()
            self._quotes = max(self._quotes - 1, 0)
        elif tag == "pre" and self._in_pre:
            self._end_pre()

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self._words.append(data)

    def end(self) -> None:
        """Add the rest at the end of the page."""
        if self._rows is not None:
            self._end_table()
        elif self._in_pre:
            self._end_pre()
        self._flush()

    def _item(self) -> None:
        self._flush()
        depth = "  " * min(max(len(self._lists) - 1, 0), _DEEPEST)
        if self._lists and self._lists[-1] is not None:
            self._lists[-1] += 1
            self._prefix = f"{depth}{self._lists[-1]}. "
        else:
            self._prefix = f"{depth}- "

    def _flush(self) -> None:
        text = " ".join("".join(self._words).split())
        self._words.clear()
        if not text:
            return
        prefix, self._prefix = self._prefix, ""
        self._builder.add("> " * min(self._quotes, _DEEPEST) + prefix + text, self._place)

    def _end_pre(self) -> None:
        self._in_pre -= 1
        text = "".join(self._words).strip("\n")
        self._words.clear()
        if text.strip():
            self._builder.add(f"```\n{text}\n```", self._place)

    def _table_tag(self, tag: str) -> None:
        if tag == "tr" and self._rows is not None:
            self._end_cell()
            self._rows.append([])
        elif tag in {"td", "th"}:
            self._end_cell()
            self._in_cell = True
        elif tag in _BLOCKS or tag == "li":
            self._words.append(" ")

    def _end_cell(self) -> None:
        if self._rows and self._in_cell:
            self._rows[-1].append(" ".join("".join(self._words).split()))
        self._in_cell = False
        self._words.clear()

    def _end_table(self) -> None:
        self._end_cell()
        rows = [row for row in self._rows or [] if any(row)]
        self._rows, self._tables = None, 0
        self._words.clear()
        if rows and all(len(row) == 1 for row in rows):  # a layout table around a page
            for row in rows:
                self._builder.add(row[0], self._place)
        elif rows:
            self._builder.add(table_text(rows), self._place)
