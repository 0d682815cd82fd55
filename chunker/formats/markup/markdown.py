"""Markdown: sections under their headings, then blocks, items, rows and sentences.

    # Guide              section              scope "Guide"
    First. Second.       none; sentence       a heading stays with the next block
    It goes on           sentence
    and on.              soft line            weaker than sentences
                                              (blank lines belong to the block before)
    - one                block (list)
    - two                item
      - deep             block, one deeper
    ```                  block (code)         kept whole if it fits
    a = 1                none
    b = 2                line
    ```                  none
    | a | b |            block (table)        scope without a name: its header is repeated in a context
    |---|---|            none
    | 1 | 2 |            none
    | 3 | 4 |            row
    ## Install           section, weaker      scope "Install" inside "Guide"

CommonMark with tables, footnotes, blocks of math ($$) and front matter (YAML between ---, TOML between +++), which is a
unit of its own. Every boundary except those of sentences is at a line start, before the marks of quotes and lists.
Lines that belong to no block, such as link definitions, are LINE boundaries. A long code fence is cut by the format of
its language.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

import regex

from chunker.formats.code.parser_copies import copy_for_parsers
from chunker.formats.columns import Columns, nested
from chunker.formats.declarations import LanguageNames
from chunker.formats.embedded import EmbeddedSpan
from chunker.formats.expressions import re
from chunker.formats.markup.markdown_blocks import read_blocks
from chunker.formats.markup.markdown_restarts import MarkdownRestarts
from chunker.formats.markup.markdown_sketch import MarkdownSketch
from chunker.formats.open_outline import OutlineOf
from chunker.formats.outline import Outline, Scope, Scopes, Strength, as_scope
from chunker.formats.restarting import Restarts
from chunker.formats.sections import Heading, sections
from chunker.formats.sketches import CompiledSketch, Inside, Sketch
from chunker.native import native

if TYPE_CHECKING:  # the module does not exist without a compiled core
    from chunker._native import MarkdownSketch as NativeMarkdown

# YAML between lines of dashes or TOML between lines of plus signs, at the very start of the text. A key or a comment
# must follow, otherwise the dashes are a rule.
_FRONT_MATTER = re.compile(
    r"""
    ---[ \t]*+\n (?= [ \t]*+ (?: [\w.-]++ [ \t]*+ : | \# ) ) (?P<yaml> (?: (?! (?: --- | \.\.\. ) [ \t]*+ \n ) [^\n]*+ \n )++ )
    (?: --- | \.\.\. ) [ \t]*+ (?: \n | \Z )
  | \+\+\+[ \t]*+\n (?= [ \t\n]*+ (?: [\w."'-]++ [ \t]*+ = | [\#\[] ) ) (?P<toml> (?: (?! \+\+\+ [ \t]*+ \n ) [^\n]*+ \n )++ )
    \+\+\+ [ \t]*+ (?: \n | \Z )
    """,
    re.VERBOSE,
)
_FENCE = re.compile(r"`{3,}+|~{3,}+")
_CLOSING_FENCES = {mark: re.compile(rf"[ \t>]*+{mark}{{3,}}+[ \t]*+\n?\Z") for mark in "`~"}
_LINK = regex.compile(r"!?\[([^\[\]]*+)\](?:\([^()\s]*+(?:\s[^()]*+)?\)|\[[^\[\]]*+\])")
# Attributes of documentation tools: {#anchor .class key="value"} after a heading, in kramdown {: #anchor }.
_ATTRIBUTES = re.compile(
    r"""[ \t]*+\{:?[ \t]*+(?=[\#.:}]|[\w-]++=|-\})(?:[\#.:]?[\w:.-]++(?:=(?:"[^"\n]*+"|'[^'\n]*+'|[^\s"'{}]*+))?+[ \t]*+)*+\}[ \t]*+(?=\#*+\s*\Z)"""
)
_DEEPEST_LEVEL = 6  # of a heading
_MARKS_AFTER = re.compile(r"(?:\A|[ \t]++)#++\s*\Z|\n[ \t>]*+(?:=++|-++)\s*\Z|\s++\Z")


_compiled = native()
_sketch_of: Callable[[str], MarkdownSketch] = MarkdownSketch if _compiled is None else _compiled.MarkdownSketch


class MarkdownFormat:
    """CommonMark with tables, footnotes, math and front matter."""

    name: ClassVar[str] = "markdown"
    languages: ClassVar[dict[str, LanguageNames]] = {
        "Markdown": {"suffixes": [".md", ".markdown", ".mdown", ".mkd"]},
        "MDX": {"suffixes": [".mdx"]},
    }
    language: str | None = name

    def outline(self, text: str) -> Outline:
        """Return the sections, blocks, items, rows and sentences of `text`. The scopes are the sections, named by their
        headings, the tables, because of their header rows, and the definitions in long code fences.

        Linear; any str is Markdown.
        """
        return sketch_by(_sketch_of, text).opened()

    def restarts(self, outline: OutlineOf, _text: str) -> Restarts:
        """Return the rules for resuming: see `chunker.formats.restarting`."""
        return MarkdownRestarts(outline)

    def sketch(self, text: str, _size: int) -> Sketch:
        """Return the outline with all blocks closed that contain no blocks."""
        return sketch_by(_sketch_of, text)


def sketch_by(sketch_of: Callable[[str], MarkdownSketch], text: str) -> Sketch:
    """Return the sketch of `text`. `sketch_of`: one of the twins, which makes it from the parser copy."""
    if not text:
        return Sketch.of_outline(Outline([], finest=Strength.SENTENCE))
    reading = _Reading(text, sketch_of)
    if reading.native is not None:
        return _CompiledMarkdown(text, reading, reading.native)
    return Sketch.of(
        reading.found.columns(),
        reading.found.closed(),
        reading.inside,
        reading.scopes,
        finest=Strength.SENTENCE,
    )


class _CompiledMarkdown(CompiledSketch):
    """A sketch of blocks that the compiled reader has found."""

    __slots__ = ("_text",)

    native: NativeMarkdown

    def __init__(self, text: str, reading: _Reading, native: NativeMarkdown) -> None:
        self._text = text
        self._nested = Scopes(())
        self.notes = {}
        self.finest = int(Strength.SENTENCE)
        self.native = native
        self._refine_with(reading.inside, reading.scopes)

    def breadcrumb(self, offset: int) -> tuple[str, ...]:
        """See `Outline`."""
        if offset <= 0:
            return ()
        names = self.native.breadcrumb(self._text, _plain, offset)
        unit = self.native.named_unit(offset)
        return names if unit is None else names + self._scopes_inside(unit).breadcrumb(offset)

    def scopes_around(self, offset: int) -> tuple[Scope, ...]:
        """See `Outline`. Only code in units that are too long to be cut by lines alone has scopes inside."""
        if offset <= 0:
            return ()
        around = self._outside().around(offset)
        unit = self.native.named_unit(offset)
        return around if unit is None else around + self._scopes_inside(unit).around(offset)

    def has_scopes_inside(self, start: int) -> bool:
        """See `Sketch`."""
        return self.native.may_have_names(start) and super().has_scopes_inside(start)

    def _columns(self) -> tuple[list[int], list[int], list[str], dict[int, int], dict[int, None]]:
        return (*self.native.columns(), {}, dict.fromkeys(self.native.closed()))


class _Reading:
    """The blocks found in one text, and the functions to refine them."""

    def __init__(self, text: str, sketch_of: Callable[[str], MarkdownSketch]) -> None:
        self._text = text
        self._copy = copy_for_parsers(text)
        self.found = sketch_of(self._copy)
        self.native = self.found if _compiled is not None and isinstance(self.found, _compiled.MarkdownSketch) else None
        start = int(text.startswith("\ufeff"))
        self.found.begin(start)
        match = None
        if self._copy.startswith(("---", "+++"), start):
            match = _FRONT_MATTER.match(self._copy, start)
        if match is not None:
            kind = "yaml" if match["toml"] is None else "toml"
            self.found.front_matter(*match.span(kind), kind)
            start = match.end()
        read_blocks(self._copy, start, self.found, self.found.read_plain)
        if match is not None:
            self.found.strengthen(start)  # the text after front matter is a unit of its own

    def inside(self, unit: int) -> Inside:
        """Return the details of the unit that begins at the offset `unit`."""
        if self.native is not None:
            found = self.native.inside(self._text, unit)
            if found is not None:
                offsets, strengths, labels = found
                return Inside(offsets, strengths, labels, ())
        columns = Columns(self._text, self._copy, start=unit)
        for kind, start, end in self.found.work_in(unit):
            if kind == "prose":
                columns.prose(start, end)
            elif kind == "verbatim":
                columns.verbatim(start, end)
            elif kind == "fence":
                columns.code(*self._code_of(start, end))
            else:
                columns.code(EmbeddedSpan(start, end), kind)
        return columns.inside()

    def scopes(self, inside: list[Scope]) -> list[Scope]:
        """Return all scopes, including those of code, `inside`."""
        text = self._text
        if self.native is not None:
            found = list(map(as_scope, self.native.scopes(text, _plain)))
            return nested([*inside, *found]) if inside else found
        headings = [Heading(start, level, _plain(text[start:end])) for start, end, level in self.found.headings()]
        tables = [Scope(start, end, "", text[start:row]) for start, end, row in self.found.tables()]
        return nested([*inside, *tables, *sections(headings, len(text))])

    def _code_of(self, start: int, end: int) -> tuple[EmbeddedSpan, str]:
        """Return the code of a fence, and its language: the first word after the marks."""
        # The line that opens a fence stays with the first line of code, the one that closes it with the last.
        first = self._copy.find("\n", start, end) + 1 or end
        last = self._copy.rfind("\n", first, end - 1) + 1 or first
        fence = _FENCE.search(self._copy, start, first)
        if fence is None or not _CLOSING_FENCES[fence[0][0]].match(self._copy, last, end):
            last = end
        if fence is None:  # a parser found a fence of another form
            return EmbeddedSpan(first, last), ""
        words = self._text[fence.end() : first].replace("{", " ").replace("}", " ").split()
        return EmbeddedSpan(first, last, fence.start() - start), words[0].lstrip(".") if words else ""


def _plain(heading: str) -> str:
    """Return the text of a heading on one line, without attributes. Links are replaced by their texts, because an
    address costs many tokens and says little in a breadcrumb.
    """
    heading = heading.replace("\r\n", "\n").replace("\r", "\n")
    heading = heading.lstrip(" \t>").rstrip()
    level = len(heading) - len(heading.lstrip("#"))
    if 0 < level <= _DEEPEST_LEVEL and not heading[level : level + 1].strip():
        heading = heading[level:]
    # Most headings have none of these, and an expression that searches for them takes ten times as long as this test.
    if heading.endswith(("#", "=", "-")):
        heading = _MARKS_AFTER.sub("", heading)
    if "{" in heading:
        heading = _ATTRIBUTES.sub("", heading, count=1)
    if "[" in heading:
        heading = _LINK.sub(r"\1", heading)
    return " ".join(heading.split())
