"""The blocks of Markdown, in order: what a reader of the text is told, and by whom.

    # Guide            heading        plain: an expression knows it
                       (blank lines)
    Some words         paragraph      plain
    in two lines.
                       --- a stretch that an expression cannot be sure of begins here
    - one              open list, item, paragraph
    - two              item, paragraph, close
                       --- and ends behind a blank line, before a line that no open block can claim
    ```python          code           plain
    a = 1
    ```

pulldown-cmark (pyromark) parses CommonMark with tables and footnotes, and says where each block and each word of markup
is. Making Python objects of them costs more than parsing. Most blocks are plain, though: a heading, a fence, or a
paragraph whose lines all begin with what can begin nothing else. Those are matched by one expression, and only the
stretches between them are parsed.

All of this works on a *copy* of the text for parsers: ASCII alone, as many characters, and line feeds for line ends.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import pyromark

from chunker.boundaries.markdown_lists import line_pattern, plain_list, tell
from chunker.expressions import re

_OPTIONS = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_FOOTNOTES

# What stands for a character beyond ASCII: no markup, no space.
_OTHER = "\x02"
# The parser takes form feeds and vertical tabs for spaces at times; in CommonMark they are ordinary characters.
_TO_COPY = bytes.maketrans(b"?\x01\v\f", f"{_OTHER}?{_OTHER}{_OTHER}".encode())


class Reader(Protocol):
    """Who is told about blocks, in the order of the text. Offsets are in characters; a block's start is that of its line."""

    def heading(self, start: int, end: int, level: int) -> None:
        """A heading, with its marks."""

    def paragraph(self, start: int, end: int) -> None:
        """Prose."""

    def code(self, start: int, end: int, info: str | None) -> None:
        """A fence with its info string, which may be empty, or an indented block."""

    def table(self, start: int, end: int, rows: list[int]) -> None:
        """A table; `rows` are the starts of the lines below the delimiter row."""

    def leaf(self, start: int, end: int, label: str) -> None:
        """Another block without blocks inside: "html", "math", "rule"."""

    def lines(self, start: int, end: int) -> None:
        """Lines that are no block, such as link definitions; blank ones among them."""

    def open(self, start: int, label: str) -> None:
        """A block with blocks inside begins: "quote", "list", "footnote"."""

    def item(self, start: int) -> None:
        """An item of the innermost list begins."""

    def close(self) -> None:
        """The innermost open block ends."""


def copy_for_parsers(text: str) -> str:
    r"""`text` in ASCII, with \n at the end of each line and every character in its place.

    >>> copy_for_parsers("é?\r\na\rb")
    '\x02? \na\nb'
    """
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    if "\x01" in text:
        text = text.replace("\x01", _OTHER)
    if text.isascii() and "\v" not in text and "\f" not in text:
        return text
    return text.replace("?", "\x01").encode("ascii", "replace").translate(_TO_COPY).decode("ascii")


# A line that is plain text, if it begins so: no list, quote, heading, rule, fence, HTML, table or definition begins like
# this, and it is no underline. A paragraph of such lines ends before a blank line, a heading or a fence.
_PLAIN = r"""(?:
    [A-Za-z\x02"'(,.;/\\!@%&{}\])^?]
  | \*{1,2} (?=[^\s*])
  | _{1,2} (?=[^\s_])
  | `{1,2} (?=[^`\n])
  | -{1,2} (?=[A-Za-z])
  | [0-9]++ (?![0-9.)])
  | \[ (?!\^) (?! [^\]\[\\\n]*+ (?: \]: | [\\\n] | \Z ) )
)"""
_BLANK = r"(?:[ \t]*\n)*+"
_END = r"(?:\n|\Z)"
_MORE = r"(?: (?<=`) `*+ | (?<=~) ~*+ )"  # a fence may be closed by a longer one
_PLAIN_BLOCK = re.compile(
    rf"""
    (?: (?P<blank> [ \t]*\n )
      | (?P<heading> \#{{1,6}} (?=[ \t\n]|\Z) [^\n]*+ {_END} )
      | (?P<paragraph> {_PLAIN} [^\n]*+ (?: \n [ \t]*+ {_PLAIN} [^\n]*+ )*+ {_END} ) (?= [ \t]*\n | [ \t]*\Z | \#{{1,6}}[ \t\n] | ``` )
      | (?P<code> (?P<fence> `{{3,}}+ | ~{{3,}}+ ) (?P<info> (?<=`) [^`\n]*+ | (?<=~) [^\n]*+ ) \n
          (?: (?! [ ]{{0,3}} (?P=fence) {_MORE} [ \t]*+ {_END} ) [^\n]*+ \n )*+
          [ ]{{0,3}} (?P=fence) {_MORE} [ \t]*+ {_END} )
      | (?P<comment> <!-- (?: [^-\n] | -(?!->) | \n )*+ --> [^\n]*+ {_END} )
      | (?P<math> \$\$ (?: [^$\n] | \$(?!\$) | \n (?! [ \t]*\n ) )*+ \$\$ [ \t]*+ {_END} )
      | (?P<table> (?P<header> \|[^\n]*+ ) \n
          (?P<rule> \|? [ \t]* :?-++:? [ \t]* (?: \| [ \t]* :?-++:? [ \t]* )*+ \|? [ \t]* ) {_END}
          (?: \|[^\n]*+ {_END} )*+ ) (?= [ \t]*\n | [ \t]*\Z )
      | (?P<quote> > [ ]? {_PLAIN} [^\n]*+ (?: \n > [ ]? {_PLAIN} [^\n]*+ )*+ {_END} ) (?= [ \t]*\n | [ \t]*\Z )
      | (?P<lines> (?: \[ (?!\^) [^\]\[\\\s] [^\]\[\\\n]*+ \]: [ \t]*+ [^\s<>()"'] [^\s<>()]*+ [ \t]*+ {_END} )++ ) (?= [ \t]*\n | [ \t]*\Z )
    )
    {_BLANK}
    """,
    re.VERBOSE,
)

