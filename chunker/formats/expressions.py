"""Regular expressions: those of the standard library, and those of the `regex` package, compiled on first use.

Before Python 3.11.5 the module `re` matches too little if a group that can match in several ways is repeated
possessively, as in `(?:ab?c)*+` (python/cpython#106052). There the `regex` package replaces it, which is slower and has
no such bug.

Importing `regex` and compiling expressions with Unicode properties takes longer than all other imports of this package;
the compiled core has its own tables instead.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import regex

if TYPE_CHECKING or sys.version_info >= (3, 11, 5):
    import re
else:
    import regex as re

__all__ = ["compiled_late", "re"]


class _LatePattern:
    """A pattern of `regex`, compiled at the first use of a method. The methods then become attributes of this
    object.
    """

    def __init__(self, source: str, flags: tuple[str, ...]) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # a method of a pattern
        if name.startswith("_"):
            raise AttributeError(name)
        import regex  # noqa: PLC0415  # see above

        flags = 0
        for flag in self._flags:
            flags |= getattr(regex, flag)
        pattern = regex.compile(self._source, flags)
        for method in ("finditer", "fullmatch", "match", "search", "split", "sub"):
            setattr(self, method, getattr(pattern, method))
        return getattr(pattern, name)


def compiled_late(source: str, *flags: str) -> regex.Pattern[str]:
    """Return a pattern like `regex.compile`, but compiled at the first match; `flags` are names, such as "VERBOSE".

    >>> compiled_late(r"\\p{Lu}", "V0").search("aBc").start()
    1
    """
    return cast("regex.Pattern[str]", _LatePattern(source, flags))
