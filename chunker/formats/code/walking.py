"""Walk a syntax tree: find the lines that begin a part of the code, and the strength of a cut there.

    class Stack:                    definition, depth 1
        size = 0                    first part of a body: weak, so that it stays with its header
        # Put on top.               definition, depth 2: the comments above it belong to it ...
        @traced                     ... but if all of it is too long, a cut here is better than one inside,
        def push(self, item):       and one here is the next best
            if item:                weak, as above
                self.put(item)      weak
            else:                   clause, depth 4
                pass                weak

The walk enters only nodes that span several lines, and keeps a stack of its own: its time is linear in the text, for
any depth. Most of the time is spent on creating Python objects for nodes, so the walk visits each node once, and reads
few of its attributes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from functools import partial
from typing import NamedTuple

from tree_sitter import Node

from chunker.formats.code.grammar import Grammar, Role, compiled
from chunker.formats.code.naming import child_named
from chunker.formats.outline import Strength
from chunker.formats.text.lines import LineTable


class Rank(IntEnum):
    """The order of the boundaries at one depth."""

    WRAPPED = 0  # between decorators and their definition
    COMMENTED = 1  # between comments and their definition
    TRAILING = 2  # between a definition and the comments at the end of its body
    FIRST = 3  # a definition that is the first part of a body
    PART = 4
    GROUP = 5  # a part after a blank line
    DEFINITION = 6  # a definition, the part after a definition, or a clause


_RANKS = len(Rank)

# Deeper nodes are cut by lines: nobody writes such code, and strengths stay within the scale.
_MAX_DEPTH = 250

_MOST_WRAPPERS = 8  # around one definition
_COMMENT_DEPTH = 3  # the comment node, its marker, and a level between them in some grammars


_LINE = int(Strength.LINE)
# Looking up members of an enumeration takes longer than visiting a node.
_OTHER = int(Role.OTHER)
_HIDDEN, _CLAUSE, _DEFINITION, _WRAPPER = int(Role.HIDDEN), int(Role.CLAUSE), int(Role.DEFINITION), int(Role.WRAPPER)
_COMMENT, _LEADING = int(Role.COMMENT), int(Role.LEADING)
_GROUP_OVER_PART, _DEFINITION_OVER_PART = Rank.GROUP - Rank.PART, Rank.DEFINITION - Rank.PART


def strength_at(depth: int, rank: Rank) -> int:
    """Return the strength of a boundary."""
    return int(Strength.STRUCTURE) + (_MAX_DEPTH - depth) * _RANKS + rank


def is_plain_part(strength: int) -> bool:
    """Whether a boundary of this strength gets stronger if a blank line precedes it."""
    return strength >= Strength.STRUCTURE and (strength - Strength.STRUCTURE) % _RANKS == Rank.PART


class SyntaxRegion(NamedTuple):
    """The lines of a definition, including comments at its end."""

    first: int
    last: int
    depth: int
    naming: Callable[[], str]

    @property
    def name(self) -> str:
        """The name for the breadcrumb, "" if there is none. Computed on each access, because many names are never
        needed.
        """
        return self.naming()


class WalkResult:
    """The result of the walk, by line.

    `parts`: strength and label of the part that begins on a line. `leading`: for parts with attributes, the line where
    the attributes begin. `own`: for definitions, the strength of a cut between them and the comments before them.
    `headers`: for definitions that begin with attributes or annotations of their own, the first line after these.
    `comments`: the last line of each comment -> its first. `regions`: the definitions.
    """

    __slots__ = ("comments", "headers", "leading", "own", "parts", "regions")

    def __init__(self, hidden: Iterable[int]) -> None:
        self.parts: dict[int, tuple[int, str]] = {}
        self.leading: dict[int, int] = {}
        self.own: dict[int, int] = {}
        self.headers: dict[int, int] = {}
        self.comments: dict[int, int] = {row: row for row in hidden}
        self.regions: list[SyntaxRegion] = []


class _Siblings:
    """The effect of the earlier children of a node on the next child.

    `strength`: of the next part, unless it is a definition. `part`: of a part that nothing makes weaker or stronger.
    `attributes`: the line of the first pending attribute, which belongs to the next part; -1 for none. `previous`: the
    name of the previous definition, if the next one may continue it.
    """

    __slots__ = ("attributes", "depth", "part", "previous", "strength")

    def __init__(self, depth: int) -> None:
        self.depth = depth
        self.part = strength_at(depth, Rank.PART)
        self.strength = _LINE
        self.attributes = -1
        self.previous = b""


class Closed(NamedTuple):
    """A node that the walk has not entered. No part that begins on the lines after `first` up to `last` is stronger
    than `bound`.
    """

    first: int
    last: int
    node: Node
    depth: int

    @property
    def bound(self) -> int:
        """An upper bound for the strength of the parts inside."""
        return strength_at(self.depth, Rank.WRAPPED)


class Walk:
    """The walk over one tree. Nodes of at most `small` bytes are not entered but kept in `closed`, for a later call of
    `enter`.
    """

    def __init__(
        self, grammar: Grammar, source: bytes, lines: LineTable, hidden: Iterable[int], small: int = 0
    ) -> None:
        self.found = WalkResult(hidden)
        self.closed: list[Closed] = []
        self._small = small
        self._may_end: dict[int, bool] = {}  # whether a node that ends on a line may be closed
        self._grammar = grammar
        self._compiled = compiled(grammar)
        self._source = source
        self._lines = lines
        self._row_of_indent = dict(zip(lines.indents, range(len(lines)), strict=True))

    def run(self, root: Node) -> WalkResult:
        """Collect the parts of the tree."""
        stack: list[tuple[Node, int]] = []
        # The root is a body, whatever its type.
        self._enter(root, 1, stack)
        settled: list[Closed] = []
        while stack or self.closed:
            self.enter(stack)
            for closed in self.closed:
                if self._is_part(closed):
                    settled.append(closed)
                else:
                    stack.append((closed.node, closed.depth))
            self.closed = []
        self.closed = settled
        return self.found

    def enter(self, stack: list[tuple[Node, int]]) -> WalkResult:
        """Collect the parts of these nodes, each with its depth. Empties the list."""
        inside = self._compiled.inside
        while stack:
            node, depth = stack.pop()
            deeper = inside[node.kind_id]
            if deeper > 0:
                self._enter(node, depth + deeper, stack)
            else:
                self._pass_through(node, depth, stack)
        return self.found

    def _enter(self, node: Node, depth: int, stack: list[tuple[Node, int]]) -> None:
        """Collect the children of a body, group or list as parts at `depth`."""
        siblings = _Siblings(depth)
        labels = self._compiled.labels
        for child, kind, role, row, last in self._children(node, -1, depth, depth, stack):
            if role == _HIDDEN:
                continue
            if role == _LEADING:
                siblings.attributes = row if siblings.attributes < 0 else siblings.attributes
                continue
            if role == _COMMENT:
                self._put_comment(row, last, child.end_byte)
                if siblings.attributes >= 0 or self._leads(row, last):
                    continue
            if role == _OTHER:
                self._put_part(siblings, row, labels[kind])
                siblings.previous = b""
                continue
            definition = self._definition(child, role, several_lines=last > row) if role >= _DEFINITION else None
            if definition is None:
                if role == _CLAUSE:
                    siblings.strength = siblings.part + _DEFINITION_OVER_PART
                self._put_part(siblings, row, labels[kind])
                siblings.previous = siblings.previous if role == _COMMENT else b""
            else:
                self._put_definition(siblings, definition, row, last)
        if siblings.attributes >= 0:  # no part follows the attributes
            self._put(siblings.attributes, siblings.strength, "statement")

    def _pass_through(self, node: Node, depth: int, stack: list[tuple[Node, int]]) -> None:
        """Walk through any other node: only its clauses, and the definition inside a wrapper, are parts."""
        held = self._held(node) if self._compiled.roles[node.kind_id] == _WRAPPER else None
        # Children on the first line of the node begin no line of their own.
        after = self._lines.ends[bisect_right(self._lines.byte_starts, node.start_byte) - 1]
        for child, kind, role, row, last in self._children(node, after, depth, depth + 1, stack):
            if role == _COMMENT:
                self._put_comment(row, last, child.end_byte)
            elif role == _CLAUSE:
                self._put(row, strength_at(depth + 1, Rank.DEFINITION), "clause")
            elif held is not None and child == held:
                definition = self._definition(child, role, several_lines=last > row)
                label = self._compiled.labels[kind] if definition is None else self._label(definition)
                self._put(row, strength_at(depth, Rank.WRAPPED), label)

    def _children(
        self, node: Node, after: int, depth: int, depth_of_clauses: int, stack: list[tuple[Node, int]]
    ) -> Iterator[tuple[Node, int, int, int, int]]:
        """Yield the named children that begin a line: each with its kind, role, first and last line. Children to enter
        are pushed on the stack.

        Children that end before the byte `after` are left out. In a sentence, whose clauses are one level deeper, so
        are children of the role OTHER.
        """
        dull = -1 if depth_of_clauses == depth else _OTHER
        roles, inside = self._compiled.roles, self._compiled.inside
        rows, byte_starts = self._row_of_indent, self._lines.byte_starts
        ends, indents = self._lines.ends, self._lines.indents
        for child in node.children:
            end = child.end_byte
            if end <= after:
                continue
            kind = child.kind_id
            role = roles.get(kind)
            if role is None:
                continue
            start = child.start_byte
            row = rows.get(start, -1)
            begins = row >= 0
            if not begins:
                row = bisect_right(byte_starts, start) - 1
                begins = start <= indents[row]
            # Most nodes end on the line where they begin: no search is needed.
            several_lines = end > ends[row]
            if (several_lines or (role == _HIDDEN and begins)) and inside[kind] >= 0:
                inner = depth_of_clauses if role == _CLAUSE and begins else depth
                if inner < _MAX_DEPTH:
                    if several_lines and end - start <= self._small and self._closes(child, row, end, inner):
                        pass
                    else:
                        stack.append((child, inner))
            if begins and role != dull:
                yield child, kind, role, row, bisect_right(byte_starts, end - 1) - 1 if several_lines else row

    def _is_part(self, closed: Closed) -> bool:
        """Whether a closed node is a part that is stronger than all parts inside it; or begins in the middle of a line,
        where no other part begins.
        """
        if closed.node.start_byte > self._lines.indents[closed.first]:
            return True
        if self._compiled.inside[closed.node.kind_id] > 0:
            return False  # its first child may be a part itself, or an attribute
        strength, _ = self.found.parts.get(closed.first, (0, ""))
        return strength > closed.bound

    def _closes(self, node: Node, row: int, end: int, depth: int) -> bool:
        """Close a node, unless it ends with a comment, which may belong to the next part, or with white space, after which
        the next part may begin its last line. Returns whether it was closed.
        """
        last = bisect_right(self._lines.byte_starts, end - 1) - 1
        if end <= self._lines.indents[last]:
            return False
        # Many nested nodes may end on one line; the result is the same for all.
        may_end = self._may_end.get(last)
        if may_end is None:
            may_end = self._may_end[last] = self._ends_well(node, last)
        if may_end:
            self.closed.append(Closed(row, last, node, depth))
        return may_end

    def _ends_well(self, node: Node, last: int) -> bool:
        if self._lines.blank[last]:
            return False
        place = self._lines.indents[last]
        roles = self._compiled.roles
        leaf = node.descendant_for_byte_range(place, place)
        # An empty leaf, for a missing token, is hard to find from above.
        if leaf is None or leaf.start_byte == leaf.end_byte:
            return False
        for _ in range(_COMMENT_DEPTH):
            if leaf is None or roles.get(leaf.kind_id) == _COMMENT:
                return False
            leaf = leaf.parent
        return True

    # --- definitions

    def _definition(self, node: Node, role: int, *, several_lines: bool) -> Node | None:
        """Return the definition that `node` is or wraps; None if it is something else."""
        if role == _DEFINITION:
            return node if self._counts(node, several_lines=several_lines) else None
        if not several_lines:
            return None
        roles = self._compiled.roles
        found: Node | None = node
        for _ in range(_MOST_WRAPPERS):
            found = self._held(found) if found is not None else None
            if found is None or roles[found.kind_id] == _DEFINITION:
                break
        else:
            return None
        return found if found is not None and self._counts(found, several_lines=True) else None

    def _held(self, wrapper: Node) -> Node | None:
        """Return the only definition, or wrapper of one, that is a direct child of a wrapper; None if there is none, or
        several.

        If the wrapper is also a group, such as `type (`, a child that begins a line is a part of the group instead.
        """
        roles = self._compiled.roles
        found = [child for child in wrapper.named_children if roles.get(child.kind_id) in (_DEFINITION, _WRAPPER)]
        if len(found) != 1 or (
            self._compiled.inside[wrapper.kind_id] > 0 and found[0].start_byte in self._row_of_indent
        ):
            return None
        return found[0]

    def _counts(self, node: Node, *, several_lines: bool) -> bool:
        """Whether a node fulfils the condition of its kind of definition."""
        condition = self._grammar.definitions[node.type].condition
        if condition and not several_lines:
            return False
        for name, types in condition.items():
            child: Node | None = node
            for step in name.split("."):
                found = (child_named(child, way) for way in step.split("|")) if child is not None else ()
                child = next((one for one in found if one is not None), None)
            if child is None or (types and child.type not in types):
                return False
        return True

    def _header_row(self, definition: Node) -> int:
        """Return the line with the name of a definition, if its body comes after the name; else its first line.
        Annotations come before it.
        """
        body, name = definition.child_by_field_name("body"), definition.child_by_field_name("name")
        named = body is not None and name is not None and name.start_byte < body.start_byte
        place = name.start_byte if named and name is not None else definition.start_byte
        return bisect_right(self._lines.byte_starts, place) - 1

    def _label(self, definition: Node) -> str:
        return self._grammar.definitions[definition.type].label

    # --- parts

    def _put_part(self, siblings: _Siblings, row: int, label: str) -> None:
        """Add a part that is not a definition."""
        strength, attributes = siblings.strength, siblings.attributes
        if attributes >= 0:
            self.found.leading[row] = attributes
            if strength > _LINE:
                self.found.own[row] = strength_at(siblings.depth, Rank.COMMENTED)
            siblings.attributes = -1
        part = siblings.part
        if strength == part and row and self._lines.blank[row - 1]:
            strength += _GROUP_OVER_PART
        known = self.found.parts.get(row)
        if known is None or known[0] < strength:
            self.found.parts[row] = strength, label
        siblings.strength = part

    def _put_definition(self, siblings: _Siblings, definition: Node, row: int, last: int) -> None:
        """Add a part that is a definition, or wraps one, on the lines from `row` to `last`."""
        kind = self._grammar.definitions[definition.type]
        depth = siblings.depth
        joined = definition.type in self._grammar.joined
        name = kind.name.as_written(definition, self._source) if joined else b""
        if name and name == siblings.previous:
            region = self.found.regions.pop()
            self.found.regions.append(region._replace(last=last))
            self._put(row, strength_at(depth + 1, Rank.DEFINITION), "clause")
            return
        self._put(row, strength_at(depth, Rank.FIRST if siblings.strength == _LINE else Rank.DEFINITION), kind.label)
        self.found.own[row] = strength_at(depth, Rank.COMMENTED)
        header = self._header_row(definition) if last > row else row
        if header > row:
            self.found.headers[row] = header
        if siblings.attributes >= 0:
            self.found.leading[row] = siblings.attributes
        naming = partial(kind.name.name, definition, self._source)
        self.found.regions.append(SyntaxRegion(row, last, depth, naming))
        siblings.previous = name
        siblings.attributes, siblings.strength = -1, siblings.part + _DEFINITION_OVER_PART

    def _put(self, row: int, strength: int, label: str) -> None:
        """Add a part on a line; of two parts on the same line the stronger one counts."""
        known = self.found.parts.get(row)
        if known is None or known[0] < strength:
            self.found.parts[row] = strength, label

    # --- comments

    def _put_comment(self, row: int, last: int, end: int) -> None:
        """Add a comment that begins a line, unless other code follows on its last line."""
        if not self._source[end : self._lines.ends[last]].strip():
            self.found.comments[last] = row

    def _leads(self, row: int, last: int) -> bool:
        """Whether the comment on these lines belongs to the part that begins on the next line."""
        lines = self._lines
        return last + 1 < len(lines) and not lines.blank[last + 1] and lines.indent(row) <= lines.indent(last + 1)
