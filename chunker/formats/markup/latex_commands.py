r"""Find the LaTeX commands that matter for blocks, in one pass.

    \section{A} % note        section 0..8, comment 12..18
    \begin{itemize}           begin "itemize"
    \item \verb|%|            item              the argument of \verb is not parsed
                              blank
    \end{itemize}             end "itemize"

A verbatim environment is one command with all its content. Braces are matched only in the titles of sections.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from chunker.formats.expressions import re


class Command(NamedTuple):
    """A command, `text[start:end]`. `kind` is "begin", "end", "section", "item", "comment", "blank" or "verbatim";
    `name` is the environment, or the command of a section. For "verbatim", `start` is that of \\begin, and `body` the
    start of its content.
    """

    kind: str
    start: int
    end: int
    name: str = ""
    body: int = 0


# The sections, from the highest level to the lowest.
SECTIONS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
LISTS = frozenset({"compactitem", "compactenum", "description", "enumerate", "itemize", "thebibliography", "trivlist"})
# Environments that are kept whole if they fit: their inside is cut by lines.
WHOLE = frozenset(
    """algorithm algorithmic align alignat aligned array displaymath dmath eqnarray equation figure flalign forest gather math multline
    pgfpicture picture pmatrix bmatrix sidewaysfigure split subequations table sidewaystable tikzpicture wrapfigure wraptable""".split()  # noqa: SIM905  # words are easier to read than strings
)
TABLES = frozenset({"longtable", "longtblr", "supertabular", "tabu", "tabular", "tabularx", "tabulary", "tblr"})
VERBATIM = frozenset(
    {"Verbatim", "alltt", "comment", "filecontents", "listing", "lstlisting", "minted", "semiverbatim", "verbatim"}
)

_LONGEST_NAME = 80
_COMMAND = re.compile(
    rf"""
    \\ (?: (?P<edge> begin | end ) [ \t]* \{{ (?P<name> [^{{}}\\\n]{{1,{_LONGEST_NAME}}}+ ) \}}
         | (?P<section> {"|".join(SECTIONS)} ) (?![A-Za-z@]) \*?
         | (?P<item> item ) (?![A-Za-z@])
         | verb \*? (?P<mark> [^A-Za-z*\s\\] ) [^\n]*? (?: (?P=mark) | (?=\n) | \Z )
         | [A-Za-z@]++ | . | \Z )
    | (?P<comment> % [^\n]*+ )
    | (?P<blank> \n (?: [ \t]*+ \n )++ )
    """,
    re.VERBOSE | re.DOTALL,
)
_DOCUMENT = re.compile(r"^(?:[^%\n\\]++|\\(?!begin\{document\})[^\n]?)*+\\begin\{document\}", re.MULTILINE)


def document_start(text: str) -> int:
    """Return the offset of \\begin{document}; -1 if there is none outside comments."""
    match = _DOCUMENT.search(text)
    return -1 if match is None else match.end() - len("\\begin{document}")


def commands(text: str, start: int) -> Iterator[Command]:
    """Yield the commands of `text[start:]` in order. Linear."""
    missing: set[str] = set()  # environments without another \end
    at = start
    while (match := _COMMAND.search(text, at)) is not None:
        at = match.end()
        kind = match.lastgroup
        if kind == "name":
            name = match["name"].strip()
            plain = name.rstrip("*")
            end = -1
            if match["edge"] == "begin" and plain in VERBATIM and name not in missing:
                end = text.find(f"\\end{{{name}}}", at)
                if end < 0:
                    missing.add(name)
            if end >= 0:
                body, at = at, end + len(name) + len("\\end{}")
                yield Command("verbatim", match.start(), at, plain, body)
            else:
                yield Command(match["edge"], match.start(), at, plain)
        elif kind in ("section", "item", "comment"):
            yield Command(kind, match.start(), at, match[kind])
        elif kind == "blank":
            yield Command(kind, match.start(), at)


def argument(text: str, start: int) -> tuple[int, int]:
    """Return the span of the content of the first argument in braces after `start`, skipping optional ones in brackets;
    (start, start) if none ends within a few hundred characters.

    >>> argument("[x]{a {b} c} d", 0)
    (4, 11)
    """
    begin = _BEFORE_ARGUMENT.match(text, start)
    if begin is None:
        return start, start
    depth = 1
    for match in _BRACE.finditer(text, begin.end(), begin.end() + _LONGEST_ARGUMENT):
        if match.lastgroup == "brace":
            depth += 1 if match[0] == "{" else -1
            if depth == 0:
                return begin.end(), match.start()
        elif match.lastgroup == "stop":
            break
    return start, start


_LONGEST_ARGUMENT = 400
_MOST_ARGUMENTS = 9  # as in TeX
# The arguments directly after a command, in brackets or braces on its line.
ARGUMENTS = re.compile(
    rf"(?:\[[^\]\n]{{0,{_LONGEST_ARGUMENT}}}+\]|\{{[^{{}}\n]{{0,{_LONGEST_ARGUMENT}}}+\}}){{0,{_MOST_ARGUMENTS}}}+"
)
_BEFORE_ARGUMENT = re.compile(rf"[ \t]*+(?:\[[^\]\[{{}}]{{0,{_LONGEST_ARGUMENT}}}\][ \t]*+)?+\{{")
# Braces, and characters that do not occur in titles: at these, a brace is missing.
_BRACE = re.compile(
    rf"(?P<stop>\n[ \t]*+\n|\\(?:{'|'.join(SECTIONS)}|begin)(?![A-Za-z@]))|\\.|(?P<brace>[{{}}])", re.DOTALL
)