_LIST_MARKS = frozenset("-+*0123456789")
_PLAIN_LIST_LINE = line_pattern(_PLAIN)

# Where a stretch for the parser may end: what follows belongs to no list, quote or paragraph before it.
_STRETCH_END = re.compile(r"\n([ \t]*\n)(?:[ \t]*\n)*+(?=[^\s*+0-9-]|\*{1,2}[^\s*])")
# What goes on across blank lines and lines of any kind: a fence, and HTML that asks for its own end.
_OPENER = re.compile(r"^[ ]{0,3}(?:```|~~~|<(?:script|pre|style|textarea|[!?]))", re.MULTILINE | re.IGNORECASE)

_CONTAINERS = {"BlockQuote": "quote", "List": "list", "FootnoteDefinition": "footnote"}
_MATH = re.compile(r"\$\$(?s:.+)\$\$\s*")
_LEAVES = frozenset({"Paragraph", "Heading", "CodeBlock", "HtmlBlock", "Table"})


def read_blocks(copy: str, start: int, reader: Reader) -> None:
    """Tell `reader` about the blocks of `copy[start:]`; `start` is a line start. Linear."""
    while start < len(copy):
        match = _PLAIN_BLOCK.match(copy, start)
        if match is None or not _tell(match, reader):
            start = _read_stretch(copy, start, reader)
        else:
            start = match.end()


def _tell(match: re.Match[str], reader: Reader) -> bool:
    """Tell about a plain block; whether it is one after all."""
    kind = match.lastgroup
    # Groups inside the group of a kind close before it, so the last group is that of the kind.
    if kind == "paragraph":
        reader.paragraph(*match.span(kind))
    elif kind == "code":
        reader.code(*match.span(kind), match["info"])
    elif kind == "heading":
        start, end = match.span(kind)
        hashes = match[kind][:7]
        reader.heading(start, end, len(hashes) - len(hashes.lstrip("#")))
    elif kind == "comment":
        reader.leaf(*match.span(kind), "html")
    elif kind == "math":
        reader.leaf(*match.span(kind), "math")
    elif kind == "quote":
        start, end = match.span(kind)
        reader.open(start, "quote")
        reader.paragraph(start, end)
        reader.close()
    elif kind == "lines":
        reader.lines(*match.span(kind))
    elif kind == "table":
        if _cells(match["header"]) != _cells(match["rule"]):
            return False
        reader.table(*match.span(kind), _line_starts(match.string, match.end("rule"), match.end(kind)))
    return True


def _cells(row: str) -> int:
    r"""How many cells a row has.

    >>> _cells(r"| a | b \| c |"), _cells("|-|-"), _cells("|")
    (2, 2, 1)
    """
    row = row.strip(" \t").replace("\\\\", "").replace("\\|", "").removeprefix("|")
    return 1 + row.removesuffix("|").count("|")


def _line_starts(copy: str, start: int, end: int) -> list[int]:
    starts = []
    at = copy.find("\n", start, end) + 1
    while 0 < at < end:
        starts.append(at)
        at = copy.find("\n", at, end) + 1
    return starts


def _read_stretch(copy: str, start: int, reader: Reader) -> int:
    """Parse a stretch that begins at `start`, and tell about it; where it ends."""
    size = 0
    while True:
        found = _STRETCH_END.search(copy, start + size)
        if found is None:
            _Stretch(copy, start, len(copy), reader).read(_events(copy[start:]))
            return len(copy)
        end = found.end()
        if not size and copy[start] in _LIST_MARKS:
            steps = plain_list(copy, start, end, _PLAIN_LIST_LINE)
            if steps is not None:
                tell(steps, reader)
                return end
        if _OPENER.search(copy, start, end) is None:
            _Stretch(copy, start, end, reader).read(_events(copy[start:end]))
            return end
        events = list(_events(copy[start:end]))
        if not _is_open(events, found.start(1) - start):
            _Stretch(copy, start, end, reader).read(iter(events))
            return end
        # Something at the end of the stretch is not closed yet. Twice as much each time: linear in the end.
        size = 2 * (end - start)


