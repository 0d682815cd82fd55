"""Tokens, merges, ranks and scores that the core has read from a file, as mappings and sequences that make Python objects on access.

Most programs never access them, because the core passes them to its model directly. The core has validated them, so
nothing checks them again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

if TYPE_CHECKING:
    from bpe_engine import _core

Pair = tuple[int, int]


class ReadTokens(Mapping[int, Any]):
    """Id -> token (bytes or str), in the order of ids. `texts_only`: id -> token of the tokens for decoding only."""

    def __init__(self, tables: _core.TokenTables, alphabet: Literal["bytes", "characters"]) -> None:
        self.tables = tables
        self.alphabet = alphabet
        self.texts_only: dict[int, Any] = dict(tables.texts_only())

    @cached_property
    def _held(self) -> dict[int, Any]:
        return dict(self.tables.tokens())

    def __getitem__(self, token_id: int) -> Any:  # noqa: ANN401 - bytes or str
        return self._held[token_id]

    def __contains__(self, token_id: object) -> bool:
        return token_id in self.tables

    def __iter__(self) -> Iterator[int]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self.tables)

    def __reduce__(self) -> tuple[type[dict[int, Any]], tuple[dict[int, Any]]]:
        return dict, (self._held,)


class ReadNumbers(Mapping[int, Any]):
    """Id -> score of each token, or id -> merge rank of the tokens that have one."""

    def __init__(self, tables: _core.TokenTables, kind: Literal["scores", "ranks"]) -> None:
        self.tables = tables
        self._kind = kind

    @cached_property
    def _held(self) -> dict[int, Any]:
        return dict(self.tables.scores() if self._kind == "scores" else self.tables.ranks())

    def __getitem__(self, token_id: int) -> Any:  # noqa: ANN401 - a float or an int
        return self._held[token_id]

    def __iter__(self) -> Iterator[int]:
        return iter(self._held)

    def __len__(self) -> int:
        return len(self._held)

    def __reduce__(self) -> tuple[type[dict[int, Any]], tuple[dict[int, Any]]]:
        return dict, (self._held,)


class ReadMerges(Sequence[Pair]):
    """Pairs of ids, the best first."""

    def __init__(self, tables: _core.TokenTables) -> None:
        self.tables = tables

    @cached_property
    def _held(self) -> list[Pair]:
        return self.tables.merges()

    @overload
    def __getitem__(self, place: int) -> Pair: ...
    @overload
    def __getitem__(self, place: slice) -> list[Pair]: ...
    def __getitem__(self, place: int | slice) -> Pair | list[Pair]:
        return self._held[place]

    def __iter__(self) -> Iterator[Pair]:
        return iter(self._held)

    def __len__(self) -> int:
        return self.tables.merge_count

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._held == list(other)

    __hash__ = None  # type: ignore[assignment]  # as a list

    def __reduce__(self) -> tuple[type[list[Pair]], tuple[list[Pair]]]:
        return list, (self._held,)


def first_merge_of(merges: Sequence[Pair] | None, ids: set[int]) -> int | None:
    """Return the index of the first merge that has one of these tokens as a half; None if there is none.

    >>> first_merge_of([(0, 1), (2, 0)], {2})
    1
    """
    if not ids or not merges:
        return None
    if isinstance(merges, ReadMerges):
        return merges.tables.first_merge_of(list(ids))
    return next((place for place, pair in enumerate(merges) if not ids.isdisjoint(pair)), None)
