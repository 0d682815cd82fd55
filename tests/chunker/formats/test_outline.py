"""What holds for the outline of every format, and how breadcrumbs are found."""

from __future__ import annotations

import pickle

import pytest
import regex
import strategies
from hypothesis import given
from hypothesis import strategies as st

from chunker import TextChunker
from chunker.formats import Boundary, Format, Outline, Scope, Strength, TextFormat
from chunker.formats.code.code_format import CodeFormat
from chunker.formats.markup.markdown import MarkdownFormat
from chunker.formats.segmentation import grapheme_ends

FORMATS: dict[str, Format] = {"text": TextFormat(), "markdown": MarkdownFormat(), "python": CodeFormat("python")}

# Pieces of Markdown and Python in no order: structure that is broken in all places.
SHARDS = (
    *("# a\n", "## b\n", "Set\n===\n", "---\n", "```\n", "~~~", "> ", "- ", "  - x\n", "1. ", "|a|b|\n", "|-|-|\n", "<div>\n", "[a]: b\n"),
    *("def f():\n", "class A(B):\n", "    ", "  ", "\t", "pass\n", "@d\n", "# c\n", "if x:\n", "else:\n", "x = [\n", "1,\n", "]\n", "(", ")"),
    *('"""', "'''", "'", "\\\n", "\n", "\r", "\r\n", "\n\n", "\f", "\0", "\u2028", "\u2029", "\x85", "\ufeff", "\ud800", "é", "中。", "One. "),
)  # fmt: skip
texts = st.one_of(
    st.lists(st.one_of(st.sampled_from(SHARDS), strategies.fragments), max_size=40).map("".join),
    strategies.texts(),
    strategies.broken_texts(),
)


each_format = pytest.mark.parametrize("kind", FORMATS)


@each_format
@given(text=texts)
def test_boundaries_are_ascending_in_range_and_never_inside_a_character(kind: str, text: str) -> None:
    outline = FORMATS[kind].outline(text)
    offsets = [boundary.offset for boundary in outline.boundaries]
    assert offsets == sorted(set(offsets))
    assert offsets[:1] == ([0] if text else [])
    assert all(offset < len(text) for offset in offsets)
    assert set(offsets) <= {0, *grapheme_ends(text)}
    for boundary in outline.boundaries[1:]:
        assert Strength.CHARACTER < boundary.strength < Strength.DOCUMENT
    assert all(boundary.strength == Strength.DOCUMENT for boundary in outline.boundaries[:1])
    assert all(type(boundary.strength) is int and boundary.label for boundary in outline.boundaries)


@each_format
@given(text=texts)
def test_scopes_nest_and_begin_at_boundaries(kind: str, text: str) -> None:
    outline = FORMATS[kind].outline(text)
    starts = {boundary.offset for boundary in outline.boundaries}
    ends: list[int] = []
    for scope in outline.scopes:
        assert 0 <= scope.start < scope.end <= len(text)
        assert scope.name
        while ends and ends[-1] <= scope.start:
            ends.pop()
        assert not ends or scope.end <= ends[-1]
        ends.append(scope.end)
    if kind == "python":
        assert {scope.start for scope in outline.scopes} <= starts


@each_format
@given(text=texts)
def test_the_same_text_has_the_same_outline(kind: str, text: str) -> None:
    first, second = FORMATS[kind].outline(text), FORMATS[kind].outline(text)
    assert (first.boundaries, first.scopes, first.notes) == (second.boundaries, second.scopes, second.notes)


@each_format
@given(text=texts)
def test_line_ends_of_all_kinds_cut_alike(kind: str, text: str) -> None:
    unix = regex.sub(r"\r\n|\r", "\n", text)
    windows = unix.replace("\n", "\r\n")
    ours = [
        unix.count("\n", 0, boundary.offset) + boundary.offset for boundary in FORMATS[kind].outline(unix).boundaries
    ]
    assert [boundary.offset for boundary in FORMATS[kind].outline(windows).boundaries] == ours


@each_format
def test_formats_pickle_and_name_their_language(kind: str) -> None:
    copy = pickle.loads(pickle.dumps(FORMATS[kind]))
    assert copy.outline("# a\n\nb\n").boundaries == FORMATS[kind].outline("# a\n\nb\n").boundaries
    assert copy.language == {"text": None, "markdown": "markdown", "python": "python"}[kind]
    assert isinstance(copy, Format)


