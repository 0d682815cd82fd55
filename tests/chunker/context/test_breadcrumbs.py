"""The context header: what it says, how it is shortened, and that it is part of the budget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_engine import Tokenizer
from chunker import CodeChunker, MarkdownChunker, OptionError, TextChunker, chunk_hierarchy
from chunker.context.breadcrumbs import Breadcrumbs, ContextPart
from chunker.context.summaries import summary_of
from chunker.formats import Boundary, Outline, Scope, Strength
from chunker.formats.markup.markdown import sketch_by
from chunker.formats.markup.markdown_sketch import MarkdownSketch
from chunker.options import Strategy
from chunker.streams.chunk_stream import chunk_stream

TOKENIZER = Tokenizer.load("o200k_base")


def outline_of(*scopes: tuple[int, int, str]) -> Outline:
    return Outline([Boundary(0, Strength.DOCUMENT, "module")], [Scope(*scope) for scope in scopes])


def test_the_regions_around_an_offset_outermost_first() -> None:
    breadcrumbs = Breadcrumbs(outline_of((0, 90, "Cart"), (10, 30, "total")), "src/shop.py", TOKENIZER, 400)
    assert breadcrumbs(0) == "src/shop.py\n"
    assert breadcrumbs(10) == "src/shop.py > Cart\n"
    assert breadcrumbs(20) == "src/shop.py > Cart > total\n"
    assert breadcrumbs(30) == "src/shop.py > Cart\n"
    assert breadcrumbs(90) == "src/shop.py\n"


def test_nothing_to_say() -> None:
    assert Breadcrumbs(outline_of(), None, TOKENIZER, 400)(5) == ""
    assert Breadcrumbs(outline_of((0, 9, " \n ")), None, TOKENIZER, 400)(5) == ""


def test_a_name_stays_on_one_line() -> None:
    assert (
        Breadcrumbs(outline_of((0, 9, " Two\r\nlines\u2028and more ")), None, TOKENIZER, 400)(5)
        == "Two lines and more\n"
    )


def test_the_outermost_parts_go_first() -> None:
    outline = outline_of((0, 90, "Outer class"), (10, 80, "Inner class"), (20, 70, "method"))
    headers = [Breadcrumbs(outline, "source.py", TOKENIZER, limit)(50) for limit in range(4, 80)]
    assert headers[-1] == "source.py > Outer class > Inner class > method\n"
    assert list(dict.fromkeys(headers)) == [
        "",
        "method\n",
        "Inner class > method\n",
        "Outer class > Inner class > method\n",
        "source.py > Outer class > Inner class > method\n",
    ]


@given(st.lists(st.text(max_size=20), max_size=6), st.integers(1, 60), st.none() | st.text(max_size=20))
def test_a_quarter_of_the_budget_at_most(names: list[str], max_tokens: int, source: str | None) -> None:
    outline = outline_of(*((depth, 100 - depth, name) for depth, name in enumerate(names)))
    header = Breadcrumbs(outline, source, TOKENIZER, max_tokens)(50)
    assert 4 * TOKENIZER.count(header) <= max_tokens
    assert header == "" or (header.endswith("\n") and len(header.splitlines()) == 1)


def test_code() -> None:
    source = "class Cart:\n    def total(self):\n" + "        value = self.price * self.amount\n" * 12
    chunks = CodeChunker("python", 60, context=True).chunk(source, source="shop.py")
    assert len(chunks) > 2
    assert chunks[0].context == "shop.py\n"
    for chunk in chunks[1:]:
        assert chunk.context == "shop.py > class Cart > def total\n"
        assert chunk.text == chunk.context + chunk.body
        assert chunk.token_count == TOKENIZER.count(chunk.text) <= 60
        assert source[chunk.span.start : chunk.span.end] == chunk.body
    assert "".join(chunk.body for chunk in chunks) == source


def test_markdown() -> None:
    text = "# Guide\n\nHello.\n\n## Install\n\n" + "Run the command and wait. " * 30
    chunks = MarkdownChunker(60, context=True).chunk(text)
    assert chunks[0].context == ""
    assert {chunk.context for chunk in chunks[1:]} == {"Guide > Install\n"}


@pytest.mark.parametrize("max_tokens", [1, 2, 3, 4, 5, 8])
def test_a_header_never_keeps_a_character_out(max_tokens: int) -> None:
    """A character may need all of a small budget: then the header goes, and the cluster stays whole."""
    text = "a\U00013000b" if max_tokens >= 4 else "abc def"
    chunks = TextChunker(max_tokens, context=True).chunk(text, source="a")
    assert "".join(chunk.body for chunk in chunks) == text
    assert all(chunk.token_count == TOKENIZER.count(chunk.text) <= max_tokens for chunk in chunks)


TWO_FUNCTIONS = "".join(
    f"def {name}(x):\n" + "".join(f"    {name}_{line} = x + {line}\n" for line in range(14)) + "\n\n"
    for name in ("one", "two")
)


@pytest.mark.parametrize("strategy", ["grow", "optimal"])
@pytest.mark.parametrize("streamed", [False, True])
def test_with_an_overlap_the_context_is_that_of_the_new_text(strategy: Strategy, streamed: bool) -> None:
    """What is repeated may be the end of another function or section."""
    code = CodeChunker("python", 60, overlap=40, overlap_by="token", context=True, strategy=strategy)
    prose = MarkdownChunker(60, overlap=40, overlap_by="token", context=True, strategy=strategy)
    sections = "".join(f"# {name}\n\n" + "Some words of it. " * 30 + "\n\n" for name in ("One", "Two", "Three"))
    for chunker, text in ((code, TWO_FUNCTIONS), (prose, sections)):
        outline = chunker.outline(text)
        chunks = list(chunk_stream([text], chunker)) if streamed else chunker.chunk(text)
        done, moved = 0, 0
        for chunk in chunks:
            breadcrumb = outline.breadcrumb(done)
            assert chunk.context == (" > ".join(breadcrumb) + "\n" if breadcrumb else "")
            moved += breadcrumb != outline.breadcrumb(chunk.span.start)
            done = chunk.span.end
        assert moved


def test_with_an_overlap_the_chunks_in_a_chunk_tell_of_their_new_text() -> None:
    chunkers = [CodeChunker("python", most, overlap=20, context=True) for most in (120, 60)]
    outline = chunkers[0].outline(TWO_FUNCTIONS)
    hierarchy = chunk_hierarchy(TWO_FUNCTIONS, chunkers)
    moved = 0
    for parent in hierarchy.levels[0]:
        done = parent.span.start
        for child in map(hierarchy.node, parent.children):
            breadcrumb = outline.breadcrumb(done)
            assert child.context == (" > ".join(breadcrumb) + "\n" if breadcrumb else "")
            moved += breadcrumb != outline.breadcrumb(child.span.start)
            done = child.span.end
    assert moved


def test_a_header_that_the_overlap_holds_is_not_repeated() -> None:
    breadcrumbs = Breadcrumbs(
        Outline([Boundary(0, Strength.DOCUMENT, "table")], [Scope(2, 90, "Prices", "a,b\n")]), None, TOKENIZER, 400
    )
    assert breadcrumbs(50) == breadcrumbs(50, "1,2\n") == "Prices\na,b\n"
    assert breadcrumbs(50, "a,b\n1,2\n") == "Prices\n"


@pytest.mark.parametrize("marks", range(1, 5))
@pytest.mark.parametrize("blank", ["\n\n", "\n", " \n\n", "\r\n\r\n"])
def test_what_adds_no_token_is_not_lost_when_the_context_goes(marks: int, blank: str) -> None:
    """After "T\\n" line ends cost nothing, so a chunk may hold them and have no more tokens than its context."""
    text = "# T\n" + "word " * 5 + blank + "e" + "\u0316" * marks + "\n"
    for max_tokens in range(2 * marks + 1, 20):
        chunks = MarkdownChunker(max_tokens, context=True).chunk(text)
        assert "".join(chunk.body for chunk in chunks) == text
        assert all(chunk.token_count == TOKENIZER.count(chunk.text) <= max_tokens for chunk in chunks)


SOURCE = '''import math
from shapes import (
    Shape,
    Unit,
)

# What is round.
class Circle(Shape):
    radius: float

    def area(self) -> float:
        """Tell the area. In square units."""
        squared = self.radius ** 2
        return math.pi * squared

    def name(self) -> str:
        return "circle"
'''


def contexts(parts: object, max_tokens: int = 200) -> dict[str, str]:
    """The context at the start of some lines."""
    chunker = CodeChunker("python", max_tokens, context=parts)  # type: ignore[arg-type]  # wrong ones are to be tried as well
    context_at = chunker.context_of(SOURCE, chunker.outline(SOURCE), "round.py")
    return {
        word: context_at(SOURCE.rindex("\n", 0, SOURCE.index(word)) + 1)
        for word in ("radius:", "squared =", 'return "circle')
    }


def test_imports_and_summaries() -> None:
    assert contexts(True)["squared ="] == "round.py > class Circle > def area\n"
    assert contexts(["imports"]) == dict.fromkeys(contexts(True), "import math; from shapes import ( Shape, Unit, )\n")
    found = contexts(["breadcrumb", "summary"])
    assert found["squared ="] == "round.py > class Circle > def area\nTell the area.\n"
    # What says nothing of itself is told by what is around it.
    assert found['return "circle'] == "round.py > class Circle > def name\nWhat is round.\n"


def test_what_is_too_much_goes_from_the_outside() -> None:
    everything = ["breadcrumb", "imports", "summary"]
    whole = contexts(everything, 400)["squared ="]
    assert whole.count("\n") == 3
    for max_tokens in range(8, 200, 4):
        context = contexts(everything, max_tokens)["squared ="]
        assert TOKENIZER.count(context) <= max_tokens // 4
        assert context == "" or context in whole or context.splitlines()[0] in whole


def test_imports_are_not_told_before_they_are_over() -> None:
    chunker = CodeChunker("python", 200, context=["imports"])
    context_at = chunker.context_of(SOURCE, chunker.outline(SOURCE), None)
    assert context_at(SOURCE.index("from shapes")) == ""


@pytest.mark.parametrize("wrong", ["breadcrumb", ["heading"], [1]])
def test_parts_that_are_none(wrong: object) -> None:
    with pytest.raises(OptionError, match="context must be True, False or some of breadcrumb, imports, summary"):
        contexts(wrong)


@pytest.mark.parametrize(
    ("source", "summary"),
    [
        ("/** Adds one. */\nint f(int x) {", "Adds one."),
        ("/**\n * Adds one. Or two.\n */\nint f(int x) {", "Adds one."),
        ("/// Adds one\nfn f(x: i32) {", "Adds one"),
        ("-- | Adds one.\nf x = x + 1", "Adds one."),
        ("#include <x>\n", ""),
        ("#[test]\nfn f() {}", ""),
        ("#!/bin/sh\n", ""),
        ("def f(x):  # fast\n    '''Adds\n    one.'''", "Adds"),
        ('def f(x):\n    return {1: "x"}', ""),
        ("class C:\n    pass\n\n    x: \n 'no docstring'", ""),
    ],
)
def test_summary_of(source: str, summary: str) -> None:
    assert summary_of(source, Scope(0, len(source), "f")) == summary


@given(
    st.lists(st.tuples(st.integers(0, 30), st.sampled_from("abc")), max_size=4),
    st.sampled_from([["breadcrumb"], ["breadcrumb", "imports"]]),
)
def test_the_innermost_scope_tells_the_context(scopes: list[tuple[int, str]], parts: list[ContextPart]) -> None:
    text = "import os\n" + "x = 1\n" * 6
    nested = [(start, len(text) - depth, name) for depth, (start, name) in enumerate(sorted(scopes))]
    breadcrumbs = Breadcrumbs(outline_of(*nested), "a.py", TOKENIZER, 400, parts=parts, text=text)
    known: dict[object, str] = {}
    for offset in range(len(text)):
        innermost = [scope for scope in breadcrumbs.scopes if scope.start < offset < scope.end][-1:]
        context = known.setdefault((tuple(innermost), offset >= breadcrumbs.imported), breadcrumbs(offset))
        assert breadcrumbs(offset) == context
        assert breadcrumbs.with_repeats(offset) == (context, False)


def test_lines_that_are_repeated_are_told() -> None:
    text = "# One\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n"
    breadcrumbs = Breadcrumbs(MarkdownChunker(64).sketch(text), None, TOKENIZER, 400)
    assert breadcrumbs.with_repeats(text.index("| a")) == ("One\n", False)
    assert breadcrumbs.with_repeats(text.index("| 3")) == ("One\n| a | b |\n|---|---|\n", True)
    assert breadcrumbs(text.index("| 3"), "| a | b |\n|---|---|\n") == "One\n"


@given(
    st.lists(st.text("ab #\t\u3000\xa0[](){}=->:.é\r|", max_size=12), max_size=6),
    st.sampled_from([None, "a/b  c.md", "\ud800"]),
    st.integers(24, 80),
    st.booleans(),
)
def test_the_compiled_contexts_are_those_of_the_specification(
    headings: list[str], source: str | None, max_tokens: int, table: bool
) -> None:
    rows = "| a | b |\n|---|---|\n" + "| some | words |\n" * 9 if table else ""
    text = "".join(
        f"{'#' * (1 + number % 3)} {heading}\n\n{'Some words. ' * 9}\n\n{rows}\n"
        for number, heading in enumerate(headings)
    )
    read = Breadcrumbs(sketch_by(MarkdownSketch, text).opened(), source, TOKENIZER, max_tokens)
    for chunk in MarkdownChunker(max_tokens, tokenizer=TOKENIZER, context=True).chunk(text, source=source):
        assert chunk.context in {read(chunk.span.start), ""}


def test_a_heading_is_no_summary_of_its_section() -> None:
    text = "# Guide\n\n" + "One sentence, and no more. " * 20
    chunks = MarkdownChunker(40, context=["breadcrumb", "summary"], min_tokens=0).chunk(text)
    assert {chunk.context for chunk in chunks[1:]} == {"Guide\n"}
