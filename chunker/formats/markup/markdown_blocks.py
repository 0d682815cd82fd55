"""Report the blocks of a Markdown text, in order, to a handler.

    # Guide            heading        plain: an expression matches it
                       (blank lines)
    Some words         paragraph      plain
    in two lines.
                       --- a span that the expression cannot decide begins here
    - one              open list, item, paragraph
    - two              item, paragraph, close
                       --- and ends after a blank line, before a line that cannot belong to an open block
    ```python          code           plain
    a = 1
    ```

Most blocks are plain: a heading, a fence, or a paragraph whose lines all begin with characters that begin no other
block. One expression matches these, and only the spans between them are parsed (markdown_spans.py).

This module works on the parser copy of the text (parser_copies.py). In the compiled core,
chunker/cpp/src/markdown_blocks.cpp reads the plain blocks, and recognizes more of them.
"""

from __future__ import annotations

from collections.abc import Callable

from chunker.formats.expressions import re
from chunker.formats.markup.markdown_handler import BlockHandler
from chunker.formats.markup.markdown_spans import read_span

# The start of a line that is certainly plain text: no list, quote, heading, rule, fence, HTML, table or definition
# begins like this, and the line is not an underline. A paragraph of such lines ends before a blank line, a heading or a
# fence.
_PLAIN = r"""(?:
    [A-Za-z\x02"'(,.;/\\!@%&{}\])^?]
  | \*{1,2} (?=[^\s*])
  | _{1,2} (?=[^\s_])
  | `{1,2} (?=[^`\n])
  | -{1,2} (?=[A-Za-z])
  | [0-9]++ (?![0-9.)])
  | \[ (?!\^) (?! [^\]\[\\\n]*+ (?: \]: | [\\\n] | \Z ) )
)"""
_BLANK = r"(?:[ \t]*\n)*+(?:[ \t]++\Z)?"
_END = r"(?:\n|\Z)"
_MORE = r"(?: (?<=`) `*+ | (?<=~) ~*+ )"  # a fence may be closed by a longer one
_PLAIN_BLOCK = re.compile(
    rf"""
    (?: (?P<blank> [ \t]*\n | [ \t]++\Z )
      | (?P<heading> \#{{1,6}} (?=[ \t\n]|\Z) [^\n]*+ {_END} )
      | (?P<paragraph> {_PLAIN} [^\n]*+ (?: \n [ \t]*+ {_PLAIN} [^\n]*+ )*+ {_END} ) (?= [ \t]*\n | [ \t]*\Z | \#{{1,6}}[ \t\n] | ```[^`\n]*+{_END} )
      | (?P<code> (?P<fence> `{{3,}}+ | ~{{3,}}+ ) (?P<info> (?<=`) [^`\n]*+ | (?<=~) [^\n]*+ ) \n
          (?: (?! [ ]{{0,3}} (?P=fence) {_MORE} [ ]*+ {_END} ) [^\n]*+ \n )*+
          [ ]{{0,3}} (?P=fence) {_MORE} [ ]*+ {_END} )
      | (?P<comment> <!-- (?!-?>) (?: [^-\n] | -(?!->) | \n )*+ --> [^\n]*+ {_END} )
      | (?P<math> \$\$ (?: [^$\n] | \$(?!\$) | \n (?! [ \t]*\n ) )*+ \$\$ [ \t]*+ {_END} )
      | (?P<table> (?P<header> \| [ \t]*+ [^\n]++ ) \n (?= [^|\n]*+ \| )
          (?P<rule> (?![ ]{{4}}) \|? [ ]* :?-++:? [ ]* (?: \| [ ]* :?-++:? [ ]* )*+ \|? [ ]* ) {_END}
          (?: (?: \| [ \t]*+ [^\n] | [A-Za-z\x02] ) [^\n]*+ {_END} )*+ ) (?= [ \t]*\n | [ \t]*\Z | \#{{1,6}}[ \t\n] | ```[^`\n]*+{_END} )
      | (?P<quote> > [ ]? {_PLAIN} [^\n]*+ (?: \n > [ ]? {_PLAIN} [^\n]*+ )*+ {_END} ) (?= [ \t]*\n | [ \t]*\Z )
      | (?P<lines> (?: \[ (?!\^) [^\]\[\\\s] [^\]\[\\\n]*+ \]: [ \t]*+ [^\s<>()"'] [^\s<>()]*+ [ \t]*+ {_END} )++ ) (?= [ \t]*\n | [ \t]*\Z )
    )
    {_BLANK}
    """,
    re.VERBOSE,
)


