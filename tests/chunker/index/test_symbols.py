"""Symbols in an index: found, kept in step with the files, in every language that has a table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from chunker.cli.app import app
from chunker.formats.code.tables import reading_named, table_names
from chunker.formats.registry import format_named
from chunker.index import Filter, Index
from chunker.symbols import symbols_of, without_comments_and_strings
from chunker.symbols.masking import imports_of

Write = Callable[..., Path]

# A text of each language, the names that it defines, what it imports, and a name that stands in a comment or a string
# alone.
SOURCES: dict[str, tuple[str, list[str], list[str]]] = {
    "bash": ("source lib.sh\n# hidden\nopen_box() {\n  echo 'hidden'\n}\n", ["open_box"], ["lib.sh"]),
    "c": ("#include <stdio.h>\n/* hidden */\nint open_box(int key) {\n  return key;\n}\n", ["open_box"], ["stdio.h"]),
    "cpp": (
        '#include "box.h"\n// hidden\nclass Box {\n  int open() {\n    return 1;\n  }\n};\n',
        ["Box", "Box.open"],
        ["box.h"],
    ),
    "csharp": (
        "using System.Text;\nclass Box {\n  int Open(int key) {\n    return key; // hidden\n  }\n}\n",
        ["Box", "Box.Open"],
        ["System.Text"],
    ),
    "css": ('@import "hidden.css";\n/* hidden */\n.box {\n  color: red;\n}\n', [], ["hidden.css"]),
    "go": (
        'package box\n\nimport (\n\t"fmt"\n)\n\n// Open does hidden.\nfunc (b *Box) Open() int {\n\treturn 1\n}\n',
        ["Box.Open"],
        ["fmt"],
    ),
    "haskell": (
        "import Data.List\n-- hidden\ndata Box = Box Int\n\nopenBox :: Box -> Int\nopenBox (Box n) = n\n",
        [],
        ["Data.List"],
    ),
    "java": (
        "import java.util.List;\nclass Box {\n  /** hidden */\n  int open(int key) {\n    return key;\n  }\n}\n",
        ["Box", "Box.open"],
        ["java.util.List"],
    ),
    "javascript": (
        "import { key } from './key.js';\nclass Box {\n  open() {\n    return 'hidden';\n  }\n}\n",
        ["Box", "Box.open"],
        ["./key.js"],
    ),
    "kotlin": (
        "import a.b.Key\nclass Box {\n  fun open(key: Int): Int {\n    return key // hidden\n  }\n}\n",
        ["Box", "Box.open"],
        ["a.b.Key"],
    ),
    "lua": ('local key = require("key")\n-- hidden\nfunction open_box(a)\n  return a\nend\n', ["open_box"], ["key"]),
    "php": (
        "<?php\nuse App\\Key;\nclass Box {\n  function open($key) {\n    return 'hidden';\n  }\n}\n",
        ["Box", "Box.open"],
        ["App\\Key"],
    ),
    "python": (
        'import os\nfrom a.b import key\n\nclass Box:\n    """hidden"""\n    @key\n    def open(self, n):\n        return n\n',
        ["Box", "Box.open"],
        ["os", "a.b"],
    ),
    "ruby": (
        "require 'key'\nmodule Shop\n  class Box\n    # hidden\n    def open\n      1\n    end\n  end\nend\n",
        ["Shop", "Shop.Box", "Shop.Box.open"],
        ["key"],
    ),
    "rust": (
        "use std::fmt;\nstruct Box {\n    n: u8,\n}\nimpl Box {\n    // hidden\n    fn open(&self) -> u8 {\n        self.n\n    }\n}\n",
        ["Box", "Box.open"],
        ["std::fmt"],
    ),
    "scala": (
        "import a.b.Key\nclass Box {\n  // hidden\n  def open(key: Int): Int = {\n    key\n  }\n}\n",
        ["Box", "Box.open"],
        ["a.b.Key"],
    ),
    "sql": ("-- hidden\nCREATE TABLE boxes (\n  n INTEGER\n);\n", ["boxes"], []),
    "swift": (
        "import Foundation\nclass Box {\n  func open(key: Int) -> Int {\n    return key // hidden\n  }\n}\n",
        ["Box", "Box.open"],
        ["Foundation"],
    ),
    "tsx": (
        "import { Key } from './key';\ninterface Box {\n  n: number;\n}\nfunction open(): string {\n  return 'hidden';\n}\n",
        ["Box", "open"],
        ["./key"],
    ),
    "typescript": (
        "import { Key } from './key';\ninterface Box {\n  n: number;\n}\nfunction open(): string {\n  return 'hidden';\n}\n",
        ["Box", "open"],
        ["./key"],
    ),
    "zig": (
        'const std = @import("std");\n// hidden\nconst Box = struct {\n    n: u8,\n    fn open() u8 {\n        return 1;\n    }\n};\n',
        ["Box", "Box.open"],
        ["std"],
    ),
}


def test_every_language_is_tried() -> None:
    assert sorted(SOURCES) == sorted(table_names())
    assert all(reading_named(name) for name in table_names())


@pytest.mark.parametrize("language", sorted(SOURCES))
def test_symbols_of_a_language(language: str) -> None:
    text, names, imports = SOURCES[language]
    symbols = symbols_of(text, format_named(language).outline(text), language)
    assert [one.qualified for one in symbols.definitions if one.kind != "namespace"][: len(names)] == names
    assert symbols.imports == imports
    assert "hidden" not in symbols.uses
    lines = text.splitlines()
    for one in symbols.definitions:
        assert one.name in lines[one.line - 1]
        assert one.line <= one.end_line <= len(lines)
        assert text[one.start : one.end].strip()
        assert one.signature.split()[0] in lines[one.line - 1]


@pytest.mark.parametrize("language", sorted(SOURCES))
def test_code_without_comments_keeps_its_places(language: str) -> None:
    text = SOURCES[language][0].replace("\n", "\r\n") * 3 + "'\"`/*{-"
    code = without_comments_and_strings(text, language)
    assert len(code) == len(text)
    assert all(left in (right, " ") for left, right in zip(code, text, strict=True))
    assert code.count("\r\n") == text.count("\r\n")


def test_a_quotation_mark_that_is_never_closed_is_read_in_linear_time() -> None:
    for mark in ('"""', "'''", "/*", "`", '"', "{-"):
        for language in ("python", "go", "haskell", "javascript"):
            text = (mark + " x = 1\n") * 60_000
            assert len(without_comments_and_strings(text, language)) == len(text)


PROJECT = {
    "shop/boxes.py": "class Box:\n    def open(self, key):\n        return key\n\n\ndef open_box(key):\n    return Box().open(key)\n",
    "shop/use.py": "from shop.boxes import Box, open_box\n\n\ndef sell():\n    # Box in a comment\n    return open_box(Box())\n",
    "web/box.ts": "export class Box {\n  open(key: string) {\n    return key;\n  }\n}\n",
    "README.md": "# Box\n\nA Box is opened with open_box.\n",
}


@pytest.fixture
def shop(tmp_path: Path, write: Write, index: Index) -> Index:
    for name, text in PROJECT.items():
        write(name, text)
    index.sync(tmp_path)
    return index


def test_definitions_by_name(shop: Index) -> None:
    found = shop.definitions("box")
    assert [(one.source, one.definition.name, one.definition.line) for one in found] == [
        ("shop/boxes.py", "Box", 1),
        ("web/box.ts", "Box", 1),
    ]
    assert [one.definition.qualified for one in shop.definitions("Box.open", Filter(languages=("python",)))] == [
        "Box.open"
    ]
    assert {one.definition.name for one in shop.definitions("open", prefix=True)} == {"open", "open_box"}
    assert shop.definitions("open_box")[0].definition.signature == "def open_box(key):"
    assert str(shop.definitions("open_box")[0]) == "shop/boxes.py:6: function open_box: def open_box(key):"
    assert shop.definitions("nothing") == shop.definitions("") == []
    assert shop.definitions("open", Filter(kinds=("class",))) == []


def test_references_are_lines_of_code(shop: Index) -> None:
    assert [(one.source, one.line) for one in shop.references("Box")] == [
        ("shop/boxes.py", 7),
        ("shop/use.py", 1),
        ("shop/use.py", 6),
    ]
    assert [(one.source, one.line) for one in shop.references("shop.open_box", Filter(sources=("shop/*",)))] == [
        ("shop/use.py", 1),
        ("shop/use.py", 6),
    ]
    assert shop.references("Box", limit=1)[0].line == 7
    assert shop.references('"Box" OR') == []
    assert shop.references("box") == []


def test_references_to_a_member_are_those_of_its_class(tmp_path: Path, write: Write, index: Index) -> None:
    write(
        "box.py",
        "class Box:\n    def open(self):\n        return 1\n\n    def twice(self):\n        return self.open()\n",
    )
    write(
        "use.py",
        "from box import Box, Index\n\n\ndef use(box, path):\n    open(path)\n    Index.open(path)\n    Box().open()\n    return box.open()\n",
    )
    write("other.py", "def other(path, gate):\n    open(path)\n    gate.open()\n    return Gate.open(gate)\n")
    index.sync(tmp_path)
    assert [str(one) for one in index.references("Box.open")] == [
        "box.py:6: return self.open()",
        "use.py:7: Box().open()",
        "use.py:8: return box.open()",
    ]
    assert [str(one) for one in index.references("Gate.open")] == ["other.py:4: return Gate.open(gate)"]
    assert index.references("NoSuch.open") == []
    assert len(index.references("open")) == 8
    done = CliRunner().invoke(app, ["symbols", "Gate.open", "--references", "--index", str(index.path)])
    assert done.stdout == "other.py:4: return Gate.open(gate)\n"


@pytest.mark.parametrize(
    ("command", "kinds"),
    [(["symbols", "Box"], "class, function"), (["search", "Box", "--by", "words"], "class, module, section")],
)
def test_an_unknown_kind_or_language_is_an_error_that_lists_them(command: list[str], kinds: str, shop: Index) -> None:
    def run(*more: str) -> tuple[int, str]:
        done = CliRunner().invoke(app, [*command, *more, "--index", str(shop.path)], env={"COLUMNS": "300"})
        return done.exit_code, done.output

    code, told = run("--kind", "klass")
    assert code == 2
    assert "klass: the index has " in told
    assert kinds in told
    code, told = run("--language", "nonsense")
    assert code == 2
    assert "nonsense: the index has markdown, python, typescript" in told
    assert run("--language", "python")[0] == 0
    assert run("--language", "rust") == (0, "Nothing found.\n")


def test_symbols_go_with_their_files(shop: Index, tmp_path: Path, write: Write) -> None:
    write("shop/boxes.py", PROJECT["shop/boxes.py"].replace("open_box", "unlock"), 5)
    (tmp_path / "web/box.ts").unlink()
    (tmp_path / "shop/use.py").rename(tmp_path / "shop/used.py")
    shop.sync(tmp_path)
    assert [one.source for one in shop.definitions("Box")] == ["shop/boxes.py"]
    assert shop.definitions("unlock")[0].definition.line == 6
    assert shop.definitions("open_box") == []
    assert {one.source for one in shop.references("open_box")} == {"shop/used.py"}
    assert shop.verify() == []


def test_symbols_are_found_under_each_tag(shop: Index, tmp_path: Path) -> None:
    shop.sync(tmp_path / "shop", tags=["main", "topic"])
    found = shop.definitions("open_box")
    assert [one.tags for one in found] == [("", "main", "topic")]
    assert shop.definitions("open_box", Filter(tags=("main",)))[0].tags == ("main",)
    for tag in ("", "main"):
        shop.forget(tag)
    assert shop.definitions("open_box")[0].tags == ("topic",)
    assert shop.definitions("Box", Filter(languages=("typescript",))) == []
    assert shop.verify() == []


@pytest.mark.parametrize("language", sorted(table_names()))
def test_no_pattern_of_imports_reads_white_space_again_and_again(language: str) -> None:
    """Blank lines would be read anew from each of them on, and spaces be divided in all ways: quadratic both."""
    for pattern in reading_named(language).get("imports", ()):
        assert not pattern.startswith(r"^\s")
        assert r"\s*\(?\s*" not in pattern


def test_imports_after_blank_lines_and_inside_lines() -> None:
    text = "\n \n\t\nimport os\r\n\r\n    from a.b import c\n\n\n"
    assert imports_of(text, "python") == ["os", "a.b"]
    assert imports_of('import (\n\n\t"fmt"\r\n\n\tx "net/http"\n)\n', "go") == ["fmt", "net/http"]
