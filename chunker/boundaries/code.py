"""Source code: one walk over the syntax tree; a table tells what the nodes of a language are.

    class Stack:                    definition, depth 1
        size = 0                    first part of a body: weak, a header keeps what it introduces
        # Put on top.               definition, depth 2: the comments above it belong to it ...
        @traced                     ... but if all of it is too long, a cut here is better than one inside,
        def push(self, item):       and one here is the next best
            if item:                weak, as above
                self.put(item)      weak
            else:                   clause, depth 4
                pass                weak

Every boundary stands at the start of a line that is not blank. A part at depth d is stronger than every part at depth d + 1, so a
definition is never weaker than what it holds. Lines where no part begins are LINE boundaries, after a blank line PARAGRAPH.

The walk enters only nodes that span several lines and keeps a stack of its own: its time is linear in the text, whatever the depth.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import ClassVar, NamedTuple

from tree_sitter import Language, Node, Parser

from chunker.boundaries.base import Boundary, Outline, Scope, Strength
from chunker.boundaries.lines import LineTable


class Definition(NamedTuple):
    """A kind of node that defines a name: `label` is for the boundary, `keyword` for the breadcrumb ("def" gives "def push")."""

    label: str
    keyword: str


@dataclass(frozen=True, eq=False)
class Grammar:
    """What the nodes of a tree-sitter grammar mean, by their type names.

    `label` is for the whole text ("module"). `load` returns the grammar, as `language()` of the `tree_sitter_...` packages does.
    `bodies`: their children are parts, one level deeper; the first one is not cut from the line that introduces it.
    `lists`: the same for the elements of a collection or call, which are weaker than the statements of a body at the same depth.
    `clauses`: parts of a statement that continue it, such as "else".
    `definitions`: what has a name and should stay whole. `wrappers`: nodes around a definition, such as decorators, and the field that
    holds it. `comments`: belong to the part below them. `opaque`: nothing inside is a part, such as strings.
    `labels`: of other parts; "statement" if not told.
    `skimmed`: what lines that the grammar reads again and again look like, behind their indentation; None if it does not.
    """

    language: str
    label: str
    load: Callable[[], object]
    bodies: frozenset[str]
    lists: frozenset[str]
    clauses: frozenset[str]
    definitions: Mapping[str, Definition]
    wrappers: Mapping[str, str]
    comments: frozenset[str]
    opaque: frozenset[str]
    labels: Mapping[str, str]
    skimmed: re.Pattern[bytes] | None = None


class CodeFormat:
    """Source code in the language of `grammar`; a subclass names it. The comments and decorators of a definition belong to it."""

    grammar: ClassVar[Grammar]

    @property
    def language(self) -> str:
        """The name of the language."""
        return self.grammar.language

    def outline(self, text: str) -> Outline:
        """The parts of `text` by depth, and its lines. The scopes are the definitions: "class Stack", "def push".

        Where the parser meets what it does not understand (another version of the language, half a file, no code at all), the notes say
        {"parse": "had errors"}: the parts that it recovers count, the rest is lines. Linear; lone surrogates and NULs are welcome.
        """
        if not text:
            return Outline([], finest=Strength.SENTENCE)
        source = text.encode("utf-8", "surrogatepass")
        language, roles = _compiled(self.grammar)
        lines = LineTable(text, source)
        hidden = set() if self.grammar.skimmed is None else hidden_rows(lines, source, self.grammar.skimmed)
        root = Parser(language).parse(lines.without(hidden, source)).root_node
        walk = _Walk(self.grammar, roles, lines, comments=hidden)
        walk.run(root)
        notes = {"parse": "had errors"} if root.has_error else {}
        boundaries, scopes = walk.results(len(text))
        # A line of code has no sentences: what is too long is cut into words.
        return Outline(boundaries, scopes, notes, finest=Strength.SENTENCE)


class _Role(IntEnum):
    """What a kind of node is to the walk."""

    TOKEN = 0  # punctuation, keywords: never a part
    OTHER = 1  # a part if its parent is a body or a list
    BODY = 2
    LIST = 3
    CLAUSE = 4
    DEFINITION = 5
    WRAPPER = 6
    COMMENT = 7
    OPAQUE = 8  # as OTHER, but not worth entering


class _Rank(IntEnum):
    """The order of the boundaries of one depth."""

    WRAPPED = 0  # between decorators and their definition
    COMMENTED = 1  # between comments and their definition
    FIRST = 2  # a definition that is the first part of a body
    PART = 3
    GROUP = 4  # a part after a blank line
    DEFINITION = 5  # a definition, what follows one, a clause


_RANKS = len(_Rank)

# What is nested deeper is lines: nobody writes it, and the levels stay within the scale.
_MAX_DEPTH = 250
_LONGEST_RUN = 48  # lines of comments, blank ones not counted
_ERROR = 65_535  # the kind of the node that tree-sitter makes of what it does not understand


class _Part(NamedTuple):
    """What begins on a line. `plain`: a blank line above makes it stronger. `own`: the strength of its line if comments stand above it."""

    strength: int
    label: str
    plain: bool
    own: int | None = None


class _Walk:
    """One walk over one tree: collects parts and comments by line; `results` then decides which comments belong to what."""

    def __init__(self, grammar: Grammar, roles: Sequence[_Role], lines: LineTable, comments: set[int]) -> None:
        self._grammar = grammar
        self._roles = roles
        self._lines = lines
        self._parts: dict[int, _Part] = {}
        self._comments = comments  # the lines that hold nothing but a comment
        self._definitions: list[tuple[int, int, str]] = []  # first line, line behind the last, name

    def run(self, root: Node) -> None:
        """Collect the parts of the tree."""
        stack = [(root, 0)]
        while stack:
            node, depth = stack.pop()
            role = self._role(node)
            if role is _Role.BODY:
                self._enter(node, depth + 1, stack)
            elif role is _Role.LIST:
                self._enter(node, depth + 2, stack)
            else:
                self._pass_through(node, depth, stack)

    def _enter(self, node: Node, depth: int, stack: list[tuple[Node, int]]) -> None:
        """The children of a body or list are parts at `depth`."""
        first, after_definition = True, False
        for child in node.children:
            role = self._role(child)
            if role is _Role.TOKEN:
                continue
            row, last = self._rows(child)
            if last > row and depth < _MAX_DEPTH and role is not _Role.OPAQUE:
                stack.append((child, depth))
            if not self._begins(child, row) or (role is _Role.BODY and child.kind_id != _ERROR):
                continue
            if role is _Role.COMMENT:
                self._comments.update(range(row, last + 1))
                if self._leads(last):
                    continue
            definition = self._definition(child, role)
            if definition is not None:
                self._put_definition(definition, row, last, depth, _Rank.FIRST if first else _Rank.DEFINITION)
            elif first:
                self._put(row, _Part(Strength.LINE, self._label(child), plain=False))
            elif after_definition:
                self._put(row, _Part(_strength(depth, _Rank.DEFINITION), self._label(child), plain=False))
            else:
                self._put(row, _Part(_strength(depth, _Rank.PART), self._label(child), plain=True))
            first, after_definition = False, definition is not None

    def _pass_through(self, node: Node, depth: int, stack: list[tuple[Node, int]]) -> None:
        """Of the children of any other node only clauses are parts, and the definition inside a wrapper."""
        held = self._definition(node, self._role(node))
        for child in node.children:
            role = self._role(child)
            if role is _Role.TOKEN:
                continue
            row, last = self._rows(child)
            inner_depth = depth
            if self._begins(child, row):
                if role is _Role.COMMENT:
                    self._comments.update(range(row, last + 1))
                elif role is _Role.CLAUSE:
                    inner_depth = depth + 1
                    self._put(row, _Part(_strength(inner_depth, _Rank.DEFINITION), "clause", plain=False))
                elif child == held:
                    self._put(row, _Part(_strength(depth, _Rank.WRAPPED), self._label(child), plain=False))
            if last > row and inner_depth < _MAX_DEPTH and role is not _Role.OPAQUE:
                stack.append((child, inner_depth))

    def _definition(self, node: Node, role: _Role) -> Node | None:
        """The definition that `node` is or wraps; None if it is something else."""
        if role is _Role.WRAPPER:
            held = node.child_by_field_name(self._grammar.wrappers[node.type])
            return held if held is not None and self._role(held) is _Role.DEFINITION else None
        return node if role is _Role.DEFINITION else None

    def _put_definition(self, definition: Node, row: int, last: int, depth: int, rank: _Rank) -> None:
        """A part that is a definition, or wraps one, fills the lines from `row` to `last`."""
        label, keyword = self._grammar.definitions[definition.type]
        self._put(row, _Part(_strength(depth, rank), label, plain=False, own=_strength(depth, _Rank.COMMENTED)))
        name = definition.child_by_field_name("name")
        if name is not None and name.text:
            self._definitions.append((row, last + 1, f"{keyword} {name.text.decode('utf-8', 'replace')}"))

    def _put(self, row: int, part: _Part) -> None:
        known = self._parts.get(row)
        if known is None or known.strength < part.strength:
            self._parts[row] = part

    def results(self, size: int) -> tuple[list[Boundary], list[Scope]]:
        """The boundaries and scopes of the text, which is `size` characters long."""
        placed, tops = self._with_comments()
        starts, blank = self._lines.starts, self._lines.blank
        _, label = placed.get(0, (0, self._grammar.label))
        boundaries = [Boundary(0, int(Strength.DOCUMENT), label)]
        paragraph, line = (int(Strength.PARAGRAPH), "paragraph"), (int(Strength.LINE), "line")
        for row in range(1, len(starts)):
            if not blank[row]:
                strength, label = placed.get(row) or (paragraph if blank[row - 1] else line)
                boundaries.append(Boundary(starts[row], strength, label))
        regions = (
            (starts[tops[row]], starts[end] if end < len(starts) else size, name)
            for row, end, name in self._definitions
        )
        return boundaries, _nested(regions)

    def _with_comments(self) -> tuple[dict[int, tuple[int, str]], dict[int, int]]:
        """The parts moved up to the first of the comments above them; and where the part of each line went.

        Comments belong to what follows without a blank line, unless they are indented more: those end the part before.
        """
        placed: dict[int, tuple[int, str]] = {}
        tops: dict[int, int] = {}
        blank = self._lines.blank
        for row in sorted(self._parts):
            part = self._parts[row]
            top = row
            while top - 1 in self._comments and self._lines.indent(top - 1) <= self._lines.indent(row):
                top -= 1
                placed.pop(top, None)
            tops[row] = top
            strength = part.strength
            if part.plain and top > 0 and blank[top - 1]:
                strength += _Rank.GROUP - _Rank.PART
            placed[top] = (int(strength), part.label)
            if top < row and part.own is not None:
                placed[row] = (part.own, part.label)
        return placed, tops

    # --- nodes

    def _role(self, node: Node) -> _Role:
        kind = node.kind_id
        return _Role.BODY if kind == _ERROR else self._roles[kind]

    def _rows(self, node: Node) -> tuple[int, int]:
        """The first and the last line of a node."""
        row, end = self._lines.row(node.start_byte), node.end_byte
        # Most nodes end on the line on which they begin: no need to search.
        return row, row if end <= self._lines.ends[row] else self._lines.row(end - 1)

    def _begins(self, node: Node, row: int) -> bool:
        """Whether nothing but indentation precedes the node on its line."""
        return node.start_byte <= self._lines.indents[row]

    def _leads(self, row: int) -> bool:
        """Whether the comment that ends on this line belongs to what the next line begins."""
        lines = self._lines
        return row + 1 < len(lines) and not lines.blank[row + 1] and lines.indent(row) <= lines.indent(row + 1)

    def _label(self, node: Node) -> str:
        kind = node.type
        definition = self._grammar.definitions.get(kind)
        return self._grammar.labels.get(kind, "statement") if definition is None else definition.label


def _strength(depth: int, rank: _Rank) -> int:
    return Strength.STRUCTURE + (_MAX_DEPTH - depth) * _RANKS + rank


def hidden_rows(lines: LineTable, source: bytes, skimmed: re.Pattern[bytes]) -> set[int]:
    """The lines that are hidden from a grammar whose scanner is quadratic in them: all but the last ones of a long run.

    That of Python looks ahead over blank lines and comments for the next indentation, and does so again at each of these comments: 4,000
    lines of comments at the end of a function take it six seconds. A long run can do without most of them. Should it stand
    in a string after all, nothing is lost but a quotation mark that ends the string there.
    """
    hidden: set[int] = set()
    run: list[int] = []
    for row in range(len(lines) + 1):
        if row < len(lines) and lines.blank[row]:
            continue
        if row < len(lines) and skimmed.match(source, lines.indents[row], lines.ends[row]):
            run.append(row)
            continue
        if len(run) > _LONGEST_RUN:
            hidden.update(run[:-_LONGEST_RUN])
        run = []
    return hidden


def _nested(regions: Iterable[tuple[int, int, str]]) -> list[Scope]:
    """Scopes of the regions, each cut short where it would overlap the next one in part: a comment that moved from one to the other."""
    scopes: list[Scope] = []
    open_scopes: list[int] = []
    for start, end, name in sorted(regions, key=lambda region: (region[0], -region[1])):
        while open_scopes and scopes[open_scopes[-1]].end <= start:
            open_scopes.pop()
        for index in reversed(open_scopes):
            if scopes[index].end >= end:
                break
            scopes[index] = scopes[index]._replace(end=start)
        open_scopes.append(len(scopes))
        scopes.append(Scope(start, end, name))
    return scopes


@cache
def _compiled(grammar: Grammar) -> tuple[Language, tuple[_Role, ...]]:
    """The parser's language, and the role of each of its node kinds by number."""
    language = Language(grammar.load())
    by_type: dict[str, _Role] = {}
    for names, role in (
        (grammar.bodies, _Role.BODY),
        (grammar.lists, _Role.LIST),
        (grammar.clauses, _Role.CLAUSE),
        (grammar.definitions, _Role.DEFINITION),
        (grammar.wrappers, _Role.WRAPPER),
        (grammar.comments, _Role.COMMENT),
        (grammar.opaque, _Role.OPAQUE),
    ):
        by_type.update(dict.fromkeys(names, role))

    def role_of(kind: int) -> _Role:
        if not language.node_kind_is_named(kind):
            return _Role.TOKEN
        return by_type.get(language.node_kind_for_id(kind) or "", _Role.OTHER)

    return language, tuple(role_of(kind) for kind in range(language.node_kind_count))
