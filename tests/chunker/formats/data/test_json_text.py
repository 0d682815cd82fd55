"""JSON and JSON Lines: members, elements and records, against the module json."""

from __future__ import annotations

import json
from itertools import pairwise
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunker import TextChunker
from chunker.formats import Format, Strength
from chunker.formats.data.json_lines import JsonLinesFormat
from chunker.formats.data.json_text import JsonFormat
from chunker.formats.data.notebook import NotebookFormat

JSON = JsonFormat()
LINES = JsonLinesFormat()

CONFIG = dedent("""\
    {
      "servers": [
        {
          "name": "a", "port": 1
        },
        {"name": "b", "tags": [], "more": {}}
      ], // what serves
      // Seconds.
      "limit": 30,  // each

      "last": [1, [2, 3]]
    }
    """)


def cuts(text: str, kind: Format = JSON) -> list[tuple[str, str]]:
    outline = kind.outline(text)
    units = zip(outline.labels, pairwise([*outline.offsets, len(text)]), strict=True)
    return [(label, text[start:end]) for label, (start, end) in units]


def test_members_and_elements() -> None:
    assert cuts(CONFIG) == [
        ("document", "{\n"),
        ("key", '  "servers": [\n'),
        ("element", "    {\n"),
        ("key", '      "name": "a", '),
        ("key", '"port": 1\n    },\n'),
        ("element", "    {"),
        ("key", '"name": "b", '),
        ("key", '"tags": [], '),
        ("key", '"more": {}}\n  ], // what serves\n'),
        ("key", '  // Seconds.\n  "limit": 30,  // each\n\n'),
        ("key", '  "last": ['),
        ("element", "1, "),
        ("element", "["),
        ("element", "2, "),
        ("element", "3]]\n}\n"),
    ]


def test_strengths_fall_with_depth_and_first_members_are_weak() -> None:
    outline = JSON.outline(CONFIG)
    at = {
        CONFIG[start : start + 40].lstrip()[:8]: strength
        for start, strength in zip(outline.offsets, outline.strengths, strict=True)
    }
    assert at["// Secon"] == at['"last": '] > at['"servers'] > at['{"name":'] > at['"port": ']
    assert at['"port": '] == at['"tags": '] > at['"name": '] > Strength.PARAGRAPH


def test_the_breadcrumb_is_the_path() -> None:
    data = {"servers": [{"x": 1}, {"name": "n" * 90, "a b": {"c": ["d" * 80]}}], "": "e" * 70, 'q"\n': "f" * 70}
    for indent in (None, 2):
        text = json.dumps(data, indent=indent)
        outline = JSON.outline(text)
        assert outline.breadcrumb(text.index("nnn") + 9) == ("servers", "1", "name")
        assert outline.breadcrumb(text.index("ddd") + 9) == ("servers", "1", "a b", "c", "0")
        assert outline.breadcrumb(text.index("eee") + 9) == ()
        assert outline.breadcrumb(text.index("fff") + 9) == ('q"',)


def test_long_strings_have_lines() -> None:
    text = json.dumps({"text": "One line.\nTwo.\r\nNext\n \nThree, a \\\\n backslash.\n" + "x" * 60})
    assert cuts(text)[1:] == [
        ("key", r'"text": "One line.\n'),
        ("line", r"Two.\r\n"),
        ("line", r"Next\n \n"),
        ("paragraph", r"Three, a \\\\n backslash.\n"),
        ("line", "x" * 60 + '"}'),
    ]


def test_what_is_cut_off_or_closed_too_often_is_good_up_to_there() -> None:
    assert cuts('{"a": [1, {"b": "never clo')[-1] == ("key", '"b": "never clo')
    assert cuts('1, 2]}]}, {"a": 1}') == [("document", "1, "), ("key", "2]}]}, "), ("key", "{"), ("key", '"a": 1}')]
    assert cuts('{"a": "open\n "b": 1, "c": 2}')[1:] == [("key", '"a": "open\n "b": 1, '), ("key", '"c": 2}')]
    outline = JSON.outline('{"list": [{"text": "' + "long " * 40)
    assert outline.breadcrumb(100) == ("list", "0", "text")


