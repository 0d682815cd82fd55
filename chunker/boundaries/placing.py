"""From the parts of a source text to its boundaries: comments and attributes go with what they belong to, and all other lines are lines.

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

from collections.abc import Iterable
from itertools import compress
from operator import not_

from chunker.boundaries.base import Outline, Scope, Strength
from chunker.boundaries.grammar import Grammar
from chunker.boundaries.lines import LineTable
from chunker.boundaries.walking import Found, Rank, is_plain_part, strength_at

Placed = dict[int, tuple[int, str]]

_LINE, _PARAGRAPH = int(Strength.LINE), int(Strength.PARAGRAPH)


def place(found: Found, lines: LineTable, size: int, grammar: Grammar, notes: dict[str, str]) -> Outline:
    """The outline of a text that is `size` characters long, at least one."""
    placed, tops = _with_leading_lines(found, lines)
    _cut_off_trailing_comments(placed, found, lines)
    _, label = placed.get(0, (0, grammar.label))
    if not any(label == definition.label for definition in grammar.definitions.values()):
        label = grammar.label
    ends = [*lines.starts, size]
    regions = (
        (ends[tops.get(one.first, one.first)], ends[one.last + 1], one.name) for one in found.regions if one.name
    )
    return _outline(placed, label, lines, _nested(regions), notes)


def lines_only(lines: LineTable, notes: dict[str, str]) -> Outline:
    """The outline of code of which nothing is known but its lines, at least one."""
    return _outline({}, "lines", lines, [], notes)


def _outline(placed: Placed, label: str, lines: LineTable, scopes: list[Scope], notes: dict[str, str]) -> Outline:
    """The boundaries at the lines that are not blank: what is placed there, else a line; the text as a whole is a `label`."""
    starts, blank = lines.starts, lines.blank
    strengths = [_LINE] * len(starts)
    labels = ["line"] * len(starts)
    for row in compress(range(1, len(starts)), blank):
        strengths[row] = _PARAGRAPH
        labels[row] = "paragraph"
    for row, (strength, name) in placed.items():
        strengths[row], labels[row] = strength, name
    strengths[0], labels[0] = int(Strength.DOCUMENT), label
    inked = [True, *map(not_, blank[1:])]
    columns = (list(compress(starts, inked)), list(compress(strengths, inked)), list(compress(labels, inked)))
    # A line of code has no sentences: what is too long is cut into words.
    return Outline.of_columns(*columns, scopes, notes, finest=Strength.SENTENCE)


def _with_leading_lines(found: Found, lines: LineTable) -> tuple[Placed, dict[int, int]]:
    """The parts moved up to the first of the comments and attributes above them; and where those that moved went.

    Comments belong to what follows without a blank line, unless they are indented more: those end the part before.
    Attributes belong to what follows, whatever stands between.
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
            # A comment that has moved up is indented at least as much as those that it has passed.
            top = tops.get(above, above)
            placed.pop(top, None)
        if top == row:
            continue
        del placed[row]
        tops[row] = top
        if is_plain_part(strength) and top > 0 and lines.blank[top - 1]:
            strength += Rank.GROUP - Rank.PART
        placed[top] = strength, label
        # If all of it is too long, a cut above its attributes is better than one below them.
        own = found.own.get(row, 0)
        if own and top < leading:
            placed[leading] = own, label
        if own and leading < row:
            cut = row
            while (above := comments.get(cut - 1)) is not None and above > leading:
                cut = above  # comments below the attributes stay with what follows them
            placed[cut] = own - Rank.COMMENTED + Rank.WRAPPED, label
    return placed, tops


def _cut_off_trailing_comments(placed: Placed, found: Found, lines: LineTable) -> None:
    """Comments at the end of a definition stay with it, if all of it fits; else they go first."""
    commented = set(found.comments)
    for last, first in found.comments.items():
        commented.update(range(first, last))
    for region in found.regions:
        row = region.last
        # Only where a definition ends with a comment is there anything to look for.
        above = row
        while above > region.first and (lines.blank[above] or above in commented):
            row = row if lines.blank[above] else above
            above -= 1
        strength = strength_at(region.depth, Rank.TRAILING)
        if row in commented and placed.get(row, (0, ""))[0] < strength:
            placed[row] = strength, "comment"


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
