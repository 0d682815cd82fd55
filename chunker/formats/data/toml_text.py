"""TOML: tables by the depth of their names, keys, and the lines of long arrays and strings.

    # The build.              document
    [tool]                    none                    scope "tool"; comments belong to the next entry
    name = "x"                first key, weak         it stays with its header
    files = [                 key
      "a",                    first element           scope "files", if it is longer than 64 characters
      "b",                    element
    ]
    [tool.lint]               table, depth 2          scope "lint" inside "tool"
    text = \"\"\"               first key
    One.                      line
    \"\"\"
    [[part]]                  table, depth 1          scopes "part" and "0" in it

Elements of arrays of tables count from 0. The scan handles one statement after the other and does not validate them:
any other text is cut by lines. Its compiled twin is chunker/cpp/src/formats/toml.cpp.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar, NamedTuple

from chunker.formats.declarations import LanguageNames
from chunker.formats.expressions import re
from chunker.formats.nesting import LONG, MAX_NAMED, Boundaries, Kind, Member, name_of, outline_of, scopes_of
from chunker.formats.open_outline import OutlineOf
from chunker.formats.outline import Outline, Scope, Strength
from chunker.formats.restarting import Restarts
from chunker.native import native

_LINE_END = r"(?:\r\n?|\n|\Z)"
_PART = r"""(?:(?:[A-Za-z0-9_-]|[^\s\x00-\x7f])++|"[^"\\\r\n]*+(?:\\[^\r\n][^"\\\r\n]*+)*+"|'[^'\r\n]*+')"""
_NAME = rf"{_PART}(?:[ \t]*+\.[ \t]*+{_PART})*+"
_TABLE = re.compile(rf"[ \t]*+(\[\[?)[ \t]*+({_NAME})[ \t]*+\]\]?[ \t]*+(?:\#[^\r\n]*+)?{_LINE_END}")
_KEY = re.compile(rf"[ \t]*+({_NAME})[ \t]*+=")
_ONE_PART = re.compile(_PART)
_BLANK = re.compile(rf"[ \t]*+{_LINE_END}")
_COMMENT = re.compile(rf"[ \t]*+\#[^\r\n]*+{_LINE_END}")
_LINE = re.compile(rf"[^\r\n]*+{_LINE_END}")
# A line in an array that is not an element: its closing bracket stays with the last element.
_CLOSES_OR_BLANK = re.compile(r"[ \t]*+(?:[\]}\r\n]|\Z)")
# The tokens of a value up to the next bracket, line end or the end of the text. An unclosed string ends with its line;
# an unclosed multi-line string ends with the text.
_OPENED, _CLOSED, _LINE_ENDED = 1, 2, 3
_EVENT = re.compile(
    r"(?:[^\"'\#\[\]{}\r\n]++"
    r'|"{3}[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+(?:"{3,5}|\\?\Z)'
    r"|'{3}[^']*+(?:'(?!'')[^']*+)*+(?:'{3,5}|\Z)"
    r'|"[^"\\\r\n]*+(?:\\[^\r\n][^"\\\r\n]*+)*+"?'
    r"|'[^'\r\n]*+'?"
    r"|\#[^\r\n]*+)*+(?:([\[{])|([\]}])|(\r\n?|\n)|\Z|.)",
    re.DOTALL,
)

_TABLES = Strength.STRUCTURE + 100  # minus the depth of the table
_DEEPEST = 90
_GROUP = int(Strength.STRUCTURE) + 6  # a key after a blank line
_KEYS = int(Strength.STRUCTURE) + 5
_FIRST = int(Strength.STRUCTURE) + 4  # the first key of a table
_COMMENTED = int(Strength.STRUCTURE) + 3  # between comments and their entry
_ELEMENT = int(Strength.STRUCTURE) + 2
_FIRST_ELEMENT = int(Strength.STRUCTURE) + 1

_compiled = native()


class TomlFormat:
    """TOML."""

    name: ClassVar[str] = "toml"
    languages: ClassVar[dict[str, LanguageNames]] = {
        "TOML": {"suffixes": [".toml"], "file_names": ["Cargo.lock", "Pipfile", "poetry.lock", "uv.lock"]},
    }
    language: str | None = name

    def outline(self, text: str) -> Outline:
        """Return the tables, keys and elements of `text`. The scopes are the tables, and keys longer than 64
        characters.

        Linear; any str is allowed.
        """
        if not text:
            return Outline([])
        if _compiled is not None:
            found = _compiled.read_toml(text)
            offsets, strengths, labels = found.columns()
            return Outline.of_columns(
                offsets, strengths, labels, lambda: _scopes(text, found.tables(), found.members())
            )
        return toml_in_python(text)

    def restarts(self, outline: OutlineOf, _text: str) -> Restarts:
        """Return the rules for resuming: see `chunker.formats.restarting`."""
        return TomlRestarts(outline)


class TomlRestarts(Restarts):
    """Restart rules for TOML, from each table with the comments before it. A table ends every earlier value, even one
    with unclosed brackets.
    """

    # The contexts of elements of arrays of tables contain their numbers.
    numbered: ClassVar[str | None] = "table"

    def places(self, _text: str, outline: Outline, start: int, /) -> list[int]:
        """Return the starts of the tables."""
        # The boundary between a table and its comments, which has the same label, is weaker than any table.
        return [
            offset
            for offset, strength, label in zip(outline.offsets, outline.strengths, outline.labels, strict=True)
            if offset >= start and label == "table" and strength >= _TABLES - _DEEPEST
        ]


def toml_in_python(text: str) -> Outline:
    """Return the outline of a non-empty text: the specification of the compiled reader."""
    walk = _Walk(text)
    walk.run()
    return outline_of(text, walk.found, _scopes(text, walk.tables, walk.members), "document")


def _scopes(text: str, headers: Iterable[Header], keys: Iterable[Member]) -> Iterator[Scope]:
    """Yield the scopes of the tables with these headers, and of the keys."""
    tables = _Tables()
    for start, of_array, first, last in headers:
        tables.begin(start, _parts(text[first:last]), of_array=of_array)
    tables.end(len(text))
    yield from tables.scopes
    yield from scopes_of(text, keys, lambda key: ".".join(_parts(key)))


class Header(NamedTuple):
    """The header of a table: its start with its comments, whether the table is an element of an array, and the span of
    its name.
    """

    start: int
    of_array: bool
    first: int
    last: int


_Path = tuple[str | int, ...]


class _Open(NamedTuple):
    """An open table: the parts of its name with the numbers of elements, its start, and the part of its name that the
    table around it does not have.
    """

    path: _Path
    start: int
    name: str


class _Tables:
    """The tables of one text, made from their headers."""

    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._numbers: dict[_Path, int] = {}  # the number of the last element of each array of tables
        self.scopes: list[Scope] = []

    def begin(self, start: int, parts: tuple[str, ...], *, of_array: bool) -> None:
        """Start a table, which ends at the next table that is not inside it."""
        path = self._path(parts[:-1]) + parts[-1:]
        group: _Path = ()
        if of_array:
            group = path
            self._numbers[group] = self._numbers.get(group, -1) + 1
            path = (*group, self._numbers[group])
        self._close(path, start)
        if group and (not self._open or self._open[-1].path != group):
            self._add(group, start)
        self._add(path, start)

    def end(self, size: int) -> None:
        """End all tables at the end of the text."""
        self._close((), size)

    def _path(self, parts: tuple[str, ...]) -> _Path:
        """Return the name of a table, with the number of the last element after the name of each array of tables."""
        path: list[str | int] = []
        for part in parts:
            path.append(part)
            number = self._numbers.get(tuple(path)) if self._numbers else None
            if number is not None:
                path.append(number)
        return tuple(path)

    def _add(self, path: _Path, top: int) -> None:
        known = len(self._open[-1].path) if self._open else 0
        self._open.append(_Open(path, top, name_of(".".join(map(str, path[known:])))))

    def _close(self, path: _Path, end: int) -> None:
        """End the open tables that the table with this path is not inside."""
        while self._open:
            last = self._open[-1]
            if len(last.path) < len(path) and path[: len(last.path)] == last.path:
                return
            self._open.pop()
            if last.name and len(self._open) < MAX_NAMED:
                self.scopes.append(Scope(last.start, end, last.name))


class _Walk:
    """One pass over the statements of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.found = Boundaries()
        self.tables: list[Header] = []
        self.members: list[Member] = []  # the keys
        self._comment: int | None = None  # the start of the comments before, which belong to the next entry
        self._comment_after_blank = False

    def run(self) -> None:
        """Collect boundaries, tables and keys."""
        text, size = self._text, len(self._text)
        at = 1 if text[0] == "\ufeff" else 0
        first_key, after_blank = False, True
        while at < size:
            table = _TABLE.match(text, at)
            key = None if table else _KEY.match(text, at)
            if table is not None:
                strength = int(_TABLES) - min(len(_parts(table[2])), _DEEPEST)
                top = self._statement(at, strength, "table")
                self.tables.append(Header(top, table[1] == "[[", *table.span(2)))
                end, first_key = table.end(), True
            elif key is not None:
                strength = _FIRST if first_key else _GROUP if after_blank else _KEYS
                top = self._statement(at, strength, "key")
                end, first_key = self._value(key.end()), False
                if end - top > LONG:
                    self.members.append(Member(top, end, Kind.KEY, *key.span(1)))
            elif (blank := _BLANK.match(text, at)) is not None:
                if not self._comment_after_blank:
                    self._comment = None  # they belong to the entry before
                after_blank, at = True, blank.end()
                continue
            elif (comment := _COMMENT.match(text, at)) is not None:
                end = comment.end()
                self.found.put_line(at, after_blank=after_blank)
                if self._comment is None:
                    self._comment = at
                    self._comment_after_blank = after_blank
                at, after_blank = end, False
                continue
            else:
                self.found.put_line(at, after_blank=after_blank)
                end = _line_end(text, at)
            self._comment, after_blank, at = None, False, end

    def _statement(self, at: int, strength: int, label: str) -> int:
        """Add the boundary of a statement at `at`. Returns the start of the statement with the comments before it."""
        top = at if self._comment is None else self._comment
        if top < at:
            self.found.put(at, _COMMENTED, label)
            if strength == _KEYS and self._comment_after_blank:
                strength = _GROUP
        self.found.put(top, strength, label)
        return top

    def _value(self, at: int) -> int:
        """Return the end of the line on which the value at `at` ends. Adds the lines inside the value."""
        text, size = self._text, len(self._text)
        start, depth, after_opening = at, 0, False
        while at < size:
            match = _EVENT.match(text, at)
            if match is None:  # cannot happen: the expression matches any character
                break
            at = match.end()
            if match.lastindex == _OPENED:
                depth, after_opening = depth + 1, True
            elif match.lastindex == _CLOSED:
                depth = max(depth - 1, 0)
            elif match.lastindex == _LINE_ENDED:
                if depth == 0 or _TABLE.match(text, at) or _KEY.match(text, at):
                    break  # a statement begins here, so a bracket that is still open was never closed
                if not _CLOSES_OR_BLANK.match(text, at):
                    if depth == 1:
                        self.found.put(at, _FIRST_ELEMENT if after_opening else _ELEMENT, "element")
                    after_opening = False
        self._lines(start, at)
        return at

    def _lines(self, start: int, end: int) -> None:
        """Add the lines inside a value: of long strings, nested arrays, comments."""
        text = self._text
        after_blank = False
        at = _line_end(text, start)
        while at < end:
            if _BLANK.match(text, at):
                after_blank = True
            elif not _CLOSES_OR_BLANK.match(text, at):
                self.found.put_line(at, after_blank=after_blank)
                after_blank = False
            at = _line_end(text, at)


def _line_end(text: str, at: int) -> int:
    """Return the end of the line at `at`, including its line end."""
    match = _LINE.match(text, at)
    return len(text) if match is None else match.end()


def _parts(name: str) -> tuple[str, ...]:
    """Split a dotted name into its parts, without quotes.

    >>> _parts('a . "b.c"')
    ('a', 'b.c')
    """
    return tuple(part[1:-1] if part[0] in "\"'" else part for part in _ONE_PART.findall(name))
