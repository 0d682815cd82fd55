"""Sections: what stands under each heading."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from chunker.formats.outline import Scope


class Heading(NamedTuple):
    """A heading: its offset, its level (1 is the highest) and its text. `end`: the latest possible end of its section,
    if known.
    """

    start: int
    level: int
    name: str
    end: int | None = None


def sections(headings: list[Heading], size: int) -> Iterator[Scope]:
    """Yield the sections of the headings, last one first: each ends at the next heading of its level or a higher one.

    >>> list(sections([Heading(0, 1, "A"), Heading(10, 2, "B"), Heading(20, 1, "C")], 30))[::-1]
    ... # doctest: +NORMALIZE_WHITESPACE
    [Scope(start=0, end=20, name='A', header=''), Scope(start=10, end=20, name='B', header=''),
     Scope(start=20, end=30, name='C', header='')]
    """
    ends: list[tuple[int, int]] = []  # (level, start) of the later headings that end earlier sections
    for start, level, name, latest in reversed(headings):
        while ends and ends[-1][0] > level:
            ends.pop()
        end = ends[-1][1] if ends else size
        if name:
            yield Scope(start, end if latest is None else min(end, latest), name)
        ends.append((level, start))
