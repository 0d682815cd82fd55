"""Edited source code: the syntax tree is parsed on from each edit, and the chunks are those of the whole text."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunker import CodeChunker
from chunker.edits import EditedText, syntax_reader
from chunker.edits.syntax_reader import SyntaxReader, SyntaxWindow
from chunker.edits.windows import Made
from chunker.formats.code.code_format import CodeFormat
from chunker.formats.code.compiled_walk import compiled_walk
from chunker.native import native

pytestmark = pytest.mark.skipif(
    (module := native()) is None or not module.has_syntax(), reason="trees are kept by what is compiled alone"
)

# Definitions, statements, comments, and what opens or closes something: of the last ones most make errors.
PARTS: dict[str, list[str]] = {
    "python": [
        "import os\n\n",
        '"""A text\nof lines."""\n',
        "@wraps\n# why\n@cached(1)\ndef f{n}(a, b):\n    # first\n    if a:\n        return b\n    return a\n\n\n",
        "class C{n}(Base):\n    x = 1\n\n    def m{n}(self):\n        for y in self:\n            print(y)\n        # last\n\n    def n(self): ...\n\n",
        "x{n} = [\n    1,\n    2,\n]\n",
        "# note {n}\n",
        "    indented = {n}\n",
        "(",
        '"""',
        "if x:\n",
    ],
    "javascript": [
        "import a from 'b';\n",
        "/** Of it. */\nexport function f{n}(a) {{\n  if (a) {{\n    return {n};\n  }}\n  return a;\n}}\n\n",
        "class C{n} {{\n  // first\n  m{n}() {{\n    this.x = 1;\n  }}\n  static n = 2;\n}}\n",
        "const o{n} = {{\n  a: 1,\n  b() {{ return 2; }},\n}};\n",
        "// note\n",
        "`t ${{a\n}}`;\n",
        "{{",
        "}}",
        "`",
    ],
    "rust": [
        "use std::fmt;\n",
        "/// Of it.\n#[derive(Debug)]\npub struct S{n} {{\n    a: u8,\n    // b\n    b: u8,\n}}\n\n",
        "impl S{n} {{\n    #[inline]\n    fn m{n}(&self) -> u8 {{\n        let x = {n};\n        x\n    }}\n}}\n",
        "fn f{n}() {{\n    match 1 {{\n        1 => {{}}\n        _ => (),\n    }}\n}}\n",
        "// note\n",
        "/* ",
        "}}",
    ],
    "c": [
        "#include <a.h>\n",
        "/* Of it. */\nint f{n}(int a)\n{{\n    while (a) {{\n        a--;\n    }}\n    return {n};\n}}\n\n",
        "typedef struct {{\n    int a;\n    int b;\n}} T{n};\n",
        "static const int t{n}[] = {{\n    1,\n    2,\n}};\n",
        "#if A\nint x{n};\n#endif\n",
        "/*",
        "{{",
        '"',
    ],
    "go": [
        "package a\n\n",
        "// F is it.\nfunc F{n}(a int) int {{\n\tif a > 1 {{\n\t\treturn {n}\n\t}}\n\treturn a\n}}\n\n",
        "type (\n\tA{n} int\n\tB{n} struct {{\n\t\tx int\n\t}}\n)\n",
        "func (b B{n}) m() {{\n\tgo func() {{\n\t}}()\n}}\n",
        "// note\n",
        "`",
        "}}",
    ],
}
OPTIONS: list[dict[str, Any]] = [
    {},
    {"overlap": 6},
    {"overlap": 5, "overlap_by": "token"},
    {"context": True},
    {"context": True, "overlap": 4},
    {"desired_tokens": 20},
    {"min_tokens": 0},
]


def part_of(language: str, chance: random.Random, among: int) -> str:
    return chance.choice(PARTS[language][:among]).format(n=chance.randrange(99))


