"""Find the reading order of the lines of a page: columns from left to right inside horizontal bands, and tables kept
whole.

    +-----------------------+
    |  A title over both    |     spans the gutter: what is above comes before, what is below after
    |  first    |  third    |     a band: the left column, then the right one
    |  second   |  fourth   |
    |  a wide figure caption|     spans again
    |  fifth    |  sixth    |
    | 1 A footnote          |     in a smaller font, below the columns
    +-----------------------+

A table is a block of rows whose short pieces are aligned in columns. Lines of prose fill their columns; cells do not.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from chunker.files.readers.page_text import Box, Line, Page, union
from chunker.formats.expressions import re

# Relative to the font size of most text: footnotes are smaller.
SMALLER = 0.95
# Relative to the font size: words further apart are in different columns or cells.
_APART = 1.0
_LEAST_GUTTER = 6.0
# Share of the width of a region: wider lines belong to no column.
_NARROW = 0.62
_FILLED = 0.93
_LINES = 3
_LOOK_AGAIN = 64  # rows
_CELLS = 64  # the largest number of cells of a row
_GAPS = 8  # the number of gaps that are checked for a gutter, the widest first
_NEAR = 64  # lines that are checked for a bullet
# The smallest share of the rows of a column that are lines of prose.
_PROSE = 0.2
# The smallest number of characters of a line of prose.
_LONG_ENOUGH = 18
# A bullet or a number before an item.
_MARKER = re.compile(r"[•◦▪▫‣⁃·●○■□–—*\uf0b7\uf0a7\x88-]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\[\d{1,3}\]")
_DEEPEST = 4


@dataclass(slots=True)
class Table:
    """Rows of cells."""

    rows: list[list[str]]
    box: Box


Element = Line | Table
Row = list[Line]


def reading_order(pages: Sequence[Page], body: float) -> Iterator[tuple[Page, list[list[Element]]]]:
    """Yield each page with its elements in runs, in reading order. Each run is one column of one band. `body`: the font
    size of most text.
    """
    parted = [_without_foot(_pieces(page), body) for page in pages]
    # On a page with little text in a column, the gutters of the other pages show where the columns are.
    usual = [gutter for lines, _ in parted if (gutter := _gutter(lines, ())) is not None]
    for page, (lines, foot) in zip(pages, parted, strict=True):
        yield page, [_with_tables(_rows(run)) for run in (*_runs(lines, usual, 0), foot) if run]


def _without_foot(lines: list[Line], body: float) -> tuple[list[Line], list[Line]]:
    """Split the lines of a page into the columns and the small lines below them that belong to no column, such as
    footnotes as wide as the page.
    """
    bottom = max((line.box[3] for line in lines if line.size >= SMALLER * body), default=0.0)
    foot = [line for line in lines if line.box[1] > bottom - 1]
    if not foot:
        return lines, []
    above = [line for line in lines if line.box[1] <= bottom - 1]
    gutter = _gutter(above, ())
    if gutter is None or not any(line.box[0] < gutter < line.box[2] for line in foot):
        return lines, []
    return above, foot


def _pieces(page: Page) -> list[Line]:
    return _with_markers([part for line in page.lines for part in line.parts(max(_APART * line.size, 6.0))])


def _rows(lines: Sequence[Line]) -> list[Row]:
    """Group lines of equal height into rows, from top to bottom; the lines of a row are sorted from left to right."""
    rows: list[Row] = []
    middle = 0.0
    for line in sorted(lines, key=lambda line: (line.box[1] + line.box[3], line.box[0])):
        own = (line.box[1] + line.box[3]) / 2
        if rows and own - middle < 0.4 * min(line.height, rows[-1][0].height):
            rows[-1].append(line)
        else:
            rows.append([line])
            middle = own
    for row in rows:
        row.sort(key=lambda line: line.box[0])
    return rows


def _with_tables(rows: list[Row]) -> list[Element]:
    elements: list[Element] = []
    at = 0
    while at < len(rows):
        end, is_table = _table_end(rows, at)
        if is_table:
            elements.append(_table(rows[at:end]))
        else:
            # Do not try again from each row of a long run that is not a table.
            end = end if end - at > _LOOK_AGAIN else at + 1
            elements += map(_whole, rows[at:end])
        at = end
    return elements


def _table_end(rows: list[Row], start: int) -> tuple[int, bool]:
    """Return the end of the aligned rows from `start` on, and whether they are a table."""
    if not 1 < len(rows[start]) <= _CELLS:
        return start, False
    columns = [(line.box[0], line.box[2]) for line in rows[start]]
    end, full = start + 1, 1
    while end < len(rows) and _follows(rows[end - 1], rows[end]):
        places = [_column(columns, line) for line in rows[end]]
        if None in places or len(set(places)) < len(places):
            break
        known = [place for place in places if place is not None]
        if len(known) == 1 and (known[0] == 0 or end == start + 1):
            break  # a paragraph, or a line below a single row
        full += len(known) > 1
        for place, line in zip(known, rows[end], strict=True):
            left, right = columns[place]
            columns[place] = min(left, line.box[0]), max(right, line.box[2])
        end += 1
    while end > start + 1 and len(rows[end - 1]) == 1:
        end -= 1
    if all(_MARKER.fullmatch(row[0].text) for row in rows[start:end]):
        return end, False  # the bullets and numbers of a list
    least = 2 if len(columns) > 2 else 3
    return end, full >= least and _fill(rows[start:end], columns) < _FILLED


def _follows(above: Row, below: Row) -> bool:
    """Whether the gap between two rows is small enough for a table."""
    bottom, top = max(line.box[3] for line in above), min(line.box[1] for line in below)
    return top - bottom < 1.5 * below[0].height


def _column(columns: list[tuple[float, float]], line: Line) -> int | None:
    """Return the index of the column that a piece overlaps; None if it overlaps none or several."""
    found = [number for number, (left, right) in enumerate(columns) if line.box[0] < right and left < line.box[2]]
    return found[0] if len(found) == 1 else None


def _fill(rows: list[Row], columns: list[tuple[float, float]]) -> float:
    """Return the average share of the width of its column, up to the next column, that a piece fills."""
    starts = sorted(left for left, _ in columns)
    ends = [*starts[1:], max(right for _, right in columns)]
    shares = []
    for row in rows:
        for line in row:
            number = max(sum(start <= line.box[0] + 1 for start in starts) - 1, 0)
            shares.append((line.box[2] - line.box[0]) / max(ends[number] - starts[number], 1.0))
    # The last column is as wide as its widest cell, so its shares are not informative.
    return sum(shares) / len(shares)


def _table(rows: list[Row]) -> Table:
    first = max(rows, key=len)
    columns = [(line.box[0], line.box[2]) for line in first]
    for row in rows:
        for line in row:
            number = _column(columns, line)
            if number is not None:
                left, right = columns[number]
                columns[number] = min(left, line.box[0]), max(right, line.box[2])
    cells: list[list[str]] = []
    for row in rows:
        texts = [""] * len(columns)
        for line in row:
            number = _column(columns, line)
            number = (
                min(range(len(columns)), key=lambda one: abs(columns[one][0] - line.box[0]))
                if number is None
                else number
            )
            texts[number] = f"{texts[number]} {line.text}".strip()
        if len(row) == 1 and cells and not texts[0]:  # a cell goes on in a second line
            cells[-1] = [f"{above} {text}".strip() for above, text in zip(cells[-1], texts, strict=True)]
        else:
            cells.append(texts)
    return Table(cells, union([line.box for row in rows for line in row]))


def _runs(lines: list[Line], usual: Sequence[float], depth: int) -> Iterator[list[Line]]:
    gutter = _gutter(lines, usual) if depth < _DEEPEST else None
    if gutter is None:
        yield lines
        return
    spanning = sorted((one for one in lines if one.box[0] < gutter < one.box[2]), key=lambda one: one.box[1])
    others = sorted(
        (one for one in lines if not one.box[0] < gutter < one.box[2]),
        key=lambda one: one.box[1] + one.box[3],
        reverse=True,
    )
    waiting: list[Line] = []
    for wide in [*spanning, None]:
        level = float("inf") if wide is None else wide.box[1] + wide.box[3]
        band: list[Line] = []
        while others and others[-1].box[1] + others[-1].box[3] < level:
            band.append(others.pop())
        if band:
            yield waiting
            waiting = []
            yield from _runs([one for one in band if one.box[2] <= gutter], usual, depth + 1)
            yield from _runs([one for one in band if one.box[0] >= gutter], usual, depth + 1)
        if wide is not None:
            waiting.append(wide)
    yield waiting


def _gutter(lines: list[Line], usual: Sequence[float]) -> float | None:
    """Return the middle of the widest vertical strip between columns of prose that no narrow line crosses; None if
    there is none. `usual`: the gutters of the document.
    """
    if len(lines) <= _LINES:
        return None
    left, _, right, _ = union(line.box for line in lines)
    narrow = sorted(
        (line for line in lines if line.box[2] - line.box[0] < _NARROW * (right - left)), key=lambda line: line.box[0]
    )
    if not narrow:
        return None
    gaps: list[tuple[float, float, int]] = []
    reached = narrow[0].box[2]
    for number, line in enumerate(narrow):
        if line.box[0] - reached >= _LEAST_GUTTER:
            gaps.append((line.box[0] - reached, reached, number))
        reached = max(reached, line.box[2])
    middle = None
    for width, start, number in sorted(gaps, reverse=True)[:_GAPS]:
        known = next((gutter for gutter in usual if start < gutter < start + width), None)
        enough = known is not None or _LINES <= number <= len(narrow) - _LINES
        if enough and _are_columns(narrow[:number], narrow[number:], both=known is None):
            middle = start + width / 2 if known is None else known
            break
    if middle is None:
        return None
    # On a page with one column, most lines are wide.
    wide = sum(one.box[0] < middle < one.box[2] for one in lines)
    return middle if wide <= len(narrow) else None


def _are_columns(before: list[Line], after: list[Line], *, both: bool) -> bool:
    """Whether lines are two columns: side by side, and both of prose; with `both` False, one is enough. Cells of tables
    leave room, or are short.
    """
    left, right = union(line.box for line in before), union(line.box for line in after)
    shared = min(left[3], right[3]) - max(left[1], right[1])
    if shared <= 0.25 * min(left[3] - left[1], right[3] - right[1]):
        return False
    found = [_is_prose(lines, around) for lines, around in ((before, left), (after, right))]
    return all(found) if both else any(found)


def _is_prose(lines: list[Line], around: Box) -> bool:
    rows: dict[int, list[Line]] = defaultdict(list)
    for line in lines:
        rows[round((line.box[1] + line.box[3]) / 4)].append(line)
    half = (around[2] - around[0]) / 2
    # Cells are separate in their rows, are short, or leave room.
    prose = sum(
        len(row) == 1 and row[0].box[2] - row[0].box[0] > half and len(row[0].text) >= _LONG_ENOUGH
        for row in rows.values()
    )
    return prose >= max(_LINES, _PROSE * len(rows))


def _with_markers(lines: list[Line]) -> list[Line]:
    """Join bullets and numbers that are lines of their own with the lines that they belong to."""
    markers = [line for line in lines if _MARKER.fullmatch(line.text)]
    if not markers:
        return lines
    lone = set(map(id, markers))
    others = sorted((line for line in lines if id(line) not in lone), key=lambda line: line.box[1])
    tops = [line.box[1] for line in others]
    joined: dict[int, Line] = {}
    for marker in markers:
        near = others[bisect_left(tops, marker.box[1] - 30) : bisect_left(tops, marker.box[3] + 30)][:_NEAR]
        reach = marker.box[2] + 4 * marker.size
        beside = [line for line in near if marker.box[2] - 1 <= line.box[0] < reach and _shared(marker, line) > 0.3]
        if not beside:
            joined[id(marker)] = marker
            continue
        line = max(beside, key=lambda one: _shared(marker, one))
        own = joined.get(id(line), line)
        joined[id(line)] = Line([*marker.words, *own.words], own.size, own.bold)
    return [joined.get(id(line), line) for line in lines if id(line) not in lone or id(line) in joined]


def _shared(marker: Line, line: Line) -> float:
    """Return the share of the height of a marker that overlaps the height of a line."""
    return (min(marker.box[3], line.box[3]) - max(marker.box[1], line.box[1])) / max(marker.height, 0.1)


def _whole(row: Row) -> Line:
    """Join the pieces of a row in reading order into one line: from the right in right-to-left scripts."""
    if len(row) == 1:
        return row[0]
    letters = "".join(line.text for line in row)
    backwards = 2 * sum("\u0590" <= char <= "\u08ff" for char in letters) > len(letters)
    words = [word for line in (reversed(row) if backwards else row) for word in line.words]
    return Line(words, max(row, key=lambda line: len(line.text)).size, all(line.bold for line in row))