@each_format
@pytest.mark.parametrize(
    "unit",
    ["a", " ", "\n", "\r", "a\n", "(", "[\n", "{", "def f(:\n", "@a\n", "# c\n", "#\\\n", "\\\n", "'", '"""', "\0\n", "> ", "- ", "-\n", "`", "|", "[a]: b\n",
     "<!--\n", "*", "\t", "> a\nb\n", "* a\n + b\n  - c\n", "a: ", "if a:\n ", "f(\n", "elif b:\n  pass\n", "a.\n", "中", "\u0301", "\ud800"],
    ids=ascii,
)  # fmt: skip
def test_hostile_texts_take_no_time_and_few_boundaries(kind: str, unit: str) -> None:
    # A quadratic step would take minutes, a step of recursion for each unit would not return.
    text = "def f():\n    pass\n" + unit * (60_000 // len(unit)) + "\nx\n"
    outline = FORMATS[kind].outline(text)
    assert len(outline.boundaries) <= text.count("\n") + text.count("\r") + text.count(".") + text.count("。") + 1


def naive_breadcrumb(outline: Outline, offset: int) -> tuple[str, ...]:
    return tuple(scope.name for scope in outline.scopes if scope.start < offset < scope.end)


@each_format
@given(text=texts)
def test_breadcrumbs_are_the_scopes_around_an_offset(kind: str, text: str) -> None:
    outline = FORMATS[kind].outline(text)
    for offset in range(len(text) + 1):
        assert outline.breadcrumb(offset) == naive_breadcrumb(outline, offset)


@given(widths=st.lists(st.integers(0, 6), max_size=12), data=st.data())
def test_breadcrumbs_in_trees_of_scopes(widths: list[int], data: st.DataObject) -> None:
    spans = [(0, 40)]
    for width in widths:
        start, end = data.draw(st.sampled_from(spans))
        at = data.draw(st.integers(start, end))
        inner = (at, min(end, at + width))
        if all(
            a <= inner[0] <= inner[1] <= b or inner[0] <= a <= b <= inner[1] or b <= inner[0] or inner[1] <= a
            for a, b in spans
        ):
            spans.append(inner)
    unique = sorted({span for span in spans if span[0] < span[1]}, key=lambda span: (span[0], -span[1]))
    outline = Outline([Boundary(0, Strength.DOCUMENT, "text")], [Scope(a, b, f"{a}-{b}") for a, b in reversed(unique)])
    for offset in range(42):
        assert outline.breadcrumb(offset) == naive_breadcrumb(outline, offset)


def test_strengths_rise_from_characters_to_documents() -> None:
    names = ["CHARACTER", "GRAPHEME", "WORD", "SENTENCE", "LINE", "PARAGRAPH", "STRUCTURE", "DOCUMENT"]
    assert [strength.name for strength in sorted(Strength)] == names


def cuts(text: str) -> list[tuple[str, int]]:
    boundaries = TextFormat().outline(text).boundaries
    offsets = [boundary.offset for boundary in boundaries]
    parts = [text[start:end] for start, end in zip(offsets, [*offsets[1:], None], strict=False)]
    return [(part, boundary.strength) for part, boundary in zip(parts, boundaries, strict=True)]


def test_text_is_paragraphs_of_lines() -> None:
    document, paragraph, line = Strength.DOCUMENT, Strength.PARAGRAPH, Strength.LINE
    assert cuts("One.\nTwo.\n\nThree.") == [("One.\n", document), ("Two.\n\n", line), ("Three.", paragraph)]
    assert cuts("a\r\n \t\r\n\r\n  b\rc\n") == [("a\r\n \t\r\n\r\n", document), ("  b\r", paragraph + 1), ("c\n", line)]
    assert cuts("a\u2028b\u2029c\x85d\fe\vf") == [
        ("a\u2028", document),
        ("b\u2029", line),
        ("c\x85", paragraph),
        ("d\f", line),
        ("e\v", line),
        ("f", line),
    ]
    assert cuts("\n\n a\n\n\n") == [("\n\n", document), (" a\n\n\n", paragraph + 1)]


def test_more_blank_lines_are_a_stronger_cut() -> None:
    text = "".join(f"word\n{chr(10) * blank}" for blank in (0, 1, 2, 3, 8, 9, 50)) + "end"
    strengths = [strength for _, strength in cuts(text)]
    paragraph = Strength.PARAGRAPH
    assert strengths[1:] == [Strength.LINE, *(paragraph + more for more in (0, 1, 2, 7, 7, 7))]
    chapters = "One.\n\nTwo.\n\n\n" * 3
    assert [chunk.body for chunk in TextChunker(6, min_tokens=1).chunk(chapters)] == ["One.\n\nTwo.\n\n\n"] * 3


def test_a_paragraph_separator_among_blank_lines_counts_as_one_of_them() -> None:
    strengths = [strength for _, strength in cuts("a\n\n \u2029b")]
    assert strengths == [Strength.DOCUMENT, Strength.PARAGRAPH + 1]


def test_an_empty_text_has_no_cuts() -> None:
    assert cuts("") == []
