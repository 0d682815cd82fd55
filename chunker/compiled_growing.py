"""Chunks that are made of whole units, by what is compiled: what `growing` does for them, without a step of Python for each unit.

    Python     makes the chunk for which a unit has to be cut                    looks into a closed unit
    compiled                                            | chunk | chunk | chunk |                        | chunk | ...

The rules are those of `growing` and `cutting`; chunker/cpp/include/chunker/row_grower.hpp has them once more.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import lru_cache, partial
from types import ModuleType
from typing import Any, NamedTuple

from bpe_engine.at_exit import cache_until_exit
from chunker.boundaries import Outline
from chunker.budget import Budget
from chunker.native import native
from chunker.pieces import Piece
from chunker.units import Units

# So many chunks are grown before the first of them is given out.
_AT_ONCE = 64

# What Piece(*fields) makes of a tuple, at a third of the time.
_as_piece: Callable[[tuple[int, int, str, int, str]], Piece] = partial(tuple.__new__, Piece)


class Reach(NamedTuple):
    """How far `growing` looks; its constants tell what each is for.

    `look_ahead`: tokens. `leap`: a share of the way that the last chunk could have come; `leap_fills`: a share of the budget. `stride`:
    characters a token of budget that are appended at a time. `longest_token`: characters.
    """

    look_ahead: int
    leap: float
    leap_fills: float
    stride: int
    longest_token: int


class CompiledGrower:
    """Grows chunks of the units of one text, as long as these are all it takes. Made by `compiled_grower`."""

    def __init__(self, rows: Any, interface: object, units: Units) -> None:  # noqa: ANN401 - a class of the compiled module
        self._rows = rows
        self._interface = interface
        self._units = units

    def pieces(self, full: int) -> Generator[Piece, None, int]:
        """The next chunks. `full`: the characters that the last one would have needed to be full, 0 where that is not known; returned are
        those of the last of these.
        """
        units = self._units
        while units:
            made, taken, opening, full = self._rows.grow(
                self._interface,
                units.front,
                units.closed_front,
                units.row,
                units.closed_rows,
                units.labels,
                _AT_ONCE,
                full,
                units.heads,
            )
            units.drop(taken)
            yield from map(_as_piece, made)
            if opening is not None:
                before = units.take(opening)
                units.open_next()
                units.put_back(before)
            elif len(made) < _AT_ONCE:
                break
        return full


def compiled_grower(
    text: str, outline: Outline, units: Units, encoder: object, *, budget: Budget, reach: Reach
) -> CompiledGrower | None:
    """What grows chunks of whole units; None where that is not compiled, or cannot read this text, or counts by an encoder of another kind."""
    compiled = native()
    offered = getattr(encoder, "_interface", None)
    if compiled is None or offered is None or not outline.offsets:
        return None
    try:
        source: str | bytes = text if text.isascii() else text.encode()
    except UnicodeEncodeError:  # halves of surrogate pairs
        return None
    limits = _limits(compiled, budget, reach, outline.finest)
    rows = compiled.RowGrower(source, outline.offsets, outline.strengths, len(text), limits)
    return CompiledGrower(rows, offered(), units)


@cache_until_exit
@lru_cache(maxsize=64)
def _limits(compiled: ModuleType, budget: Budget, reach: Reach, finest: int) -> Any:  # noqa: ANN401 - a class of the compiled module
    return compiled.Limits(
        most=budget.max_tokens,
        least=budget.min_tokens,
        look_ahead=reach.look_ahead,
        leap_fills=int(budget.max_tokens * reach.leap_fills),
        leap=reach.leap,
        stride=max(budget.max_tokens, 16) * reach.stride,
        longest_token=reach.longest_token,
        finest=finest,
    )
