"""Plain text: paragraphs and lines.

    "One.\\nTwo.\\n\\nThree."   ->   ^0 DOCUMENT   ^5 LINE   ^11 PARAGRAPH

The more blank lines come before a paragraph, the stronger its boundary: authors who leave two between chapters and one
between paragraphs do so on purpose.

There is one boundary for every non-blank line, so all the work is done in bulk, without a step of Python per line: by
the compiled core (chunker/cpp/src/text_rows.cpp), whose growers then need no list of them; or `str.splitlines` finds
the lines, their lengths add up to offsets, and the number of blank lines before each selects its strength and label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import accumulate, chain, compress, islice
from operator import and_, not_
from typing import TYPE_CHECKING, Any, ClassVar

from chunker.formats.declarations import LanguageNames
from chunker.formats.expressions import re
from chunker.formats.open_outline import OpenOutline, OutlineOf
from chunker.formats.outline import Outline, Strength
from chunker.formats.restarting import Restarts
from chunker.formats.text.open_text import OpenText, TextRestarts
from chunker.native import native

if TYPE_CHECKING:  # the module does not exist without a compiled core
    from chunker._native import TextReading

# Line ends: those of Unicode (UAX #14 BK, CR, LF, NL). A PARAGRAPH SEPARATOR ends a paragraph by itself.
# `str.splitlines` also treats three control characters as line ends, \x1c, \x1d and \x1e, and `str.isspace` treats them
# and \x1f as white space: here they are ordinary characters.
_LINE = re.compile(r"[^\n\r\v\f\x85\u2028\u2029]*+(?:\r\n|[\n\r\v\f\x85\u2028\u2029]|\Z)")
_BLANK = re.compile(r"[^\S\x1c-\x1f]*+")
_UNUSUAL = ("\x1c", "\x1d", "\x1e", "\x1f", "\u2029")

# Any more blank lines than these have no effect.
_MOST_BLANK = 8
# Strengths by the number of blank lines before.
_STRENGTHS = [int(Strength.LINE), *range(Strength.PARAGRAPH, Strength.PARAGRAPH + _MOST_BLANK)]
_LABELS = ["line", *["paragraph"] * _MOST_BLANK]

_Rows = tuple[list[int], list[int], list[str]]  # the columns of an outline
_compiled = native()


class TextFormat:
    """Plain text. Boundaries are at line starts; blank lines belong to the paragraph before them."""

    name: ClassVar[str] = "text"
    languages: ClassVar[dict[str, LanguageNames]] = {
        "Text": {
            "suffixes": [".txt", ".text"],
            "file_names": ["AUTHORS", "CHANGELOG", "COPYING", "LICENSE", "NEWS", "NOTICE", "README", "TODO"],
        },
        "AsciiDoc": {"suffixes": [".adoc", ".asciidoc"]},
        "Diff": {"suffixes": [".diff", ".patch"]},
        "Gettext": {"suffixes": [".po", ".pot"]},
        "Log": {"suffixes": [".log"]},
    }
    language: str | None = None
    _notes: ClassVar[dict[str, str]] = {}

    def open_outline(self, outline: OutlineOf) -> OpenOutline:
        """Return the outline of a text that is still growing: no line is read again.

        Args:
            outline: A function that makes the outline of a text.

        Returns:
            An outline of a text that is empty at first. `feed` adds to it and returns the boundaries that are final.
        """
        return OpenText(outline)

    def restarts(self, outline: OutlineOf, _text: str) -> Restarts:
        """Return the rules for parsing a text from the middle: see `chunker.formats.restarting`.

        Args:
            outline: A function that makes the outline of a text.

        Returns:
            Rules by which parsing can resume at any boundary.
        """
        return TextRestarts(outline)

    def outline(self, text: str) -> Outline:
        """Find the paragraphs and lines of a text; a run of blank lines is not cut. Linear time.

        Args:
            text: Any str.

        Returns:
            The boundaries of the document, its paragraphs and its lines, at offsets in characters; none for an empty
            text.
        """
        notes = dict(self._notes)
        if not text:
            return Outline([], notes=notes)
        if _compiled is None:
            return Outline.of_columns(*rows_in_bulk(text), notes=notes, finest=Strength.LINE)
        return CompiledText(_compiled.TextReading(text), notes)


class CompiledText(Outline):
    """An outline that the compiled grower reads from `native`. Its columns become lists when one of them is asked
    for.
    """

    __slots__ = ("native",)

    def __init__(self, native: TextReading, notes: dict[str, str]) -> None:
        self._set_all_but_columns((), notes, Strength.LINE, None)
        self.native = native

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # one of the columns, which are not there yet
        if name not in {"labels", "offsets", "strengths"}:
            raise AttributeError(name)
        self.offsets, self.strengths, self.labels = self.native.columns()
        return getattr(self, name)

    def __reduce__(self) -> tuple[Callable[..., Outline], tuple[object, ...]]:
        return Outline.of_columns, (self.offsets, self.strengths, self.labels, (), self.notes)


def rows_in_bulk(text: str) -> _Rows:
    """Return the non-blank lines, and the first line; a run of blank lines is not cut."""
    ended: list[bool] = []
    if any(mark in text for mark in _UNUSUAL):
        lines = _LINE.findall(text)[:-1]  # for the expression, the end of the text is a line, too
        blank = [_BLANK.fullmatch(line) is not None for line in lines]
        ended = [line[-1] == "\u2029" for line in lines]
    else:
        lines = text.splitlines(keepends=True)
        blank = list(map(str.isspace, lines))
    # The number of blank lines that end with each line.
    runs: Iterable[int] = blank
    if any(map(and_, blank, islice(blank, 1, None))):
        runs = accumulate(blank, lambda run, is_blank: min(run + 1, _MOST_BLANK) if is_blank else 0)
    if ended:
        runs = map(max, runs, ended)
    # Whether there is a boundary at the start of each line.
    keep = [True, *map(not_, islice(blank, 1, None))]
    offsets = list(compress(accumulate(map(len, lines), initial=0), keep))
    above = list(compress(chain((0,), runs), keep))
    strengths = [int(Strength.DOCUMENT), *map(_STRENGTHS.__getitem__, islice(above, 1, None))]
    return offsets, strengths, ["paragraph", *map(_LABELS.__getitem__, islice(above, 1, None))]
