"""What holds for all markup formats: the laws of chunks on mangled text, scopes that nest, and time that grows with the text alone."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise

import pytest
from format_fragments import COMMON, PIECES
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chunker import TextChunker
from chunker.formats import Outline, Strength
from chunker.formats.embedded import LONG_CODE, EmbeddedSpan, code_inside
from chunker.formats.registry import format_named

FORMATS = sorted(PIECES)


def texts(name: str) -> st.SearchStrategy[str]:
    pieces = st.sampled_from(PIECES[name] + PIECES[name] + COMMON)
    return st.lists(pieces | st.text(max_size=6), max_size=30).map("".join)


@pytest.fixture(scope="module", params=FORMATS)
def name(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


@settings(max_examples=60, deadline=None)
@given(data=st.data(), max_tokens=st.integers(9, 40) | st.just(200), context=st.booleans())
@example(data=None, max_tokens=9, context=True)
def test_the_laws(
    *,
    name: str,
    count_o200k: Callable[[str], int],
    check: Callable[..., None],
    data: st.DataObject | None,
    max_tokens: int,
    context: bool,
) -> None:
    text = "\ufeff" + "".join(PIECES[name]) if data is None else data.draw(texts(name), label="text")
    overlap = 0 if data is None else data.draw(st.just(0) | st.integers(0, max_tokens // 2), label="overlap")
    chunker = TextChunker(max_tokens, overlap=overlap, context=context, format=name)
    check(text, chunker.chunk(text, source="a/b"), max_tokens, count_o200k, overlap=overlap)
    check_outline(text, format_named(name).outline(text))


def check_outline(text: str, outline: Outline) -> None:
    boundaries = outline.boundaries
    assert (text == "") == (not boundaries)
    assert all(before.offset < after.offset for before, after in pairwise(boundaries))
    if boundaries:
        assert boundaries[0][:2] == (0, Strength.DOCUMENT)
        assert boundaries[-1].offset < len(text)
    ends = [len(text)]
    for scope in outline.scopes:
        while ends[-1] <= scope.start:
            ends.pop()
        assert scope.start < scope.end <= ends[-1]
        ends.append(scope.end)


HOSTILE: dict[str, dict[str, Callable[[int], str]]] = {
    "html": {
        "open": lambda n: "<div>x" * n,
        "end tags of nothing": lambda n: "<section><table><td>" + "<div>" * n + "</p></section>" * n,
        "quotes": lambda n: '<a "' * n,
        "comments": lambda n: "<!-- " * n,
        "scripts": lambda n: "<script>" * n,
        "headings": lambda n: "<h1>a<h2>b" * n,
        "rows": lambda n: "<table><thead>" + "<tr><th>a" * n,
        "one line": lambda n: "<b>Words</b> and more. " * n,
    },
    "latex": {
        "open": lambda n: "\\begin{a}x" * n,
        "ends of nothing": lambda n: "\\begin{b}" * n + "\\end{a}" * n,
        "braces": lambda n: "\\section{{" * n,
        "verbatim": lambda n: "\\begin{verbatim}\n" * n,
        "verb": lambda n: "\\verb|" * n,
        "comments": lambda n: "%\n" * n,
        "rows": lambda n: "\\begin{tabular}{l}\na&b\\\\\n\\hline\n" + "a & b \\\\\n" * n,
        "one line": lambda n: "Words $a$ and more. " * n,
    },
    "markdown": {
        "quotes": lambda n: ">" * n + " x\n",
        "brackets": lambda n: "[" * n,
        "fences": lambda n: "```a\nx\n\n~~~~\ny\n\ntext\n" * n,
        "comments": lambda n: "<!-- a\n\ntext\n\n" * n,
        "open HTML": lambda n: "<div>\n\n*x*\n\n<pre>\n\ntext\n\n" * n,
        "pipes": lambda n: "|a" * n + "\n" + "|-" * n + "\n" + "|b" * n + "\n",
        "dollars": lambda n: "$$\na\n" * n,
        "one line": lambda n: "Words *a* and more. " * n,
    },
    "restructuredtext": {
        "steps": lambda n: "".join(" " * (step % 300) + "- a\n\n" for step in range(n)),
        "directives": lambda n: "".join("   " * (step % 100) + ".. a::\n\n" for step in range(n)),
        "borders": lambda n: "== ==\n" * n,
        "grid": lambda n: "+--+\n|a |\n+==+\n" + "|b |\n+--+\n" * n,
        "colons": lambda n: ":a" * n + "\n" + "a::\n\n" * n,
        "titles": lambda n: "".join("ab\n" + "=-~^"[step % 4] * 3 + "\n" for step in range(n)),
        "bullets": lambda n: "- " * n,
        "one line": lambda n: "Words *a* and more. " * n,
    },
}


@pytest.mark.parametrize(("name", "case"), [(name, case) for name in FORMATS for case in HOSTILE[name]])
def test_time_grows_with_the_text_alone(name: str, case: str) -> None:
    """Four times the text takes four times as long, with much room for a busy machine; what is quadratic takes sixteen."""
    outline_of = format_named(name).outline

    def seconds(size: int) -> float:
        text = HOSTILE[name][case](size)
        best = 9e9
        for _ in range(2):
            start = time.process_time()
            outline = outline_of(text)
            best = min(best, time.process_time() - start)
        check_outline(text, outline)
        return best

    assert seconds(6_000) < 9 * seconds(1_500) + 0.5


def test_code_inside_a_list_is_found_where_it_stands() -> None:
    lines = [f"def f{number}():\n" if number % 2 == 0 else f"    return {number}\n" for number in range(120)]
    for prefix, indent in (("", 0), ("   ", 3), ("> ", 2)):
        head = "text\n"
        text = head + "".join(prefix + line for line in lines) + "end\n"
        span = EmbeddedSpan(len(head), len(text) - 4, indent)
        outline = code_inside(text, span, "py")
        assert outline is not None
        functions = [boundary.offset for boundary in outline.boundaries if boundary.label == "function"]
        starts = [len(head) + sum(len(prefix + line) for line in lines[:number]) for number in range(0, 120, 2)]
        assert functions == starts[1:]
        assert [text[scope.start : scope.end] for scope in outline.scopes][5].startswith(prefix + "def f10")


def test_code_that_is_short_or_in_no_known_language_is_lines() -> None:
    text = "x = 1\n" * LONG_CODE
    assert code_inside(text, EmbeddedSpan(0, LONG_CODE - 1), "python") is None
    assert code_inside(text, EmbeddedSpan(0, LONG_CODE), "python") is not None
    assert code_inside(text, EmbeddedSpan(0, LONG_CODE), "klingon") is None
    assert code_inside(text, EmbeddedSpan(0, LONG_CODE), "markdown") is None
    assert code_inside(text, EmbeddedSpan(0, LONG_CODE), "") is None
