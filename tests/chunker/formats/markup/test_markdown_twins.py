"""The blocks that C++ is sure of are those of its twin in Python, and those of the parser that neither of them asks about them."""

from __future__ import annotations

import importlib.metadata
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_fragments import BLOCKS

from chunker.formats.code.parser_copies import copy_for_parsers, copy_in_python
from chunker.formats.markup.markdown import MarkdownFormat, sketch_by
from chunker.formats.markup.markdown_sketch import MarkdownSketch
from chunker.formats.markup.markdown_spans import parse, read_span
from chunker.native import native

compiled = native()
needs_both = pytest.mark.skipif(compiled is None, reason="the engine runs in pure Python: there is nothing to compare")

ROOT = Path(__file__).resolve().parents[4]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])

ODD = [
    *(
        "-\ta\n",
        "-\n",
        "- \n",
        "*\n",
        "1.\n",
        "01. a\n",
        "123456789. x\n",
        "1234567890. x\n",
        "-     code\n",
        "      more\n",
    ),
    *(
        "> ```\n",
        "> > r\n",
        ">- s\n",
        ">\tt\n",
        "> ===\n",
        "> ---\n",
        "- > q\n",
        "- [ ] task\n",
        "- <!-- c -->\n",
        "- <div>\n",
        "- | a |\n  |---|\n",
    ),
    *(
        "=\n",
        "-- \n",
        "* * *\n",
        "- - -\n",
        "a | b\n",
        "--|--\n",
        "|-|\n",
        "-|-\t\n",
        "|||\n",
        "|\n",
        "-\n",
        "| a \\| b |\n",
        "|---|\n",
    ),
    *(
        "```a`b\n",
        "   ```\n",
        "    ```\n",
        "````\n",
        "~~~\t\n",
        "`` ` ``\n",
        "<!-->\n",
        "<pre>\n",
        "</pre>\n",
        '<a href="x">\n',
        "<a x\n",
        "<b>\n",
    ),
    *(
        "[a\n",
        "[b]: y 'title'\n",
        "[c]: z\n",
        "[^1]: note\n",
        "[^1] x\n",
        "\x01",
        "\f",
        "\x1c",
        "\ufeff",
        "\0",
        "\r",
        "\ud800",
    ),
    *("  ", "> ", "- ", "\t", "    ", "1. ", "`", "|", "<!--", "[", "#"),
]
MATH = ["$$\n", "$$ x $$\n", "$$ y\n", "$$$$\n", "$$"]

Told = tuple[list[int], list[int], list[str], list[tuple[object, ...]], list[tuple[object, ...]]]


class Parsed(MarkdownSketch):
    """One that is sure of nothing, so that all is the parser's word."""

    def read_plain(self, start: int) -> int:
        """Ask the parser about all of it."""
        parse(self._copy, start, len(self._copy), self)
        return len(self._copy)


def told(sketch_of: Callable[[str], MarkdownSketch], text: str) -> tuple[Told, Told]:
    """The sketch and the outline."""
    sketch = sketch_by(sketch_of, text)
    outline = sketch.opened()
    return tuple(
        (each.offsets, each.strengths, each.labels, [tuple(scope) for scope in each.scopes], list(closed))
        for each, closed in ((sketch, sketch.closed), (outline, ()))
    )  # type: ignore[return-value]  # two of them


def texts(fragments: list[str]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(fragments), max_size=12).map("".join)


@needs_both
@settings(max_examples=300, deadline=None)
@given(texts([*BLOCKS, *ODD, *MATH]))
@example("    c\n|\n-")  # one bar is no table
@example("a\n||\n-|")  # a table may end a paragraph
@example("***\n|||\n-|-\n|")  # a bar alone is no row
@example("~~~\n~~~\t\nk")  # the parser takes no tab after a fence
@example("\ufeff ```\n\n```")
@example("***\n$$\n- a\n$$\n")
@example("| a |\n|-|\n||")
@example("| a |\n|-|\n| b |\ntext\n\u00e9\n# c\n")  # a line of text is a row
@example("| a |\n|-|\n| b |\n```\nc\n```\n")
@example("| a |\n|-|\n| b |\n~~~\nc\n~~~\n")
@example("|a\\\n|-|\n")
@example("|a|\\\\\n|-|\n")
@example("|a|\\|\n|-|\n")
@example("|a|\\\\\n|-|-|\n")
@example("|a\\ \n|-|\n")
@example("- ```\n\t```\n> ```\n>\t```\n")
@example("```\n" + "a\n\n" * 400)
def test_both_twins_say_the_same(text: str) -> None:
    assert compiled is not None
    assert told(compiled.MarkdownSketch, text) == told(MarkdownSketch, text)


