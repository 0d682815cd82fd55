"""YAML: documents, then keys and items by their indentation.

    # Who.                      document
    name: web                   none                   comments belong to the next member,
                                                       unless a blank line comes after but not before them
    spec:                       key, depth 0           scope "spec"
      ports:                    first key, depth 1     scope "ports"
      - name: http              first item, depth 2    scope "0"; a list may be indented like its key
        port: 80                key, depth 3
      - name: ssh               item, depth 2          scope "1"
      script: |                 key, depth 1           scope "script"
        echo one                line                   the lines of a scalar are text
    ---                         document               scopes "document 1", "document 2"

The scan works on lines and does not parse: templates (Helm, Jinja), partial files and tabs are cut all the same. A
value that begins on the line of its key continues over all lines with more indentation; so do block scalars. Flow
collections over several lines are cut at lines; a text that is a single flow collection is cut as JSON, because it is
JSON or similar. The compiled twin of the scan is chunker/cpp/src/formats/yaml.cpp.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

from chunker.formats.data.json_text import JsonFormat
from chunker.formats.data.yaml_restarts import YamlRestarts
from chunker.formats.declarations import LanguageNames
from chunker.formats.expressions import re
from chunker.formats.nesting import (
    LONG,
    MAX_NAMED,
    Boundaries,
    Kind,
    Member,
    NestingRank,
    outline_of,
    scopes_of,
    strength_at,
)
from chunker.formats.open_outline import OutlineOf
from chunker.formats.outline import Outline
from chunker.formats.restarting import Restarts
from chunker.native import native

_LINE = re.compile(r"(\ufeff?[ \t]*+)((?:-(?:[ \t]++|(?=[\r\n]|\Z)))*+)([^\r\n]*+)(?:\r\n?|\n|\Z)")
_MARKER = re.compile(r"(?:---|\.\.\.)(?:[ \t]|\Z)")
_PROPERTIES = r"(?:[&!][^\s,\[\]{}]*+[ \t]++)*+"
_KEY = re.compile(
    rf"""(?:\?[ \t]++)?+{_PROPERTIES}(?:"([^"\\]*+(?:\\.[^"\\]*+)*+)"|'([^']*+(?:''[^']*+)*+)'"""
    r"""|(\*?[^\s"'\#&*!|>%@`{}\[\],?-](?:[^:\#]|:(?=\S)|(?<=\S)\#)*+|[?-](?=\S)(?:[^:\#]|:(?=\S)|(?<=\S)\#)*+)"""
    r"""|(\*[^\s:]++))[ \t]*+:(?=[ \t]|\Z)"""
)
_NO_VALUE = re.compile(r"[ \t]*+(?:[&!][^\s,\[\]{}]*+(?:[ \t]++|\Z))*+(?:\#.*+)?\Z")
_BLOCK_SCALAR = re.compile(r"[ \t]*+(?:[&!][^\s,\[\]{}]*+[ \t]++)*+[|>][-+0-9]*+[ \t]*+(?:\#.*+)?\Z")
_FLOW = re.compile(r"\ufeff?(?:\s++|\#[^\r\n]*+)*+[\[{](?!\{|%)")

_MAPPING, _SEQUENCE = 0, 1
_DOCUMENT = strength_at(0) + len(NestingRank)

_compiled = native()


class YamlFormat:
    """YAML, of one or several documents."""

    name: ClassVar[str] = "yaml"
    languages: ClassVar[dict[str, LanguageNames]] = {"YAML": {"suffixes": [".yaml", ".yml"]}}
    language: str | None = name

    def outline(self, text: str) -> Outline:
        """Return the documents, keys and items of `text`. The scopes are those longer than 64 characters, and the
        documents if there are several.

        Linear; any str is allowed.
        """
        if not text:
            return Outline([])
        if _FLOW.match(text):
            return JsonFormat().outline(text)
        if _compiled is not None:
            found = _compiled.read_yaml(text)
            offsets, strengths, labels = found.columns()
            return Outline.of_columns(offsets, strengths, labels, lambda: scopes_of(text, found.members(), str))
        return yaml_in_python(text)

    def restarts(self, outline: OutlineOf, text: str) -> Restarts | None:
        """Return the rules for resuming: see `chunker.formats.restarting`. None for a flow collection, which is parsed
        as a whole.
        """
        return None if _FLOW.match(text) else YamlRestarts(outline, text)


def yaml_in_python(text: str) -> Outline:
    """Return the outline of a non-empty text that is not a flow collection: the specification of the compiled
    reader.
    """
    walk = _Walk(text)
    walk.run()
    return outline_of(text, walk.found, scopes_of(text, walk.members, str), "document")


class _Line(NamedTuple):
    """A non-blank line: its start, its indentation, its dashes, and its body with the offset `at`."""

    start: int
    indent: int
    dashes: str
    at: int
    body: str
    after_blank: bool


class _Comment(NamedTuple):
    offset: int
    indent: int
    after_blank: bool


class _Level:
    """An open mapping or sequence: its column and kind; and for its current member the start, the span of its key, and
    its number.
    """

    __slots__ = ("column", "key", "kind", "number", "start")

    def __init__(self, column: int, kind: int) -> None:
        self.column = column
        self.kind = kind
        self.number = -1
        self.start = 0
        self.key = (0, 0)


class _Walk:
    """One pass over the lines of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.found = Boundaries()
        self._levels: list[_Level] = []
        self._comments: list[_Comment] = []  # the comments before the next entry
        self._documents = [0]
        self._started = False  # whether there was anything but comments and directives
        self._open_column: int | None = None  # lines with more indentation continue the value that began in this column
        self._in_block = False  # whether these are the lines of a block scalar
        self.members: list[Member] = []

    def run(self) -> None:
        """Collect boundaries and members."""
        after_blank = True
        for match in _LINE.finditer(self._text):
            start, end = match.span()
            if start == end:
                break
            dashes, body = match[2], match[3]
            if not dashes and (not body or body.isspace()):
                after_blank = True
                if not self._in_block and self._comments and not self._comments[0].after_blank:
                    self._comments.clear()  # they belong to the entry before
                continue
            indent = match.end(1) - start
            if start == 0 and self._text[0] == "\ufeff":
                indent -= 1
            self._read(_Line(start, indent, dashes, match.start(3), body, after_blank))
            after_blank = False
        end = len(self._text)
        self._close(-1, _MAPPING, end)
        if len(self._documents) > 1:
            ends = [*self._documents[1:], end]
            for number, (first, stop) in enumerate(zip(self._documents, ends, strict=True), 1):
                self.members.append(Member(first, stop, Kind.DOCUMENT, number, 0))

    def _read(self, line: _Line) -> None:
        """Handle a non-blank line."""
        start, indent, dashes, _, body, after_blank = line
        if indent == 0 and not dashes and _MARKER.match(body):
            self._marker(start, body)
        elif self._open_column is not None and indent > self._open_column:
            pass  # it continues the value before
        elif not dashes and body.startswith("#"):
            self._comments.append(_Comment(start, indent, after_blank))
        elif self._started or indent > 0 or dashes or not body.startswith("%"):
            self._started = True
            key = _KEY.match(body)
            if dashes or key is not None:
                self._member(line, key)
                return
            self._comments.clear()
            if not self._levels and _BLOCK_SCALAR.match(body):  # a scalar that is the whole document
                self._value(body, -1)
        self.found.put_line(start, after_blank=after_blank)

    def _marker(self, start: int, body: str) -> None:
        """Handle a marker line. Dashes begin a document; the first marker only if something but comments and directives
        precedes it.
        """
        self._close(-1, _MAPPING, start)
        self._comments.clear()
        self._in_block, self._open_column = False, None
        if body.startswith("-"):
            if self._started:
                self.found.put(start, _DOCUMENT, "document")
                self._documents.append(start)
            self._started = True
            self._value(body[3:], -1)

    def _member(self, line: _Line, key: re.Match[str] | None) -> None:
        """Handle a line that begins a key or an item, or several nested ones."""
        start, indent, dashes, at, body, _ = line
        top = self._with_comments(start, indent)
        column = indent
        rest = dashes
        first_of_line = True
        while rest:
            self._enter(column, _SEQUENCE, top, (0, 0), put=first_of_line, start=start)
            first_of_line = False
            width = len(rest) - len(rest[1:].lstrip(" \t"))
            column, rest = column + width, rest[width:]
        if key is None:
            self._value(body, self._levels[-1].column)
            return
        first, last = key.span(key.lastindex or 0)
        self._enter(column, _MAPPING, top, (at + first, at + last), put=first_of_line, start=start)
        self._value(body[key.end() :], column)

    def _enter(self, column: int, kind: int, top: int, key: tuple[int, int], *, put: bool, start: int) -> None:
        """Begin a member of this kind in this column; `top` is its start with its comments, `key` the span of its
        key.
        """
        self._close(column, kind, top)
        levels = self._levels
        if not levels or (levels[-1].column, levels[-1].kind) != (column, kind):
            levels.append(_Level(column, kind))
            rank = NestingRank.FIRST
        else:
            rank = NestingRank.MEMBER
        level = levels[-1]
        level.number += 1
        level.start = top
        level.key = key
        if put:
            depth = len(levels) - 1
            if top < start:
                self.found.put(start, strength_at(depth, NestingRank.COMMENTED), "key" if kind == _MAPPING else "item")
            self.found.put(top, strength_at(depth, rank), "key" if kind == _MAPPING else "item")

    def _close(self, column: int, kind: int, end: int) -> None:
        """End the members that are open inside this column, and the previous member in this column."""
        levels = self._levels
        while levels and (levels[-1].column, levels[-1].kind) > (column, kind):
            self._name(levels.pop(), len(levels), end)
        if levels and (levels[-1].column, levels[-1].kind) == (column, kind):
            self._name(levels[-1], len(levels) - 1, end)

    def _name(self, level: _Level, depth: int, end: int) -> None:
        if end - level.start <= LONG or depth >= MAX_NAMED:
            return
        if level.kind == _SEQUENCE:
            self.members.append(Member(level.start, end, Kind.ELEMENT, level.number, 0))
        else:
            self.members.append(Member(level.start, end, Kind.KEY, *level.key))

    def _value(self, value: str, column: int) -> None:
        """Handle the value of a member in this column on the line of its key."""
        self._in_block = _BLOCK_SCALAR.match(value) is not None
        self._open_column = column if self._in_block or _NO_VALUE.match(value) is None else None

    def _with_comments(self, start: int, indent: int) -> int:
        """Return the start of the comments before a line that are not indented more than it. Clears the comments."""
        top = start
        while self._comments and self._comments[-1].indent <= indent:
            top = self._comments.pop().offset
        self._comments.clear()
        return top
