"""JSON Lines: one record per line; a record that is too long is cut as JSON.

    {"id": 1, "text": "..."}      record
    {"id": 2, "text": "..."}      record          scope "record 2", if it is longer than 64 characters
             ^ key, depth 1

A line that is not JSON is also a record, so that one invalid line does not affect others. Records count from 1, as
lines do. Blank lines are not records, and belong to the record before them.
"""

from __future__ import annotations

from typing import ClassVar

from chunker.formats.data.json_text import JsonScan, json_outline
from chunker.formats.declarations import LanguageNames
from chunker.formats.expressions import re
from chunker.formats.nesting import LONG, Kind, Member, strength_at
from chunker.formats.open_outline import OutlineOf
from chunker.formats.outline import Outline
from chunker.formats.restarting import Restarts
from chunker.native import native

_RECORD = re.compile(r"([^\r\n]++)(?:\r\n?|\n)?+|(?:\r\n?|\n)")

_compiled = native()


class JsonLinesFormat:
    """Records in JSON, one per line; also known as NDJSON."""

    name: ClassVar[str] = "jsonl"
    languages: ClassVar[dict[str, LanguageNames]] = {"JSON": {"suffixes": [".jsonl", ".ndjson"], "dialect": True}}
    language: str | None = name

    def restarts(self, outline: OutlineOf, _text: str) -> Restarts:
        """Return the rules for resuming: see `chunker.formats.restarting`."""
        return JsonLinesRestarts(outline)

    def outline(self, text: str) -> Outline:
        """Return the records of `text`, and the members of long ones. Linear; any str is allowed."""
        if not text:
            return Outline([])
        if _compiled is not None:
            found = _compiled.read_json_lines(text)
            return json_outline(text, found.columns(), found.members)
        return json_lines_in_python(text)


class JsonLinesRestarts(Restarts):
    """Restart rules for JSON Lines, from any record. The state to resume from is the number of the record."""

    numbered: ClassVar[str | None] = "record"
    holds_for_growing: ClassVar[bool] = True

    def places(self, _text: str, outline: Outline, start: int, /) -> list[int]:
        """Return the starts of the records, but not of several values on one line."""
        record = strength_at(0)
        return [
            offset
            for offset, strength in zip(outline.offsets, outline.strengths, strict=True)
            if offset >= start and strength >= record
        ]

    def counted(self, text: str, _outline: Outline, place: int, /) -> int:
        """Return the number of lines before `place` that have a record."""
        return sum(1 for line in re.split(r"[\r\n]", text[:place]) if line and not line.isspace())


def json_lines_in_python(text: str) -> Outline:
    """Return the outline of a non-empty text: the specification of the compiled reader."""
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
