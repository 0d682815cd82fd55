"""TOML: tables, keys and elements; each unit is TOML of its own to tomllib."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunker import TextChunker
from chunker.formats.data.toml_text import TomlFormat

ROOT = Path(__file__).resolve().parents[4]
TOML = TomlFormat()

BUILD = dedent('''\
    # The build.
    title = "x"

    [tool]  # a comment
    name = "y"
    files = [
      "a",
      # why b
      "b",

      [1,
      2],
    ]
    # at the end of files

    # What follows.

    [tool.lint]
    text = """
    One. [x]
    a = 1

    Two ""quoted"" \\""" three"""
    k = { a = 1, b = [
      1 ] }
    "quoted.key".b = 'C:\\'
    # about parts
    [[part]]
    n = 1
    [part.sub]
    m = \'\'\'
    [[no table]]\'\'\'
    [[part]]
    n = 3
    ''')


def cuts(text: str) -> list[tuple[str, str]]:
    outline = TOML.outline(text)
    units = zip(outline.labels, pairwise([*outline.offsets, len(text)]), strict=True)
    return [(label, text[start:end]) for label, (start, end) in units]


def test_tables_keys_and_elements() -> None:
    assert cuts(BUILD) == [
        ("document", "# The build.\n"),
        ("key", 'title = "x"\n\n'),
        ("table", "[tool]  # a comment\n"),
        ("key", 'name = "y"\n'),
        ("key", "files = [\n"),
        ("element", '  "a",\n'),
        ("element", "  # why b\n"),
        ("element", '  "b",\n\n'),
        ("element", "  [1,\n"),
        ("line", "  2],\n]\n"),
        ("line", "# at the end of files\n\n"),
        ("table", "# What follows.\n\n"),
        ("table", "[tool.lint]\n"),
        ("key", 'text = """\n'),
        ("line", "One. [x]\n"),
        ("line", "a = 1\n\n"),
        ("paragraph", 'Two ""quoted"" \\""" three"""\n'),
        ("key", "k = { a = 1, b = [\n"),
        ("line", "  1 ] }\n"),
        ("key", "\"quoted.key\".b = 'C:\\'\n"),
        ("table", "# about parts\n"),
        ("table", "[[part]]\n"),
        ("key", "n = 1\n"),
        ("table", "[part.sub]\n"),
        ("key", "m = '''\n"),
        ("line", "[[no table]]'''\n"),
        ("table", "[[part]]\n"),
        ("key", "n = 3\n"),
    ]


def test_strengths() -> None:
    outline = TOML.outline(BUILD)
    strengths = dict(zip(outline.offsets, outline.strengths, strict=True))

    def at(place: str) -> int:
        return strengths[BUILD.index(place)]

    assert at("[tool]") == at("# about parts") > at("# What follows") == at("[part.sub]") > at("files =") == at("k = ")
    assert at("k = ") > at('name = "y"') > at("[tool.lint]") > at('  "b"') > at('  "a"') > at("a = 1")


def test_tables_are_scopes() -> None:
    outline = TOML.outline(BUILD)
    assert outline.breadcrumb(BUILD.index("name =")) == ("tool",)
    assert outline.breadcrumb(BUILD.index("k = ")) == ("tool", "lint")
    assert outline.breadcrumb(BUILD.index("n = 1")) == ("part", "0")
    assert outline.breadcrumb(BUILD.index("m = ")) == ("part", "0", "sub")
    assert outline.breadcrumb(BUILD.index("n = 3")) == ("part", "1")
    text = '[a."b.c".d]\nlong = [\n' + "  'element',\n" * 9 + "]\n"
    assert TOML.outline(text).breadcrumb(len(text) - 9) == ("a.b.c.d", "long")


