"""The lines of reStructuredText: how far each is indented, and what it may begin.

    Title            text       adorned by the next line
    =====            adornment
    - item           bullet     its content is indented by 2
      more           text
    .. note:: x      explicit   "note", with an argument
    +---+            grid

Nothing here looks at more than a line: what a line is depends on those around it, which `restructuredtext` knows.
"""

from __future__ import annotations

from typing import NamedTuple

from chunker.formats.expressions import re

_LINE = re.compile(r"([ \t]*+)([^\n]*+)(\n|\Z)")

# A bullet, an enumerator, a field or an option; group 1 is what stands before the content.
BULLET = re.compile(r"([*+-](?:[ \t]++|$))")
ENUMERATOR = re.compile(r"(\(?(?:[0-9]{1,9}|[A-Za-z]|[ivxlcdm]{1,12}|[IVXLCDM]{1,12}|#)[.)](?:[ \t]++|$))")
FIELD = re.compile(r"(:(?![:\s])(?:[^:\\]|\\.|:(?![ \t]|$|`))++:(?:[ \t]++|$)|:(?![:\s])[^:`]++:`)")
OPTION = re.compile(
    r"((?:-[A-Za-z0-9]|--?[A-Za-z][\w-]*+|/[A-Z])(?:[ =][<\w][^ ]*+)?(?:, (?:--?|/)[^ ]++(?: [<\w][^ ]*+)?)*+(?:  +|$))"
)
EXPLICIT = re.compile(r"\.\.(?:[ \t]++|$)")
DIRECTIVE = re.compile(r"\.\.[ \t]++(?:\|[^|]++\|[ \t]++)?((?:[\w+-]++:)?[\w.+-]++)[ \t]?::(?:[ \t]++|$)")
FOOTNOTE = re.compile(r"\.\.[ \t]++\[[^\]\s]++\](?:[ \t]|$)")
TARGET = re.compile(r"(?:\.\.[ \t]++)?__?(?:[^:\\]|\\.|:(?=\S))*+:(?:[ \t]|$)|__[ \t]")
LINE_BLOCK = re.compile(r"\|(?:[ \t]|$)")
DOCTEST = re.compile(r">>>(?:[ \t]|$)")
GRID = re.compile(r"\+(?:-++\+)++$")
GRID_HEADER = re.compile(r"\+(?:=++\+)++$")
SIMPLE = re.compile(r"=++(?:[ \t]++=++)++$")
ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*+$")


class Line(NamedTuple):
    """A line that is not blank: its start, where its text begins and ends, and the column of its text, tabs expanded."""

    start: int
    ink: int
    end: int
    indent: int
    after_blank: bool
    text: str


def lines_of(copy: str, start: int) -> list[Line]:
    """The lines of `copy[start:]` that are not blank."""
    lines = []
    blank = True
    for match in _LINE.finditer(copy, start):
        text = match[2].rstrip()
        if text:
            spaces = match[1]
            indent = len(spaces.expandtabs(8)) if "\t" in spaces else len(spaces)
            lines.append(Line(match.start(), match.end(1), match.end(), indent, blank, text))
        blank = not text
    return lines


def is_adornment(title: Line, adornment: Line) -> bool:
    """Whether the second line may adorn the first: one punctuation mark, repeated as often as the title is long or four times.

    >>> title, line, *_ = lines_of("Ab\\n==\\n", 0)
    >>> is_adornment(title, line)
    True
    """
    if not ADORNMENT.match(adornment.text):
        return False
    return len(adornment.text) >= min(len(title.text), 4)
