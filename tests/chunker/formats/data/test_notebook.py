"""Notebooks: cells under headings, lines and outputs; and the readable text of one."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunker import MarkdownChunker, TextChunker
from chunker.errors import ChunkerError, NotebookError
from chunker.formats.data.json_text import JsonFormat
from chunker.formats.data.notebook import NotebookFormat, notebook_text

NOTEBOOK = NotebookFormat()


def markdown(*lines: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": list(lines)}


def code(*lines: str, outputs: list[Any] | None = None) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": outputs or [], "source": list(lines)}


IMAGE = {
    "output_type": "display_data",
    "data": {"image/png": "iVBORw0KGgo" * 30, "text/plain": ["<Figure>"]},
    "metadata": {},
}
PRINTED = {"output_type": "stream", "name": "stdout", "text": ["4\n", "5\n"]}
CONTENT = {
    "cells": [
        markdown("# Guide"),
        code("import os\n", "\n", "os.getcwd()"),
        markdown("## Install\n", "\n", "Run it.\n", "\n", "Then read."),
        code("1 + 1", outputs=[PRINTED, IMAGE]),
        {"cell_type": "code", "source": "a = 1\nb = 2", "outputs": []},
        markdown("# End"),
        {"cell_type": "raw", "metadata": {}, "source": []},
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("sort_keys", [False, True])
def test_cells_are_units_under_headings(indent: int | None, sort_keys: bool) -> None:
    text = json.dumps(CONTENT, indent=indent, sort_keys=sort_keys)
    outline = NOTEBOOK.outline(text)
    strengths = dict(zip(outline.offsets, outline.strengths, strict=True))
    cells = [scope for scope in outline.scopes if scope.name.startswith("cell ")]
    assert [scope.name for scope in cells] == [f"cell {number}" for number in range(1, 8)]
    assert [json.loads(text[scope.start : scope.end]) for scope in cells] == CONTENT["cells"]
    first, after_title, install, plain, second_plain, end, raw = (strengths[scope.start] for scope in cells)
    assert end > install > plain == second_plain > after_title
    assert raw == after_title > first  # a heading keeps the cell that it introduces
    for scope in cells[1:]:
        inside = [strength for offset, strength in strengths.items() if scope.start < offset < scope.end]
        assert max(inside) < after_title


def test_breadcrumbs_are_headings_and_cells() -> None:
    text = json.dumps(CONTENT, indent=1)
    outline = NOTEBOOK.outline(text)
    assert outline.breadcrumb(text.index("os.getcwd")) == ("Guide", "cell 2")
    assert outline.breadcrumb(text.index("Then read")) == ("Guide", "Install", "cell 3")
    assert outline.breadcrumb(text.index("iVBOR") + 40) == ("Guide", "Install", "cell 4", "outputs")
    assert outline.breadcrumb(text.index("b = 2")) == ("Guide", "Install", "cell 5")
    assert outline.breadcrumb(text.rindex('"raw"')) == ("End", "cell 7")
    assert outline.breadcrumb(text.index('"nbformat"')) == ()


def test_lines_of_cells() -> None:
    text = json.dumps(CONTENT, indent=1)
    outline = NOTEBOOK.outline(text)
    units = zip(outline.labels, pairwise([*outline.offsets, len(text)]), strict=True)
    labels = {text[start:end].strip(): label for label, (start, end) in units}
    assert labels['"# Guide"\n   ]\n  },'] == "line"
    assert labels['"Run it.\\n",'] == "paragraph"
    assert labels['b = 2",'] == "line"
    assert labels['"outputs": ['] == "outputs"


@settings(max_examples=40)
@given(
    cells=st.lists(
        st.builds(
            lambda kind, lines: {"cell_type": kind, "source": lines},
            st.sampled_from(["markdown", "code"]),
            st.lists(st.sampled_from(["# A\n", "## B", "\n", 'x = "[{,"\n', "中\n", "```\n"]), max_size=4)
            | st.just("# C\nd"),
        ),
        min_size=1,
        max_size=6,
    ),
    indent=st.sampled_from([None, 1]),
)
def test_every_cell_is_found(cells: list[dict[str, Any]], indent: int | None) -> None:
    text = json.dumps({"metadata": {}, "cells": cells}, indent=indent)
    found = [scope for scope in NOTEBOOK.outline(text).scopes if scope.name.startswith("cell ")]
    assert [json.loads(text[scope.start : scope.end]) for scope in found] == cells


@pytest.mark.parametrize(
    "text", ['{"a": [1, {"b": "' + "x" * 80 + '"}]}', '{"cells": 1}', "[]", "no JSON", '{"cells": []}']
)
def test_other_json_is_json(text: str) -> None:
    assert NOTEBOOK.outline(text).boundaries == JsonFormat().outline(text).boundaries
    assert NOTEBOOK.outline(text).scopes == JsonFormat().outline(text).scopes


def test_chunks_are_whole_cells(count_o200k: Callable[[str], int], check: Callable[..., None]) -> None:
    cells = [
        cell
        for number in range(24)
        for cell in (markdown(f"## Part {number}\n", "\n", "Words."), code("x = 1\n", "print(x)"))
    ]
    text = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}, indent=1)
    chunks = TextChunker(300, format="notebook", context=True).chunk(text, source="a.ipynb")
    check(text, chunks, 300, count_o200k)
    assert len(chunks) > 4
    for chunk in chunks[1:]:
        assert chunk.kind == "cell"
        assert chunk.body.lstrip().startswith('{\n   "cell_type": "markdown"')


def test_the_text_of_a_notebook() -> None:
    text = json.dumps(CONTENT)
    assert notebook_text(text) == (
        "# Guide\n\n```python\nimport os\n\nos.getcwd()\n```\n\n## Install\n\nRun it.\n\nThen read.\n\n"
        "```python\n1 + 1\n```\n\n```python\na = 1\nb = 2\n```\n\n# End\n"
    )
    shown = notebook_text(text, outputs=True)
    assert "```text\n4\n5\n```" in shown
    assert "iVBOR" not in shown
    assert "<Figure>" not in shown  # it only stands for the picture
    chunks = MarkdownChunker(30, context=True).chunk(notebook_text(text))
    assert any(chunk.context.startswith("Guide > Install") for chunk in chunks)


def test_the_text_of_odd_notebooks() -> None:
    odd = {
        "cells": [
            1,
            None,
            {},
            {"cell_type": "code", "source": "```\nx"},
            {"cell_type": "code", "source": [1, "y"], "outputs": 3},
        ]
    }
    assert notebook_text(json.dumps(odd)) == "````python\n```\nx\n````\n\n```python\ny\n```\n"
    failed = {"cells": [{"outputs": [{"output_type": "error", "ename": "E", "evalue": "v"}, {"data": 1}, 2]}]}
    assert notebook_text(json.dumps(failed), outputs=True) == "```text\nE: v\n```\n"
    assert notebook_text('{"cells": [], "metadata": {"kernelspec": {"language": "julia"}}}') == ""
    julia = {"cells": [{"cell_type": "code", "source": "1"}], "metadata": {"kernelspec": {"language": "julia"}}}
    assert notebook_text(json.dumps(julia)) == "```julia\n1\n```\n"


@pytest.mark.parametrize("text", ["", "no JSON", "[]", "{}", '{"cells": {}}', "[" * 100_000])
def test_what_is_no_notebook_is_an_error(text: str) -> None:
    with pytest.raises(NotebookError) as caught:
        notebook_text(text)
    assert isinstance(caught.value, ChunkerError | ValueError)
    assert "notebook" in str(caught.value)
