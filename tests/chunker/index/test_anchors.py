"""Anchors: where chunks begin whatever stands around, and that every file of code can be cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunker import CodeChunker
from chunker.index.anchors import anchors, chunks_of


def commented(functions: int, comment_lines: int) -> str:
    """Go: functions below comments of so many lines."""
    comment = "".join(
        f"// Line {line} of what is said of the function, in some words.\n" for line in range(comment_lines)
    )
    return "package a\n\n" + "".join(
        f"{comment}func F{number}(a int) int {{\n\treturn a + {number}\n}}\n\n" for number in range(functions)
    )


@pytest.mark.parametrize("reach", [10, 60, 200, 448])
@given(functions=st.integers(1, 8), comment_lines=st.integers(0, 14))
def test_a_comment_above_a_definition_never_keeps_a_file_from_being_cut(
    reach: int, functions: int, comment_lines: int
) -> None:
    text = commented(functions, comment_lines)
    chunks = chunks_of(CodeChunker("go", 64, context=True), text, reach)
    assert "".join(chunk.body for chunk in chunks) == text


def test_no_anchor_stands_between_a_comment_and_what_it_is_about() -> None:
    text = commented(12, 9)
    chunker = CodeChunker("go", 64)
    outline = chunker.outline(text)
    inside = {offset for start, end in outline.heads.items() for offset in outline.offsets if start < offset < end}
    assert inside
    assert not inside & set(anchors(text, outline, 30))
