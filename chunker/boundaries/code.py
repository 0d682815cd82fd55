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
            # So much for that.     what ends a definition goes first where all of it is too long

Every boundary stands at the start of a line that is not blank. A part at depth d is stronger than every part at depth
d + 1, so a definition is never weaker than what it holds. Lines where no part begins are LINE boundaries, after a
blank line PARAGRAPH.

The walk enters only nodes that span several lines and keeps a stack of its own: its time is linear in the text,
whatever the depth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import ClassVar, NamedTuple

from tree_sitter import Node

from chunker.boundaries.base import Boundary, Outline, Scope, Strength
from chunker.boundaries.grammar import ERROR, Grammar, Role, compiled
from chunker.boundaries.lines import LineTable
from chunker.boundaries.parsing import hidden_rows, parse


class CodeFormat:
    """Source code in the language of `grammar`, which a subclass names."""

    grammar: ClassVar[Grammar]

    @property
    def language(self) -> str:
        """The name of the language."""
        return self.grammar.language

    def outline(self, text: str) -> Outline:
        """The parts of `text` by depth, and its lines. The scopes are the definitions: "class Stack", "def push".

        Where the parser meets what it does not understand (another version of the language, half a file, no code at
        all), the notes say {"parse": "had errors"}: the parts that it recovers count, the rest is lines. If it does
        not get done in a time linear in the text, they say {"parse": "given up"}, and all is lines. Lone surrogates
        and NULs are welcome.
        """
        if not text:
            return Outline([], finest=Strength.SENTENCE)
        source = text.encode("utf-8", "surrogatepass")
        language, roles = compiled(self.grammar)
        lines = LineTable(text, source)
        hidden = set() if self.grammar.skimmed is None else hidden_rows(lines, source, self.grammar.skimmed)
        tree = parse(language, lines.without(hidden, source))
        walk = _Walk(self.grammar, roles, source, lines, comments=hidden)
        if tree is None:
            notes = {"parse": "given up"}
        else:
            walk.run(tree.root_node)
            notes = {"parse": "had errors"} if tree.root_node.has_error else {}
        boundaries, scopes = walk.results(len(text))
        # A line of code has no sentences: what is too long is cut into words.
        return Outline(boundaries, scopes, notes, finest=Strength.SENTENCE)


class _Rank(IntEnum):
    """The order of the boundaries of one depth."""

    WRAPPED = 0  # between decorators and their definition
    COMMENTED = 1  # between comments and their definition
    TRAILING = 2  # between a definition and the comments at the end of its body
    FIRST = 3  # a definition that is the first part of a body
    PART = 4
    GROUP = 5  # a part after a blank line
    DEFINITION = 6  # a definition, what follows one, a clause


_RANKS = len(_Rank)

# What is nested deeper is lines: nobody writes it, and the levels stay within the scale.
_MAX_DEPTH = 250


class _Part(NamedTuple):
    """What begins on a line.

    `plain`: a blank line above makes it stronger. `own`: the strength of its own line, if comments stand above it.
    """

    strength: int
    label: str
    plain: bool
    own: int | None = None


class _Region(NamedTuple):
    """The lines of a definition, comments at its end included; `name` for the breadcrumb, "" if it has none."""

    first: int
    last: int
    depth: int
    name: str


