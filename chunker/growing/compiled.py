"""Choose the implementation that makes chunks, for either strategy: the compiled one if possible, else its
specification, the modules `grower` and `optimal`.

The compiled implementation (chunker/cpp/include/chunker/grower.hpp and optimizer.hpp) takes every option, outline,
sketch and counter. It calls the encoders of `bpe_engine` directly, and other counters through their Python methods. It
does not take text with halves of surrogate pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from itertools import chain
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

from bpe_engine.at_exit import cache_until_exit
from chunker.counting import TokenCounter
from chunker.formats import Outline
from chunker.growing.budget import Budget
from chunker.growing.overlap import finest_of_overlap
from chunker.growing.pieces import ContextAt, Piece, no_context
from chunker.growing.units import Ahead, Place
from chunker.native import native

if TYPE_CHECKING:  # the module does not exist without a compiled core
    from chunker import _native

# The number of chunks that are grown before the first of them is yielded.
_AT_ONCE = 64


class ChunkMaker(Protocol):
    """What makes the chunks of one text, once: a grower or an optimizer."""

    def pieces(self) -> Iterator[Piece]:
        """Yield the chunks in the order of the text. Raises `BudgetTooSmallError` if a single character does not fit."""
        ...


class AnyGrower(ChunkMaker, Protocol):
    """A grower: it makes one chunk after the other, and can be asked for what is ahead."""

    def pieces(self, horizon: int | None = None) -> Iterator[Piece]:
        """Yield the chunks as `ChunkMaker` says, those that begin at or before `horizon`."""
        ...

    def one(self) -> Piece | None:
        """Return the next chunk, or None. Afterwards `ahead` says where the chunk after it begins."""
        ...

    def ahead(self, most: int) -> Ahead:
        """Return what is ahead, with the places only if they are at most so many: in a long unit that was refined they
        are many after each chunk of it.
        """
        ...

    def resume(self, ahead: list[Place], overlapping: int) -> None:
        """Put the units that another grower had ahead in front. The first `overlapping` of them repeat the end of a
        chunk.
        """
        ...


class CompiledChunks:
    """Makes the chunks of one text, once. Made by `grower_of` and `optimizer_of`."""

    def __init__(self, compiled: _native.Chunking) -> None:
        self.compiled = compiled

    def pieces(self, horizon: int | None = None) -> Iterator[Piece]:
        """See `AnyGrower`."""
        # Not a generator, which takes a tenth of a microsecond for each piece.
        return chain.from_iterable(iter(partial(self.compiled.grow, Piece, _AT_ONCE, horizon), []))

    def bodies(self, *, strip: bool) -> list[str]:
        """Return the texts of the chunks without contexts, as `bodies_of` does: no piece is made of them."""
        return self.compiled.bodies(strip)

    def put_into(self, columns: _native.ChunkColumns, identity: bytes) -> list[int]:
        """Add all chunks to columns, or none if an error is raised; no piece is made of them. `identity` is the common
        beginning of the hashes of their ids. Return where the new text of each begins.
        """
        return self.compiled.put_into(columns, identity)


class CompiledGrower(CompiledChunks):
    """Grows the chunks of one text. Made by `grower_of`."""

    compiled: _native.Grower

    def one(self) -> Piece | None:
        """See `AnyGrower`."""
        made: list[Piece] = self.compiled.grow(Piece, 1, None)
        return made[0] if made else None

    def ahead(self, most: int) -> Ahead:
        """See `AnyGrower`."""
        places, *others = self.compiled.ahead(most)
        return Ahead(None if places is None else [Place(*place) for place in places], *others)

    def details(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Return details of the units ahead that differ from the outline: the starts of closed units with their offsets
        in the sketch, and the offsets inside heads with the ends of the heads.
        """
        return self.compiled.details()

    def follow(self) -> None:
        """Record for each of the next chunks how far the grower looked."""
        self.compiled.follow()

    def reach(self) -> int:
        """Return how far the grower looked for the last chunk: text after that offset does not change the chunk. At
        least the end of the text if the chunk depends on it.
        """
        return self.compiled.reach()

    def resume(self, ahead: list[Place], overlapping: int, closed: Sequence[tuple[int, int]] = ()) -> None:
        """See `AnyGrower`; `closed` are the closed units that `details` returned."""
        self.compiled.resume(list(ahead), overlapping, list(closed))


def grower_of(text: str, outline: Outline, tokenizer: TokenCounter, budget: Budget, context_at: ContextAt) -> AnyGrower:
    """Make a grower of the chunks of `text` from its outline; `context_at` returns the context of a chunk from an
    offset.
    """
    compiled = native()
    if compiled is None:
        return _readable(text, outline, tokenizer, budget, context_at)
    context = None if context_at is no_context else context_at
    try:
        return CompiledGrower(compiled.Grower(text, tokenizer, outline, _limits(compiled, budget), context))
    except UnicodeEncodeError:  # halves of surrogate pairs
        return _readable(text, outline, tokenizer, budget, context_at)


def optimizer_of(
    text: str, outline: Outline, tokenizer: TokenCounter, budget: Budget, context_at: ContextAt
) -> ChunkMaker:
    """Make what finds the chunks of `text` with the lowest total cost: see `optimal`."""
    compiled = native()
    if compiled is not None:
        context = None if context_at is no_context else context_at
        with suppress(UnicodeEncodeError):  # halves of surrogate pairs
            return CompiledChunks(compiled.Optimizer(text, tokenizer, outline, _limits(compiled, budget), context))
    from chunker.growing.optimal import Optimizer  # noqa: PLC0415  # as below

    return Optimizer(text, outline, tokenizer, budget, context_at)


def is_native(tokenizer: TokenCounter) -> bool:
    """Return whether the compiled grower counts without Python."""
    if native() is None:
        return False
    interface = getattr(tokenizer, "_interface", None)
    return getattr(tokenizer, "_length_in", None) is not None or (interface is not None and interface() is not None)


def make_together(makers: Iterable[ChunkMaker]) -> None:
    """Make all chunks of several texts in one call, during which other threads run; `pieces` of each then only returns
    them. Does nothing where Python makes them, and where an object of another package counts.
    """
    compiled = native()
    if compiled is not None:
        compiled.make_all([maker.compiled for maker in makers if isinstance(maker, CompiledChunks)])


def bodies_of(text: str, maker: ChunkMaker, *, strip: bool) -> list[str]:
    """Return the texts of the chunks of `text` without their contexts. With `strip`, white space at their ends is
    removed, and those of white space only are left out.
    """
    if isinstance(maker, CompiledChunks):
        return maker.bodies(strip=strip)
    bodies = (text[piece.start : piece.end] for piece in maker.pieces())
    return [kept for body in bodies if (kept := body.strip())] if strip else list(bodies)


def _readable(text: str, outline: Outline, tokenizer: TokenCounter, budget: Budget, context_at: ContextAt) -> AnyGrower:
    from chunker.growing.grower import Grower  # noqa: PLC0415  # which what is compiled does without

    return Grower(text, outline, tokenizer, budget, context_at)


@cache_until_exit
@lru_cache(maxsize=64)
def _limits(compiled: ModuleType, budget: Budget) -> Any:  # noqa: ANN401 - a class of the compiled module
    return compiled.Limits(
        most=budget.max_tokens,
        least=budget.min_tokens,
        overlap=budget.overlap,
        desired=budget.desired_tokens,
        overlap_finest=finest_of_overlap(budget),
    )