def edit_of(language: str, text: str, chance: random.Random) -> tuple[int, int, str]:
    """An edit: something typed, a line or a stretch deleted, a part put in."""
    start = chance.randrange(len(text) + 1)
    kind = chance.randrange(4)
    if kind == 0:
        return start, start, chance.choice(["x", " ", "\n", "é", "  # x\n", "\r\n", "1"])
    if kind == 1:
        line = text.rfind("\n", 0, start) + 1
        return line, line, part_of(language, chance, 99)
    if kind == 2:
        line = text.rfind("\n", 0, start) + 1
        return line, text.find("\n", start) + 1 or len(text), ""
    return start, min(start + chance.choice([1, 1, 3, 30]), len(text)), ""


def check_edits(language: str, seed: int, max_tokens: int, options: dict[str, Any]) -> None:
    chance = random.Random(seed)
    parts = len(PARTS[language]) - chance.choice([1, 3, 4, 4])  # with errors, or without
    text = "".join(part_of(language, chance, parts) for _ in range(chance.randrange(1, 60)))
    chunker = CodeChunker(language, max_tokens, **options)
    edited = EditedText(chunker, text, source="a.x")
    assert edited.chunks == chunker.chunk(text, source="a.x")
    for _ in range(6):
        start, end, new = edit_of(language, text, chance)
        before = [(chunk.text, chunk.kind) for chunk in edited.chunks]
        first, removed, added = edited.replace(start, end, new)
        text = text[:start] + new + text[end:]
        wanted = chunker.chunk(text, source="a.x")
        assert edited.text == text
        assert edited.chunks == wanted
        after = [(chunk.text, chunk.kind) for chunk in wanted]
        assert before[:first] == after[:first]
        assert before[first + removed :] == after[first + added :]


@settings(max_examples=40)
@given(
    st.sampled_from(sorted(PARTS)), st.integers(0, 1 << 32), st.sampled_from([24, 32, 100]), st.sampled_from(OPTIONS)
)
def test_chunks_after_edits_are_those_of_the_text(
    language: str, seed: int, max_tokens: int, options: dict[str, Any]
) -> None:
    check_edits(language, seed, max_tokens, options)


def long_source(language: str) -> str:
    chance = random.Random(2)
    return "".join(PARTS[language][chance.choice([1, 1, 2, 3])].format(n=number) for number in range(400))


@pytest.mark.parametrize("options", [{}, {"overlap": 20}, {"context": True, "overlap": 20}], ids=str)
@pytest.mark.parametrize("language", ["javascript", "rust", "go"])
def test_only_the_neighbourhood_is_made_again(
    language: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = long_source(language)
    chunker = CodeChunker(language, 64, **options)
    edited = EditedText(chunker, text)
    assert edited.is_local
    made: list[Made] = []
    numbers: list[int] = []

    class Watched(SyntaxWindow):
        def grow(self, *args: Any) -> Any:
            for one in super().grow(*args):
                made.append(one)
                yield one

    monkeypatch.setattr(syntax_reader, "SyntaxWindow", Watched)
    chance = random.Random(3)
    for _ in range(8):
        at = text.index("\n", chance.randrange(len(text) - 2_000))
        made.clear()
        edited.replace(at, at, " // x")
        text = text[:at] + " // x" + text[at:]
        numbers.append(len(made))
    assert edited.chunks == chunker.chunk(text)
    # Where a chunk ends elsewhere, the next ones may, too, until two ends meet.
    assert sorted(numbers)[4] < len(edited.chunks) / 6


def test_a_tree_is_parsed_on_from_the_one_before() -> None:
    text = long_source("rust")
    chunker = CodeChunker("rust", 64)
    reader = SyntaxReader(chunker, None, syntax_walk(chunker), text)
    at = text.index("let", len(text) // 2)
    after, start, end = reader.edited(text[:at] + "  " + text[at:], at, at)
    assert at - 500 < start <= at <= end < at + 500
    assert after.notes == {}
    broken, _, _ = after.edited(text[:at] + "{{{" + text[at:], at, at + 2)
    assert broken.notes == {"parse": "had errors"}


def syntax_walk(chunker: CodeChunker) -> Any:
    assert isinstance(chunker.format, CodeFormat)
    return compiled_walk(chunker.format.grammar)