def merged(target: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
    """Put together what several pieces of one document say."""
    ahead = [(target, source)]
    while ahead:
        into, new = ahead.pop()
        for key, value in new.items():
            known = into.get(key)
            if isinstance(known, list) and isinstance(value, list):
                known.extend(value)
            elif isinstance(known, list) and known and isinstance(value, dict):
                ahead.append((known[-1], value))  # a table inside the last element
            elif isinstance(known, dict) and isinstance(value, dict):
                ahead.append((known, value))
            else:
                into[key] = value
    return target


values = st.recursive(
    st.integers(-9, 9).map(str)
    | st.sampled_from(['"a#b"', "'c]'", '"""\nd\n[e]\nf = 1\n"""', "'''g\n\n'''", "1979-05-27", "true", '"\\"="', '"""h""i\\\n"""']),
    lambda inner: st.lists(inner, max_size=3).map(lambda items: "[" + ", ".join(items) + "]")
    | st.lists(inner, max_size=3).map(lambda items: "[\n" + "".join(f"  {item}, # c ] [\n" for item in items) + "]")
    | inner.map(lambda item: f"{{ x = {item.replace(chr(10), ' ') if chr(39) * 3 not in item and chr(34) * 3 not in item and '#' not in item else 1} }}"),
    max_leaves=5,
)  # fmt: skip


@settings(max_examples=80)
@given(data=st.data())
def test_each_table_and_key_is_toml_of_its_own(data: st.DataObject) -> None:
    lines = []
    for table in range(data.draw(st.integers(0, 4))):
        comment = data.draw(st.sampled_from(["", "# about it\n", "\n# apart\n\n"]))
        if table:
            lines.append(comment + data.draw(st.sampled_from([f"[t{table}]\n", f"[a.t{table}] # x\n", "[[list]]\n"])))
        for key in range(data.draw(st.integers(0, 3))):
            name = data.draw(st.sampled_from([f"k{key}", f'"k {key}"', f"k{key} . l"]))
            lines.append(data.draw(st.sampled_from(["", "# c = [\n"])) + f"{name} = {data.draw(values)}\n")
    text = "".join(lines)
    try:
        whole = tomllib.loads(text)
    except tomllib.TOMLDecodeError:  # a key twice, say
        return
    outline = TOML.outline(text)
    found: dict[str, Any] = {}
    table_name: list[str] = []
    places = [
        (offset, label)
        for offset, label in zip(outline.offsets, outline.labels, strict=True)
        if label in {"document", "table", "key"}
    ]
    for (start, label), (end, _) in pairwise([*places, (len(text), "")]):
        said = tomllib.loads(text[start:end])  # no statement is cut
        statements = [line for line in text[start:end].splitlines() if line and not line.startswith("#")]
        if label != "key" and statements and statements[0].startswith("["):
            table_name = statements[0].partition("#")[0].strip(" []").split(".")
        else:
            for part in reversed(table_name):
                said = {part: said}
        merged(found, said)
    assert found == whole


def test_this_project() -> None:
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    outline = TOML.outline(text)
    tables = [
        offset for offset, label in zip(outline.offsets, outline.labels, strict=True) if label in {"document", "table"}
    ]
    units = [text[start:end] for start, end in pairwise([*tables, len(text)])]
    found: dict[str, Any] = {}
    for unit in units:
        merged(found, tomllib.loads(unit))
    assert found == tomllib.loads(text)
    assert "".join(units) == text


@pytest.mark.parametrize("text", ["a = [\n 1,\nb = 2\n", "a = {\nb = 2\n", "a = [\n[t]\nb = 2\n", 'a = "open\nb = 2\n'])
def test_what_is_not_closed_ends_where_a_statement_begins(text: str) -> None:
    assert cuts(text)[-1] == ("key", "b = 2\n")


def test_chunks_keep_whole_tables(count_o200k: Callable[[str], int], check: Callable[..., None]) -> None:
    text = "".join(
        f"# Number {number}.\n[[package]]\nname = \"p{number}\"\nfiles = [\n  'a',\n  'b',\n]\n\n"
        for number in range(50)
    )
    chunks = TextChunker(100, format="toml", context=True).chunk(text, source="poetry.lock")
    check(text, chunks, 100, count_o200k)
    assert all(
        chunk.body.startswith("# Number ") and chunk.context == "poetry.lock > package\n" for chunk in chunks[1:]
    )
