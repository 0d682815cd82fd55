"""Empty the caches of native objects before the interpreter ends, so that the objects are freed in time.

A module may outlive the end: some other package keeps one of its functions or classes, and with it the globals of the module, so its caches are
never freed by themselves.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable
from functools import cache
from typing import Any, ParamSpec, Protocol, TypeVar, cast

Given = ParamSpec("Given")
Made = TypeVar("Made")


class _Cached(Protocol):
    def cache_clear(self) -> Any: ...  # noqa: ANN401 - nobody asks


def cache_until_exit(function: Callable[Given, Made]) -> Callable[Given, Made]:
    """`functools.cache`, emptied at exit; a function that is cached already, by `lru_cache`, is only emptied.

    >>> square = cache_until_exit(lambda number: [number * number])
    >>> square(3), square(3) is square(3)
    ([9], True)
    """
    cached = function if hasattr(function, "cache_clear") else cache(function)
    atexit.register(cast("_Cached", cached).cache_clear)
    return cast("Callable[Given, Made]", cached)