def _events(stretch: str) -> Iterator[tuple[Any, Any]]:
    return iter(pyromark.events_with_range(stretch, options=_OPTIONS, merge_text=True))


def _is_open(events: list[tuple[Any, Any]], blank: int) -> bool:
    """Whether the last block goes on at the blank line that ends the stretch; then it is not closed."""
    if not events:
        return False
    event, span = events[-1]
    return event.__class__ is dict and event.get("End") in ("CodeBlock", "HtmlBlock") and span["end"] > blank


class _Stretch:
    """A stretch of the copy, and how much of it the reader knows."""

    def __init__(self, copy: str, start: int, end: int, reader: Reader) -> None:
        self._copy = copy
        self._start = start
        self._end = end
        self._reader = reader
        self._told = start  # the reader knows about the lines before
        self._line = start, start  # the line that was asked for last
        self._prose: tuple[int, int] | None = None  # in a tight list a paragraph has no event of its own

    def read(self, events: Iterator[tuple[Any, Any]]) -> None:
        """Tell the reader what the parser says, and about the lines that it is silent on."""
        leaf_end = self._start
        rows: list[int] = []
        for event, span in events:
            start = self._start + span["start"]
            if event.__class__ is dict:
                tag = event.get("Start") or event.get("End")
                name = tag if tag.__class__ is str or tag is None else next(iter(tag))
                if name in _CONTAINERS or name == "Item":
                    self._end_prose()
                    self._container(name, start, begins="Start" in event)
                elif start >= leaf_end and name in _LEAVES:
                    self._end_prose()
                    leaf_end = self._start + span["end"]
                    if name != "Table":
                        self._leaf(name, tag, start, leaf_end)
                elif name == "Table":
                    self._reader.table(*self._lines(start, leaf_end), rows)
                    rows = []
                elif name == "TableRow" and "Start" in event:
                    rows.append(self._line_start(start))
                elif start >= leaf_end:
                    self._inline(start, self._start + span["end"])
            elif event == "Rule":
                self._end_prose()
                leaf_end = self._start + span["end"]
                self._reader.leaf(*self._lines(start, leaf_end), "rule")
            elif start >= leaf_end:
                self._inline(start, self._start + span["end"])
        self._end_prose()
        if self._told < self._end:
            self._reader.lines(self._told, self._end)

    def _container(self, name: str, start: int, *, begins: bool) -> None:
        if not begins:
            if name != "Item":
                self._reader.close()
            return
        start = self._line_start(start)
        if start > self._told:
            self._reader.lines(self._told, start)
        if name == "Item":
            self._reader.item(start)
        else:
            self._reader.open(start, _CONTAINERS[name])
        self._told = max(self._told, self._line_end(start))

    def _leaf(self, name: str, tag: Any, start: int, end: int) -> None:  # noqa: ANN401  # what the parser made of it
        if name == "Paragraph":
            self._paragraph(start, end)
        elif name == "Heading":
            self._reader.heading(*self._lines(start, end), int(tag["Heading"]["level"][1:]))
        elif name == "CodeBlock":
            info = tag["CodeBlock"]
            self._reader.code(*self._lines(start, end), None if info == "Indented" else info["Fenced"])
        else:
            self._reader.leaf(*self._lines(start, end), "html")

    def _inline(self, start: int, end: int) -> None:
        self._prose = (start if self._prose is None else self._prose[0]), end

    def _end_prose(self) -> None:
        if self._prose is not None:
            start, end = self._prose
            self._prose = None
            self._paragraph(start, end)

    def _paragraph(self, start: int, end: int) -> None:
        if self._copy.startswith("$$", start) and _MATH.fullmatch(self._copy, start, end):
            self._reader.leaf(*self._lines(start, end), "math")
        else:
            self._reader.paragraph(*self._lines(start, end))

    # --- lines

    def _lines(self, start: int, end: int) -> tuple[int, int]:
        """The lines of a leaf; those before it that nobody claims are told about, and from here on it is those behind it."""
        start, end = self._line_start(start), self._line_end(max(start, end - 1))
        if start > self._told:
            self._reader.lines(self._told, start)
        self._told = max(self._told, end)
        return start, end

    def _line_start(self, offset: int) -> int:
        start, end = self._line
        if not start <= offset < end:
            start = self._copy.rfind("\n", self._start, offset) + 1 or self._start
            self._line = start, self._copy.find("\n", offset, self._end) + 1 or self._end
        return start

    def _line_end(self, offset: int) -> int:
        start, end = self._line
        if start <= offset < end:
            return end
        return self._copy.find("\n", offset, self._end) + 1 or self._end
