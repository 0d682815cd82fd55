r"""Offsets where parsing of LaTeX can resume: each section, paragraph or environment outside of all environments, after a
blank line.

    \section{Guide}
                            the preamble there:
    First.                  \section{Guide}
                            x
    Second.
      ^ from here

There the reader knows nothing but the titles of the sections around, which the preamble repeats, and that the document
has begun.
"""

from __future__ import annotations

from chunker.formats.code.parser_copies import copy_for_parsers
from chunker.formats.expressions import re
from chunker.formats.markup.latex_commands import SECTIONS, VERBATIM, argument, document_start
from chunker.formats.open_outline import OutlineOf
from chunker.formats.outline import Outline
from chunker.formats.restarting import NotLocalError, Restarts

_DOCUMENT = "\\begin{document}"
_BLANK_LINE_BEFORE = re.compile(r"\n[ \t]*\n\Z")
_LONGEST_BLANK_LINE = 200
_SECTION = re.compile(rf"\\(?:{'|'.join(SECTIONS)})(?![A-Za-z@])\*?")
_COMMENTS = re.compile(r"(?:[ \t]*+%[^\n]*+\n)*+")
# Constructs that may end anywhere later in the text: a verbatim environment, and an optional argument of a title that
# contains a blank line.
_FAR = re.compile(
    rf"\\begin[ \t]*\{{[ \t]*(?P<name>(?:{'|'.join(sorted(VERBATIM))})\**)[ \t]*\}}"
    rf"|{_SECTION.pattern}[ \t]*\[[^\]\[{{}}]{{0,400}}?\n[ \t]*\n"
)
# Characters of the comments before a section and of its title; a longer start has no name in the preamble.
_LONGEST_START = 4_000
# Ends the title of the last section, so that the rest does not directly follow a title.
_PARAGRAPH = "x\n\n"


class LatexRestarts(Restarts):
    """Restart rules for LaTeX that begins as `text` does. `level`: the strength of a block outside of environments."""

    def __init__(self, outline: OutlineOf, text: str, level: int) -> None:
        super().__init__(outline)
        self._level = level
        start = document_start(copy_for_parsers(text))
        self._opening = _DOCUMENT + "\n" if start >= 0 else ""
        self.decided_by = start + len(_DOCUMENT) if start >= 0 else 0

    def places(self, text: str, outline: Outline, start: int, /) -> list[int]:
        """Return the blocks outside of environments, and the sections if no environment begins between such a block
        and them, before the first text that another one far after it may still change.
        """
        copy = copy_for_parsers(text)
        document = document_start(copy)
        if not self._opening and document >= 0:
            raise NotLocalError  # all before is a preamble now
        end = _certain(copy)
        found = []
        begin = copy.find("\\begin", document + len(_DOCUMENT) if document >= 0 else 0)
        for offset, strength, label in zip(outline.offsets, outline.strengths, outline.labels, strict=True):
            if strength != self._level and (label != "section" or 0 <= begin < offset):
                continue
            if 0 <= begin < offset:
                begin = copy.find("\\begin", offset)
            if start <= offset < end and _BLANK_LINE_BEFORE.search(copy, max(offset - _LONGEST_BLANK_LINE, 0), offset):
                found.append(offset)
        return found

    def preamble(self, text: str, outline: Outline, place: int, /) -> str:
        """Return the titles of the sections around `place`, as written."""
        titles = [_title_at(text, scope.start) for scope in outline.scopes_around(place)]
        return self._opening + "".join(titles) + _PARAGRAPH


def _certain(text: str) -> int:
    """Return the offset up to which no text after `text` can change how it is read."""
    ends: dict[str, int] = {}  # the last \end of each verbatim environment
    for match in _FAR.finditer(text):
        name = match["name"]
        if name is None:
            return match.start()
        if name not in ends:
            ends[name] = text.rfind(f"\\end{{{name}}}")
        if ends[name] < match.end():
            return match.start()
    return len(text)


def _title_at(text: str, start: int) -> str:
    """Return the command of the section that begins at `start`, after its comments; "" if it has no title."""
    copy = copy_for_parsers(text[start : start + _LONGEST_START])
    comments = _COMMENTS.match(copy)
    command = _SECTION.search(copy, 0 if comments is None else comments.end())
    if command is None:
        return ""
    begin, end = argument(copy, command.end())
    return text[start + command.start() : start + end] + "}\n" if begin < end else ""
