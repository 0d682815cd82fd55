"""Outline: the boundaries of a text, the strength of each, and its named spans (scopes).

A format knows nothing about tokens and budgets. It returns an `Outline`; the grower chooses among its boundaries:

    text        # Guide\\n\\nFirst. Second.\\n\\n## Install\\n\\nRun it.\\n
    boundaries  ^0 section          ^16 sentence  ^25 section
    scopes      "Guide" 0..45, "Install" 25..45

All offsets are in characters (code points) of the original text. A boundary at `offset` is a cut before `text[offset]`.

Strengths nest. A *unit of level k* is the span between two neighbouring boundaries of strength k or more; all
boundaries strictly inside it are weaker than k. So a unit that fits a budget can be kept whole, and one that does not
fit is cut at the strongest boundaries inside it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from enum import IntEnum
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple, Protocol, Self, runtime_checkable


class Strength(IntEnum):
    """The strength of a boundary: bigger is better.

    The members are the fixed points of the scale. From `STRUCTURE` up to `DOCUMENT` (exclusive) the levels belong to
    the format that made the outline: only their order has a meaning, and levels of two formats cannot be compared.
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
    """An offset where the text may be cut, before `text[offset]`.

    Args:
        offset: The offset, in characters.
        strength: How good a cut there is, on the scale of `Strength`.
        label: The kind of text that begins there: "function", "class", "section", "paragraph", "line" ...
    """

    offset: int
    strength: int
    label: str


class Scope(NamedTuple):
    """A named span of a text: a class, a function, a section. Scopes nest and never overlap in part.

    Args:
        start: Offset of its start, in characters.
        end: Offset of its end.
        name: Its part of a breadcrumb; "" for none.
        header: Lines of the text that a reader needs before any part of the scope, such as the header row of a table.
            A chunk that begins inside the scope may repeat them in its context.
    """

    start: int
    end: int
    name: str
    header: str = ""


# Equal to Scope(*fields), in a third of the time.
as_scope: Callable[[tuple[int, int, str, str]], Scope] = partial(tuple.__new__, Scope)


class Scopes:
    """The scopes of one text, which nest. The scopes around an offset are found in O(log scopes + depth).

    If a function is given instead of the scopes, it is called on first use.
    """

    __slots__ = ("_found", "_source")

    def __init__(self, scopes: Iterable[Scope] | Callable[[], Iterable[Scope]]) -> None:
        self._source = scopes if callable(scopes) else None
        self._found = None if callable(scopes) else _Found(scopes) if scopes != () else _NONE

    def __reduce__(self) -> tuple[type[Scopes], tuple[list[Scope]]]:
        # The function need not be picklable; its result is.
        return Scopes, (self.scopes,)

    @property
    def scopes(self) -> list[Scope]:
        """See `Outline.scopes`."""
        return self._all().scopes

    def breadcrumb(self, offset: int) -> tuple[str, ...]:
        """See `Outline.breadcrumb`."""
        return tuple(scope.name for scope in self.around(offset) if scope.name)

    def around(self, offset: int) -> tuple[Scope, ...]:
        """See `Outline.scopes_around`."""
        found = self._all()
        if found is _NONE:
            return ()
        starts, parents = found.places()
        index = bisect_left(starts, offset) - 1
        breadcrumb: list[Scope] = []
        while index >= 0:
            scope = found.scopes[index]
            if offset < scope.end:
                breadcrumb.append(scope)
            index = parents[index]
        breadcrumb.reverse()
        return tuple(breadcrumb)

    def _all(self) -> _Found:
        found = self._found
        if found is None:
            # Two threads may both compute the scopes; the results are equal.
            found = self._found = _Found(() if self._source is None else self._source())
        return found


class _Found:
    """Scopes in order."""

    __slots__ = ("_places", "scopes")

    def __init__(self, scopes: Iterable[Scope]) -> None:
        self.scopes: list[Scope] = outermost_first(scopes)
        self._places: tuple[list[int], list[int]] | None = None

    def places(self) -> tuple[list[int], list[int]]:
        """Return the start of each scope, and the index of the scope around it. The first call is linear."""
        if self._places is None:
            self._places = [scope.start for scope in self.scopes], _parents(self.scopes)
        return self._places


