"""Edited source code: some statements around each edit are parsed, and the chunks are those of the whole text."""

from __future__ import annotations

import json.decoder
import random
import textwrap
from inspect import getsource
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunker import CodeChunker
from chunker.edits import EditedText, syntax_reader
from chunker.edits.syntax_reader import SyntaxWindow
from chunker.edits.windows import Made
from chunker.formats.code.code_format import CodeFormat
from chunker.formats.code.compiled_walk import compiled_walk
from chunker.native import native

pytestmark = pytest.mark.skipif(
    (module := native()) is None or not module.has_syntax(), reason="only what is compiled reads code in windows"
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
    "php": [
        "<?php\n\nuse A\\B;\n",
        "// Of it.\nfunction f{n}($a)\n{{\n    if ($a) {{\n        return {n};\n    }}\n    return $a;\n}}\n\n",
        "class C{n}\n{{\n    private $x = 1;\n\n    public function m{n}()\n    {{\n        return 1;\n    }}\n}}\n",
        "$t{n} = [\n    1,\n    'a' => 2,\n];\n",
        "?>\n<p>Text</p>\n<?php\n",
        "{{",
        '"',
        "<?php ",
    ],
    "ruby": [
        "require 'a'\n",
        "# Of it.\nmodule M{n}\n  # First\n  def m(a)\n    a + {n}\n  end\n\n  # Second\n  def n\n    [\n      1,\n      2,\n    ]\n  end\nend\n\n",
        "class C{n} < B\n  x 1\n  def m{n}\n    y do\n      1\n    end\n  end\nend\n",
        "case a\nwhen 1\n  2\nend\n",
        "end\n",
        "do\n",
        "module B\n",
    ],
    # Of three names, so that a definition often continues the one before.
    "haskell": [
        "import A.B\n\n",
        "-- | Of it.\nf{n} :: Int -> Int\nf{n} 0 = 1\nf{n} x\n  | x > 1 = y\n  | otherwise = z\n  where\n    y = 2\n    z = 3\n",
        "f{n} 2 =\n  3\n",
        'data T{n} = A\n  {{ a :: Int\n  , b :: Int\n  }}\n\ninstance Show T{n} where\n  show _ = ""\n  show\' _ = ""\n',
        "-- note\n",
        "{{-",
        "  where\n",
        "(",
        '"',
    ],
    "bash": [
        "source a.sh\n",
        "# Of it.\nf{n}() {{\n  local a=1\n  if [ $a ]; then\n    echo $a\n  else\n    echo b\n  fi\n}}\n\n",
        "for i in 1 2; do\n  echo $i\ndone\n",
        "cat <<END\na {n}\nEND\n",
        "case $x in\n  a) b ;;\n  c)\n    d\n    ;;\nesac\n",
        "# note\n",
        "then\n",
        "|x| ",
        "'",
        "<<E\n",
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
    return chance.choice(PARTS[language][:among]).format(n=chance.randrange(3 if language == "haskell" else 99))


def edit_of(language: str, text: str, chance: random.Random) -> tuple[int, int, str]:
    """An edit: something typed, a line or a span deleted, a part put in."""
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


# A large body, what is around it, and what it holds.
BODIES: dict[str, tuple[str, str, list[str]]] = {
    "python": (
        'class Big{n}(Base):\n    """Of it."""\n',
        "",
        [
            "    def m{n}(self, a):\n        # why\n        if a:\n            return {n}\n        return a\n\n",
            "    @property\n    def p{n}(self):\n        return {n}\n\n",
            "    x{n} = {n}\n",
        ],
    ),
    "java": (
        "package a;\n\npublic class Big{n} extends B {{\n    int x;\n",
        "}}\n",
        [
            "    /** Of it. */\n    @Override\n    public int m{n}(int a) {{\n        return {n};\n    }}\n\n",
            "    private int f{n} = {n};\n",
            "    static class In{n} {{\n        void a() {{\n        }}\n    }}\n",
        ],
    ),
    "cpp": (
        "namespace big{n} {{\nint a;\n",
        "}}  // namespace\n",
        [
            "// Of it.\nint f{n}(int a) {{\n    while (a) {{\n        a--;\n    }}\n    return {n};\n}}\n\n",
            "class K{n} {{\npublic:\n    K{n}();\n    int m() {{\n        return 1;\n    }}\n}};\n\n",
            "#define X{n} 1\n",
        ],
    ),
    "csharp": (
        "namespace N{n}\n{{\n    public class Big\n    {{\n",
        "    }}\n}}\n",
        [
            "        /// <summary>Of it.</summary>\n        [Attr]\n        public int M{n}(int a)\n        {{\n            return a;\n        }}\n\n",
            "        private int f{n} = {n};\n",
        ],
    ),
}
OPENING = ["(", "{", "}", '"', "/*", "@", "if\n"]


def large_body(language: str, chance: random.Random, lines: int) -> str:
    head, closing, parts = BODIES[language]
    body = ""
    while body.count("\n") < lines:
        body += chance.choice(parts).format(n=chance.randrange(99))
    return f"{head}{body}{closing}".replace("{{", "{").replace("}}", "}").replace("{n}", "1")


@pytest.mark.parametrize("max_tokens", [40])
@pytest.mark.parametrize("language", sorted(BODIES))
def test_edits_inside_of_a_large_body(language: str, max_tokens: int) -> None:
    chance = random.Random(max_tokens)
    text = large_body(language, chance, 300)
    chunker = CodeChunker(language, max_tokens, context=True)
    edited = EditedText(chunker, text, source="a.x")
    for _ in range(8):
        start, undone = chance.randrange(len(text)), chance.random() < 0.7
        new = chance.choice([*OPENING, chance.choice(BODIES[language][2]).format(n=7)])
        for first, last, put in [(start, start, new), (start, start + len(new), "")][: 2 if undone else 1]:
            text = text[:first] + put + text[last:]
            edited.replace(first, last, put)
            assert edited.chunks == chunker.chunk(text, source="a.x")


class Windows:
    """The windows that were read, in characters."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sizes: list[int] = []
        sizes = self.sizes

        class Watched(SyntaxWindow):
            def __init__(self, *args: Any) -> None:
                _text, start, end = args[1]
                sizes.append(end - start)
                super().__init__(*args)

        monkeypatch.setattr(syntax_reader, "SyntaxWindow", Watched)


@pytest.mark.parametrize("language", sorted(BODIES))
def test_a_part_of_a_large_body_is_read(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = large_body(language, random.Random(5), 3_000)
    chunker = CodeChunker(language, 64, context=True)
    edited = EditedText(chunker, text)
    windows = Windows(monkeypatch)
    at = text.index("return ", len(text) // 2) + len("return ")
    edited.replace(at, at + 1, "9")
    assert sum(windows.sizes) < len(text) / 4
    assert edited.chunks == chunker.chunk(text[:at] + "9" + text[at + 1 :])


# Statements that are most of a text: a module in a function, a table, the guard of a header.
STATEMENTS: dict[str, tuple[str, str, str]] = {
    "javascript": ("define(['a'], function (a) {\n", "  a.b{n} = function () {\n    return [{n}];\n  };\n\n", "});\n"),
    "typescript": ("export const table = {\n", "  'a{n}': {\n    b: [{n}, 'c'],\n  },\n", "};\n"),
    "go": ("var table = []T{\n", "\t{\n\t\t{n}, x{n}()},\n", "}\n"),
    "c": ("#ifndef A_H\n#define A_H\n", "/* Of it. */\nint f{n}(int a);\nextern int x{n};\n\n", "#endif\n"),
    "python": ("if x:\n", "    y{n} = [\n        {n},\n        z,\n    ]\n    f(y{n})\n", ""),
    "rust": ("impl A {\n", "    // Of it.\n    const X{n}: [u8; 2] = [\n        {n},\n        1,\n    ];\n", "}\n"),
}


@pytest.mark.parametrize("language", sorted(STATEMENTS))
def test_a_part_of_a_large_statement_is_read(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    header, part, closing = STATEMENTS[language]
    text = header + "".join(part.replace("{n}", str(1_000 + number)) for number in range(1_000)) + closing
    chunker = CodeChunker(language, 64, context=True)
    edited = EditedText(chunker, text)
    assert edited.chunks[0].metadata == {}
    windows = Windows(monkeypatch)
    for number in (1_500, 1_600):
        at = text.index(str(number))
        edited.replace(at, at + 1, "9")
        text = text[:at] + "9" + text[at + 1 :]
        assert edited.chunks == chunker.chunk(text)
    assert sum(windows.sizes) < len(text) / 4


@pytest.mark.parametrize("language", ["python", "javascript", "c"])
def test_errors_elsewhere_cost_nothing(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [PARTS[language][1 + number % 3].format(n=number) for number in range(900)]
    broken = {"python": "def (x:\n", "javascript": "let = = 1;\n", "c": "int 1 f(;\n"}[language]
    text = "".join(parts[:100]) + broken + "".join(parts[100:800]) + broken + "".join(parts[800:])
    chunker = CodeChunker(language, 64)
    edited = EditedText(chunker, text)
    assert edited.chunks[0].metadata == {"parse": "had errors"}
    windows = Windows(monkeypatch)
    at = text.index("return", len(text) // 2)
    edited.replace(at, at + 6, "return -")
    text = text[:at] + "return -" + text[at + 6 :]
    assert sum(windows.sizes) < len(text) / 4
    for at in (text.rindex(broken), text.index(broken)):  # the errors mended
        edited.replace(at, at + len(broken), "")
        text = text[:at] + text[at + len(broken) :]
        assert edited.chunks == chunker.chunk(text)
    assert edited.chunks[0].metadata == {}


def test_one_of_several_errors_is_mended(monkeypatch: pytest.MonkeyPatch) -> None:
    parts, broken = [PARTS["python"][2].format(n=number) for number in range(300)], "def (x:\n"
    before, after = "".join(parts[:100]), "".join([*parts[100:200], broken, *parts[200:]])
    chunker = CodeChunker("python", 64)
    edited = EditedText(chunker, before + broken + after)
    windows = Windows(monkeypatch)
    edited.replace(len(before), len(before) + len(broken), "")
    assert sum(windows.sizes) < len(before + after) / 4
    assert edited.chunks == chunker.chunk(before + after)


# Statements with a syntax error that leave no bracket or quote open.
@pytest.mark.parametrize(
    ("language", "broken"),
    [("javascript", "let = = 1;\n"), ("rust", "fn (;\n"), ("go", "func (1) {}\n"), ("c", "int 1 f(;\n")],
)
def test_only_the_neighbourhood_of_a_new_error_is_read(
    language: str, broken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = long_source(language)
    chunker = CodeChunker(language, 64)
    edited = EditedText(chunker, text)
    windows = Windows(monkeypatch)
    at = text.index("\n\n", len(text) // 2) + 2
    edited.replace(at, at, broken)
    assert edited.chunks == chunker.chunk(text[:at] + broken + text[at:])
    assert edited.chunks[0].metadata == {"parse": "had errors"}
    edited.replace(at, at + len(broken), "")
    assert edited.chunks == chunker.chunk(text)
    assert edited.chunks[0].metadata == {}
    assert max(windows.sizes) < len(text) / 5


# The quote is closed after the end of the window, or never: so the window alone cannot tell which.
@pytest.mark.parametrize("closing", ["", "const y = `z`;\n"])
def test_an_open_quote_is_read_to_its_end(closing: str) -> None:
    part = "const a{n} = {\n  b: {n},\n};\n"
    parts = [part.replace("{n}", str(number)) for number in range(400)]
    text = "".join([*parts[:300], closing, *parts[300:]])
    chunker = CodeChunker("javascript", 64)
    edited = EditedText(chunker, text)
    at = text.index("a100 = ") + len("a100 = ")
    edited.replace(at, at, "`")
    assert edited.chunks == chunker.chunk(text[:at] + "`" + text[at:])
    edited.replace(at, at + 1, "")
    assert edited.chunks == chunker.chunk(text)


def test_an_error_reaches_far_back() -> None:
    """A bracket that nothing closes makes an error of all that was before, to the start of the text."""
    part = "class K{n} {{\npublic:\n    K{n}();\n    int m() {{\n        return 1;\n    }}\n}};\n\n"
    text = "namespace a {\nint a;\n" + "".join(part.format(n=number) for number in range(12)) + "}\nint "
    chunker = CodeChunker("cpp", 24)
    for at in range(600, 700):
        edited = EditedText(chunker, text)
        edited.replace(at, at, "{")
        assert edited.chunks == chunker.chunk(edited.text)
        edited.replace(at, at + 1, "")
        assert edited.chunks == chunker.chunk(text)


@pytest.mark.parametrize("new", ["(", "'[", '"""', "{", "\\", "):"])
def test_no_edit_costs_more_than_to_read_the_text_twice(new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = textwrap.dedent(getsource(json.decoder)) * 3
    chunker = CodeChunker("python", 128, context=True, overlap=16)
    windows = Windows(monkeypatch)
    for at in range(100, len(text), 2_900):
        edited = EditedText(chunker, text)
        windows.sizes.clear()
        edited.replace(at, at + 3, new)
        assert sum(windows.sizes) <= 2 * len(edited.text)
        assert edited.chunks == chunker.chunk(edited.text)


@pytest.mark.parametrize("line", [5, 20, 60])
def test_a_line_that_is_indented_less_ends_a_body_without_an_error(line: int) -> None:
    """The statements after that line belong to the class, although they are indented more than its methods."""
    text = "class C:\n    def m(self):\n" + "".join(f"        value_{n} = self.of({n})\n" for n in range(80))
    text += "".join(f"\n    def n{n}(self):\n        return {n}\n" for n in range(30))
    chunker = CodeChunker("python", 64, context=True)
    edited = EditedText(chunker, text)
    at = text.index(f"        value_{line}")
    edited.replace(at, at + 1, "")
    assert edited.chunks == chunker.chunk(edited.text)


@pytest.mark.parametrize("max_tokens", [28, 64])
def test_what_follows_a_block_is_not_the_first_of_its_body(max_tokens: int) -> None:
    """A block has no boundary of its own: in a window that begins in it the statement before it would be missed."""
    inside = "".join(f"      value_{n} = of({n});\n" for n in range(60))
    after = "".join(f"    next_{n} = of({n});\n\n" for n in range(60))
    text = "void f()\n{\n  {\n    start();\n    {\n" + inside + "    }\n\n" + after + "  }\n}\n"
    chunker = CodeChunker("cpp", max_tokens)
    for line in range(2, 60, 4):
        edited = EditedText(chunker, text)
        at = text.index(f"value_{line} ") + 3
        edited.replace(at, at, "q")
        assert edited.chunks == chunker.chunk(edited.text)


@pytest.mark.parametrize("line", [5, 100, 200])
def test_a_comment_that_ends_far_away(line: int) -> None:
    """In a window where nothing ends it it is a division."""
    text = "int f()\n{\n" + "".join(f"    value_{n} = of({n});\n" for n in range(400)) + "    /* end */\n}\n"
    chunker = CodeChunker("cpp", 24)
    edited = EditedText(chunker, text)
    at = text.index(f"value_{line} ") + 3
    edited.replace(at, at, "/*")
    assert edited.chunks == chunker.chunk(edited.text)


def test_an_error_at_the_end_goes_with_its_text() -> None:
    chunker = CodeChunker("go", 32)
    edited = EditedText(chunker, "\n`")
    edited.replace(1, 2, "")
    assert edited.chunks == chunker.chunk("\n")


def test_readings_tell_where_a_part_can_be_read() -> None:
    text = "import a\n" + "def f():\n    return 1\n\n" * 3 + "def (:\n" + "def g():\n    return 1\n\n" * 5
    points, bodies, errors = syntax_walk(CodeChunker("python", 64)).read(text, 0).resumption()
    assert bodies == [("", "")]
    assert all(number == 0 for _, number in points)
    ((start, end),) = errors
    assert text.count("\n", 0, start) <= 10 < text.count("\n", 0, end)
    assert all(text.startswith("def ", offset) for offset, _ in points)
    assert not any(text.count("\n", 0, offset) in range(5, 16) for offset, _ in points)


def syntax_walk(chunker: CodeChunker) -> Any:
    assert isinstance(chunker.format, CodeFormat)
    return compiled_walk(chunker.format.grammar)


# What breaks code where it is put, in most places; and what one may delete instead.
BREAKING = [
    "(",
    ")",
    "[",
    "}",
    '"',
    '"""',
    "'",
    ":",
    ",",
    "\\",
    "`",
    "/*",
    "#",
    "def f(\n",
    "class :\n",
    "if x\n",
    "    ",
    "\n",
]


def source_to_break(language: str, chance: random.Random) -> str:
    """Definitions of all sizes: large ones that are read in parts, such as are just too small for that, and short ones."""
    if language == "python" and chance.random() < 0.3:
        return textwrap.dedent(getsource(json.decoder))
    kinds = [language] * (language in PARTS) + ["body"] * (language in BODIES)
    text = ""
    for _ in range(chance.randrange(1, 6)):
        if chance.choice(kinds) == "body":
            text += large_body(language, chance, chance.choice([10, 30, 60, 120]))
        else:
            text += "".join(part_of(language, chance, 4) for _ in range(chance.randrange(1, 20)))
    return text


@settings(max_examples=50)
@given(
    st.sampled_from(["python", "python", "python", *sorted({*PARTS, *BODIES})]),
    st.integers(0, 1 << 32),
    st.sampled_from([24, 64, 200]),
    st.sampled_from(OPTIONS),
)
def test_code_that_is_broken_and_mended(language: str, seed: int, max_tokens: int, options: dict[str, Any]) -> None:
    chance = random.Random(seed)
    text = source_to_break(language, chance)
    chunker = CodeChunker(language, max_tokens, **options)
    edited = EditedText(chunker, text)
    undoing: list[tuple[int, int, str]] = []
    for _ in range(8):
        if undoing and chance.random() < 0.5:
            start, end, new = undoing.pop()
        else:
            start = chance.randrange(len(text) + 1)
            end = min(start + chance.choice([0, 0, 1, 1, 7]), len(text))
            new = "" if end > start and chance.random() < 0.5 else chance.choice(BREAKING)
            undoing.append((start, start + len(new), text[start:end]))
        edited.replace(start, end, new)
        text = text[:start] + new + text[end:]
        assert edited.chunks == chunker.chunk(text)


@pytest.mark.parametrize(
    "header", ["class Big(Base, =):\n", "class Big(Base[1 2]):\n", "class Big(\n    Base,\n    f(x y),\n):\n"]
)
def test_an_error_in_the_header_of_a_large_definition_is_known(header: str) -> None:
    body = "".join(f"    def m{number}(self):\n        return {number}\n\n" for number in range(80))
    chunker = CodeChunker("python", 64)
    edited = EditedText(chunker, "class Big(Base):\n" + body)
    edited.replace(0, len("class Big(Base):\n"), header)
    assert edited.chunks == chunker.chunk(header + body)
    assert edited.chunks[0].metadata == {"parse": "had errors"}
    edited.replace(0, len(header), "class Big:\n")
    assert edited.chunks == chunker.chunk("class Big:\n" + body)
    assert edited.chunks[0].metadata == {}
