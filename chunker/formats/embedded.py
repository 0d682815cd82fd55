"""Code inside markup: find the boundaries of a long block of code by its own format.

    ```python          kept whole if it fits, like any block
    class Cart:        scope "class Cart"
        def add(...    weaker than all markup, stronger than a line
    ```

Short blocks are cut by lines: most budgets keep them whole, and a parser costs more than everything else. So is code in
a language without a format or an installed parser. Markup inside markup is also cut by lines, so that nesting is
limited.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from chunker.errors import ChunkerError
from chunker.formats.detect import format_called
from chunker.formats.expressions import re
from chunker.formats.outline import Format, Outline, Scope, Strength
from chunker.formats.registry import format_named

# Code of at least this many characters is parsed: a few hundred tokens.
LONG_CODE = 1_000

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")

_MARKUP = frozenset({"html", "latex", "markdown", "restructuredtext", "text"})


class EmbeddedSpan(NamedTuple):
    """A span of lines in a text: `start` and `end` in characters; `start` is at the start of a line.

    `indent`: on each line, up to this many characters of indentation and quote marks are not part of the code.
    """

    start: int
    end: int
    indent: int = 0


def code_inside(text: str, span: EmbeddedSpan, language: str) -> Outline | None:
    """Return the outline of the code in `span`, in offsets of `text`; None if it is short, or its language is
    unknown.

    Its boundaries are strictly inside the span, at the start of a line of `text` or inside one. Their strengths are
    between `PARAGRAPH` and `STRUCTURE`, or at most that of a line or paragraph.
    """
    code_format = None if span.end - span.start < LONG_CODE else _format_of(language)
    if code_format is None:
        return None
    code = _Code(text, span)
    outline = code_format.outline(code.text)
    return Outline.of_columns(*code.columns(outline), code.scopes(outline), outline.notes, finest=outline.finest)


def _format_of(language: str) -> Format | None:
    name = format_called(language.strip())
    if name is None or name in _MARKUP:
        return None
    try:
        return format_named(name)
    except (ChunkerError, ImportError):
        return None  # the parser of this language is not installed: cut by lines


class _Line(NamedTuple):
    """A line of code: its start in the code and in the text, and the number of its first characters that are not part
    of the code.
    """

    start: int
    origin: int
    dropped: int


class _Code:
    """The code of a span as a text of its own; converts its outline to offsets of the text around it."""

    def __init__(self, around: str, span: EmbeddedSpan) -> None:
        self._span = span
        self.text, self._lines = _unindented(around, span)
        self._starts = [line.start for line in self._lines]

    def columns(self, outline: Outline) -> tuple[list[int], list[int], list[str]]:
        """Return the boundaries strictly inside the span."""
        ranks = _squeezed(set(outline.strengths))
        strengths = [ranks[strength] for strength in outline.strengths]
        start = self._span.start
        if not self._span.indent:
            return [start + offset for offset in outline.offsets[1:]], strengths[1:], outline.labels[1:]
        # The start of a line is its start in the text, before indentation that is not part of the code.
        places = list(map(self._place, outline.offsets))
        inside = [row for row, place in enumerate(places) if start < place < self._span.end]
        return (
            [places[row] for row in inside],
            [strengths[row] for row in inside],
            [outline.labels[row] for row in inside],
        )

    def scopes(self, outline: Outline) -> list[Scope]:
        """Return the scopes of the code."""
        place = self._place
        return [Scope(place(start), place(end), name, header) for start, end, name, header in outline.scopes]

    def _place(self, offset: int) -> int:
        line = self._lines[bisect_right(self._starts, offset) - 1]
        return line.origin if offset == line.start else line.origin + line.dropped + offset - line.start


def _unindented(text: str, span: EmbeddedSpan) -> tuple[str, list[_Line]]:
    """Return the code, and its lines; one line for the whole code if there is no indentation to drop."""
    if not span.indent:
        return text[span.start : span.end], [_Line(0, span.start, 0)]
    parts: list[str] = []
    lines: list[_Line] = []
    size = 0
    for match in _LINE.finditer(text, span.start, span.end):
        line = match[0]
        content = line[: span.indent].lstrip(" \t>") + line[span.indent :]
        lines.append(_Line(size, match.start(), len(line) - len(content)))
        parts.append(content)
        size += len(content)
    return "".join(parts), lines


def _squeezed(strengths: set[int]) -> dict[int, int]:
    """Map the strengths of a code format, in order, to strengths below any structure of markup.

    >>> _squeezed({40, 50, 1_843, 1_850, 1_000_000})
    {40: 40, 50: 50, 1843: 97, 1850: 98, 1000000: 99}
    """
    paragraph, top = int(Strength.PARAGRAPH), int(Strength.STRUCTURE) - 1
    strong = sorted((strength for strength in strengths if strength > paragraph), reverse=True)
    squeezed = {strength: max(top - rank, paragraph + 1) for rank, strength in enumerate(strong)}
    return {strength: squeezed.get(strength, strength) for strength in sorted(strengths)}
