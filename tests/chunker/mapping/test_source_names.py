"""Code without comments and strings, and the names on its lines: compiled and in Python alike."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunker.formats.code.tables import table_names
from chunker.native import native
from chunker.symbols import without_comments_and_strings
from chunker.symbols.masking import hidden_marks
from chunker.symbols.reading import line_starts, uses_in

compiled = native()
needs_compiled = pytest.mark.skipif(compiled is None, reason="needs the compiled part: there is nothing to compare")

FRAGMENTS = [
    '"', "'", "`", '"""', "'''", "\\", "\\\\", "\n", "\r", "\r\n", "/*", "*/", "/", "*", "//", "#", "--", "--[[", "]]", "{-", "-}", "-", "]",
    "name", "a", "_b1", "0x1f", " ", "é", "名前", "🗄", "\x1c", "\u2028", "(", "x.y",
]  # fmt: skip


@needs_compiled
@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join), st.sampled_from(sorted(table_names())))
def test_compiled_names_are_those_of_the_specification(text: str, language: str) -> None:
    assert compiled is not None
    code = without_comments_and_strings(text, language)
    assert len(code) == len(text)
    found, uses = compiled.source_names(text, *hidden_marks(language), 3)
    assert found == code
    expected = {name: lines[:3] for name, lines in uses_in(code).items()}
    if code.isascii():
        assert uses == expected
        assert list(uses) == list(expected)
    else:
        assert uses is None


@needs_compiled
def test_halves_of_surrogate_pairs_and_wrong_marks() -> None:
    assert compiled is not None
    assert compiled.source_names("a = '\ud800'", [], ["#"], ["'"], 3) is None
    for block in ([""], ["/*"], ["a", "b", "c"]):
        with pytest.raises(ValueError, match=r"block comments|not empty"):
            compiled.source_names("a", block, [], [], 3)
    with pytest.raises(TypeError):
        compiled.source_names(b"a", [], [], [], 3)


@given(st.text(st.sampled_from("a\r\né"), max_size=12))
def test_lines_begin_after_line_ends(text: str) -> None:
    starts = [0]
    for place, character in enumerate(text):
        if character == "\n" or (character == "\r" and text[place + 1 : place + 2] != "\n"):
            starts.append(place + 1)
    assert line_starts(text) == starts