class Outline:
    """The boundaries and scopes that a format found in one text.

    Boundaries are kept as columns: `offsets`, `strengths` and `labels`. A format that has columns makes its outline
    with `Outline.of_columns`.

    Args:
        boundaries: Ascending offsets, no offset twice. The first is 0, with strength `Strength.DOCUMENT`; `len(text)`
            is not among them. An empty text has no boundaries.
        scopes: The named spans, by ascending starts; of two with the same start the outer one comes first.
        notes: Remarks for the reader of the result, such as {"parse": "had errors"}; empty if all went well.
        finest: The level down to which the boundaries are complete. A unit without boundaries inside that is still too
            long is refined by `refine(text, start, end, outline.finest)`: at sentences if this is LINE, at words if it
            is SENTENCE.
        heads: Boundary -> the offset after the first line of a definition, for the boundaries from the top of the
            definition (the first of its comments, attributes, annotations) to that line. The lines between stay with
            the first line, even if the definition as a whole is too long.
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
        scopes: Iterable[Scope] | Callable[[], Iterable[Scope]] = (),
        notes: dict[str, str] | None = None,
        *,
        finest: int = Strength.LINE,
        heads: dict[int, int] | None = None,
    ) -> Self:
        """Make an outline from columns: three lists of equal length, which it keeps. Four times as fast as from tuples.

        Args:
            offsets: The ascending offsets of the boundaries, in characters.
            strengths: Their strengths.
            labels: Their labels.
            scopes: As for `Outline`; or a function that returns them, called on first use.
            notes: As for `Outline`.
            finest: As for `Outline`.
            heads: As for `Outline`.

        Returns:
            An outline of the class that this is called on.
        """
        outline = cls.__new__(cls)
        outline._set([offsets, strengths, labels], scopes, notes, finest, heads)  # noqa: SLF001  # it is of this very class
        return outline

    def _set(
        self,
        columns: list[Any],
        scopes: Iterable[Scope] | Callable[[], Iterable[Scope]],
        notes: dict[str, str] | None,
        finest: int,
        heads: dict[int, int] | None,
    ) -> None:
        self.offsets: list[int] = columns[0]
        self.strengths: list[int] = columns[1]
        self.labels: list[str] = columns[2]
        self._set_all_but_columns(scopes, notes, finest, heads)

    def _set_all_but_columns(
        self,
        scopes: Iterable[Scope] | Callable[[], Iterable[Scope]],
        notes: dict[str, str] | None,
        finest: int,
        heads: dict[int, int] | None,
    ) -> None:
        self._nested = Scopes(scopes)
        self.notes: dict[str, str] = {} if notes is None else notes
        self.finest = int(finest)
        self.heads: dict[int, int] = {} if heads is None else heads

    @property
    def scopes(self) -> list[Scope]:
        """The scopes, ascending. Do not change the list."""
        return self._nested.scopes

    @property
    def nested(self) -> Scopes:
        """The scopes without the boundaries."""
        return self._nested

    @property
    def boundaries(self) -> list[Boundary]:
        """The boundaries as tuples. Linear time."""
        return list(map(Boundary, self.offsets, self.strengths, self.labels))

    def breadcrumb(self, offset: int) -> tuple[str, ...]:
        """Return the names of the scopes around an offset, outermost first.

        A scope that begins at the offset is not included: the text there names it. O(log scopes + depth).

        Args:
            offset: An offset in characters.

        Returns:
            The names of the scopes with start < offset < end.
        """
        return self._nested.breadcrumb(offset)

    def scopes_around(self, offset: int) -> tuple[Scope, ...]:
        """Return the scopes around an offset, outermost first. O(log scopes + depth).

        Args:
            offset: An offset in characters.

        Returns:
            The scopes with start < offset < end.
        """
        return self._nested.around(offset)

    def __repr__(self) -> str:
        return f"Outline({len(self.offsets)} boundaries, {len(self.scopes)} scopes, notes={self.notes!r})"


@runtime_checkable
class Format(Protocol):
    """Protocol of a format: it finds the boundaries of texts. Formats keep no state between texts and may be shared by
    threads.
    """

    @property
    def language(self) -> str | None:
        """The name of the language ("python", "markdown"); None for plain text."""
        ...

    def outline(self, text: str) -> Outline:
        """Find the boundaries and scopes of a text. Linear time, and no recursion on the depth of the text.

        Args:
            text: Any str.

        Returns:
            The outline; its offsets are in characters.
        """
        ...


def outermost_first(scopes: Iterable[Scope]) -> list[Scope]:
    """Sort scopes by start; of those with the same start the longest comes first."""
    # Two stable sorts, and no call of a Python function per scope.
    found = sorted(scopes, key=itemgetter(1), reverse=True)
    found.sort(key=itemgetter(0))
    return found


def _parents(scopes: Sequence[Scope]) -> list[int]:
    """Return the index of the scope around each scope, -1 if there is none; `scopes` are in the order of
    `Outline.scopes`.
    """
    parents: list[int] = []
    open_scopes: list[int] = []
    for index, scope in enumerate(scopes):
        while open_scopes and scopes[open_scopes[-1]].end <= scope.start:
            open_scopes.pop()
        parents.append(open_scopes[-1] if open_scopes else -1)
        open_scopes.append(index)
    return parents


_NONE = _Found(())  # for all texts without scopes
