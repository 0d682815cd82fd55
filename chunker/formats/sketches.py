"""Sketch: an outline whose units are refined on request.

    outline    ^0 section    ^16 sentence  ^25 sentence    ^40 paragraph   ^52 sentence
    sketch     ^0 section, closed                          ^40 paragraph, closed
    inside(0)                ^16 sentence  ^25 sentence

Finding the sentences of a paragraph, or the statements of a function, costs more than finding the paragraph or function
itself. A unit that goes into a chunk as a whole does not need them: only the unit at which the chunk overflows is
refined. So a format that can find the end of a unit without parsing its inside offers a sketch; `sketch.opened()` is
its outline.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from chunker.formats.outline import Format, Outline, Scope, Scopes

if TYPE_CHECKING:  # the module does not exist without a compiled core
    from chunker._native import CodeReading, MarkdownSketch, SeparatorSketch


class Inside(NamedTuple):
    """The details of a unit: its boundaries, in columns as in `Outline`, all weaker than its own; its scopes, which can
    be iterated once; and its heads.
    """

    offsets: list[int]
    strengths: list[int]
    labels: list[str]
    scopes: Iterable[Scope]
    heads: Mapping[int, int] = MappingProxyType({})


class Sketch(Outline):
    """An outline with *closed* units, which have more boundaries inside.

    `closed`: the starts of these units, ascending; each ends at the next boundary, or with the text. `inside(offset)`
    refines one. `scopes` are those of `opened()`; `scopes_around` finds those around an offset without refining any
    unit but the one around it. `native`: a compiled object that the compiled grower calls before `inside`, if there is
    one.
    """

    __slots__ = ("__weakref__", "_inner", "_look", "_outer", "_scopes_of", "closed", "native")

    closed: dict[int, None]  # as a set that keeps its order
    native: CodeReading | MarkdownSketch | SeparatorSketch | None
    _look: Callable[[int], Inside]
    _scopes_of: Callable[[list[Scope]], Iterable[Scope]]
    _outer: Scopes | None  # the scopes outside closed units, computed on first use
    _inner: dict[int, Scopes | Iterable[Scope]]  # the scopes of refined units, by their starts

    @classmethod
    def of(
        cls,
        columns: tuple[list[int], list[int], list[str]],
        closed: Iterable[int],
        look: Callable[[int], Inside],
        scopes_of: Callable[[list[Scope]], Iterable[Scope]],
        notes: dict[str, str] | None = None,
        *,
        finest: int,
        heads: dict[int, int] | None = None,
        native: CodeReading | MarkdownSketch | SeparatorSketch | None = None,
    ) -> Sketch:
        """Make a sketch with these boundaries; `scopes_of` converts the scopes inside units to those of the whole
        text.
        """
        sketch = cls.__new__(cls)
        sketch._set(list(columns), (), notes, finest, heads)  # noqa: SLF001  # it is of this very class
        sketch.closed = dict.fromkeys(closed)
        sketch.native = native
        sketch._refine_with(look, scopes_of)  # noqa: SLF001  # so it is
        return sketch

    def _refine_with(self, look: Callable[[int], Inside], scopes_of: Callable[[list[Scope]], Iterable[Scope]]) -> None:
        self._look = look
        self._scopes_of = scopes_of
        self._outer = None
        self._inner = {}

    @classmethod
    def of_outline(cls, outline: Outline) -> Sketch:
        """Make a sketch without closed units from an outline."""
        columns = (outline.offsets, outline.strengths, outline.labels)
        return cls.of(
            columns, (), _nothing, lambda _: outline.scopes, outline.notes, finest=outline.finest, heads=outline.heads
        )

    def inside(self, offset: int) -> Inside:
        """Return the details of the closed unit that begins at `offset`. Linear in the length of the unit."""
        inside = self._look(offset)
        # The scopes can be iterated once: by the caller, or on the first access to scopes.
        self._inner[offset] = inside.scopes
        return inside

    def breadcrumb(self, offset: int) -> tuple[str, ...]:
        """See `Outline`."""
        return tuple(scope.name for scope in self.scopes_around(offset) if scope.name)

    def scopes_around(self, offset: int) -> tuple[Scope, ...]:
        """See `Outline`. If the unit around the offset is not refined yet, this is linear in its length."""
        if offset <= 0:
            return ()
        outer = self._outside()
        row = bisect_right(self.offsets, offset) - 1
        start = self.offsets[row] if row >= 0 else offset
        if start == offset or start not in self.closed:
            return outer.around(offset)
        return outer.around(offset) + self._scopes_inside(start).around(offset)

    def has_scopes_inside(self, start: int) -> bool:
        """Return whether there are scopes inside the closed unit that begins at `start`. Linear in its length if the unit
        is not refined yet.
        """
        return bool(self._scopes_inside(start).scopes)

    def _scopes_inside(self, start: int) -> Scopes:
        inner = self._inner.get(start)
        if not isinstance(inner, Scopes):
            inner = self._inner[start] = Scopes(self._look(start).scopes if inner is None else inner)
        return inner

    @property
    def outer_scopes(self) -> list[Scope]:
        """The scopes outside closed units. They are all scopes around an offset that is in no closed unit, or at the
        start of one.
        """
        return self._outside().scopes

    def _outside(self) -> Scopes:
        if self._outer is None:
            self._outer = Scopes(self._scopes_of([]))
        return self._outer

    def opened(self) -> Outline:
        """Return the outline, with all units refined. Linear."""
        offsets, strengths, labels = list(self.offsets), list(self.strengths), list(self.labels)
        scopes: list[Scope] = []
        heads = dict(self.heads)
        if self.closed:
            rows = list(zip(offsets, strengths, labels, strict=True))
            offsets, strengths, labels = [], [], []
            for offset, strength, label in rows:
                offsets.append(offset)
                strengths.append(strength)
                labels.append(label)
                if offset in self.closed:
                    inside = self._look(offset)
                    offsets += inside.offsets
                    strengths += inside.strengths
                    labels += inside.labels
                    scopes += inside.scopes
                    heads.update(inside.heads)
        return Outline.of_columns(
            offsets, strengths, labels, lambda: self._scopes_of(scopes), self.notes, finest=self.finest, heads=heads
        )


class CompiledSketch(Sketch):
    """A sketch that the compiled grower reads from `native`, without Python. Its columns become lists when one of them
    is asked for.
    """

    __slots__ = ()

    def _columns(self) -> tuple[list[int], list[int], list[str], dict[int, int], dict[int, None]]:
        """Return the offsets, strengths, labels, heads and closed units."""
        raise NotImplementedError

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # one of the columns, which are not there yet
        if name not in {"closed", "heads", "labels", "offsets", "strengths"}:
            raise AttributeError(name)
        self.offsets, self.strengths, self.labels, self.heads, self.closed = self._columns()
        return getattr(self, name)


def _nothing(offset: int) -> Inside:
    raise KeyError(offset)


class SketchingFormat(Protocol):
    """Protocol of a format that offers sketches."""

    def sketch(self, text: str, size: int) -> Sketch:
        """Return the outline of `text` with closed units. Units that are larger than `size`, in characters or in bytes of
        UTF-8, should not be closed. Linear, like `outline`.
        """
        ...


def sketching(format: Format) -> SketchingFormat | None:  # noqa: A002  # what the whole package calls one
    """Return a format if it offers sketches, else None."""
    # Before Python 3.12 `isinstance` of a protocol takes as long as to chunk a few sentences.
    return cast("SketchingFormat", format) if callable(getattr(format, "sketch", None)) else None
