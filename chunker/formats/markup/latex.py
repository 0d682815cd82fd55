r"""LaTeX: sections, then environments, items, paragraphs and sentences.

    \documentclass{article}        preamble           a unit of its own
    \begin{document}               none
    % about it                     section            comments belong to the next block
    \section{Guide}                                   scope "Guide"
    First. Second                  none; sentence     a title stays with the next block
    goes on.                       soft line
                                                      (blank lines belong to the block before)
    \begin{itemize}                block (list)
    \item one                      none
    \item two                      item
    \end{itemize}                  none
    \begin{tabular}{ll}            block (table)      scope without a name: its header is repeated in a context
    a & b \\ \hline                none
    1 & 2 \\                       none
    3 & 4 \\                       row
    \end{tabular}                  none

Equations, figures and verbatim environments are kept whole if they fit; inside they are cut by lines. Environments need
not match: an unmatched \end is ignored, and an environment without an \end continues. The compiled twin of the reader
is chunker/cpp/src/formats/latex.cpp.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any, ClassVar

from bpe_engine.at_exit import cache_until_exit
from chunker.formats.code.parser_copies import copy_for_parsers
from chunker.formats.columns import CodeFound, Columns, outline_by_compiled
from chunker.formats.declarations import LanguageNames
from chunker.formats.embedded import EmbeddedSpan
from chunker.formats.expressions import re
from chunker.formats.markup.latex_commands import (
    ARGUMENTS,
    LISTS,
    SECTIONS,
    TABLES,
    VERBATIM,
    WHOLE,
    Command,
    argument,
    commands,
    document_start,
)
from chunker.formats.markup.latex_restarts import LatexRestarts
from chunker.formats.open_outline import OutlineOf
from chunker.formats.outline import Outline, Scope, Strength
from chunker.formats.restarting import Restarts
from chunker.formats.sections import Heading, sections
from chunker.native import native

_SECTION = Strength.STRUCTURE + 1_000  # minus the level of the section
_BLOCK = Strength.STRUCTURE + 700  # minus _STEP for each environment around it
_STEP = 3
_DEEPEST = 200
_KEPT = -2  # a block after an introduction, or in the middle of a paragraph
_ITEM = 2  # an item, relative to its contents
_INTRODUCTION = len(SECTIONS) + 1  # the level of an introduction that is not a title

_NONBLANK = re.compile(r"[^ \t\n]")
_LABELS_ONLY = re.compile(r"(?:\s*+(?:\\label\{[^{}]*+\}|%[^\n]*+))*+\s*+")
_MARKUP = re.compile(r"\\(?:label|footnote|thanks|index)\{[^{}]*+\}|\\[A-Za-z@]++\*?|[{}]|(?<!\\)%[^\n]*+")
_TABLE = re.compile(rf"\\begin\{{(?:{'|'.join(sorted(TABLES))})\*?\}}")
_ROW_END = re.compile(r"\\(?:\\|tabularnewline(?![A-Za-z]))\*?(?:\[[^\]\n]*+\])?[^\n]*+\n")
_HEADER_RULE = re.compile(r"\\(?:hline|midrule|endfirsthead|endhead)(?![A-Za-z])[^\n]*+\n?")
_BEGIN = re.compile(r"\\begin[ \t]*\{([^{}]*)\}")
_LISTING_LANGUAGE = re.compile(r"\[[^\]\n]*?language=\{?(?:\[[^\]]*+\])?([\w+#-]++)", re.IGNORECASE)
_MINTED_LANGUAGE = re.compile(r"(?:\[[^\]\n]*+\])?\{([\w+#-]++)\}")

_compiled = native()


class LatexFormat:
    """LaTeX documents and parts of them."""

    name: ClassVar[str] = "latex"
    languages: ClassVar[dict[str, LanguageNames]] = {"TeX": {"suffixes": [".tex"], "unread": [".bib", ".cls", ".sty"]}}
    language: str | None = name

    def outline(self, text: str) -> Outline:
        """Return the sections, environments, items, rows and sentences of `text`. The scopes are the sections, named by
        their titles, slides with a title, and tables with a header.

        Linear; any str is LaTeX.
        """
        if not text:
            return Outline([], finest=Strength.SENTENCE)
        return latex_in_python(text) if _compiled is None else _latex_by_compiled(text, _compiled)

    def restarts(self, outline: OutlineOf, text: str) -> Restarts:
        """Return the rules for resuming: see `chunker.formats.restarting`."""
        return LatexRestarts(outline, text, _BLOCK)


def latex_in_python(text: str) -> Outline:
    """Return the outline of a non-empty text: the specification of the compiled reader."""
    return _Reader(text).outline()


def _latex_by_compiled(text: str, compiled: ModuleType) -> Outline:
    code = CodeFound(text, lambda start, end: _language_of(text[start:end]))
    columns, headings, slides, tables = compiled.read_latex(text, _environments(compiled), code)

    def scopes() -> Iterator[Scope]:
        yield from code.scopes
        for start, end, told, told_end in slides:
            if name := _title(text[told:told_end]):
                yield Scope(start, end, name)
        yield from (Scope(start, end, "", text[told:told_end]) for start, end, told, told_end in tables)
        found = [Heading(start, level, _title(text[told:told_end])) for start, level, told, told_end, _ in headings]
        yield from sections(found, len(text))

    return outline_by_compiled(columns, scopes)


@cache_until_exit
def _environments(compiled: ModuleType) -> Any:  # noqa: ANN401 - a class of the compiled module
    """Return the names that matter, in the form that the compiled reader takes."""
    kinds = {"whole": WHOLE, "tables": TABLES, "lists": LISTS, "verbatim": VERBATIM}
    return compiled.LatexEnvironments(
        {kind: sorted(names) for kind, names in kinds.items()} | {"sections": list(SECTIONS)}
    )


def _title(source: str) -> str:
    """Return the text of a title on one line."""
    return " ".join(_MARKUP.sub(" ", source.replace("\\\\", " ").replace("\\&", "&").replace("~", " ")).split())


def _language_of(opening: str) -> str:
    """Return the language of a listing that begins with this line; "" if it names none."""
    begin = _BEGIN.match(opening)
    if begin is None:
        return ""
    pattern = _MINTED_LANGUAGE if begin[1].strip().rstrip("*") == "minted" else _LISTING_LANGUAGE
    found = pattern.match(opening, begin.end())
    return found[1] if found else ""


@dataclass(slots=True)
class _Environment:
    """An open environment. `whole`: its inside is cut by lines. `title`: the title of a slide."""

    name: str
    start: int
    whole: bool
    title: str = ""


class _Reader:
    """Reads the commands of one text in order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._copy = copy_for_parsers(text)
        self._columns = Columns(text, self._copy)
        self._open: list[_Environment] = []
        self._places: defaultdict[str, list[int]] = defaultdict(list)  # name -> indices into `_open`
        self._whole = 0  # the number of open environments that are kept whole
        self._headings: list[Heading] = []
        self._run: int | None = None  # the start of the current paragraph
        self._lead: int | None = None  # the start of the comments directly before
        self._trailing: int | None = None  # the start of the comments that end the paragraph so far
        self._glued = 0  # the level of the title directly before, 0 if there is none
        self._after_blank = True
        self._at = 0  # everything before is read

    def outline(self) -> Outline:
        """Read the whole text."""
        size = len(self._text)
        self._at = document_start(self._copy)
        if self._at < 0:
            self._at = int(self._text.startswith("\ufeff"))
        else:
            self._columns.put(0, self._level(), "preamble")
            self._columns.verbatim(0, self._at)
            body = self._columns.cut_before(self._at)
            if body:
                self._columns.put(body, _SECTION, "document")
            self._at += len("\\begin{document}")
            self._glued = _INTRODUCTION
        for command in commands(self._copy, self._at):
            self._read(command)
        self._text_until(size)
        self._end_run(size)
        self._end_lead()
        self._pop_to(0, size)
        return self._columns.outline(sections(self._headings, size))

    def _read(self, command: Command) -> None:
        kind = command.kind
        if self._whole and kind not in ("begin", "end"):
            return
        if kind == "end" and not self._places.get(command.name) and command.name != "document":
            self._text_until(command.end)  # it ends nothing: treat it as text
            return
        if not self._whole:
            self._text_until(command.start)
            if kind == "comment":
                self._comment(command)
            else:
                self._end_run_before(command)
        if kind == "begin":
            self._begin(command)
        elif kind == "end":
            self._end(command)
        elif kind == "section":
            self._section(command)
        elif kind == "item":
            self._item(command)
        elif kind == "verbatim":
            self._verbatim(command)
        elif kind == "blank":
            self._end_lead()
            self._after_blank = True
        self._at = max(self._at, command.end)

    # --- blocks

    def _level(self) -> int:
        return _BLOCK - _STEP * min(len(self._open), _DEEPEST)

    def _put(self, start: int, label: str, *, whole: bool = False, strength: int | None = None) -> int:
        """Begin a block. Returns its start with the comments before it."""
        start = self._columns.cut_before(start) if self._lead is None else self._lead
        self._lead = None
        level = self._level() if strength is None else strength
        if strength is None and not self._after_blank and not self._glued:
            level += _KEPT  # in the middle of a paragraph
        if not self._glued:
            self._columns.put(start, level, label)
        elif whole:
            self._columns.put(start, self._level() + _KEPT, label)
        self._glued = 0
        self._after_blank = False
        return start

    def _begin(self, command: Command) -> None:
        name = command.name
        whole = name in WHOLE or name in TABLES
        start = command.start
        title = ""
        if not self._whole:
            label = "table" if name in TABLES else "list" if name in LISTS else name
            start = self._put(start, label, whole=whole)
            self._glued = _INTRODUCTION
            if name == "frame":
                title = self._title(command.end)
            arguments = ARGUMENTS.match(self._copy, command.end)
            self._at = max(self._at, command.end if arguments is None else arguments.end())
        self._whole += whole
        self._places[name].append(len(self._open))
        self._open.append(_Environment(name, start, whole, title))

    def _end(self, command: Command) -> None:
        self._end_lead()
        places = self._places[command.name]
        self._pop_to(places[-1] if places else 0, command.end)
        self._after_blank = False

    def _pop_to(self, keep: int, end: int) -> None:
        """End all but the outermost `keep` environments at `end`."""
        while len(self._open) > keep:
            environment = self._open.pop()
            self._places[environment.name].pop()
            self._whole -= environment.whole
            self._glued = 0
            if environment.title and end > environment.start:
                self._columns.scopes.append(Scope(environment.start, end, environment.title))
            if environment.whole and not self._whole:
                self._lines(environment, end)

    def _section(self, command: Command) -> None:
        level = SECTIONS.index(command.name) + 1
        level_before, self._glued = self._glued, 0
        glued = bool(level_before) and level_before < level
        if glued:
            self._glued = level_before
        start = self._put(command.start, "section", strength=_SECTION - level)
        self._headings.append(Heading(start, level, self._title(command.end)))
        self._glued = level

    def _title(self, start: int) -> str:
        """Read the argument after a command. Returns its text."""
        start, end = argument(self._copy, start)
        self._at = end + 1 if end > start else start
        return _title(self._text[start:end])

    def _item(self, command: Command) -> None:
        glued = self._glued == _INTRODUCTION
        if not glued:
            self._glued = 0
        self._put(command.start, "item", strength=self._level() + _ITEM)
        self._glued = _INTRODUCTION

    # --- what is kept whole

    def _verbatim(self, command: Command) -> None:
        self._put(command.start, "comment" if command.name == "comment" else "code", whole=True)
        # The line of \begin stays with the first line, that of \end with the last one.
        first = self._copy.find("\n", command.body, command.end) + 1
        last = self._copy.rfind("\n", command.body, command.end) + 1
        if not 0 < first < last:
            return
        self._columns.code(EmbeddedSpan(first, last), _language_of(self._text[command.start : first]))

    def _lines(self, environment: _Environment, end: int) -> None:
        """Add the lines of an environment that is kept whole, and the rows of a table in it."""
        start = environment.start
        found = _TABLE.search(self._copy, start, end)
        if found is None:
            self._columns.verbatim(start, end)
            return
        table = found.start()
        rows = [match.span() for match in _ROW_END.finditer(self._copy, table, end)]
        rule = None
        if rows:
            # The rule may be on the line of the first row, or on one of the next.
            rule = _HEADER_RULE.search(self._copy, rows[0][0], rows[1][1] if len(rows) > 1 else end)
        # The first row stays with the header.
        below = [row_end for _, row_end in rows if rule is None or row_end > rule.end()]
        first = below[0] if below else end
        self._columns.verbatim(first - 1, end)
        if rule is not None and below:
            self._columns.scopes.append(Scope(start, end, "", self._text[table : rule.end()]))

    # --- paragraphs

    def _text_until(self, end: int) -> None:
        if self._run is None and self._at < end and not self._whole:
            nonblank = _NONBLANK.search(self._copy, self._at, end)
            if nonblank is not None:
                self._begin_run(nonblank.start())

    def _begin_run(self, start: int) -> None:
        self._run = start if self._lead is None else self._lead
        glued = self._glued
        self._put(start, "paragraph")
        self._glued = glued

    def _end_run(self, end: int) -> None:
        if self._run is None:
            return
        start, self._run = self._run, None
        if _LABELS_ONLY.fullmatch(self._copy, start, end):
            return  # the label of a section
        self._glued = 0
        self._columns.prose(start, start + len(self._copy[start:end].rstrip(" \t\n")))

    def _comment(self, command: Command) -> None:
        """Handle a comment: on a line of its own it belongs to the block that begins on the next line."""
        start = self._columns.cut_before(command.start)
        if self._run is None:
            self._lead = start if self._lead is None else self._lead
        elif not start or self._copy[start - 1] != "\n":
            self._trailing = None
        elif self._trailing is None or _NONBLANK.search(self._copy, self._at, command.start):
            self._trailing = start

    def _end_run_before(self, command: Command) -> None:
        """End the paragraph before a command, or before the comments preceding that, if it begins a block."""
        start, self._trailing = self._trailing, None
        if (
            self._run is None
            or start is None
            or command.kind in ("blank", "end")
            or _NONBLANK.search(self._copy, self._at, command.start)
        ):
            self._end_run(command.start)
            return
        self._end_run(start)
        self._lead = start

    def _end_lead(self) -> None:
        """Add comments that no block follows directly as a block of their own."""
        if self._lead is not None:
            self._put(self._lead, "comment")