class _Walk:
    """One walk over one tree. Collects parts and comments by line; then `results` puts them together."""

    def __init__(
        self, grammar: Grammar, roles: Sequence[Role], source: bytes, lines: LineTable, comments: set[int]
    ) -> None:
        self._grammar = grammar
        self._roles = roles
        self._source = source
        self._lines = lines
        self._parts: dict[int, _Part] = {}
        self._comments = comments  # the lines that hold nothing but a comment
        self._definitions: list[_Region] = []

    def run(self, root: Node) -> None:
        """Collect the parts of the tree."""
        stack = [(root, 0)]
        while stack:
            node, depth = stack.pop()
            role = self._role(node)
            if role is Role.BODY:
                self._enter(node, depth + 1, stack)
            elif role is Role.LIST:
                self._enter(node, depth + 2, stack)
            else:
                self._pass_through(node, depth, stack)

    def _enter(self, node: Node, depth: int, stack: list[tuple[Node, int]]) -> None:
        """The children of a body or list are parts at `depth`."""
        first, after_definition = True, False
        for child in node.children:
            role = self._role(child)
            if role is Role.TOKEN:
                continue
            row, last = self._rows(child)
            if self._is_worth_entering(child, role, row, last, depth):
                stack.append((child, depth))
            if not self._begins(child, row) or (role is Role.BODY and child.kind_id != ERROR):
                continue
            if role is Role.COMMENT:
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
            if role is Role.TOKEN:
                continue
            row, last = self._rows(child)
            inner_depth = depth
            if self._begins(child, row):
                if role is Role.COMMENT:
                    self._comments.update(range(row, last + 1))
                elif role is Role.CLAUSE:
                    inner_depth = depth + 1
                    self._put(row, _Part(_strength(inner_depth, _Rank.DEFINITION), "clause", plain=False))
                elif child == held:
                    self._put(row, _Part(_strength(depth, _Rank.WRAPPED), self._label(child), plain=False))
            if self._is_worth_entering(child, role, row, last, inner_depth):
                stack.append((child, inner_depth))

    def _is_worth_entering(self, node: Node, role: Role, row: int, last: int, depth: int) -> bool:
        """Whether a part may begin a line inside `node`: a later one, or the node's own if that is a body."""
        spans = last > row or (role is Role.BODY and self._begins(node, row))
        return spans and depth < _MAX_DEPTH and role is not Role.OPAQUE

    def _definition(self, node: Node, role: Role) -> Node | None:
        """The definition that `node` is or wraps; None if it is something else."""
        if role is Role.WRAPPER:
            held = node.child_by_field_name(self._grammar.wrappers[node.type])
            return held if held is not None and self._role(held) is Role.DEFINITION else None
        return node if role is Role.DEFINITION else None

    def _put_definition(self, definition: Node, row: int, last: int, depth: int, rank: _Rank) -> None:
        """A part that is a definition, or wraps one, fills the lines from `row` to `last`."""
        label, keyword = self._grammar.definitions[definition.type]
        self._put(row, _Part(_strength(depth, rank), label, plain=False, own=_strength(depth, _Rank.COMMENTED)))
        name = definition.child_by_field_name("name")
        known = b"" if name is None else self._source[name.start_byte : name.end_byte]
        self._definitions.append(
            _Region(row, last, depth, f"{keyword} {known.decode('utf-8', 'replace')}" if known else "")
        )

    def _put(self, row: int, part: _Part) -> None:
        known = self._parts.get(row)
        if known is None or known.strength < part.strength:
            self._parts[row] = part

    def results(self, size: int) -> tuple[list[Boundary], list[Scope]]:
        """The boundaries and scopes of the text, which is `size` characters long."""
        placed, tops = self._with_comments()
        self._cut_off_trailing_comments(placed)
        starts, blank = self._lines.starts, self._lines.blank
        boundaries = [Boundary(0, int(Strength.DOCUMENT), self._first_label(placed))]
        paragraph, line = (int(Strength.PARAGRAPH), "paragraph"), (int(Strength.LINE), "line")
        for row in range(1, len(starts)):
            if not blank[row]:
                strength, label = placed.get(row) or (paragraph if blank[row - 1] else line)
                boundaries.append(Boundary(starts[row], strength, label))
        ends = [*starts, size]
        regions = (
            (starts[tops[region.first]], ends[region.last + 1], region.name)
            for region in self._definitions
            if region.name
        )
        return boundaries, _nested(regions)

    def _first_label(self, placed: dict[int, tuple[int, str]]) -> str:
        _, label = placed.get(0, (0, ""))
        is_definition = any(label == definition.label for definition in self._grammar.definitions.values())
        return label if is_definition else self._grammar.label

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

    def _cut_off_trailing_comments(self, placed: dict[int, tuple[int, str]]) -> None:
        """Comments at the end of a definition stay with it, if all of it fits; else they go first."""
        code = 0
        last_code = []  # for each line, the last one up to it that holds code
        for row, blank in enumerate(self._lines.blank):
            if not blank and row not in self._comments:
                code = row
            last_code.append(code)
        for region in self._definitions:
            rows = range(last_code[region.last] + 1, region.last + 1)
            row = next((row for row in rows if not self._lines.blank[row]), 0)
            strength = _strength(region.depth, _Rank.TRAILING)
            if row and placed.get(row, (0, ""))[0] < strength:
                placed[row] = strength, "comment"

    # --- nodes

    def _role(self, node: Node) -> Role:
        kind = node.kind_id
        return Role.BODY if kind == ERROR else self._roles[kind]

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


def _nested(regions: Iterable[tuple[int, int, str]]) -> list[Scope]:
    """Scopes of the regions. One that would overlap the next in part ends there: comments moved from one to the other."""
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
