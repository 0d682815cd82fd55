"""Place the parts of a source text on its lines: comments and attributes go with their definition. Any other line
becomes a boundary of strength LINE.

row                    part           boundary
0  # Counts.                          definition: moved up to the first of its comments
1  #[test]             (attribute)    weak: an attribute stays with its definition
2  fn count() {        definition     weaker still
3      let a = 1;      first part     line
4
5      run(a);         part           part after a blank line
6  }                                  line
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import compress
from operator import itemgetter, not_

from chunker.formats.code.grammar import Grammar
from chunker.formats.code.walking import Closed, Rank, WalkResult, is_plain_part, strength_at
from chunker.formats.outline import Outline, Scope, Strength
from chunker.formats.sketches import Inside, Sketch
from chunker.formats.text.lines import LineTable

Placed = dict[int, tuple[int, str]]

_LINE, _PARAGRAPH = int(Strength.LINE), int(Strength.PARAGRAPH)


def place(found: WalkResult, lines: LineTable, size: int, grammar: Grammar, notes: dict[str, str]) -> Outline:
    """Return the outline of a text of `size` characters, at least one."""
    placed, tops = _settled(found, lines)
    ends = [*lines.starts, size]
    columns = _Rows(placed, _label_of(placed, grammar), lines, _heads(found, tops, ends))
    return columns.outline(clipped_scopes(_regions(found, tops, ends)), notes)


def sketch(
    found: WalkResult,
    closed: list[Closed],
    enter: Callable[[list[Closed], list[int]], WalkResult],
    lines: LineTable,
    *,
    size: int,
    grammar: Grammar,
    notes: dict[str, str],
) -> Sketch:
    """Return the sketch of such a text, in which the nodes of `closed` have not been entered; `enter` enters them,
    given the lines with comments.

    A closed unit extends from the last boundary before its nodes to the first one after them that is stronger than all
    that the nodes may contain. Weaker boundaries, such as the line of a closing brace, are inside the unit, too.
    """
    placed, tops = _settled(found, lines)
    ends = [*lines.starts, size]
    rows = _Rows(placed, _label_of(placed, grammar), lines, _heads(found, tops, ends))
    units = rows.close(closed)
    # Attributes stay with their definition: nothing inside them is a part.
    attributes = {line for row, leading in found.leading.items() for line in range(leading, row)}

    def look(offset: int) -> Inside:
        first, last, nodes = units[offset]
        inner = enter(nodes, [row for row in range(first, last) if row in found.comments])
        inner_placed, inner_tops = _settled(inner, lines)
        # On the first line of a part that moved nothing inside of it counts: the part would have been stronger, and
        # moved, too.
        for row in (attributes | tops.keys()).intersection(inner_placed):
            del inner_placed[row]
        scopes = (Scope(*region) for region in _regions(inner, inner_tops, ends))
        return rows.inside(first, last, inner_placed, _heads(inner, inner_tops, ends), scopes)

    def scopes_of(inside: list[Scope]) -> list[Scope]:
        return clipped_scopes([*_regions(found, tops, ends), *((start, end, name) for start, end, name, _ in inside)])

    return rows.sketch(units, look, scopes_of, notes)


def _settled(found: WalkResult, lines: LineTable) -> tuple[Placed, dict[int, int]]:
    """Return the parts on each line, and where parts were moved because of comments and attributes."""
    placed, tops = _with_leading_lines(found, lines)
    _cut_off_trailing_comments(placed, found, lines)
    return placed, tops


def _label_of(placed: Placed, grammar: Grammar) -> str:
    """Return the label of the whole text: that of the definition at its start, or of its language."""
    _, label = placed.get(0, (0, grammar.label))
    known = any(label == definition.label for definition in grammar.definitions.values())
    return label if known else grammar.label


def _regions(found: WalkResult, tops: dict[int, int], ends: list[int]) -> Iterator[tuple[int, int, str]]:
    """Yield start and end, in characters, and name of the named definitions."""
    for region in found.regions:
        if name := region.name:
            yield ends[tops.get(region.first, region.first)], ends[region.last + 1], name


def _heads(found: WalkResult, tops: dict[int, int], ends: list[int]) -> dict[int, int]:
    """Return the heads: the start line of each boundary between the top of a part and its first line (inclusive) -> the
    end of the first line, in characters.

    Parts that are no stronger than lines have no heads, because no unit begins there.
    """
    farthest: dict[int, int] = {}  # the first of these lines -> the header
    for row in tops.keys() | found.headers.keys():
        if found.parts[row][0] > _PARAGRAPH:
            first, header = tops.get(row, row) + 1, found.headers.get(row, row)
            farthest[first] = max(header, farthest.get(first, 0))
    heads: dict[int, int] = {}
    # An attribute may contain another head, and heads may share comments: of all heads that contain a line, the
    # farthest counts.
    line, header = 0, -1
    for first in [*sorted(farthest), len(ends)]:
        for inner in range(line, min(first, header + 1)):
            heads[inner] = ends[header + 1]
        line, header = first, max(header, farthest.get(first, 0))
    return heads


def lines_only(lines: LineTable, notes: dict[str, str]) -> Outline:
    """Return the outline of code whose structure is unknown: its lines, at least one."""
    return _Rows({}, "lines", lines, {}).outline([], notes)


class _Rows:
    """A boundary for each non-blank line: the part placed there, otherwise a line. The boundary of the whole text has
    `label`.
    """

    def __init__(self, placed: Placed, label: str, lines: LineTable, heads: dict[int, int]) -> None:
        starts, blank = lines.starts, lines.blank
        strengths = [_LINE] * len(starts)
        labels = ["line"] * len(starts)
        for row in compress(range(1, len(starts)), blank):
            strengths[row] = _PARAGRAPH
            labels[row] = "paragraph"
        for row, (strength, name) in placed.items():
            strengths[row], labels[row] = strength, name
        strengths[0], labels[0] = int(Strength.DOCUMENT), label
        self._placed = placed
        self._heads = heads
        self._starts, self._strengths, self._labels = starts, strengths, labels
        self._shown = [True, *map(not_, blank[1:])]
        self._nonblank = self._shown

    def _columns(self) -> tuple[list[int], list[int], list[str]]:
        shown = self._shown
        return (
            list(compress(self._starts, shown)),
            list(compress(self._strengths, shown)),
            list(compress(self._labels, shown)),
        )

    def _shown_heads(self) -> dict[int, int]:
        return {self._starts[row]: end for row, end in self._heads.items() if self._shown[row]}

    def outline(self, scopes: list[Scope], notes: dict[str, str]) -> Outline:
        """Return all boundaries."""
        # Code has no sentences: a line that is too long is refined into words.
        return Outline.of_columns(*self._columns(), scopes, notes, finest=Strength.SENTENCE, heads=self._shown_heads())

    def close(self, closed: list[Closed]) -> dict[int, tuple[int, int, list[Closed]]]:
        """Hide the boundaries inside units with these nodes. Returns the start of each unit, in characters -> its first
        line, the line after its last, its nodes.
        """
        self._shown = self._nonblank.copy()
        units: list[tuple[int, int, list[Closed]]] = []
        end = bound = 0
        for node in sorted(closed, key=lambda one: one.first):
            if node.first >= end or not units:
                start, nodes = node.first, [node]
                bound = node.bound
            else:
                start, _, nodes = units.pop()
                nodes.append(node)
                bound = max(bound, node.bound)
            while not (self._nonblank[start] and self._strengths[start] > bound):
                start -= 1
                if units and start < units[-1][1]:
                    start, _, more = units.pop()
                    nodes = more + nodes
            end = max(end if nodes[0] is not node else 0, node.last + 1)
            while end < len(self._nonblank) and not (self._nonblank[end] and self._strengths[end] > bound):
                end += 1
            units.append((start, end, nodes))
        for start, stop, _ in units:
            self._shown[start + 1 : stop] = [False] * (stop - start - 1)
        return {self._starts[start]: (start, stop, nodes) for start, stop, nodes in units}

    def inside(self, first: int, last: int, placed: Placed, heads: dict[int, int], scopes: Iterable[Scope]) -> Inside:
        """Return the details after line `first` and before line `last`, with the parts that are known now."""
        rows = slice(first + 1, last)
        strengths, labels = self._strengths[rows], self._labels[rows]
        for row, (strength, name) in placed.items():
            index = row - first - 1
            if 0 <= index < len(strengths) and (strength > strengths[index] or row not in self._placed):
                strengths[index], labels[index] = strength, name
        nonblank = self._nonblank[rows]
        merged = {}
        for row in compress(range(first + 1, last), nonblank):
            if end := max(self._heads.get(row, 0), heads.get(row, 0)):
                merged[self._starts[row]] = end
        return Inside(
            list(compress(self._starts[rows], nonblank)),
            list(compress(strengths, nonblank)),
            list(compress(labels, nonblank)),
            scopes,
            merged,
        )

    def sketch(
        self,
        units: dict[int, tuple[int, int, list[Closed]]],
        look: Callable[[int], Inside],
        scopes_of: Callable[[list[Scope]], list[Scope]],
        notes: dict[str, str],
    ) -> Sketch:
        """Return the sketch of the parts that are not hidden."""
        return Sketch.of(
            self._columns(),
            units.keys(),
            look,
            scopes_of,
            notes,
            finest=Strength.SENTENCE,
            heads=self._shown_heads(),
        )


def _with_leading_lines(found: WalkResult, lines: LineTable) -> tuple[Placed, dict[int, int]]:
    """Move parts up to the first of the comments and attributes before them. Returns the parts, and the new lines of
    those that moved.

    Comments belong to the next part unless a blank line separates them, or they are indented more: then they end the
    part before. Attributes always belong to the next part.
    """
    placed = dict(found.parts)
    tops: dict[int, int] = {}
    comments = found.comments
    commented = {last + 1 for last in comments}.intersection(placed)
    for row in sorted(commented.union(found.leading)):
        strength, label = found.parts[row]
        leading = found.leading.get(row, row)
        indent = lines.indent(row)
        top = leading
        for between in range(leading, row):
            placed.pop(between, None)
        while (above := comments.get(top - 1)) is not None and lines.indent(above) <= indent:
            for between in range(above, top):
                placed.pop(between, None)
            # A comment that was moved up is indented at least as much as those that it has passed.
            top = tops.get(above, above)
            placed.pop(top, None)
        if top == row:
            continue
        del placed[row]
        tops[row] = top
        if is_plain_part(strength) and top > 0 and lines.blank[top - 1]:
            strength += Rank.GROUP - Rank.PART
        placed[top] = strength, label
        # If the whole definition is too long, a cut before its attributes is better than one after them.
        own = found.own.get(row, 0)
        if own and top < leading:
            placed[leading] = own, label
        if own and leading < row:
            cut = row
            while (above := comments.get(cut - 1)) is not None and above > leading:
                cut = above  # comments after the attributes stay with the definition
            placed[cut] = own - Rank.COMMENTED + Rank.WRAPPED, label
    return placed, tops


def _cut_off_trailing_comments(placed: Placed, found: WalkResult, lines: LineTable) -> None:
    """Add a boundary before the comments at the end of each definition, where one that is too long is cut first."""
    commented = set(found.comments)
    for last, first in found.comments.items():
        commented.update(range(first, last))
    for region in found.regions:
        row = region.last
        # Search only if a definition ends with a comment.
        above = row
        while above > region.first and (lines.blank[above] or above in commented):
            row = row if lines.blank[above] else above
            above -= 1
        strength = strength_at(region.depth, Rank.TRAILING)
        if row in commented and placed.get(row, (0, ""))[0] < strength:
            placed[row] = strength, "comment"


def clipped_scopes(regions: Iterable[tuple[int, int, str]]) -> list[Scope]:
    """Make scopes of the regions. One that would partly overlap the next ends there: comments moved from one to the
    other.
    """
    scopes: list[Scope] = []
    open_scopes: list[int] = []
    # Two sorts keep the order of what is alike, and ask no function of Python for each.
    found = sorted(regions, key=itemgetter(1), reverse=True)
    found.sort(key=itemgetter(0))
    for start, end, name in found:
        while open_scopes and scopes[open_scopes[-1]].end <= start:
            open_scopes.pop()
        for index in reversed(open_scopes):
            if scopes[index].end >= end:
                break
            scopes[index] = scopes[index]._replace(end=min(start, scopes[index].end))
        open_scopes.append(len(scopes))
        scopes.append(Scope(start, end, name))
    return scopes
