"""Run batches on threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from itertools import chain
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
    require_threads(num_threads)
    given = list(items)
    threads = min(num_threads, os.cpu_count() or 1, len(given))
    if threads < 2:
        return list(map(function, given))
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - takes 7 ms, and only batches need it

    # A few parts a thread: to hand over a short text by itself takes longer than most functions need for it.
    size = -(-len(given) // (4 * threads))
    parts = [given[start : start + size] for start in range(0, len(given), size)]
    with ThreadPoolExecutor(threads) as pool:
        return list(chain.from_iterable(pool.map(lambda part: list(map(function, part)), parts)))
