"""Empty the caches of native objects before the interpreter ends, so that the objects are freed in time.

Without this, caches may never be freed: another package may keep a function or class of a module, and with it the
globals of the module, its caches among them.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable
from functools import cache
from typing import Any, ParamSpec, Protocol, TypeVar, cast

Given = ParamSpec("Given")
Made = TypeVar("Made")


class _Cached(Protocol):
    def cache_clear(self) -> Any: ...  # noqa: ANN401 - the result is not used


def cache_until_exit(function: Callable[Given, Made]) -> Callable[Given, Made]:
    """Cache a function as `functools.cache` does, and empty the cache at exit. A function with an `lru_cache` keeps it.

    >>> square = cache_until_exit(lambda number: [number * number])
    >>> square(3), square(3) is square(3)
    ([9], True)
    """
    cached = function if hasattr(function, "cache_clear") else cache(function)
    atexit.register(cast("_Cached", cached).cache_clear)
    return cast("Callable[Given, Made]", cached)
