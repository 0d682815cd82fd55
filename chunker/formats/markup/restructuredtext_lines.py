"""The lines of reStructuredText: the indentation of each, and the blocks that it may begin.

    Title            text       adorned by the next line
    =====            adornment
    - item           bullet     its content is indented by 2
      more           text
    .. note:: x      explicit   "note", with an argument
    +---+            grid

This module considers single lines only. The meaning of a line also depends on the lines around it, which
`restructuredtext` handles.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from string import ascii_letters, digits
from typing import NamedTuple

from chunker.formats.expressions import re
from chunker.native import native

_compiled = native()

# A bullet, an enumerator, a field or an option; group 1 is the text before the content.
BULLET = re.compile(r"([*+-](?:[ \t]++|$))")
ENUMERATOR = re.compile(r"(\(?(?:[0-9]{1,9}|[A-Za-z]|[ivxlcdm]{1,12}|[IVXLCDM]{1,12}|#)[.)](?:[ \t]++|$))")
FIELD = re.compile(r"(:(?![:\s])(?:[^:\\]|\\.|:(?![ \t]|$|`))++:(?:[ \t]++|$)|:(?![:\s])[^:`]++:`)")
OPTION = re.compile(
    r"((?:-[A-Za-z0-9]|--?[A-Za-z][\w-]*+|/[A-Z])(?:[ =][<\w][^ ]*+)?(?:, (?:--?|/)[^ ]++(?: [<\w][^ ]*+)?)*+(?:  +|$))"
)
# Those that a line may match, by its first character, in the order in which they are tried.
ITEMS = {
    **dict.fromkeys("*+", ((BULLET, "item"),)),
    "-": ((BULLET, "item"), (OPTION, "option")),
    **dict.fromkeys("(#" + digits + ascii_letters, ((ENUMERATOR, "item"),)),
    ":": ((FIELD, "field"),),
    "/": ((OPTION, "option"),),
}
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
    """A non-blank line: its start, the start and end of its text, and the column of its text, with tabs expanded."""

    start: int
    text_start: int
    end: int
    indent: int
    after_blank: bool
    text: str


# Equal to Line(*fields), in a third of the time.
_as_line: Callable[[tuple[int, int, int, int, bool, str]], Line] = partial(tuple.__new__, Line)


def lines_of(copy: str, start: int) -> list[Line]:
    """Return the non-blank lines of `copy[start:]`."""
    if _compiled is None:
        return lines_in_python(copy, start)
    return list(map(_as_line, _compiled.restructuredtext_lines(copy, start)))


def lines_in_python(copy: str, start: int) -> list[Line]:
    """Return the non-blank lines, found in Python: the specification of the compiled function."""
    lines: list[Line] = []
    blank = True
    for line in copy[start:].split("\n"):
        end = start + len(line) + 1
        text = line.rstrip()
        if text:
            body = text.lstrip(" \t")
            spaces = len(text) - len(body)
            indent = len(text[:spaces].expandtabs(8)) if "\t" in text[:spaces] else spaces
            lines.append(_as_line((start, start + spaces, min(end, len(copy)), indent, blank, body)))
        blank = not text
        start = end
    return lines


def is_adornment(title: Line, adornment: Line) -> bool:
    """Whether the second line may adorn the first: one punctuation mark, repeated at least as often as the title is
    long, or four times.

    >>> title, line, *_ = lines_of("Ab\\n==\\n", 0)
    >>> is_adornment(title, line)
    True
    """
    if not ADORNMENT.match(adornment.text):
        return False
    return len(adornment.text) >= min(len(title.text), 4)
