"""The cut before each chunk, found again: its strength, its label, and how it is told."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunker import CodeChunker, MarkdownChunker, TextChunker
from chunker.formats import Strength
from chunker.view.cuts import Cuts, Grade, SeenCut

PYTHON = '''import os


class Shape:
    """A shape."""

    def area(self):
        return os.getpid() * 2 + 3 * 4 + 5 * 6 + 7 * 8

    def name(self):
        return "shape of a long name, " + "which goes on"


def hello(name):
    return f"hello {name}" * 3
'''
MARKDOWN = (
    "# Title\n\nSome words. And more of them.\n\n## Part\n\n- one\n- two\n\n"
    + "A sentence in a paragraph. " * 12
    + "\n"
)
PROSE = "Erste Zeile. Noch ein Satz darin.\nZweite Zeile.\n\nEin Absatz, der länger ist als die anderen.\n\n\n" * 5


def cuts_of(chunker: TextChunker, text: str) -> list[SeenCut | None]:
    return Cuts(text, chunker.outline(text)).before(chunker.chunk(text))


def only_cuts(chunker: TextChunker, text: str) -> list[SeenCut]:
    cuts = cuts_of(chunker, text)
    assert cuts[0] is None
    assert len(cuts) > 1
    found = [cut for cut in cuts[1:] if cut is not None]
    assert len(found) == len(cuts) - 1
    return found


def test_a_cut_has_the_strength_of_its_boundary() -> None:
    for chunker, text in (
        (CodeChunker("python", 32), PYTHON),
        (MarkdownChunker(16), MARKDOWN),
        (TextChunker(24, min_tokens=0), PROSE),
    ):
        boundaries = {boundary.offset: boundary for boundary in chunker.outline(text).boundaries}
        chunks = chunker.chunk(text)
        at_boundaries = 0
        for chunk, cut in zip(chunks[1:], only_cuts(chunker, text), strict=True):
            boundary = boundaries.get(chunk.span.start)
            assert cut.label == chunk.kind
            if boundary is not None:
                assert (cut.strength, cut.label) == (boundary.strength, boundary.label)
                at_boundaries += 1
        assert at_boundaries > 1


def test_levels_count_those_of_the_text() -> None:
    chunker = CodeChunker("python", 32)
    cuts = only_cuts(chunker, PYTHON)
    strengths = {boundary.strength for boundary in chunker.outline(PYTHON).boundaries}
    levels = sorted((s for s in strengths if Strength.STRUCTURE <= s < Strength.DOCUMENT), reverse=True)
    assert len(levels) > 1
    structural = [cut for cut in cuts if cut.grade is Grade.STRUCTURE]
    for cut in structural:
        assert cut.levels == len(levels)
        assert levels[cut.level - 1] == cut.strength
        assert cut.quality == f"structure {cut.level} of {len(levels)}"
    assert any(cut.level == 1 for cut in structural)
    assert {(cut.level, cut.levels) for cut in cuts if cut.grade is not Grade.STRUCTURE} <= {(0, 0)}


@pytest.mark.parametrize("overlap", [0, 4])
@pytest.mark.parametrize(
    ("text", "max_tokens", "label", "quality"),
    [
        ("One sentence here. Another one there. " * 20, 20, "sentence", "between sentences"),
        ("word " * 200, 20, "word", "inside a sentence"),
        ("a line of text\n" * 40, 20, "line", "between lines"),
        ("two lines\nof text\n\n" * 40, 20, "paragraph", "between paragraphs"),
        ("xyzzyqwrt" * 300, 20, "grapheme", "inside a word"),
    ],
)
def test_finer_cuts_are_named_with_and_without_overlap(
    text: str, max_tokens: int, label: str, quality: str, overlap: int
) -> None:
    cuts = only_cuts(TextChunker(max_tokens, overlap=overlap, min_tokens=0), text)
    assert {(cut.label, cut.quality) for cut in cuts} == {(label, quality)}


def test_a_cut_inside_a_character() -> None:
    cuts = only_cuts(TextChunker(20, min_tokens=0), "a" + "\u0301\u0316" * 200)
    assert {cut.label for cut in cuts} == {"character"}
    assert {cut.grade for cut in cuts} == {Grade.CHARACTER}
    assert {cut.quality for cut in cuts} == {"inside a character"}


@settings(max_examples=40)
@given(
    text=st.text(st.sampled_from("ab. \n\r\t漢字é\u0301👩\u200d\ud800\0!?#-"), max_size=400),
    max_tokens=st.integers(24, 40),
    overlap=st.integers(0, 12),
    markdown=st.booleans(),
)
def test_every_cut_is_found_and_sound(text: str, max_tokens: int, overlap: int, markdown: bool) -> None:
    chunker = (MarkdownChunker if markdown else TextChunker)(max_tokens, overlap=overlap)
    chunks = chunker.chunk(text)
    cuts = cuts_of(chunker, text)
    assert len(cuts) == len(chunks)
    boundaries = {boundary.offset: boundary for boundary in chunker.outline(text).boundaries}
    for before, chunk, cut in zip(chunks, chunks[1:], cuts[1:], strict=False):
        assert cut is not None
        boundary = boundaries.get(before.span.end)
        if boundary is not None:
            assert (cut.strength, cut.label) == (boundary.strength, boundary.label)
        elif chunk.span.start == before.span.end:
            assert cut.label == chunk.kind
        assert str(cut) == f"before {cut.label}, {cut.quality}"
