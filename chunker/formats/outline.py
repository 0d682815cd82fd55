"""What a format says about a text: where it may be cut, how good each cut is, and which named regions it has.

A format knows nothing of tokens and budgets. It answers with an `Outline`; whoever grows chunks chooses among its
boundaries:

    text        # Guide\\n\\nFirst. Second.\\n\\n## Install\\n\\nRun it.\\n
    boundaries  ^0 section          ^16 sentence  ^25 section
    scopes      "Guide" 0..45, "Install" 25..45

All offsets are in characters (code points) of the text as it was given. A boundary at `offset` is a cut before
`text[offset]`.

Strengths nest. A *unit of level k* is the stretch between two neighbouring boundaries of strength k or more; all that
lies strictly inside it is weaker than k. So a unit that fits a budget can be kept whole, and one that does not is cut
at the strongest boundaries inside it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Any, NamedTuple, Protocol, runtime_checkable


class Strength(IntEnum):
    """How good a cut is: bigger is better.

    The members are the fixed points of the scale. From `STRUCTURE` up to `DOCUMENT` (exclusive) the levels belong to
    the format that made the outline: only their order means something, and levels of two formats are not to be
    compared.
    """

    CHARACTER = 0  # between two code points of one grapheme cluster: the last resort
    GRAPHEME = 10  # between two grapheme clusters of one word
    WORD = 20  # between words, spaces and punctuation (UAX #29)
    SENTENCE = 30  # between sentences (UAX #29)
    LINE = 40  # at a line start
    PARAGRAPH = 50  # after a blank line
    STRUCTURE = 100  # the weakest level of a format's own structure
    DOCUMENT = 1_000_000  # the start of the text


class Boundary(NamedTuple):
    """A place where the text may be cut, before `text[offset]`.

    `strength` is on the scale of `Strength`; `label` names what begins there: "function", "class", "section",
    "paragraph", "line" ...
    """

    offset: int
    strength: int
    label: str


class Scope(NamedTuple):
    """A named region, `text[start:end]`: a class, a function, a section. Scopes nest and never overlap in part.

    `name`: its part of a breadcrumb; "" for none. `header`: lines of the text that a reader needs before any part of the region,
    such as the header row of a table; a chunk that begins inside the region may repeat them in its context.
    """

    start: int
    end: int
    name: str
    header: str = ""


class Scopes:
    """The named regions of one text, which nest: those around an offset are found in O(log scopes + depth)."""

    __slots__ = ("_parents", "_starts", "scopes")

    def __init__(self, scopes: Iterable[Scope]) -> None:
        self.scopes: list[Scope] = sorted(scopes, key=_outermost_first)
        self._starts = [scope.start for scope in self.scopes]
        self._parents = _parents(self.scopes)

    def breadcrumb(self, offset: int) -> tuple[str, ...]:
        """See `Outline.breadcrumb`."""
        return tuple(scope.name for scope in self.around(offset) if scope.name)

    def around(self, offset: int) -> tuple[Scope, ...]:
        """See `Outline.scopes_around`."""
        index = bisect_left(self._starts, offset) - 1
        trail: list[Scope] = []
        while index >= 0:
            scope = self.scopes[index]
            if offset < scope.end:
                trail.append(scope)
            index = self._parents[index]
        trail.reverse()
        return tuple(trail)


class Outline:
    """What a format found in one text.

    `boundaries`: ascending offsets, no offset twice; the first is 0, with strength `Strength.DOCUMENT`; `len(text)`
    is none of them. An empty text has no boundaries. They are kept as columns, `offsets`, `strengths` and `labels`, and
    a format that has them as columns makes its outline with `Outline.of_columns`.
    `scopes`: ascending starts; of two with the same start the outer one comes first.
    `heads`: of boundaries between the top of a definition (the first of its comments, attributes, annotations) and its first line, that one
    included: the offset after that line. What stands there belongs to what follows it, even where the definition as a whole is too long.
    `notes`: what a reader should know about the result, for example {"parse": "had errors"}; empty if all went well.
    `finest`: the level to which `boundaries` goes everywhere. A unit that holds no boundary and is too long still is cut
    further with `refine(text, start, end, outline.finest)`: the next level below is sentences when this is LINE, and
    words when it is SENTENCE.
    """

    __slots__ = ("_nested", "finest", "heads", "labels", "notes", "offsets", "strengths")

    def __init__(
        self,
        boundaries: Sequence[Boundary],
        scopes: Iterable[Scope] = (),
        notes: dict[str, str] | None = None,
        *,
        finest: int = Strength.LINE,
        heads: dict[int, int] | None = None,
    ) -> None:
        columns = ([list(column) for column in zip(*boundaries, strict=True)]) if boundaries else [[], [], []]
        self._set(columns, scopes, notes, finest, heads)

    @classmethod
    def of_columns(
        cls,
        offsets: list[int],
        strengths: list[int],
        labels: list[str],
        scopes: Iterable[Scope] = (),
        notes: dict[str, str] | None = None,
        *,
        finest: int = Strength.LINE,
        heads: dict[int, int] | None = None,
    ) -> Outline:
        """The outline with these boundaries: three lists of one length, which it keeps. Four times as quick to make as from tuples."""
        outline = cls.__new__(cls)
        outline._set([offsets, strengths, labels], scopes, notes, finest, heads)  # noqa: SLF001  # it is of this very class
        return outline

    def _set(
        self,
        columns: list[Any],
        scopes: Iterable[Scope],
        notes: dict[str, str] | None,
        finest: int,
        heads: dict[int, int] | None,
    ) -> None:
        self.offsets: list[int] = columns[0]
        self.strengths: list[int] = columns[1]
        self.labels: list[str] = columns[2]
        self._nested = Scopes(scopes)
        self.notes: dict[str, str] = {} if notes is None else notes
        self.finest = int(finest)
        self.heads: dict[int, int] = {} if heads is None else heads

    @property
    def scopes(self) -> list[Scope]:
        """The named regions, ascending. Not to be changed."""
        return self._nested.scopes

    @property
    def nested(self) -> Scopes:
        """The named regions by themselves, for who needs no boundaries."""
        return self._nested

    @property
    def boundaries(self) -> list[Boundary]:
        """The boundaries one by one. Linear."""
        return list(map(Boundary, self.offsets, self.strengths, self.labels))

    def breadcrumb(self, offset: int) -> tuple[str, ...]:
        """The names of the scopes that strictly contain `offset` (start < offset < end), outermost first.

        A scope that begins at `offset` is not part of it: the text that follows names it. O(log scopes + depth).
        """
        return self._nested.breadcrumb(offset)

    def scopes_around(self, offset: int) -> tuple[Scope, ...]:
        """The scopes that strictly contain `offset`, outermost first. O(log scopes + depth)."""
        return self._nested.around(offset)

    def __repr__(self) -> str:
        return f"Outline({len(self.offsets)} boundaries, {len(self.scopes)} scopes, notes={self.notes!r})"


@runtime_checkable
class Format(Protocol):
    """A kind of text that knows its structure. Formats keep no state between texts and may be shared by threads."""

    @property
    def language(self) -> str | None:
        """The name of the language ("python", "markdown"), None for plain text."""
        ...

    def outline(self, text: str) -> Outline:
        """Where `text` may be cut. Linear, and without recursion on the depth of the text; any str is welcome."""
        ...


def _outermost_first(scope: Scope) -> tuple[int, int]:
    return scope.start, -scope.end


def _parents(scopes: Sequence[Scope]) -> list[int]:
    """The index of the scope around each scope, -1 if none; `scopes` in the order of `Outline.scopes`."""
    parents: list[int] = []
    open_scopes: list[int] = []
    for index, scope in enumerate(scopes):
        while open_scopes and scopes[open_scopes[-1]].end <= scope.start:
            open_scopes.pop()
        parents.append(open_scopes[-1] if open_scopes else -1)
        open_scopes.append(index)
    return parents
