r"""The commands of LaTeX that matter to blocks, in one pass.

    \section{A} % note        section 0..8, comment 12..18
    \begin{itemize}           begin "itemize"
    \item \verb|%|            item              what \verb shows is not read
                              blank
    \end{itemize}             end "itemize"

What is verbatim is one command with all its content. Braces are not matched, but for the titles of sections.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from chunker.formats.expressions import re


class Command(NamedTuple):
    """A command, `text[start:end]`: `kind` is "begin", "end", "section", "item", "comment", "blank" or "verbatim", `name` what is
    begun, or how sections are called. For what is verbatim, `start` is that of \\begin, and `body` where its content begins.
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
    """The offset of \\begin{document}, -1 if there is none outside of comments."""
    match = _DOCUMENT.search(text)
    return -1 if match is None else match.end() - len("\\begin{document}")


def commands(text: str, start: int) -> Iterator[Command]:
    """The commands of `text[start:]` in their order. Linear."""
    missing: set[str] = set()  # ends that are not to be found any more
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
    """The start and end of the content of the first argument in braces after `start`, optional ones in brackets
    skipped; (start, start) if there is none that ends within a few hundred characters.

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
_BEFORE_ARGUMENT = re.compile(rf"[ \t]*+(?:\[[^\]\[{{}}]{{0,{_LONGEST_ARGUMENT}}}\][ \t]*+)?+\{{")
# Braces, and characters that no title holds: at these, a brace is missing.
_BRACE = re.compile(
    rf"(?P<stop>\n[ \t]*+\n|\\(?:{'|'.join(SECTIONS)}|begin)(?![A-Za-z@]))|\\.|(?P<brace>[{{}}])", re.DOTALL
)
