"""HTML: an example cut by cut, tags against the standard library's parser, and pages that nobody closed properly."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path

import pytest

from bpe_engine import Tokenizer
from chunker import TextChunker
from chunker.formats import Scope, Strength
from chunker.formats.markup.html import HtmlFormat
from chunker.formats.markup.html_tags import BLOCKS, RAW, Tag, tags

HTML = HtmlFormat()
TOKENIZER = Tokenizer.load("o200k_base")

PAGE = """\
<!DOCTYPE html>
<html><head><title>A page</title>
<style>
p { color: red }
b { color: blue }
</style>
</head>
<body>
  <div class="x">
    <h1 id=top>Guide &amp; <b>co</b></h1>
    <p>First. <b>Second</b>. Third
    goes on.</p>
    <!-- about the list -->
    <ul>
      <li>one
      <li>two <p>inside</p> behind
        <ol><li>deep<li>deeper</ol>
    </ul>
    Loose text. More.<br>broken
  </div>
  <section><h2>Install</h2><h3>Now</h3><pre>
a

b
c</pre>
  </section>
<p>After
</body></html>
"""


def cuts(text: str) -> list[tuple[str, str]]:
    boundaries = HTML.outline(text).boundaries
    ends = [boundary.offset for boundary in boundaries[1:]] + [len(text)]
    return [(boundary.label, text[boundary.offset : end]) for boundary, end in zip(boundaries, ends, strict=True)]


def strengths(text: str, *starts: str) -> list[int]:
    by_offset = {boundary.offset: boundary.strength for boundary in HTML.outline(text).boundaries}
    return [by_offset[text.index(start)] for start in starts]


def test_a_page_cut_by_cut() -> None:
    assert cuts(PAGE) == [
        ("comment", "<!DOCTYPE html>\n<html><head><title>A page</title>\n"),
        ("style", "<style>\np { color: red }\n"),
        ("line", "b { color: blue }\n</style>\n</head>\n"),
        ("section", '<body>\n  <div class="x">\n    <h1 id=top>Guide &amp; <b>co</b></h1>\n    <p>First. '),
        ("sentence", "<b>Second</b>. "),
        ("sentence", "Third\n"),
        ("line", "    goes on.</p>\n"),
        ("comment", "    <!-- about the list -->\n    <ul>\n      <li>one\n"),
        ("item", "      <li>two "),
        ("paragraph", "<p>inside</p> "),
        ("text", "behind\n"),
        ("list", "        <ol><li>deep"),
        ("item", "<li>deeper</ol>\n    </ul>\n"),
        ("text", "    Loose text. "),
        ("sentence", "More.<br>"),
        ("line", "broken\n  </div>\n"),
        ("section", "  <section><h2>Install</h2><h3>Now</h3>"),
        ("code", "<pre>\na\n\n"),
        ("paragraph", "b\n"),
        ("line", "c</pre>\n  </section>\n"),
        ("paragraph", "<p>After\n</body></html>\n"),
    ]


def test_headings_make_sections_and_a_section_element_ends_them() -> None:
    outline = HTML.outline(PAGE)
    assert outline.breadcrumb(PAGE.index("Second")) == ("Guide & co",)
    assert outline.breadcrumb(PAGE.index("b\nc</pre>")) == ("Guide & co", "Install", "Now")
    assert outline.breadcrumb(PAGE.index("After")) == ("Guide & co",)
    guide, install, list_, item, deep = strengths(
        PAGE, "<body>", "  <section>", "    <!--", "      <li>two", "<li>deeper"
    )
    assert guide > install > list_ > item > deep > Strength.STRUCTURE


def test_a_heading_beside_the_page_is_no_section() -> None:
    text = "<h1>A</h1><p>x</p><aside><h2>Note</h2><p>y</p></aside><p>z</p><blockquote><h1>Q</h1></blockquote><p>w"
    assert [scope.name for scope in HTML.outline(text).scopes] == ["A"]


TABLE = """\
<p>Before.</p>
<table class="t">
  <caption>Prices</caption>
  <tr><th>item</th><th>price</th></tr>
  <tr><td>tea</td><td>2</td></tr>
  <tr><td>milk</td><td>1</td></tr>
  <tr><td>bread</td><td>3</td></tr>
