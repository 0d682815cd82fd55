"""Choose the program that makes chunks, for either strategy: the compiled one if possible, else its specification,
`grower` and `optimal`.

What is compiled (chunker/cpp/include/chunker/grower.hpp and optimizer.hpp) takes every option, every outline and sketch, and every counter: it asks the
encoders of `bpe_engine` without a Python call a step, and others by their methods. It does not take text with halves of surrogate pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from types import ModuleType
from typing import Any, Protocol

from bpe_engine.at_exit import cache_until_exit
from chunker.counting import TokenCounter
from chunker.formats import Outline
from chunker.formats.sketches import Sketch
from chunker.growing.budget import Budget
from chunker.growing.limits import LONGEST_TOKEN, LOOK_AHEAD, look, overlap_look
from chunker.growing.overlap import finest_of_overlap
from chunker.growing.pieces import ContextAt, Piece, no_context
from chunker.growing.units import Place
from chunker.native import native

# So many chunks are grown before the first of them is given out.
_AT_ONCE = 64

# What Piece(*fields) makes of a tuple, at a third of the time.
_as_piece: Callable[[tuple[int, int, str, int, str]], Piece] = partial(tuple.__new__, Piece)


class AnyGrower(Protocol):
    """A grower: it makes the chunks of one text, once."""

    def pieces(self, horizon: int | None = None) -> Iterator[Piece]:
        """The chunks in the order of the text, those that begin up to `horizon`. Raises `BudgetTooSmallError` where a single character does not fit."""
        ...

    def one(self, horizon: int | None = None) -> Piece | None:
        """The next of these chunks, None where there is none; `ahead` then tells where the one after it begins."""
        ...

    def ahead(self) -> tuple[list[Place], int, int]:
        """The state with which another grower goes on: the units ahead that differ from those of the outline; the
        number of units of the outline before them; and how many of those ahead repeat the end of the last chunk.
        """
        ...

    def resume(self, ahead: list[Place], overlapping: int) -> None:
        """Put units ahead that another grower had, the first `overlapping` of which repeat the end of a chunk."""
        ...


class CompiledGrower:
    """Grows the chunks of one text. Made by `grower_of`."""

    def __init__(self, grower: Any) -> None:  # noqa: ANN401 - a class of the compiled module
        self._grower = grower

    def pieces(self, horizon: int | None = None) -> Iterator[Piece]:
        """See `AnyGrower`."""
        while made := self._grower.grow(_AT_ONCE, horizon):
            yield from map(_as_piece, made)

    def one(self, horizon: int | None = None) -> Piece | None:
        """See `AnyGrower`."""
        made = self._grower.grow(1, horizon)
        return _as_piece(made[0]) if made else None

    def ahead(self) -> tuple[list[Place], int, int]:
        """See `AnyGrower`."""
        places, behind, overlapping = self._grower.ahead()
        return [Place(*place) for place in places], behind, overlapping

    def details(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Of the units ahead that differ from those of the outline: those that are closed, with the offsets of the sketch; and the ends of heads."""
        closed, heads = self._grower.details()
        return closed, heads

    def follow(self) -> None:
        """Know of the next chunks how far each of them looks."""
        self._grower.follow()

    def reach(self) -> int:
        """How far the last chunk looked: whatever stands behind that offset, it comes out as it did. At least the end of the text if it depends on that."""
        reach: int = self._grower.reach()
        return reach

    def resume(self, ahead: list[Place], overlapping: int, closed: Sequence[tuple[int, int]] = ()) -> None:
        """See `AnyGrower`; `closed` are those of `details`."""
        self._grower.resume(ahead, overlapping, list(closed))


def grower_of(text: str, outline: Outline, tokenizer: TokenCounter, budget: Budget, context_at: ContextAt) -> AnyGrower:
    """A grower of the chunks of `text` by an outline of it; `context_at` returns the context of a chunk from an offset."""
    compiled = native()
    if compiled is None:
        return _readable(text, outline, tokenizer, budget, context_at)
    sketch = outline if isinstance(outline, Sketch) else None
    try:
        grower = compiled.Grower(
            text,
            tokenizer,
            outline,
            _limits(compiled, budget),
            None if context_at is no_context else context_at,
            None if sketch is None else sketch.inside,
            None if sketch is None or not sketch.closed else sketch.closed,
        )
    except UnicodeEncodeError:  # halves of surrogate pairs
        return _readable(text, outline, tokenizer, budget, context_at)
    return CompiledGrower(grower)


def _readable(text: str, outline: Outline, tokenizer: TokenCounter, budget: Budget, context_at: ContextAt) -> AnyGrower:
    from chunker.growing.grower import Grower  # noqa: PLC0415  # which what is compiled does without

    return Grower(text, outline, tokenizer, budget, context_at)


def best_pieces(
    text: str, outline: Outline, tokenizer: TokenCounter, budget: Budget, context_at: ContextAt
) -> Iterator[Piece]:
    """The chunks of `text` that cost least: see `optimal`. Raises `BudgetTooSmallError` where a single character does not fit."""
    compiled = native()
    context = None if context_at is no_context else context_at
    made = (
        None if compiled is None else compiled.best_pieces(text, tokenizer, outline, _limits(compiled, budget), context)
    )
    if made is None:  # or a text with halves of surrogate pairs
        from chunker.growing.optimal import Optimizer  # noqa: PLC0415  # as above

        return Optimizer(text, outline, tokenizer, budget, context_at).pieces()
    return map(_as_piece, made)


@cache_until_exit
@lru_cache(maxsize=64)
def _limits(compiled: ModuleType, budget: Budget) -> Any:  # noqa: ANN401 - a class of the compiled module
    return compiled.Limits(
        most=budget.max_tokens,
        least=budget.min_tokens,
        overlap=budget.overlap,
        desired=budget.desired_tokens,
        overlap_finest=finest_of_overlap(budget),
        look_ahead=LOOK_AHEAD,
        look=look(budget.max_tokens),
        overlap_look=overlap_look(budget.overlap),
        longest_token=LONGEST_TOKEN,
    )