@pytest.mark.parametrize("kind", [JSON, NotebookFormat()])
def test_values_without_a_comma_between_them_are_one_member(kind: Format) -> None:
    text = "[" + " e[]" * 50 + ", 2]"
    (scope,) = kind.outline(text).scopes
    assert (scope.start, scope.end, scope.name) == (2, text.index(","), "0")
    text = '{"a": ' + "[1] " * 50 + '/* c */, "b": ' + "{} " * 50
    assert [(scope.name, text[scope.end - 1]) for scope in kind.outline(text).scopes] == [("a", "]"), ("b", "}")]


def test_several_values_are_records() -> None:
    text = '{"a": 1}\n{"b": [2]} [3]\n"x"'
    assert [unit for label, unit in cuts(text) if label == "record"] == ["{", "[", '"x"']


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.floats(allow_nan=False) | st.text(st.sampled_from('aé"\\,[]{}:/\n\t 中'), max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.sampled_from('ab"\\/,:{'), max_size=4), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


def members(value: Any) -> int:
    """How many members and elements there are, at any depth."""
    ahead, number = [value], 0
    while ahead:
        item = ahead.pop()
        inner = list(item.values()) if isinstance(item, dict) else item if isinstance(item, list) else []
        number += len(inner)
        ahead += inner
    return number


@settings(max_examples=80)
@given(value=json_values, indent=st.sampled_from([None, 0, 1, 4]), ascii_only=st.booleans(), compact=st.booleans())
def test_boundaries_are_where_the_module_json_reads_members(
    *, value: Any, indent: int | None, ascii_only: bool, compact: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only, separators=(",", ":") if compact else None)
    outline = JSON.outline(text)
    decoder = json.JSONDecoder()
    found = 0
    for offset, label in list(zip(outline.offsets, outline.labels, strict=True))[1:]:
        if label not in {"key", "element"}:
            continue
        found += 1
        start = offset + len(text[offset:]) - len(text[offset:].lstrip())
        assert text[offset:start].strip(" ") == ""
        _, end = decoder.raw_decode(text, start)
        assert text[end:].lstrip()[:1] in ({":"} if label == "key" else {",", "]"})
    assert found == members(value)


@settings(max_examples=60)
@given(values=st.lists(json_values, min_size=1, max_size=6), end=st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_records_are_the_lines(values: list[Any], end: str) -> None:
    text = "".join(json.dumps(value, ensure_ascii=False) + end for value in values)
    outline = LINES.outline(text)
    starts = [offset for offset, label in zip(outline.offsets, outline.labels, strict=True) if label == "record"]
    records = [json.loads(text[start:stop]) for start, stop in pairwise([*starts, len(text)])]
    assert json.dumps(records) == json.dumps(values)


def test_long_records_are_cut_as_json_and_named() -> None:
    text = '{"id": 1}\nno JSON\n\n' + json.dumps({"id": 3, "text": "word " * 30}) + "\n"
    assert cuts(text, LINES)[:3] == [("record", '{"id": 1}\n'), ("record", "no JSON\n\n"), ("record", "{")]
    outline = LINES.outline(text)
    assert outline.breadcrumb(len(text) - 20) == ("record 3", "text")
    assert outline.strengths[1] == outline.strengths[2] > max(outline.strengths[3:])


@pytest.mark.parametrize("indent", [None, 2])
def test_chunks_keep_whole_elements(indent: int | None) -> None:
    data = {"items": [{"id": number, "tags": ["a", "b"], "text": "some words here"} for number in range(60)]}
    text = json.dumps(data, indent=indent)
    chunks = TextChunker(200, format="json", context=True).chunk(text)
    assert len(chunks) > 5
    for chunk in chunks[1:]:
        assert chunk.context.splitlines() == ["items"]
        inner = chunk.body.strip()
        assert inner.startswith("{")
        assert inner.count("{") == inner.rstrip("]}, \n").count("}") + 1


def test_ten_thousand_brackets() -> None:
    text = "[" * 10_000 + "1" + "]" * 10_000
    outline = JSON.outline(text)
    assert len(outline.offsets) == 10_001
    assert len(outline.breadcrumb(10_000)) == 49
    assert "".join(chunk.body for chunk in TextChunker(100, format="json").chunk(text)) == text
