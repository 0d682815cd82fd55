"""Sketch: an outline whose units are refined when they are asked for.

    outline    ^0 section    ^16 sentence  ^25 sentence    ^40 paragraph   ^52 sentence
    sketch     ^0 section, closed                          ^40 paragraph, closed
    inside(0)                ^16 sentence  ^25 sentence

To find sentences, or the statements of a function, costs more than to find the paragraph or the function, and a unit that goes
into a chunk as a whole needs none of it: only the one at which the chunk overflows is looked into. So a format that can tell where a
unit ends without reading it has a sketch to give, and `sketch.opened()` is its outline.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, Protocol, runtime_checkable

from chunker.formats.outline import Outline, Scope, Scopes

if TYPE_CHECKING:  # it is not there where nothing is compiled
    from chunker._native import MarkdownSketch


class Inside(NamedTuple):
    """The details of a unit: its boundaries, by columns as in `Outline`, all weaker than its own; its scopes, once; and
    its heads.
    """

    offsets: list[int]
    strengths: list[int]
    labels: list[str]
    scopes: Iterable[Scope]
    heads: Mapping[int, int] = MappingProxyType({})


class Sketch(Outline):
    """An outline some of whose units are *closed*: more boundaries are inside.

    `closed`: where these units begin; each ends at the next boundary, or with the text. `inside(offset)` looks into one. All scopes are
    those of `opened()`; `scopes_around` finds those around one offset without looking into other units than that of the offset.
    `native`: a compiled object that the compiled grower asks before `inside`, if there is one.
    """

    __slots__ = ("__weakref__", "_inner", "_look", "_outer", "_scopes_of", "closed", "native")

    closed: Collection[int]
    native: MarkdownSketch | None
    _look: Callable[[int], Inside]
    _scopes_of: Callable[[list[Scope]], Iterable[Scope]]
    _outer: Scopes | None  # outside of closed units, once somebody has asked
    _inner: dict[int, Scopes | Iterable[Scope]]  # the scopes of refined units, by their starts

    @classmethod
    def of(
        cls,
        columns: tuple[list[int], list[int], list[str]],
        closed: Collection[int],
        look: Callable[[int], Inside],
        scopes_of: Callable[[list[Scope]], Iterable[Scope]],
        notes: dict[str, str] | None = None,
        *,
        finest: int,
        heads: dict[int, int] | None = None,
        native: MarkdownSketch | None = None,
    ) -> Sketch:
        """The sketch with these boundaries; `scopes_of` makes of the scopes inside those of the whole text."""
        sketch = cls.__new__(cls)
        sketch._set(list(columns), (), notes, finest, heads)  # noqa: SLF001  # it is of this very class
        sketch.closed = closed
        sketch.native = native
        sketch._look = look  # noqa: SLF001  # so it is
        sketch._scopes_of = scopes_of  # noqa: SLF001  # so it is
        sketch._outer = None  # noqa: SLF001  # so it is
        sketch._inner = {}  # noqa: SLF001  # so it is
        return sketch

    @classmethod
    def of_outline(cls, outline: Outline) -> Sketch:
        """The sketch that is all of the outline."""
        columns = (outline.offsets, outline.strengths, outline.labels)
        return cls.of(
            columns, (), _nothing, lambda _: outline.scopes, outline.notes, finest=outline.finest, heads=outline.heads
        )

    def inside(self, offset: int) -> Inside:
        """The details of the closed unit that begins at `offset`. Takes the time of the length of the unit."""
        inside = self._look(offset)
        # The scopes can be read once: by the caller, or when somebody asks for scopes.
        self._inner[offset] = inside.scopes
        return inside

    def breadcrumb(self, offset: int) -> tuple[str, ...]:
        """See `Outline`."""
        return tuple(scope.name for scope in self.scopes_around(offset) if scope.name)

    def scopes_around(self, offset: int) -> tuple[Scope, ...]:
        """See `Outline`. If the unit around the offset is not refined yet, this costs its length."""
        outer = self._outside()
        row = bisect_right(self.offsets, offset) - 1
        start = self.offsets[row] if row >= 0 else offset
        if start == offset or start not in self.closed:
            return outer.around(offset)
        inner = self._inner.get(start)
        if not isinstance(inner, Scopes):
            inner = self._inner[start] = Scopes(self._look(start).scopes if inner is None else inner)
        return outer.around(offset) + inner.around(offset)

    @property
    def outer_scopes(self) -> list[Scope]:
        """The scopes that are known without looking into closed units: those around each offset that is in none, or where one begins."""
        return self._outside().scopes

    def _outside(self) -> Scopes:
        if self._outer is None:
            self._outer = Scopes(self._scopes_of([]))
        return self._outer

    def opened(self) -> Outline:
        """The outline, with all that is inside. Linear."""
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


def _nothing(offset: int) -> Inside:
    raise KeyError(offset)


@runtime_checkable
class SketchingFormat(Protocol):
    """A format that has a sketch to give."""

    def sketch(self, text: str, size: int) -> Sketch:
        """The outline of `text`, with closed units; those of more than `size` characters had better be open. Linear, as `outline`."""
        ...
