"""What holds for the formats of data: the laws of outlines and of chunks, on texts that are broken in all places."""

from __future__ import annotations

import json
import pickle
import time
from collections.abc import Callable
from itertools import pairwise

import pytest
import regex
from format_fragments import SHARDS, data_texts
from hypothesis import example, given, settings
from hypothesis import strategies as st

from chunker import TextChunker
from chunker.formats import Format, Strength
from chunker.formats.registry import format_named, format_names
from chunker.formats.segmentation import grapheme_ends

NAMES = ("csv", "json", "jsonl", "notebook", "toml", "yaml")

each_format = pytest.mark.parametrize("name", NAMES)


@pytest.fixture
def kind(name: str) -> Format:
    return format_named(name)


@each_format
@example(text="\ufeff\n{")  # a first row of a byte order mark alone is no header
@given(text=data_texts)
def test_outlines_are_ascending_in_range_and_cut_no_character(name: str, text: str) -> None:
    outline = format_named(name).outline(text)
    assert outline.offsets == sorted(set(outline.offsets))
    assert outline.offsets[:1] == ([0] if text else [])
    assert set(outline.offsets) <= {0, *grapheme_ends(text)} - {len(text)} | {0}
    assert outline.strengths[:1] == ([Strength.DOCUMENT] if text else [])
    assert all(type(strength) is int and 0 < strength < Strength.DOCUMENT for strength in outline.strengths[1:])
    assert all(outline.labels)
    ends: list[int] = []
    for scope in outline.scopes:
        assert 0 <= scope.start < scope.end <= len(text)
        assert scope.name or scope.header
        while ends and ends[-1] <= scope.start:
            ends.pop()
        assert not ends or scope.end <= ends[-1]
        ends.append(scope.end)
    again = format_named(name).outline(text)
    assert (again.boundaries, again.scopes, again.notes) == (outline.boundaries, outline.scopes, outline.notes)


@each_format
@given(text=data_texts)
def test_line_ends_of_all_kinds_cut_alike(name: str, text: str) -> None:
    unix = regex.sub(r"\r\n|\r", "\n", text)
    found = {}
    for end in ("\n", "\r", "\r\n"):
        outline = format_named(name).outline(unix.replace("\n", end))
        # By what precedes each boundary, whatever the line ends are.
        found[end] = [
            (unix.replace("\n", end)[:offset].count(end), label)
            for offset, label in zip(outline.offsets, outline.labels, strict=True)
        ]
    assert found["\n"] == found["\r"] == found["\r\n"]


@each_format
@settings(max_examples=40)
@given(text=data_texts, max_tokens=st.integers(6, 40), context=st.booleans())
def test_chunks_keep_the_laws(
    *,
    name: str,
    text: str,
    max_tokens: int,
    context: bool,
    count_o200k: Callable[[str], int],
    check: Callable[..., None],
) -> None:
    chunks = TextChunker(max_tokens, format=name, context=context).chunk(text, source="a/b")
    check(text, chunks, max_tokens, count_o200k)


DOCUMENTS = {
    "json": json.dumps({"list": [{"id": number, "text": "One.\nTwo.\n\n" * 8} for number in range(40)]}, indent=2),
    "jsonl": "".join(json.dumps({"id": number, "text": "One. Two.\n" * (number % 30)}) + "\n" for number in range(60)),
    "yaml": "".join(f"# Part {number}\npart{number}:\n  - name: a\n    text: |\n      One.\n\n      Two.\n" for number in range(60)),
    "toml": "".join(f"# Part {number}\n[part.p{number}]\nfiles = [\n  'a',\n  'b',\n]\ntext = '''\na\nb'''\n\n" for number in range(60)),
    "csv": "id,name\n" + "".join(f'{number},"a\n{"b" * (number % 90)}"\n' for number in range(100)),
    "notebook": json.dumps(
        {"cells": [{"cell_type": ("code", "markdown")[number % 2], "source": ["# A\n", "b\n"], "outputs": []} for number in range(40)], "metadata": {}},
        indent=1,
    ),
}  # fmt: skip


@each_format
@settings(max_examples=20)
@given(data=st.data())
def test_mangled_documents_keep_the_laws(
    *, name: str, data: st.DataObject, count_o200k: Callable[[str], int], check: Callable[..., None]
) -> None:
    whole = DOCUMENTS[name]
    start = data.draw(st.integers(0, len(whole) // 2))
    end = data.draw(st.integers(start, len(whole)))
    at = data.draw(st.integers(start, end))
    mangled = whole[start:at] + data.draw(st.sampled_from(SHARDS)) + whole[at:end]
    text = mangled.replace("\n", data.draw(st.sampled_from(["\n", "\r\n", "\r"])))
    chunks = TextChunker(60, format=name, context=True, overlap=data.draw(st.sampled_from([0, 10]))).chunk(text)
    check(text, chunks, 60, count_o200k, overlap=10)


@each_format
def test_formats_pickle_and_name_their_language(name: str) -> None:
    kind = format_named(name)
    copy = pickle.loads(pickle.dumps(kind))
    assert name in format_names()
    assert copy.language == kind.language == name
    assert isinstance(copy, Format)
    assert copy.outline(DOCUMENTS[name]).boundaries == kind.outline(DOCUMENTS[name]).boundaries


HOSTILE = (
    *("{", "[", "}", "]", '{"a":', "[[1],", ",", '"', '\\"', "\\", '"\\n', "/*", "*/", "/", "//", ":", "'", '""', '"""', '"",'),
    *("- ", "- - \n", "a: ", "a:\n", " a:\n", "---\n", "...\n", "# c\n", "# c\n\n", "|\n", "- |\n", "%\n", "&a ", "? ", "? a\n: b\n", "\t- a\n", "*a:\n"),
    *("[a]\n", "[[a]]\n", "[[a]]\n[a.b]\n", "a.", "a=", "a=[\n", "a='''", 'a="""\n', "a = '\n", "[a.", "'''", "''", "=\n", "a=[[\n", "a={\n"),
    *("a;", "a|", "\t", '"a\n', '"a",', 'a"\n', '"a""', "a\n\n", " \n"),
    *('{"cells":[', '{"cells":[{"source":["#a\\n",', '{"source":', '"outputs":[', '"cell_type":"markdown",'),
    *("x", "\n", "\r", " ", "\0", "中", "\u0301", "\ud800", "1,", "12 "),
)  # fmt: skip


@each_format
def test_hostile_texts_take_linear_time(name: str) -> None:
    # A quadratic step would take many seconds, and recursion would not return; this takes 0.2 at most.
    kind = format_named(name)
    for unit in HOSTILE:
        text = unit * (50_000 // len(unit)) + "\nx\n"
        begun = time.process_time()
        outline = kind.outline(text)
        outline.breadcrumb(len(text) // 2)
        assert time.process_time() - begun < 2, unit
        assert all(start < end for start, end in pairwise([*outline.offsets, len(text)]))


@each_format
@pytest.mark.parametrize("unit", ["[", '{"a":', '"x\\n', "- - ", "a:\n ", "[[a]]\n", '"",', "中,"], ids=ascii)
def test_hostile_texts_are_chunked(
    name: str, unit: str, count_o200k: Callable[[str], int], check: Callable[..., None]
) -> None:
    text = unit * (10_000 // len(unit) * (1 + (unit == "[")))
    check(text, TextChunker(200, format=name, context=True).chunk(text), 200, count_o200k)