</table>
<p>After.</p>
"""


@pytest.mark.parametrize(
    "text",
    [
        TABLE,
        TABLE.replace("</td>", "").replace("</th>", "").replace("</tr>", ""),
        TABLE.replace("  <tr><th>", "<thead><tr><td>").replace("</th></tr>", "</td></tr></thead>\n<tbody>"),
        TABLE.replace("<tr>", "<TR>").replace("\n", "\r\n"),
    ],
)
def test_the_header_of_a_table_is_repeated(text: str) -> None:
    outline = HTML.outline(text)
    (table,) = outline.scopes
    assert table.start <= text.index("<table")
    assert text[: table.end].endswith("</table>")
    assert table.name == ""
    assert "price" in table.header
    assert "tea" not in table.header
    rows = [boundary.offset for boundary in outline.boundaries if boundary.label == "row"]
    # The first row stays with the header.
    assert [text[row:].lstrip()[:20].lower().partition("<td>")[2][:3] for row in rows] == ["mil", "bre"]


def test_a_table_that_fits_is_whole_and_the_rest_of_one_that_does_not_has_its_header() -> None:
    rows = "".join(f"<tr><td>name {number}</td><td>{number}</td></tr>\n" for number in range(40))
    text = f"<h1>T</h1>\n<p>{'Words and words. ' * 20}</p>\n<table>\n<tr><th>name</th><th>number</th></tr>\n{rows}</table>\n<p>End. {'And more. ' * 30}</p>"
    size = TOKENIZER.count(text[text.index("<table>") : text.index("<p>End")])
    whole = TextChunker(size * 5 // 4 + 1, format="html").chunk(text)
    assert any("<table>" in chunk.body and "</table>" in chunk.body for chunk in whole)
    parts = TextChunker(120, format="html", context=True).chunk(text)
    inside = [chunk for chunk in parts if chunk.body.lstrip().startswith("<tr><td>")]
    assert len(inside) > 3
    assert all(chunk.context == "T\n<table>\n<tr><th>name</th><th>number</th></tr>\n" for chunk in inside)


def test_scripts_and_styles() -> None:
    functions = "".join(f"function f{number}(a) {{\n  if (a) {{\n    return '<p>';\n  }}\n}}\n" for number in range(30))
    text = f"<p>a</p>\n<script>\n{functions}</script>\n<p>b</p>"
    labels = {boundary.offset: boundary for boundary in HTML.outline(text).boundaries}
    start = text.index("<script>")
    assert labels[start].label == "script"
    assert labels[text.index("<p>b")].strength == labels[start].strength
    inside = [boundary for boundary in labels.values() if start < boundary.offset < text.index("</script>")]
    assert inside
    assert all(boundary.strength < Strength.STRUCTURE for boundary in inside)
    assert not any(boundary.label == "paragraph" and text[boundary.offset] == "<" for boundary in inside)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a < b and c > d. E", ["a < b and c > d. ", "E"]),
        ("<p>a<p>b", ["<p>a", "<p>b"]),
        ("</p></div>x", ["</p></div>", "x"]),
        ("<p>x.</b> Y", ["<p>x.</b> ", "Y"]),
        ('<p title="a > b. <p>">x', ['<p title="a > b. <p>">x']),
        ('<p title="a>x<p>y', ['<p title="a>x', "<p>y"]),
        ("<!-- open <p>a", ["<!-- open <p>a"]),
        ("<script>open <p>a", ["<script>open <p>a"]),
        ("a<hr>b", ["a", "<hr>", "b"]),
        ("<td>a<div>b</td>c", ["<td>a", "<div>b</td>", "c"]),
        ("<section><table><td>a</section>b</table>c", ["<section><table><td>a</section>b</table>", "c"]),
        ("<h1>open<p>x<p>y", ["<h1>open<p>x", "<p>y"]),
    ],
)
def test_what_nobody_closed(text: str, expected: list[str]) -> None:
    assert [part for _, part in cuts(text)] == expected


def test_the_name_of_a_section_is_its_text() -> None:
    text = "<p>x</p><h2 class='a'>\n  A&nbsp;<em>b</em> &lt;c&gt;\n</h2><p>y. z</p>"
    assert HTML.outline(text).scopes == [Scope(8, len(text), "A b <c>")]


class Positions(HTMLParser):
    """The start and end tags of a page with their offsets, as the standard library finds them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, int, bool]] = []
        self._starts = [0, *accumulate(len(line) for line in text.split("\n") for line in (line + "\n",))]
        self.feed(text)

    def _put(self, tag: str, *, closes: bool) -> None:
        row, column = self.getpos()
        self.found.append((tag, self._starts[row - 1] + column, closes))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._put(tag, closes=False)

    def handle_endtag(self, tag: str) -> None:
        self._put(tag, closes=True)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        # In HTML, unlike XML, the slash in "<meta />" closes nothing.
        self.handle_starttag(tag, attrs)


def templates() -> list[Path]:
    django = find_spec("django")
    assert django is not None
    assert django.submodule_search_locations is not None
    return sorted(Path(django.submodule_search_locations[0]).glob("contrib/admin*/templates/**/*.html"))


def test_tags_stand_where_the_standard_library_finds_them() -> None:
    compared = 0
    for path in templates():
        # What the template language puts into tags is no HTML.
        text = re.sub(r"\{([%{#]).*?[%}#]\}", lambda found: "x" * len(found[0]), path.read_text(encoding="utf-8"))
        expected = [tag for tag in Positions(text).found if tag[0] in BLOCKS]
        assert [(tag.name, tag.start, tag.closes) for tag in tags(text) if tag.name in BLOCKS - RAW] == expected, path
        compared += len(expected)
    assert Positions(PAGE).found[0] == ("html", 16, False)
    assert [(tag.name, tag.start, tag.closes) for tag in tags(PAGE) if tag.name in BLOCKS] == [
        tag for tag in Positions(PAGE).found if tag[0] in BLOCKS
    ]
    assert compared > 100


def test_raw_elements_are_one_tag() -> None:
    text = "<Script type='x'>if (a<b) '</p>'</SCRIPT >c"
    assert list(tags(text)) == [Tag("script", 0, 42, False, 17, 32)]
