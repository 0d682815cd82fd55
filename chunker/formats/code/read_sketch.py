"""ReadSketch: the sketch of source code that the compiled walk has read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chunker.formats.outline import Scope, Scopes, Strength
from chunker.formats.sketches import CompiledSketch, Inside

if TYPE_CHECKING:  # the module does not exist without a compiled core
    from chunker._native import CodeReading


class ReadSketch(CompiledSketch):
    """The sketch of a text that was parsed and walked."""

    __slots__ = ()

    native: CodeReading

    def __init__(self, reading: CodeReading) -> None:
        self._nested = Scopes(())
        self.notes = (
            {"parse": "given up"} if reading.given_up else {"parse": "had errors"} if reading.had_errors else {}
        )
        self.finest = int(Strength.SENTENCE)
        self.native = reading

        # They hold the reading, not the sketch, which keeps them: that would be a circle.
        def look(offset: int) -> Inside:
            (offsets, strengths, labels, heads), regions = reading.inside(offset)
            return Inside(offsets, strengths, labels, [Scope(*region) for region in regions], heads)

        def scopes_of(inside: list[Scope]) -> list[Scope]:
            # Imported late: growers of all texts know this class, and only code needs tree-sitter.
            from chunker.formats.line_placement import clipped_scopes  # noqa: PLC0415

            return clipped_scopes([*reading.regions(), *((start, end, name) for start, end, name, _ in inside)])

        self._refine_with(look, scopes_of)

    def _columns(self) -> tuple[list[int], list[int], list[str], dict[int, int], dict[int, None]]:
        return (*self.native.columns(), dict.fromkeys(self.native.closed()))

    def breadcrumb(self, offset: int) -> tuple[str, ...]:
        """See `Outline`."""
        return self.native.breadcrumb(offset) if offset > 0 else ()