@needs_both
@settings(max_examples=400, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "{",
                "}",
                " { #name }",
                "{#b-c}",
                "{ #é }",
                "{: .c }",
                "#",
                " ##",
                "-",
                "=",
                " ",
                "\t",
                "  ",
                "a",
                "[x](y)",
            ]
        ),
        max_size=7,
    ).map("".join)
)
@example("#{#a}")
@example("a {#b} {#c}")
@example("a {#b}{#c}")
@example("a {#b")
def test_names_of_headings_are_the_same(heading: str) -> None:
    assert compiled is not None
    text = f"# {heading}\n\ntext\n\n#{heading}\n\n{heading}\n===\n"
    assert told(compiled.MarkdownSketch, text) == told(MarkdownSketch, text)


# Math is our own: to the parser it is a paragraph, or many things.
@settings(max_examples=300, deadline=None)
@given(texts([*BLOCKS, *ODD]))
@example("| a |\n|-|\n| b |\ntext\n\u00e9\n# c\n")
@example("| a |\n|-|\n| b |\n#c\n#\n")
@example("| a |\n|-|\n| b |\n```\nc\n```\n")
@example("| a |\n|-|\n| b |\n~~~\nc\n~~~\n")
@example("||text\n    --|--\n")  # a delimiter row is not indented like code
@example("- <div>\n    ")  # the parser says that the blank line is HTML
@example("- <div>\n  x\n    \ny")
@example("- <!--\n    ")
@example("||text\n   --|--\n")
def test_what_is_certain_is_what_the_parser_says(text: str) -> None:
    assert told(MarkdownSketch if compiled is None else compiled.MarkdownSketch, text) == told(Parsed, text)


@needs_both
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_pages_of_this_repository(page: Path, line_end: str) -> None:
    assert compiled is not None
    text = page.read_text("utf-8").replace("\n", line_end)
    assert told(compiled.MarkdownSketch, text) == told(MarkdownSketch, text)


@needs_both
def test_what_the_installed_packages_say_of_themselves() -> None:
    assert compiled is not None
    read = 0
    for distribution in importlib.metadata.distributions():
        text = distribution.read_text("METADATA") or ""
        if "Description-Content-Type: text/markdown" in text:
            assert told(compiled.MarkdownSketch, text) == told(MarkdownSketch, text), distribution.name
            read += 1
    assert read > 10


@needs_both
def test_the_parser_is_hardly_asked() -> None:
    assert compiled is not None
    asked = size = 0
    for page in PAGES:
        copy = copy_for_parsers(page.read_text("utf-8"))
        size += len(copy)
        sketch = compiled.MarkdownSketch(copy)
        at = 0
        while (start := sketch.read_plain(at)) < len(copy):
            at = read_span(copy, start, sketch)
            asked += at - start
    assert asked < size / 50


@given(st.text(st.sampled_from("a?é日😀\r\n\v\f\x01\0\ud800\u2028 ")))
def test_copies_for_parsers_are_alike(text: str) -> None:
    copy = copy_for_parsers(text)
    assert copy == copy_in_python(text)
    assert copy.isascii()
    assert len(copy) == len(text)


@needs_both
def test_what_is_no_part_of_the_copy_is_refused() -> None:
    assert compiled is not None
    sketch = compiled.MarkdownSketch("a\n")
    with pytest.raises(ValueError, match="not a span"):
        sketch.paragraph(0, 3)
    with pytest.raises(ValueError, match="not in the text"):
        sketch.read_plain(3)
    with pytest.raises(ValueError, match="no label"):
        sketch.open(0, "poem")
    with pytest.raises(ValueError, match="ASCII"):
        compiled.MarkdownSketch("é")


# Many lines of each, so that what is read again for each line before or after it is seen.
HOSTILE = {
    "blank lines after a list": lambda size: "- [ ] a\n" + "\n" * size,
    "deep list and blank lines": lambda size: "- " * 60 + "a\n" + "\n" * size,
    "brackets": lambda size: "[\n" * (size // 2),
    "quotes in quotes": lambda size: ">" * size,
    "items in items": lambda size: "- " * (size // 2),
    "bars": lambda size: "|" * size,
    "backticks": lambda size: "`" * size,
    "comments": lambda size: "<!--\n\n" * (size // 6),
    "tables that end in text": lambda size: "| a |\n|-|\n|b|\nx\n\n" * (size // 19),
    "math without an end": lambda size: "$$ a\n\n" * (size // 6),
    "footnotes": lambda size: "[^1]: a\n\n" * (size // 9),
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_time_grows_with_the_text(name: str) -> None:
    def seconds(size: int) -> float:
        text = HOSTILE[name](size)
        found = []
        for _ in range(2):
            start = time.process_time()
            MarkdownFormat().sketch(text, 0)
            found.append(time.process_time() - start)
        return min(found)

    # Eight times the text: 64 times the time if anything is quadratic.
    assert seconds(100_000) < 32 * max(seconds(12_500), 0.004)
