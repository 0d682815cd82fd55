"""Jupyter notebooks: cells under the headings of the Markdown cells; and `notebook_text`, which makes a readable text of one.

    {"cells": [
      {"cell_type": "markdown", ...       cell, section      scopes "Load" (up to the next heading as high) and "cell 1"
       "source": ["# Load\\n",             line, weak         what begins a cell stays together with its first lines
                  "Then.\\n"]},            line
      {"cell_type": "code", ...           cell, weaker: the heading keeps the cell that it introduces
       "source": ["import os\\n",          line, weak
                  "\\n",
                  "os.getcwd()"],         paragraph, for the line above is blank
       "outputs": [...]},                 outputs, stronger than the lines; scope "outputs"
      ...

`NotebookFormat` cuts the file as it is, JSON and all, so that spans point into the file. JSON costs tokens, though: about one in three. Who
wants to search or read rather than to point cuts the text that `notebook_text` makes, as Markdown.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

from chunker.errors import NotebookError
from chunker.formats.data.json_text import JsonScan
from chunker.formats.expressions import re
from chunker.formats.nesting import LONG, name_of, outline_of, strength_at
from chunker.formats.outline import Outline, Scope, Strength

__all__ = ["notebook_text"]

# Depths: the members of the notebook, its cells, their members, the lines of a cell.
_CELLS, _MEMBERS, _LINES = 2, 3, 4
_ROOT_MEMBER = strength_at(0) + 30
_CELL = strength_at(0) + 10
_INTRODUCED = strength_at(0) + 9  # a cell behind one that is nothing but a heading
_SECTION = strength_at(0) + 20  # minus the level of the heading
_PREAMBLE = strength_at(_LINES + 1)  # inside what stands before the lines of a cell

_TYPE = re.compile(r'"cell_type"\s*+:\s*+"([a-z]++)"')
_VALUE = re.compile(r'"source"\s*+:\s*+(.*)', re.DOTALL)
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
# Outputs whose plain text only stands for them: "<Figure size 640x480 with 1 Axes>".
_SHOWN_OTHERWISE = (
    "image/",
    "video/",
    "audio/",
    "application/vnd.jupyter.widget",
    "application/vnd.plotly",
    "application/javascript",
)
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*+[A-Za-z]")
_OVERWRITTEN = re.compile(r"\A.*(?:\r|\x08{4,})", re.DOTALL)
_HEADING = re.compile(r"\s*+(#{1,6})[ \t]++([^\n]*?)[ \t#]*+(\n|\Z)")


class NotebookFormat:
    """The JSON of a notebook of version 4 (.ipynb); other JSON is cut as such."""

    language: str | None = "notebook"

    def outline(self, text: str) -> Outline:
        """The cells of `text`, their lines and outputs. The scopes are the sections, the cells and the outputs.

        Linear; any str is welcome.
        """
        if not text:
            return Outline([])
        scan = JsonScan(text, long=0)
        scan.run(0, len(text))
        plain = scan.outline("document")
        cells = list(_cells(text, plain.scopes))
        if not cells:
            return Outline.of_columns(
                plain.offsets,
                plain.strengths,
                plain.labels,
                [scope for scope in plain.scopes if scope.end - scope.start > LONG],
                finest=Strength.LINE,
            )
        found = dict(zip(plain.offsets, zip(plain.strengths, plain.labels, strict=True), strict=True))
        for offset, (strength, _) in found.items():
            if strength == strength_at(1):
                found[offset] = _ROOT_MEMBER, "key"
        _put_cells(found, cells)
        return outline_of(text, found, [*_sections(cells), *_cell_scopes(cells)], "document")


def notebook_text(notebook: str, *, outputs: bool = False) -> str:
    r"""The cells of a notebook as one Markdown text: Markdown as it is, code in fences, the text of outputs too if `outputs`.

    `notebook`: the content of an .ipynb file. Images and HTML among the outputs are left out. Raises `NotebookError` if it is none.

    >>> notebook_text('{"cells": [{"cell_type": "markdown", "source": ["# One"]}, {"cell_type": "code", "source": "1 + 1"}]}')
    '# One\n\n```python\n1 + 1\n```\n'
    """
    parts = [text for text, _ in notebook_parts(notebook, outputs=outputs)]
    return "\n\n".join(parts) + "\n" if parts else ""


def notebook_parts(notebook: str, *, outputs: bool = False) -> Iterator[tuple[str, int]]:
    """The blocks of Markdown that `notebook_text` is made of, each with the number of its cell, from 1. Raises as it does."""
    try:
        content = json.loads(notebook)
    except ValueError as error:
        raise NotebookError(f"a notebook is JSON, and this is none: {error}") from error
    except RecursionError as error:
        raise NotebookError("a notebook is not nested as deep as this") from error
    cells = content.get("cells") if isinstance(content, dict) else None
    if not isinstance(cells, list):
        raise NotebookError('a notebook of version 4 has a list "cells"; this has none')
    language = _language(content)
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict):
            continue
        source = _joined(cell.get("source"))
        if source.strip():
            kind = cell.get("cell_type")
            yield (_fenced(source, language) if kind == "code" else source.strip("\n")), number
        if outputs:
            yield from ((_fenced(result, "text"), number) for result in _results(cell) if result.strip())


class _Cell(NamedTuple):
    """A cell: its members by name, and the heading that its Markdown begins with."""

    scope: Scope
    members: dict[str, Scope]
    lines: list[Scope]
    blank: set[int]  # the starts of lines that are blank
    level: int  # of the heading, 0 for none
    title: str
    only_heading: bool


def _cells(text: str, scopes: Iterable[Scope]) -> Iterator[_Cell]:
    """The cells among the members of a JSON text, which come in its order, outer ones first."""
    trail: list[Scope] = []
    cell: Scope | None = None
    members: dict[str, Scope] = {}
    lines: list[Scope] = []
    for scope in scopes:
        while trail and trail[-1].end <= scope.start:
            trail.pop()
        depth = len(trail)
        trail.append(scope)
        if depth == 0 or trail[0].name != "cells":
            continue
        if depth == _CELLS - 1:
            if cell is not None:
                yield _cell(text, cell, members, lines)
            cell, members, lines = scope, {}, []
        elif depth == _MEMBERS - 1:
            members.setdefault(scope.name, scope)
        elif depth == _LINES - 1 and trail[2].name == "source":
            lines.append(scope)
    if cell is not None:
        yield _cell(text, cell, members, lines)


def _cell(text: str, scope: Scope, members: dict[str, Scope], lines: list[Scope]) -> _Cell:
    kind = members.get("cell_type")
    match = None
    if kind is not None and "markdown" in text[kind.start : kind.end] and "source" in members:
        match = _HEADING.match(_source(text, members["source"], lines))
    blank = {line.start for line in lines if text[line.start : line.end].strip(' ,\t\r\n"') in {"\\n", ""}}
    if match is None:
        return _Cell(scope, members, lines, blank, 0, "", only_heading=False)
    rest = match.string[match.end() :]
    return _Cell(scope, members, lines, blank, len(match[1]), name_of(match[2]), only_heading=not rest.strip())


def _source(text: str, member: Scope, lines: list[Scope]) -> str:
    """The beginning of the text of a cell: as many lines as a heading may stand in, or all of what is one string."""
    stretches = [text[line.start : line.end] for line in lines[:8]]
    if not stretches:
        value = _VALUE.search(text, member.start, member.end)
        stretches = [value[1]] if value else []
    return "".join(_decoded(stretch) for stretch in stretches)


def _decoded(stretch: str) -> str:
    match = _STRING.search(stretch)
    if match is None:
        return ""
    try:
        return str(json.loads(match.group(), strict=False))
    except ValueError:
        return ""


def _put_cells(found: dict[int, tuple[int, str]], cells: list[_Cell]) -> None:
    """Put the boundaries of cells: they are stronger than their parts, and what stands before their lines stays
    together.
    """
    previous: _Cell | None = None
    for cell in cells:
        start = cell.scope.start
        if previous is not None and start in found:
            introduced = previous.only_heading and not 0 < cell.level <= previous.level
            strength = _INTRODUCED if introduced else _SECTION - cell.level if cell.level else _CELL
            found[start] = strength, "cell"
        has_outputs = False
        for name, member in cell.members.items():
            if member.start not in found:
                continue
            is_source = name == "source"
            if name == "outputs" and member.end - member.start > LONG:
                found[member.start], has_outputs = (strength_at(_MEMBERS), "outputs"), True
            else:
                # Jupyter writes the outputs before the source, which then begins something new.
                found[member.start] = strength_at(_MEMBERS) if is_source and has_outputs else _PREAMBLE, "key"
        if cell.lines and cell.lines[0].start in found:
            found[cell.lines[0].start] = _PREAMBLE, "line"
        for above, line in pairwise(cell.lines):
            if line.start in found:
                after_blank = above.start in cell.blank and line.start not in cell.blank
                found[line.start] = strength_at(_LINES) + after_blank, "paragraph" if after_blank else "line"
        previous = cell


def _sections(cells: list[_Cell]) -> Iterator[Scope]:
    """A section goes on to the next heading of its level or a higher one."""
    ends: list[tuple[int, int]] = []  # (level, start) of later headings that end sections above them
    last = cells[-1].scope.end
    for cell in reversed(cells):
        if cell.level:
            while ends and ends[-1][0] > cell.level:
                ends.pop()
            if cell.title:
                yield Scope(cell.scope.start, ends[-1][1] if ends else last, cell.title)
            ends.append((cell.level, cell.scope.start))


def _cell_scopes(cells: list[_Cell]) -> Iterator[Scope]:
    for number, cell in enumerate(cells, 1):
        yield Scope(cell.scope.start, cell.scope.end, f"cell {number}")
        outputs = cell.members.get("outputs")
        if outputs is not None:
            yield Scope(outputs.start, outputs.end, "outputs")


def _joined(source: object) -> str:
    """The text of what may be a string or a list of lines."""
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""


def _fenced(source: str, language: str) -> str:
    """Code between fences longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`{3,}", source)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{source.strip(chr(10))}\n{fence}"


def _language(notebook: dict[str, Any]) -> str:
    """The language of the code of a notebook, python if it does not say."""
    metadata = notebook.get("metadata")
    for part, key in (("language_info", "name"), ("kernelspec", "language")):
        value = metadata.get(part) if isinstance(metadata, dict) else None
        name = value.get(key) if isinstance(value, dict) else None
        if isinstance(name, str) and name:
            return name.split()[0] if name.split() else "python"
    return "python"


def _results(cell: dict[str, Any]) -> Iterator[str]:
    """The texts among the outputs of a cell: not what stands for a picture, and of a line that was written over again its last state."""
    found = cell.get("outputs")
    for output in found if isinstance(found, list) else []:
        if isinstance(output, dict):
            yield _shown(_joined(output.get("text")) or _plain_result(output.get("data")))
            if output.get("output_type") == "error":
                yield f"{output.get('ename')}: {output.get('evalue')}"


def _plain_result(data: object) -> str:
    if not isinstance(data, dict) or any(kind.startswith(_SHOWN_OTHERWISE) for kind in data):
        return ""
    return _joined(data.get("text/plain"))


def _shown(output: str) -> str:
    r"""An output as a terminal would leave it: without colours, and with what was written last over a line.

    >>> _shown("1/2\r2/2\n\x1b[31mred\x1b[0m")
    '2/2\nred'
    """
    if "\x1b" in output:
        output = _ESCAPES.sub("", output)
    if "\r" not in output and "\b" not in output:
        return output
    lines = output.replace("\r\n", "\n").split("\n")
    return "\n".join(_OVERWRITTEN.sub("", line.rstrip("\r\b")) for line in lines)
