"""Jupyter notebooks: cells under the headings of the Markdown cells; and `notebook_text`, which converts a notebook to
readable text.

    {"cells": [
      {"cell_type": "markdown", ...       cell, section      scopes "Load" (up to the next heading as high) and "cell 1"
       "source": ["# Load\\n",             line, weak         the start of a cell stays with its first lines
                  "Then.\\n"]},            line
      {"cell_type": "code", ...           cell, weaker: it stays with its heading
       "source": ["import os\\n",          line, weak
                  "\\n",
                  "os.getcwd()"],         paragraph, because the line before is blank
       "outputs": [...]},                 outputs, stronger than the lines; scope "outputs"
      ...

`NotebookFormat` cuts the file itself, including its JSON, so that spans point into the file. But about one token in
three is JSON. To search or read, rather than to point into the file, chunk the result of `notebook_text` as Markdown.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import Any, ClassVar, NamedTuple

from chunker.errors import NotebookError
from chunker.formats.data.json_text import JsonFormat, JsonScan, json_scopes
from chunker.formats.data.notebook_restarts import NotebookRestarts
from chunker.formats.declarations import LanguageNames
from chunker.formats.expressions import re
from chunker.formats.nesting import LONG, Kind, Member, is_long, name_of, strength_at
from chunker.formats.open_outline import OutlineOf
from chunker.formats.outline import Outline, Scope, Strength
from chunker.formats.restarting import Restarts
from chunker.formats.sections import Heading, sections
from chunker.native import native

__all__ = ["notebook_text"]

# Depths: the members of the notebook, its cells, their members, the lines of a cell.
_CELLS, _MEMBERS, _LINES = 2, 3, 4
_HEADING_LINES = 8  # the lines of a cell that are searched for a heading and the text after it
_ROOT_ABOVE = 30
_ROOT_MEMBER = strength_at(0) + _ROOT_ABOVE
_CELL = strength_at(0) + 10
_INTRODUCED = strength_at(0) + 9  # a cell after a cell that is only a heading
_SECTION = strength_at(0) + 20  # minus the level of the heading
_PREAMBLE = strength_at(_LINES + 1)  # inside the members before the lines of a cell

_SOURCE = re.compile(r'"source"\s*+:')
_DECODER = json.JSONDecoder(strict=False)
# Outputs whose plain text is only a placeholder: "<Figure size 640x480 with 1 Axes>".
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

_Columns = tuple[list[int], list[int], list[str]]  # the columns of an outline
_compiled = native()


class NotebookFormat:
    """The JSON of a notebook of version 4 (.ipynb); other JSON is cut as JSON."""

    name: ClassVar[str] = "notebook"
    languages: ClassVar[dict[str, LanguageNames]] = {"Jupyter": {"suffixes": [".ipynb"]}}
    language: str | None = name

    def restarts(self, outline: OutlineOf, _text: str) -> Restarts:
        """Return the rules for parsing a text from the middle."""
        return NotebookRestarts(outline, JsonFormat().outline)

    def outline(self, text: str) -> Outline:
        """Return the cells of `text`, their lines and outputs. The scopes are the sections, the cells and the outputs.

        Linear; any str is allowed.
        """
        if not text:
            return Outline([])
        if _compiled is None:
            return notebook_in_python(text)
        found = _compiled.read_notebook(text)
        cells = [_Cell(*cell) for cell in found.cells()]
        return _outline(text, found.columns(), cells, found.members)


def notebook_in_python(text: str) -> Outline:
    """Return the outline of a non-empty text: the specification of the compiled reader."""
    scan = JsonScan(text, long=0)
    scan.run(0, len(text))
    columns = scan.columns("document")
    drafts = list(_drafts(text, sorted(scan.members, key=lambda member: (member.start, -member.end))))
    if drafts:
        columns = _columns(text, columns, drafts)
    cells = [draft.cell(text, columns[0]) for draft in drafts]
    return _outline(text, columns, cells, lambda: scan.members)


def notebook_text(notebook: str, *, outputs: bool = False) -> str:
    r"""Convert the cells of a notebook to one Markdown text: Markdown unchanged, code in fences.

    Args:
        notebook: The content of an .ipynb file.
        outputs: Include the text of outputs; images and HTML are always left out.

    Returns:
        Text in Markdown, with a line end after the last cell; "" if no cell has text.

    Raises:
        NotebookError: The content is not a notebook.

    Examples:
        >>> notebook_text('{"cells": [{"cell_type": "markdown", "source": ["# One"]}, {"cell_type": "code", "source": "1 + 1"}]}')
        '# One\n\n```python\n1 + 1\n```\n'
    """
    parts = [text for text, _ in notebook_parts(notebook, outputs=outputs)]
    return "\n\n".join(parts) + "\n" if parts else ""


def notebook_parts(notebook: str, *, outputs: bool = False) -> Iterator[tuple[str, int]]:
    """Yield the Markdown blocks of `notebook_text`, each with the number of its cell, from 1. Raises as
    `notebook_text`.
    """
    try:
        content = json.loads(notebook)
    except ValueError as error:
        raise NotebookError(f"this notebook is not JSON: {error}") from error
    except RecursionError as error:
        raise NotebookError("this notebook is nested too deeply") from error
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
    """A cell. `row`: the index of the boundary at its start; None if there is none. `source`: for Markdown, the span of
    its text; `lines`: the spans of its first lines. `outputs`: the span of its outputs, if it has any.
    """

    start: int
    end: int
    row: int | None
    source: tuple[int, int] | None
    lines: list[tuple[int, int]]
    outputs: tuple[int, int] | None


class _Heading(NamedTuple):
    """The heading at the start of a cell, and whether the cell is nothing else. Level 0: no heading."""

    level: int = 0
    title: str = ""
    is_all: bool = False


_NO_HEADING = _Heading()


class _Draft:
    """A cell in the making: its members by name (the first of each name), and the lines of its text."""

    def __init__(self, member: Member) -> None:
        self.member = member
        self.members: dict[str, Member] = {}
        self.lines: list[Member] = []

    def cell(self, text: str, offsets: list[int]) -> _Cell:
        """Return the cell, in a text with these boundaries."""
        kind, source, outputs = map(self.members.get, ("cell_type", "source", "outputs"))
        is_markdown = kind is not None and "markdown" in text[kind.start : kind.end]
        row = bisect_left(offsets, self.member.start)
        return _Cell(
            *self.member[:2],
            row if offsets[row : row + 1] == [self.member.start] else None,
            source[:2] if source is not None and is_markdown else None,
            [line[:2] for line in self.lines[:_HEADING_LINES]] if source is not None and is_markdown else [],
            None if outputs is None else outputs[:2],
        )


def _drafts(text: str, members: Iterable[Member]) -> Iterator[_Draft]:
    """Yield the cells among the members of a JSON text, which come in order, outer members first."""
    around: list[tuple[int, str]] = []  # the end and the name of each open member
    draft: _Draft | None = None
    last = -1
    for member in members:
        if member.start == last:
            continue  # the same member, up to an earlier bracket: there is no comma after it
        last = member.start
        while around and around[-1][0] <= member.start:
            around.pop()
        depth = len(around)
        around.append((member.end, _name(text, member)))
        if depth == 0 or around[0][1] != "cells":
            continue
        if depth == _CELLS - 1:
            if draft is not None:
                yield draft
            draft = _Draft(member)
        elif draft is not None and depth == _MEMBERS - 1:
            draft.members.setdefault(around[-1][1], member)
        elif draft is not None and depth == _LINES - 1 and around[_MEMBERS - 1][1] == "source":
            draft.lines.append(member)
    if draft is not None:
        yield draft


def _name(text: str, member: Member) -> str:
    """Return the number of an element, or the key as written, without its quotation marks."""
    if member.kind != Kind.KEY:
        return str(member.first)
    return text[member.first : member.last].removeprefix('"').removesuffix('"')


def _columns(text: str, columns: _Columns, drafts: list[_Draft]) -> _Columns:
    """Make boundaries inside cells weaker than cells, and keep the members before the lines of a cell together."""
    found = dict(zip(columns[0], zip(*columns[1:], strict=True), strict=True))
    for offset, (strength, _) in found.items():
        if strength == strength_at(1):
            found[offset] = _ROOT_MEMBER, "key"
    for draft in drafts:
        has_outputs = False
        for name, member in draft.members.items():
            if member.start not in found:
                continue
            is_source = name == "source"
            if name == "outputs" and is_long(text[member.start : member.end]):
                found[member.start], has_outputs = (strength_at(_MEMBERS), "outputs"), True
            else:
                # Jupyter writes the outputs before the source, which then begins a new part.
                found[member.start] = strength_at(_MEMBERS) if is_source and has_outputs else _PREAMBLE, "key"
        if draft.lines and draft.lines[0].start in found:
            found[draft.lines[0].start] = _PREAMBLE, "line"
        blank = [text[line.start : line.end].strip(' ,\t\r\n"') in {"\\n", ""} for line in draft.lines]
        for number, line in enumerate(draft.lines[1:], 1):
            if line.start in found:
                after_blank = blank[number - 1] and not blank[number]
                found[line.start] = strength_at(_LINES) + after_blank, "paragraph" if after_blank else "line"
    strengths, labels = map(list, zip(*found.values(), strict=True))
    return columns[0], [columns[1][0], *strengths[1:]], [columns[2][0], *labels[1:]]


def _outline(text: str, columns: _Columns, cells: list[_Cell], members: Callable[[], Iterable[Member]]) -> Outline:
    """Return the outline of a notebook with these columns, to which the cells are added; if there are no cells, the
    outline of other JSON.
    """
    if not cells:
        return Outline.of_columns(
            *columns,
            lambda: json_scopes(
                text, (member for member in map(Member._make, members()) if member.end - member.start > LONG)
            ),
            finest=Strength.LINE,
        )
    headings = [_heading(text, cell) for cell in cells]
    _put_cells(columns, cells, headings)
    found = [Heading(cell.start, one.level, one.title) for cell, one in zip(cells, headings, strict=True) if one.level]
    return Outline.of_columns(*columns, lambda: [*sections(found, cells[-1].end), *_cell_scopes(cells)])


def _heading(text: str, cell: _Cell) -> _Heading:
    if cell.source is None:
        return _NO_HEADING
    source = ""
    for part in _parts(text, cell.source, cell.lines):
        source += part
        first, _, rest = source.lstrip().partition("\n")
        if first and (rest.strip() or not first.startswith("#")):
            break
    match = _HEADING.match(source)
    if match is None:
        return _NO_HEADING
    return _Heading(len(match[1]), name_of(match[2]), not source[match.end() :].strip())


def _parts(text: str, source: tuple[int, int], lines: list[tuple[int, int]]) -> Iterator[str]:
    """Yield the first lines of a cell; or its whole text, if that is a single string."""
    for start, end in lines:
        yield _decoded(text, start, end)
    if not lines and (value := _SOURCE.search(text, *source)) is not None:
        yield _decoded(text, value.end(), source[1])


def _decoded(text: str, start: int, end: int) -> str:
    """Return the first JSON string of text[start:end]; "" if there is none."""
    at = text.find('"', start, end)
    if at < 0:
        return ""
    try:
        value, after = _DECODER.raw_decode(text, at)
    except ValueError:
        return ""
    return str(value) if after <= end else ""


def _put_cells(columns: _Columns, cells: list[_Cell], headings: list[_Heading]) -> None:
    """Set the boundaries of all cells but the first: they are stronger than their parts, and a cell after a heading
    stays with it.
    """
    _, strengths, labels = columns
    for cell, heading, above in zip(cells[1:], headings[1:], headings, strict=False):
        if cell.row is not None:
            introduced = above.is_all and not 0 < heading.level <= above.level
            strengths[cell.row] = _INTRODUCED if introduced else _SECTION - heading.level if heading.level else _CELL
            labels[cell.row] = "cell"


def _cell_scopes(cells: list[_Cell]) -> Iterator[Scope]:
    for number, cell in enumerate(cells, 1):
        yield Scope(cell.start, cell.end, f"cell {number}")
        if cell.outputs is not None:
            yield Scope(*cell.outputs, "outputs")


def _joined(source: object) -> str:
    """Return the text of a string or a list of lines."""
    if isinstance(source, list):
        return "".join(line for line in source if isinstance(line, str))
    return source if isinstance(source, str) else ""


def _fenced(source: str, language: str) -> str:
    """Put code between fences longer than any in it."""
    longest = max((len(run) for run in re.findall(r"`{3,}", source)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{source.strip(chr(10))}\n{fence}"


def _language(notebook: dict[str, Any]) -> str:
    """Return the language of the code of a notebook; "python" if it does not say."""
    metadata = notebook.get("metadata")
    for part, key in (("language_info", "name"), ("kernelspec", "language")):
        value = metadata.get(part) if isinstance(metadata, dict) else None
        name = value.get(key) if isinstance(value, dict) else None
        if isinstance(name, str) and name:
            return name.split()[0] if name.split() else "python"
    return "python"


def _results(cell: dict[str, Any]) -> Iterator[str]:
    """Yield the texts among the outputs of a cell. Placeholders of pictures are left out, and of a line that was
    overwritten only the last state is kept.
    """
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
    r"""Return an output as a terminal would finally show it: without colours, and with the last state of overwritten
    lines.

    >>> _shown("1/2\r2/2\n\x1b[31mred\x1b[0m")
    '2/2\nred'
    """
    if "\x1b" in output:
        output = _ESCAPES.sub("", output)
    if "\r" not in output and "\b" not in output:
        return output
    lines = output.replace("\r\n", "\n").split("\n")
    return "\n".join(_OVERWRITTEN.sub("", line.rstrip("\r\b")) for line in lines)
