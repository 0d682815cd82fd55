"""JSON: members and elements by depth; the breadcrumb is the keys and numbers around a chunk.

    {                         document
      "servers": [            first member, depth 1       scope "servers"
        {                     first element, depth 2      scope "0"
          "name": "a",        first member, depth 3
          "port": 1           member, depth 3             closing brackets stay with their container
        },
        {                     element, depth 2            scope "1"
          ...
      ],
      // Seconds.             member, depth 1             comments (JSON with comments, JSON5) belong to the next member
      "limit": 30,  // each   none                        ... on the same line to the previous one
      "x": "One.\\nTwo."       line, at the escaped line end inside a long string

A boundary is at the start of the line if only indentation precedes the member, else directly before the member: so
minified text is cut as well. Numbers count from 0, as in JSON Pointer and jq. Several values in sequence are records.

The scanner is one expression that jumps from one bracket or comma to the next. It never fails: an unclosed string ends
with its line, a superfluous closing bracket is ignored, and a truncated text is parsed up to its end. Each level of
depth costs a list item, not a recursive call. Its compiled twin is chunker/cpp/src/formats/json.cpp.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from itertools import compress
from typing import ClassVar

from chunker.formats.data.json_restarts import JsonRestarts
from chunker.formats.declarations import LanguageNames
from chunker.formats.expressions import re
from chunker.formats.nesting import (
    LONG,
    MAX_NAMED,
    Kind,
    Member,
    NestingRank,
    between_clusters,
    scopes_of,
    strength_at,
)
from chunker.formats.open_outline import OutlineOf
from chunker.formats.outline import Outline, Scope, Strength
from chunker.formats.restarting import Restarts
from chunker.native import native

_STRING = r'"[^"\\\r\n]*+(?:\\(?:\r\n|.)[^"\\\r\n]*+)*+"?'
_PLAIN = r'[^"\[\]{},/]*+'
# The rest of the line, if nothing but a comment is on it, and the blank lines after it; else spaces. Atomic, because a
# comment at the end of a text is not a member.
_AFTER = r"(?>[ \t]*+(?://[^\r\n]*+)?+(?:\r\n?|\n)(?:[ \t]*+(?:\r\n?|\n))*+|[ \t]*+)"
_OPENED, _SEPARATED, _FOLLOWED_BY_NOTHING, _CLOSED = 1, 2, 3, 4
_UNKNOWN, _NAMELESS = -1, -2  # instead of the place of a member
_FIRST, _MEMBER = int(NestingRank.FIRST), int(NestingRank.MEMBER)
_EVENT = re.compile(
    rf"""{_PLAIN}(?:{_STRING}{_PLAIN})*+"""
    rf"""(?:(?:([\[{{])|(,)){_AFTER}((?=\s*+(?:[\]}}]|\Z)))?+|([\]}}])|//[^\r\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?+|/|\Z)""",
    re.DOTALL,
)
_COMMENTS = r"(?:\s++|//[^\r\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/)*+"
_KEY = re.compile(
    rf"""{_COMMENTS}(?:({_STRING})|'([^'\r\n]*+)'|((?:[A-Za-z0-9_$.-]|[^\s\x00-\x7f])++))\s*+:""", re.DOTALL
)
_NEXT_RECORD = re.compile(rf"{_AFTER}(?=\s*+[^\s,\]}}])")
# Line ends inside a string; and all other escapes, so that none of them is mistaken for a line end.
_ESCAPE = re.compile(r"((?:\\r)?\\n(?:[ \t]*+(?:\\r)?\\n)*+)|\\.", re.DOTALL)

_compiled = native()


class JsonFormat:
    """JSON, with or without comments."""

    name: ClassVar[str] = "json"
    languages: ClassVar[dict[str, LanguageNames]] = {
        "JSON": {"suffixes": [".json", ".json5", ".jsonc", ".geojson", ".webmanifest"]},
    }
    language: str | None = name

    def outline(self, text: str) -> Outline:
        """Return the members of `text` by depth. The scopes are the members that are longer than 64 characters:
        "servers", "3", "name".

        Linear; any str is allowed.
        """
        if not text:
            return Outline([])
        if _compiled is not None:
            found = _compiled.read_json(text)
            return json_outline(text, found.columns(), found.members)
        return json_outline_in_python(text)

    def restarts(self, outline: OutlineOf, _text: str) -> Restarts:
        """Return the rules for resuming: see `chunker.formats.restarting`."""
        return JsonRestarts(outline)


def json_outline_in_python(text: str) -> Outline:
    """Return the outline of a non-empty text: the specification of the compiled reader."""
    scan = JsonScan(text)
    scan.run(0, len(text))
    return json_outline(text, scan.columns("document"), lambda: scan.members)


def json_outline(
    text: str, columns: tuple[list[int], list[int], list[str]], members: Callable[[], Iterable[Member]]
) -> Outline:
    """Return the outline with these columns; the members are named when the scopes are first used."""
    return Outline.of_columns(*columns, lambda: json_scopes(text, members()))


def json_scopes(text: str, members: Iterable[Member]) -> Iterable[Scope]:
    """Return the scopes of members of JSON."""
    return scopes_of(text, members, _key_of)


