"""JSON Lines: one record a line; a record that is too long is cut as JSON.

    {"id": 1, "text": "..."}      record
    {"id": 2, "text": "..."}      record          scope "record 2", if it is longer than 64 characters
             ^ key, depth 1

A line that is no JSON is a record like others, so that one bad line spoils no other. Records count from 1, as lines do; blank lines are
none, and belong to the record before them.
"""

from __future__ import annotations

from chunker.formats.data.json_lines_restarts import JsonLinesRestarts
from chunker.formats.data.json_text import JsonScan, json_outline
from chunker.formats.expressions import re
from chunker.formats.nesting import LONG, Kind, Member, strength_at
from chunker.formats.open_outline import OpenOutline, OutlineOf
from chunker.formats.outline import Outline
from chunker.formats.restarting import RestartingOutline, Restarts
from chunker.native import native

_RECORD = re.compile(r"([^\r\n]++)(?:\r\n?|\n)?+|(?:\r\n?|\n)")

_compiled = native()


class JsonLinesFormat:
    """Records in JSON, one a line: also known as NDJSON."""

    language: str | None = "jsonl"

    def open_outline(self, outline: OutlineOf) -> OpenOutline:
        """The outline of records that are still arriving: it is read anew from any of them."""
        return RestartingOutline(JsonLinesRestarts(outline))

    def restarts(self, outline: OutlineOf, _text: str) -> Restarts:
        """Where reading can resume: see `chunker.formats.restarting`."""
        return JsonLinesRestarts(outline)

    def outline(self, text: str) -> Outline:
        """The records of `text`, and what long ones hold. Linear; any str is welcome."""
        if not text:
            return Outline([])
        if _compiled is not None:
            found = _compiled.read_json_lines(text)
            return json_outline(text, found.columns(), found.members)
        return json_lines_in_python(text)


def json_lines_in_python(text: str) -> Outline:
    """The outline of a text that is not empty: the specification of what is compiled."""
    scan = JsonScan(text)
    strength = strength_at(0)
    number = 0
    for match in _RECORD.finditer(text):
        line = match[1]
        if line is None or line.isspace():
            continue
        number += 1
        start, end = match.span(1)
        scan.put(start, strength, "record")
        if end - start > LONG:
            scan.members.append(Member(start, end, Kind.RECORD, number, 0))
            scan.run(start, end, outer=1)
    return json_outline(text, scan.columns("record"), lambda: scan.members)