def read_blocks(copy: str, start: int, handler: BlockHandler, plain: Callable[[int], int] | None = None) -> None:
    """Report the blocks of `copy[start:]` to `handler`; `start` is a line start. Linear.

    `plain`, by default `read_plain`, reports the plain blocks from an offset on, and returns the offset of the first
    block that is not plain.
    """
    while True:
        start = read_plain(copy, start, handler) if plain is None else plain(start)
        if start >= len(copy):
            return
        start = read_span(copy, start, handler)


def read_plain(copy: str, start: int, handler: BlockHandler) -> int:
    """Report the plain blocks from `start` on. Returns the offset of the first block that is not plain, or the end."""
    while start < len(copy):
        match = _PLAIN_BLOCK.match(copy, start)
        if match is None or not _tell(match, handler):
            return start
        start = match.end()
    return start


def _tell(match: re.Match[str], handler: BlockHandler) -> bool:
    """Report a block that looks plain. Returns whether it is plain after all."""
    kind = match.lastgroup
    # Groups inside the group of a kind close before it, so the last group is that of the kind.
    if kind == "paragraph":
        handler.paragraph(*match.span(kind))
    elif kind == "code":
        handler.code(*match.span(kind), match["info"])
    elif kind == "heading":
        start, end = match.span(kind)
        hashes = match[kind][:7]
        handler.heading(start, end, len(hashes) - len(hashes.lstrip("#")))
    elif kind == "comment":
        handler.leaf(*match.span(kind), "html")
    elif kind == "math":
        if not _stands_free(match.string, match.start()):
            return False
        handler.leaf(*match.span(kind), "math")
    elif kind == "quote":
        start, end = match.span(kind)
        handler.open(start, "quote")
        handler.paragraph(start, end)
        handler.close()
    elif kind == "lines":
        handler.lines(*match.span(kind))
    elif kind == "table":
        if _cells(match["header"]) != _cells(match["rule"]):
            return False
        handler.table(*match.span(kind), _line_starts(match.string, match.end("rule"), match.end(kind)))
    return True


def _stands_free(copy: str, start: int) -> bool:
    r"""Whether the line at `start` is the first one, or comes after a blank line.

    >>> _stands_free("a\n \nb", 4), _stands_free("a\nb", 2)
    (True, False)
    """
    before = copy.rfind("\n", 0, max(start - 1, 0)) + 1
    return not start or (copy[start - 1] == "\n" and not copy[before:start].strip(" \t\n"))


def _cells(row: str) -> int:
    r"""Count the cells of a row; 0 where a backslash escapes the line end, which makes it a line of text.

    >>> _cells(r"| a | b \| c |"), _cells("|-|-"), _cells("|"), _cells("| a |\\")
    (2, 2, 1, 0)
    """
    if (len(row) - len(row.rstrip("\\"))) % 2:
        return 0
    row = row.strip(" \t").replace("\\\\", "x").replace("\\|", "x").removeprefix("|")
    return 1 + row.removesuffix("|").count("|")


def _line_starts(copy: str, start: int, end: int) -> list[int]:
    starts = []
    at = copy.find("\n", start, end) + 1
    while 0 < at < end:
        starts.append(at)
        at = copy.find("\n", at, end) + 1
    return starts
