"""The common part of the formats of nested data: strengths by depth, and the members that get a scope.

    {                     depth 0
      "a": {              depth 1
        "b": [1, 2],      depth 2
        "c": 3            depth 2
      }
    }

A member at depth d is stronger than every member at depth d + 1. The first member of a container is the weakest of its
depth, so that it stays with the start of its container.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import compress
from typing import NamedTuple

import regex

from chunker.formats.outline import Outline, Scope, Strength, as_scope

# A chunk that begins inside a member has the member's name in its context. A member shorter than this many characters
# is rarely cut, and a scope for each would cost more than all the rest.
LONG = 64

# Names longer than this are shortened.
_LONGEST_NAME = 80

# Deeper nesting counts as this deep: nobody writes it, and strengths stay within the scale.
MAX_DEPTH = 250

# The largest number of names in a breadcrumb: its cost must not grow with nesting that is a mistake or an attack.
MAX_NAMED = 50


def is_long(part: str) -> bool:
    """Whether a part has more than `LONG` characters, where CR LF is one: the kind of line end does not move boundaries.

    >>> is_long("a" * 63 + "\\r\\n"), is_long("a" * 65)
    (False, True)
    """
    return len(part) - part.count("\r\n") > LONG


class Kind(IntEnum):
    """Kinds of members. Members of objects are named by their keys; elements of arrays, records and documents by their
    numbers.
    """

    KEY = 0
    ELEMENT = 1
    RECORD = 2
    DOCUMENT = 3


_PREFIXES = {Kind.ELEMENT: "", Kind.RECORD: "record ", Kind.DOCUMENT: "document "}


class Member(NamedTuple):
    """A member, text[start:end], which is a scope if it has a name: its key text[first:last], or its number,
    `first`.
    """

    start: int
    end: int
    kind: int
    first: int
    last: int


_EXTENDED = regex.compile(r"[^\r\n](?=[\p{GCB=Extend}\p{GCB=SpacingMark}\u200d])", regex.V0)


class NestingRank(IntEnum):
    """The order of the boundaries of one depth."""

    COMMENTED = 0  # between comments and the member that they belong to
    FIRST = 1  # the first member
    MEMBER = 2


_STRENGTHS = [
    [int(Strength.STRUCTURE) + (MAX_DEPTH - depth) * len(NestingRank) + rank for rank in range(len(NestingRank))]
    for depth in range(MAX_DEPTH + 1)
]


def strength_at(depth: int, rank: int = NestingRank.MEMBER) -> int:
    """Return the strength of a boundary at this depth.

    >>> strength_at(0) > strength_at(0, NestingRank.FIRST) > strength_at(1) > strength_at(10_000) == strength_at(250)
    True
    """
    return _STRENGTHS[min(depth, MAX_DEPTH)][rank]


def name_of(key: str) -> str:
    """Format a key for a breadcrumb: one line of at most 80 characters.

    >>> name_of("  a\\n b ")
    'a b'
    """
    return " ".join(key[: 2 * _LONGEST_NAME].split())[:_LONGEST_NAME]


def scopes_of(text: str, members: Iterable[Member], name: Callable[[str], str]) -> Iterator[Scope]:
    """Yield the scopes of the members that have a name; `name` converts a key as written to its value."""
    prefixes = {int(kind): prefix for kind, prefix in _PREFIXES.items()}
    names: dict[str, str] = {}  # most keys occur again and again
    key = int(Kind.KEY)
    for start, end, kind, first, last in members:
        if kind == key:
            written = text[first:last]
            called = names.get(written)
            if called is None:
                called = names[written] = name_of(name(written))
        else:
            called = prefixes[kind] + str(first)
        if called:
            yield as_scope((start, end, called, ""))


class Boundaries(dict[int, tuple[int, str]]):
    """Boundaries in any order: strengths and labels by offset; of several at one offset the strongest one stays."""

    def put(self, offset: int, strength: int, label: str) -> None:
        """Add a boundary."""
        if self.get(offset, (-1, ""))[0] < strength:
            self[offset] = int(strength), label

    def put_line(self, offset: int, *, after_blank: bool) -> None:
        """Add the start of a line."""
        self.put(offset, *((Strength.PARAGRAPH, "paragraph") if after_blank else (Strength.LINE, "line")))


def between_clusters(text: str, offsets: Sequence[int]) -> list[bool] | None:
    """Return for each of `offsets`, all after ASCII characters, whether it cuts no grapheme cluster; None if none cuts
    one.
    """
    if text.isascii():
        return None
    size = len(text)
    apart = [
        not 0 < offset < size or text[offset] < "\u0300" or not _EXTENDED.match(text, offset - 1) for offset in offsets
    ]
    return None if all(apart) else apart


def outline_of(text: str, found: Mapping[int, tuple[int, str]], scopes: Iterable[Scope], label: str) -> Outline:
    """Return the outline of a text with these strengths and labels by offset; its first boundary gets `label`, and none
    is directly after a byte order mark.
    """
    places = {**found, 0: (int(Strength.DOCUMENT), label)}
    if text.startswith("\ufeff"):
        places.pop(1, None)
    offsets = sorted(places)
    apart = between_clusters(text, offsets)
    if apart is not None:
        offsets = list(compress(offsets, apart))
    strengths = [places[offset][0] for offset in offsets]
    labels = [places[offset][1] for offset in offsets]
    return Outline.of_columns(offsets, strengths, labels, scopes, finest=Strength.LINE)
