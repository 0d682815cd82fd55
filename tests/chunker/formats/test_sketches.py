"""Sketches: opened, they are the outline; and the chunks that are grown by one are those that are grown by the outline."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chunker import CodeChunker, MarkdownChunker, TextChunker
from chunker.formats import Outline
from chunker.formats.detect import detect
from chunker.formats.registry import format_named
from chunker.formats.sketches import Sketch, sketching
from chunker.integrations.separators import SeparatorsFormat

SAMPLES = Path(__file__).parent / "code" / "samples"
SOURCES = {
    detect(path.name, path.read_text("utf-8")).format or "": path.read_text("utf-8")
    for path in SAMPLES.iterdir()
    if path.suffix != ".toml"
}
# What is parsed in a process of its own has no sketch: the tree stays there.
SOURCES = {language: source for language, source in SOURCES.items() if sketching(format_named(language)) is not None}
SOURCES["python"] = Path(ast.__file__).read_text("utf-8")[:20_000]
ROOT = Path(__file__).resolve().parents[3]
PAGES = [ROOT / "README.md", ROOT / "docs" / "how-it-works.md", ROOT / "CHANGELOG.md"]
SIZES = [8, 64, 512]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"context": True},
    {"overlap": 5},
    {"overlap": 7, "overlap_by": "token", "context": ["breadcrumb", "summary"]},
    {"overlap": 4, "overlap_by": "sentence", "context": True, "min_tokens": 0},
    {"desired_tokens": 6, "min_tokens": 0},
    {"desired_tokens": 7, "overlap": 4, "context": True, "min_tokens": 1},
]
each_options = pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "-".join(options) or "plain")

MARKDOWN = [
    *(
        "word ",
        "One. Two! ",
        "\n",
        "\n\n",
        "\r\n",
        "    ",
        "- item\n",
        "1. one\n",
        "  - deep\n",
        "> quote. Two.\n",
        "é. ",
        "# A\n",
        "## B\n",
    ),
    *(
        "```python\n",
        "def f():\n    return 1\n\n" * 30,
        "```\n",
        "~~~\n",
        "| a | b |\n|---|---|\n",
        "| 1 | 2 |\n",
        "[x]: http://a.b\n",
        "\n***\n",
    ),
    *("<div>\n", "</div>\n\n", "$$\nx = 1\n$$\n", "[^1]: note. More.\n", "Setext\n===\n", "x" * 150),
]


def sized(size: int, options: dict[str, Any]) -> dict[str, Any]:
    """The options for chunks of this size; a desired size is about so much of 8."""
    desired = {"desired_tokens": options["desired_tokens"] * size // 8} if "desired_tokens" in options else {}
    return {"max_tokens": size} | options | desired


def parts(outline: Outline) -> tuple[object, ...]:
    return outline.boundaries, outline.scopes, outline.notes, outline.finest, outline.heads


def check(chunker: TextChunker, text: str) -> None:
    """Both laws, for one text."""
    sketching_format = sketching(chunker.format)
    assert sketching_format is not None
    outline = chunker.format.outline(text)
    assert not isinstance(outline, Sketch)
    sketch = sketching_format.sketch(text, 4 * chunker.max_tokens)
    assert parts(sketch.opened()) == parts(outline)
    grown = chunker.chunk(text, source="a")
    by_outline = list(chunker.pieces(text, outline, chunker.context_of(text, outline, "a")))
    found = [(chunk.span.start, chunk.span.end, chunk.context, chunk.token_count, chunk.kind) for chunk in grown]
    assert found == [(piece.start, piece.end, piece.context, piece.tokens, piece.label) for piece in by_outline]


def test_most_languages_have_sketches() -> None:
    assert len(SOURCES) > 15


@each_options
@pytest.mark.parametrize("language", sorted(SOURCES))
def test_code(language: str, options: dict[str, Any]) -> None:
    for size in SIZES:
        check(CodeChunker(language, **sized(size, options)), SOURCES[language])


@each_options
@pytest.mark.parametrize("line_end", ["\n", "\r", "\r\n"])
def test_white_space_that_is_a_node_and_ends_where_another_begins(line_end: str, options: dict[str, Any]) -> None:
    """In broken TSX the line end and the indentation between two tags are a text: closed, it would hide the second tag."""
    for size in SIZES:
        text = line_end.join(["call (", "    <section>", "      <h1>{title"])
        check(CodeChunker("tsx", **sized(size, options)), text)


@each_options
def test_a_comment_of_several_lines_before_a_part_in_an_error(options: dict[str, Any]) -> None:
    """A part moves up to its comment. A smaller part on its first line gets no boundary."""
    text = "first = one;\n/* What stands\n * above a part\n */\nexports.words = [\nexports.all = exports.words.concat(two);\n"
    for size in SIZES:
        check(CodeChunker("javascript", **sized(size, options)), text)


@pytest.mark.parametrize("lines", range(2, 9))
def test_names_inside_of_closed_units_that_are_in_no_definition(lines: int) -> None:
    """Each unit has a first definition of its own."""
    one = "if case_{n}:\n    def inner_{n}(a):\n" + "        a+=1*2-3/4%5\n" * lines + "\n"
    for size in (16, 24, 32, 40):
        check(CodeChunker("python", size, context=True), "".join(one.format(n=n) for n in range(4)))


@pytest.mark.parametrize("lines", range(1, 12))
def test_a_definition_that_fits_though_what_follows_its_attribute_does_not(lines: int) -> None:
    """Without the attribute it is shorter, but the context there is longer."""
    text = "{\n    call();\n}\n#[test]\nfn checks_all_of_it() {\n" + "    check(heap.iter());\n" * lines + "}\n"
    check(CodeChunker("rust", 32, context=True, overlap=4), text)


@each_options
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages(page: Path, options: dict[str, Any]) -> None:
    for size in SIZES:
        check(MarkdownChunker(**sized(size, options)), page.read_text("utf-8"))


@settings(max_examples=60)
@given(st.lists(st.sampled_from(MARKDOWN), max_size=25).map("".join), st.sampled_from(SIZES), st.sampled_from(OPTIONS))
@example("# A\n\nOne. Two.\n\n[x]: http://a.b\n[y]: http://a.b\n", 8, {})
def test_mangled_markdown(text: str, size: int, options: dict[str, Any]) -> None:
    check(MarkdownChunker(**sized(size, options)), text)


@settings(max_examples=60)
@given(st.data())
def test_mangled_code(data: st.DataObject) -> None:
    language = data.draw(st.sampled_from(sorted(SOURCES)))
    lines = SOURCES[language].splitlines(keepends=True)
    start = data.draw(st.integers(0, len(lines) - 1))
    kept = lines[start : start + data.draw(st.integers(1, 120))]
    for _ in range(data.draw(st.integers(0, 3))):
        place = data.draw(st.integers(0, len(kept) - 1))
        kept[place] = data.draw(
            st.sampled_from(
                [
                    "",
                    "\n",
                    kept[place] * 2,
                    kept[place][: len(kept[place]) // 2],
                    "}\n",
                    "# c\n",
                    "/* c\n",
                    "// c\n",
                    "end\n",
                ]
            )
        )
    options = sized(data.draw(st.sampled_from(SIZES)), data.draw(st.sampled_from(OPTIONS)))
    check(CodeChunker(language, **options), "".join(kept))


def test_a_closed_unit_is_looked_into_where_it_overflows_alone() -> None:
    looked: list[int] = []
    text = (
        "# A\n\n" + "".join(f"Paragraph {n} is short. So it stays.\n\n" for n in range(40)) + "Long one. " * 100 + "\n"
    )
    markdown = sketching(format_named("markdown"))
    assert markdown is not None
    found = markdown.sketch(text, 0)
    inside = found.inside

    class Watched(Sketch):
        __slots__ = ()

        def inside(self, offset: int) -> object:  # type: ignore[override]
            looked.append(offset)
            return inside(offset)

    watched = Watched.of(
        (found.offsets, found.strengths, found.labels), found.closed, inside, lambda _: [], finest=found.finest
    )
    chunks = list(MarkdownChunker(100).pieces(text, watched, lambda *_: ""))
    assert "".join(text[chunk.start : chunk.end] for chunk in chunks) == text
    assert looked
    assert len(looked) < len(found.closed) / 2


@pytest.mark.parametrize(
    "read", [format_named("markdown"), format_named("python"), format_named("csv"), SeparatorsFormat(["\n\n", " "])]
)
def test_closed_units_are_looked_up_and_ascend(read: Any) -> None:
    text = "a = 1\n\n" + "def f():\n    return a\n\n\n" * 40
    found = read.sketch(text, 64) if sketching(read) else Sketch.of_outline(read.outline(text))
    assert type(found.closed) is dict
    assert list(found.closed) == sorted(found.closed)
    assert set(found.closed) <= set(found.offsets)
