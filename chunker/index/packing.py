"""Packs: hits extended to what a reader needs, within an exact budget.

    ## src/stack.py                     one header a file, in the order of the best hit of each
    @@ 12-14                            lines of the file, as they are there
    class Stack:
        "Last in, first out."
    @@ 40-47                            the definition around the hit, whole where it is small
        def push(self, item):
            ...

Hits are taken one after the other, best first. Each brings the lines of its chunk, the small definition around it, and
the first lines of the definitions around that. If this does not fit, less is tried: the lines of the chunk alone; the
small definition around its most telling line; as many lines around that line as there is room for. The whole text is
counted after each step, because token counts of parts do not add up. `chunker.prompt.assemble` makes the text;
`Pack.section` puts the parts into a prompt of your own, where they compete with other items.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

from chunker.counting import TokenCounter
from chunker.files.discovery import printable
from chunker.hits import Hit
from chunker.index.filters import Filter
from chunker.index.words import words_of_query
from chunker.symbols.reading import line_starts

# A definition is small if it has at most so many lines: then it is taken whole.
_SMALL_LINES = 60
# A gap between two parts of at most so many lines is filled.
_GAP_LINES = 2
_TOKENS_PER_HIT = 60
_LEAST_HITS, _MOST_HITS = 20, 400
# Each rank lowers the priority by this much, so all parts of a pack lie within less than 1.
_STEP = 1 / (2 * _MOST_HITS)

if TYPE_CHECKING:
    from chunker.prompt.items import Section


@dataclass(frozen=True, slots=True)
class PackedPart:
    """Lines of a file in a pack.

    Args:
        source: The name of the file.
        start_line: The first line, from 1.
        end_line: The last line.
        text: The lines as they are in the file.
        rank: The number of the best hit that brought some of them, from 0.
    """

    source: str
    start_line: int
    end_line: int
    text: str
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Pack:
    """The parts of files that answer a question, as a text that fits a budget.

    Args:
        text: The files with their parts, for a prompt.
        token_count: The tokens of `text`, never more than `budget`.
        budget: The largest number of tokens that was allowed.
        parts: The lines that are in it, in the order of the text.
        hits: The hits of which something is in it, best first.
    """

    text: str
    token_count: int
    budget: int
    parts: tuple[PackedPart, ...]
    hits: tuple[Hit, ...]

    def section(self, name: str = "found", *, priority: float = 0.0, **options: Any) -> Section:  # noqa: ANN401  # as those of Section
        """The parts as a section for `chunker.prompt.assemble`, which drops those of the last hits first if it has less room.

        Args:
            name: The name of the section.
            priority: The priority of the best part; those of the others are less than 1 below it.
            options: Other options of `Section`: `share`, `tokens`, `min_tokens`, `header` ...

        Returns:
            A section with one of each file in it, and an item for each part, which is named by its source and lines.
        """
        from chunker.prompt.items import Item, Section  # noqa: PLC0415  # who only searches needs no prompts

        files = []
        for source, parts in groupby(self.parts, key=lambda part: part.source):
            items = [
                Item(
                    f"@@ {part.start_line}-{part.end_line}\n{part.text}",
                    id=f"{source}:{part.start_line}-{part.end_line}",
                    priority=priority - _STEP * part.rank,
                )
                for part in parts
            ]
            files.append(Section(source, items, header=f"## {printable(source)}\n", footer="\n"))
        return Section(name, files, **{"separator": "\n", **options})


@dataclass(slots=True)
class _File:
    """A file of which something may be in the pack: its known lines by number, and the lines taken.

    `whole`: all lines are known. Of a document, or of data that was shortened, only the lines of hits are, because its
    text is not that of the file.
    """

    source: str
    lines: dict[int, str]
    whole: bool
    taken: dict[int, int] = field(default_factory=dict)  # line -> the number of the hit that brought it


def hits_for(budget: int) -> int:
    """The number of hits to look for to fill a budget."""
    return max(_LEAST_HITS, min(_MOST_HITS, budget // _TOKENS_PER_HIT))


def packed(
    connection: sqlite3.Connection,
    hits: Sequence[Hit],
    budget: int,
    counter: TokenCounter,
    *,
    question: str,
    only: Filter,
) -> Pack:
    """The pack of some hits, best first."""
    packer = _Packer(connection, budget, counter, words_of_query(question), only)
    for hit in hits:
        packer.take(hit)
    return packer.pack()


class _Packer:
    def __init__(
        self, connection: sqlite3.Connection, budget: int, counter: TokenCounter, words: Sequence[str], only: Filter
    ) -> None:
        self._connection = connection
        self._words = [word.lower() for word in words]
        self._budget = budget
        self._counter = counter
        self._only = only
        self._files: dict[str, _File] = {}
        self._versions: dict[str, int] = {}
        self._hits: list[Hit] = []
        self._text = ""
        self._tokens = counter.count("")
        self._full = False

    def take(self, hit: Hit) -> None:
        """Add what a hit brings, as much of it as fits."""
        if self._full:
            return
        file = self._file(hit)
        if file is None:
            return
        if not file.whole:
            _add_lines(file, hit)
        own = {line for line in range(hit.span.start_line, hit.span.end_line + 1) if line in file.lines}
        around = self._around(hit) if file.whole else set()
        for lines in (own | around, own):
            if self._fits(file, lines):
                self._hits.append(hit)
                return
        middle = self._telling_line(file, own)
        near = self._small_around(hit, middle) if file.whole else set()
        if near and self._fits(file, near):
            self._hits.append(hit)
            return
        part = self._nearest_lines(file, own, middle)
        if part and self._fits(file, part):
            self._hits.append(hit)
        # The rest of the budget is less than a hit usually needs.
        self._full = self._budget - self._tokens < _TOKENS_PER_HIT // 2

    def pack(self) -> Pack:
        """The text of the lines that were taken, as the assembler puts them together."""
        from chunker.prompt.assembling import assemble  # noqa: PLC0415  # who only searches needs no prompts

        parts = tuple(part for file in self._files.values() if file.taken for part in _parts(file))
        planned = Pack("", 0, self._budget, parts, tuple(self._hits))
        if not parts:
            return planned
        prompt = assemble([planned.section()], self._budget, tokenizer=self._counter)
        kept = tuple(part for part, told in zip(parts, prompt.report.items, strict=True) if told.status != "dropped")
        return Pack(prompt.text, prompt.token_count, self._budget, kept, planned.hits)

    def _fits(self, file: _File, lines: set[int]) -> bool:
        """Take these lines, if the text with them is within the budget."""
        before = file.taken
        added = dict.fromkeys(lines - before.keys(), len(self._hits))
        if not added:
            return True
        file.taken = before | added
        text = self._rendered()
        tokens = self._counter.count(text)
        if tokens > self._budget:
            file.taken = before
            return False
        self._text, self._tokens = text, tokens
        return True

    def _telling_line(self, file: _File, lines: set[int]) -> int:
        """The line with the most words of the question; of several the first."""
        counts = {line: sum(word in file.lines[line].lower() for word in self._words) for line in sorted(lines)}
        return max(counts, key=lambda line: (counts[line], -line), default=0)

    def _small_around(self, hit: Hit, middle: int) -> set[int]:
        """The lines of the innermost definition around a line, if it is small."""
        row = self._connection.execute(
            "SELECT line, end_line FROM definitions WHERE version = ? AND line <= ? AND end_line >= ? ORDER BY end_line - line LIMIT 1",
            (self._versions[hit.source], middle, middle),
        ).fetchone()
        return set(range(row[0], row[1] + 1)) if row is not None and row[1] - row[0] < _SMALL_LINES else set()

    def _nearest_lines(self, file: _File, lines: set[int], middle: int) -> set[int]:
        """The lines nearest to `middle`, as many as fit beside what is taken, by bisection."""
        nearest = sorted(lines, key=lambda line: (abs(line - middle), line))
        before, low, high = file.taken, 0, len(nearest)
        while low < high:
            half = (low + high + 1) // 2
            file.taken = before | dict.fromkeys(nearest[:half], 0)
            if self._counter.count(self._rendered()) <= self._budget:
                low = half
            else:
                high = half - 1
        file.taken = before
        return set(nearest[:low])

    def _rendered(self) -> str:
        return "\n".join(_shown(file) for file in self._files.values() if file.taken)

    def _around(self, hit: Hit) -> set[int]:
        """The lines of the small definition around a hit, and the first line of each larger one around it."""
        rows = self._connection.execute(
            "SELECT line, end_line, start, signature FROM definitions WHERE version = ? AND line <= ? AND end_line >= ?",
            (self._versions[hit.source], hit.span.end_line, hit.span.start_line),
        ).fetchall()
        lines: set[int] = set()
        for line, end_line, _, _ in rows:
            holds = line <= hit.span.start_line and end_line >= hit.span.end_line
            begins_in_hit = line >= hit.span.start_line
            if end_line - line < _SMALL_LINES and (holds or begins_in_hit):
                lines.update(range(line, end_line + 1))
            elif holds or not begins_in_hit:
                lines.add(line)
        return lines

    def _file(self, hit: Hit) -> _File | None:
        known = self._files.get(hit.source)
        if known is not None:
            return known
        condition, values = Filter(self._only.tags, (), self._only.languages).condition()
        where = f" AND {condition}" if condition else ""
        row = self._connection.execute(
            "SELECT f.version FROM files AS f JOIN versions AS v ON v.id = f.version JOIN places AS p ON p.version = v.id "  # noqa: S608  # texts of ours
            "JOIN embeddings AS e ON e.id = p.embedding "
            f"WHERE f.source = ? AND p.start = ? AND p.end = ? AND e.text = ?{where} LIMIT 1",
            [hit.source, hit.span.start, hit.span.end, hit.text, *values],
        ).fetchone()
        if row is None:
            return None
        text = text_of_version(self._connection, row[0])
        starts = [*line_starts(text), len(text)]
        lines = {number: text[start:end].rstrip("\r\n") for number, (start, end) in enumerate(pairwise(starts), 1)}
        whole = text[hit.span.start : hit.span.end] == hit.body
        self._versions[hit.source] = row[0]
        self._files[hit.source] = _File(hit.source, lines if whole else {}, whole)
        return self._files[hit.source]


def text_of_version(connection: sqlite3.Connection, version: int) -> str:
    """The whole text of a file, from its chunks."""
    parts: list[str] = []
    end = 0
    rows = connection.execute(
        "SELECT p.start, p.end, substr(e.text, p.context + 1) FROM places AS p JOIN embeddings AS e ON e.id = p.embedding "
        "WHERE p.version = ? ORDER BY p.number",
        (version,),
    )
    for start, stop, body in rows:
        parts.append(body[max(0, end - start) :])
        end = stop
    return "".join(parts)


def _add_lines(file: _File, hit: Hit) -> None:
    """Note the lines of a hit in a file that is not `whole`: by number if they are as many as its span has, else as one line."""
    lines = hit.body.splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    if len(lines) > hit.span.end_line - hit.span.start_line + 1:
        lines = ["\n".join(lines)]
    for number, line in enumerate(lines, hit.span.start_line):
        file.lines.setdefault(number, line)


def _parts(file: _File) -> Iterator[PackedPart]:
    for start, end in _runs(file):
        lines = [file.lines[line] for line in range(start, end + 1) if line in file.lines]
        rank = min(file.taken[line] for line in range(start, end + 1) if line in file.taken)
        yield PackedPart(file.source, start, end, "\n".join(lines), rank)


def _runs(file: _File) -> Iterator[tuple[int, int]]:
    """First and last line of each part; short gaps are closed, blank lines at the ends are left out."""
    taken = sorted(line for line in file.taken if line in file.lines)
    start = last = 0
    for line in [*taken, 0]:
        near = line and last and line - last <= _GAP_LINES + 1
        # Unknown lines cannot fill a gap: a new part begins after them.
        if near and all(between in file.lines for between in range(last + 1, line)):
            last = line
            continue
        if last:
            while start < last and not file.lines[start].strip():
                start += 1
            while last > start and not file.lines[last].strip():
                last -= 1
            yield start, last
        start = last = line


def _shown(file: _File) -> str:
    shown = [f"## {file.source}"]
    for part in _parts(file):
        shown += [f"@@ {part.start_line}-{part.end_line}", part.text]
    return "\n".join(shown) + "\n"
