"""Run batches on threads."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from bpe_engine.text.input import require_int

Item = TypeVar("Item")
Result = TypeVar("Result")


def require_threads(num_threads: int) -> None:
    """Raise TypeError if a number of threads is not a whole number, ValueError if it is below 1."""
    require_int(num_threads, "num_threads")
    if num_threads < 1:
        raise ValueError(f"num_threads must be at least 1, not {num_threads}")


def in_threads(function: Callable[[Item], Result], items: Iterable[Item], num_threads: int) -> list[Result]:
    """Return `function(item)` for each item, in order. Raises as `require_threads`."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - takes 7 ms, and only batches need it

    require_threads(num_threads)
    with ThreadPoolExecutor(num_threads) as pool:
        return list(pool.map(function, items))
