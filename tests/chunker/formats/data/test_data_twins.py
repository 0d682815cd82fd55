"""The compiled readers of the formats of data find what their specifications in Python find, in any text."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from format_fragments import SHARDS, data_texts
from hypothesis import example, given
from hypothesis import strategies as st

from chunker.formats import Outline
from chunker.formats.data.json_lines import JsonLinesFormat, json_lines_in_python
from chunker.formats.data.json_text import JsonFormat, json_outline_in_python
from chunker.formats.data.notebook import NotebookFormat, notebook_in_python
from chunker.formats.data.toml_text import TomlFormat, toml_in_python
from chunker.formats.data.yaml_text import _FLOW, YamlFormat, yaml_in_python
from chunker.native import native

pytestmark = pytest.mark.skipif(native() is None, reason="the engine runs in pure Python: there is nothing to compare")


def yaml_or_json_in_python(text: str) -> Outline:
    return json_outline_in_python(text) if _FLOW.match(text) else yaml_in_python(text)


TWINS: dict[str, tuple[Callable[[str], Outline], Callable[[str], Outline]]] = {
    "json": (JsonFormat().outline, json_outline_in_python),
    "jsonl": (JsonLinesFormat().outline, json_lines_in_python),
    "notebook": (NotebookFormat().outline, notebook_in_python),
    "toml": (TomlFormat().outline, toml_in_python),
    "yaml": (YamlFormat().outline, yaml_or_json_in_python),
}
each_format = pytest.mark.parametrize("name", TWINS)

# What decides about a character in one of the readers, so that each rule meets the end of the text and each other.
MARKS = "{}[]\",:'/*\\nr#-=.|>&!?% \t\n\r\u2028\u0301é1ab"
markings = st.text(st.sampled_from(MARKS), max_size=60)
values: st.SearchStrategy[object] = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.text(max_size=12), st.just("One line.\nTwo.\n\nThree " + "x" * 60)
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=6), inner, max_size=4)),
    max_leaves=12,
)
cells = st.fixed_dictionaries(
    {"cell_type": st.sampled_from(["markdown", "code", "raw"])},
    optional={
        "outputs": st.one_of(st.just([]), st.just([{"text": ["x" * 70]}]), values),
        "source": st.one_of(
            st.lists(st.sampled_from(["# One\n", "## Two\n", "\n", "text\n", " \n", "a = 1", "中\n"]), max_size=4),
            st.sampled_from(["# One", "### T\n\nText.", "x\n\ny"]),
        ),
    },
)
notebooks = st.fixed_dictionaries(
    {"cells": st.lists(cells, max_size=6)}, optional={"metadata": values, "nbformat": st.integers()}
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A document as programs write it, whole or mangled."""
    text = json.dumps(
        draw(st.one_of(values, notebooks)), indent=draw(st.sampled_from([None, 1])), ensure_ascii=draw(st.booleans())
    )
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(text)))
        text = text[:start] + draw(st.sampled_from(["", *SHARDS])) + text[start + draw(st.integers(0, 9)) :]
    return text


def assert_alike(name: str, text: str) -> None:
    compiled, in_python = TWINS[name]
    if not text:
        return
    one, other = compiled(text), in_python(text)
    assert one.boundaries == other.boundaries
    assert (one.scopes, one.notes, one.finest, one.heads) == (other.scopes, other.notes, other.finest, other.heads)


@each_format
@given(text=st.one_of(data_texts, markings))
@example(text="{/*/ x */ 'a' /**/ : 1, /* b")
@example(text='[1, // c\n\n  \n 2, "\\')
@example(text="{}// a comment at the end of a text\n")
def test_any_text_is_read_alike(name: str, text: str) -> None:
    assert_alike(name, text)


@each_format
@given(text=documents())
def test_documents_are_read_alike(name: str, text: str) -> None:
    assert_alike(name, text)