class JsonScan:
    """The boundaries and members of spans of one text, in order. Members are those of more than `long` characters."""

    def __init__(self, text: str, long: int = LONG) -> None:
        self._text = text
        self._long = long
        self.offsets: list[int] = []
        self.strengths: list[int] = []
        self.labels: list[str] = []
        self.members: list[Member] = []
        # For each open container, from the text itself as the outermost: the start of its current member, its number,
        # its place in `members`, and whether the container is an array.
        self._begins: list[int] = []
        self._numbers: list[int] = []
        self._named: list[int] = []
        self._arrays: list[bool] = []
        self._after_value = False  # whether a container or a superfluous bracket ended last: no scalar ends here

    def run(self, start: int, end: int, outer: int = 0) -> None:
        """Collect the boundaries and members in the value or values `text[start:end]`, which are at depth `outer`."""
        text, long = self._text, self._long
        begins, numbers, named, arrays = [start], [0], [_UNKNOWN], [False]
        self._begins, self._numbers, self._named, self._arrays, self._after_value = (
            begins,
            numbers,
            named,
            arrays,
            False,
        )
        put_offset, put_strength, put_label = self.offsets.append, self.strengths.append, self.labels.append
        outer -= 1  # the text itself is a container, too
        for match in _EVENT.finditer(text, start, end):
            event = match.lastindex
            if event is None:
                continue
            offset = match.end()
            if event == _CLOSED:
                self._close(offset, end, outer)
                continue
            opened = match.start(_OPENED)
            if opened >= 0:
                begins.append(offset)
                numbers.append(0)
                named.append(_UNKNOWN)
                arrays.append(text[opened] == "[")
                rank = _FIRST
            else:
                if offset - begins[-1] > long:
                    self._end_scalar(match.start(_SEPARATED))
                begins[-1] = offset
                numbers[-1] += 1
                named[-1] = _UNKNOWN
                rank = _MEMBER
            self._after_value = False
            if event != _FOLLOWED_BY_NOTHING and offset < end:
                put_offset(offset)
                put_strength(strength_at(outer + len(begins), rank))
                put_label("element" if arrays[-1] else "key")
        # Containers that are still open were truncated.
        self._end_scalar(end)
        for depth in range(len(self._begins) - 1):
            self._name(depth, end)

    def put(self, offset: int, strength: int, label: str) -> None:
        """Add a boundary after the existing ones."""
        self.offsets.append(offset)
        self.strengths.append(strength)
        self.labels.append(label)

    def columns(self, label: str) -> tuple[list[int], list[int], list[str]]:
        """Return all boundaries of a text whose first boundary has the given label."""
        offsets, strengths, labels = self.offsets, self.strengths, self.labels
        if offsets[:1] != [0]:
            offsets, strengths, labels = [0, *offsets], [0, *strengths], [label, *labels]
        strengths[0], labels[0] = int(Strength.DOCUMENT), label
        apart = between_clusters(self._text, offsets)
        if apart is not None:
            offsets, strengths, labels = (
                list(compress(offsets, apart)),
                list(compress(strengths, apart)),
                list(compress(labels, apart)),
            )
        return offsets, strengths, labels

    def _close(self, at: int, end: int, outer: int) -> None:
        """Handle a closing bracket that ends at `at`."""
        self._end_scalar(at - 1)
        self._after_value = True
        if len(self._begins) == 1:
            return
        self._begins.pop()
        self._numbers.pop()
        self._named.pop()
        self._arrays.pop()
        self._name(len(self._begins) - 1, at)
        if len(self._begins) > 1:
            return
        following = _NEXT_RECORD.match(self._text, at, end)
        if following is not None and following.end() < end:
            self._begins[0] = following.end()
            self._named[0] = _UNKNOWN
            self._after_value = False
            self.put(following.end(), strength_at(outer + 1), "record")

    def _name(self, depth: int, end: int) -> None:
        """Add the current member of the container at this depth, which ends at `end`, if it is long. Where no comma
        stands between two values it ends again.
        """
        start, place = self._begins[depth], self._named[depth]
        if end - start <= self._long or depth >= MAX_NAMED or place == _NAMELESS:
            return
        if place != _UNKNOWN:
            self.members[place] = self.members[place]._replace(end=end)
            return
        self._named[depth] = len(self.members)
        if self._arrays[depth]:
            self.members.append(Member(start, end, Kind.ELEMENT, self._numbers[depth], 0))
            return
        key = _KEY.match(self._text, start, end)
        first, last = key.span(key.lastindex or 0) if key is not None else (0, 0)
        if first < last:
            self.members.append(Member(start, end, Kind.KEY, first, last))
        else:
            self._named[depth] = _NAMELESS

    def _end_scalar(self, end: int) -> None:
        """Handle the end of a scalar member: a long one is nearly always a string, which may contain line ends."""
        text, start = self._text, self._begins[-1]
        if end - start <= self._long or self._after_value:
            return
        self._name(len(self._begins) - 1, start + len(text[start:end].rstrip()))
        if text.find("\\n", start, end) < 0:
            return
        for match in _ESCAPE.finditer(text, start, end):
            offset = match.end()
            if match[1] and offset < end and text[offset] != '"':
                if match[1].count("\\n") > 1:
                    self.put(offset, int(Strength.PARAGRAPH), "paragraph")
                else:
                    self.put(offset, int(Strength.LINE), "line")


def _key_of(key: str) -> str:
    """Decode a key as far as possible: a JSON string, or a name without quotation marks."""
    if not key.startswith('"'):
        return key
    if "\\" not in key:
        return key.strip('"')
    try:
        value = json.loads(key[:512], strict=False)
    except ValueError:
        return key.strip('"')
    return str(value)
