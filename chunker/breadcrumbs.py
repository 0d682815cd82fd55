"""The context header of a chunk: where in the text, and in which file, its body begins.

    src/shop.py > class Cart > def total
    ^ source      ^ class      ^ method: the named regions around the first character of the body, outermost first

One line, the same for all formats, with its line end; behind it the lines that the innermost region with such lines wants repeated:

    prices.csv
    item,price,currency
    ^ the header row of the table that the body is from the middle of

A context may use a quarter of the budget. From a longer one the outermost parts are dropped first, for the innermost say most about the
body; repeated lines go before names, and all of them or none.
"""

from __future__ import annotations

from chunker.boundaries import Outline
from chunker.counting import TokenCounter

_SEPARATOR = " > "
_MAX_SHARE = 4


class Breadcrumbs:
    """The contexts of one text. The same one is priced once."""

    def __init__(self, outline: Outline, source: str | None, tokenizer: TokenCounter, max_tokens: int) -> None:
        self._outline = outline
        self._source = source
        self._tokenizer = tokenizer
        self._limit = max_tokens // _MAX_SHARE
        self._contexts: dict[tuple[tuple[str, ...], str], str] = {}

    def at(self, offset: int) -> str:
        """The context of a chunk whose body begins at `offset`, at most a quarter of the budget; "" if there is nothing to say."""
        scopes = self._outline.scopes_around(offset)
        trail = tuple(scope.name for scope in scopes if scope.name)
        repeated = next((scope.header for scope in reversed(scopes) if scope.header), "")
        context = self._contexts.get((trail, repeated))
        if context is None:
            context = self._contexts[trail, repeated] = self._context(trail, repeated)
        return context

    def _context(self, trail: tuple[str, ...], repeated: str) -> str:
        names = trail if self._source is None else (self._source, *trail)
        # A name is a part of one line, whatever stands in it.
        parts = [part for part in (" ".join(name.split()) for name in names) if part]
        if repeated and not repeated.endswith(("\n", "\r")):
            repeated += "\n"
        if not self._fits(repeated):
            repeated = ""
        while parts:
            context = _SEPARATOR.join(parts) + "\n" + repeated
            if self._fits(context):
                return context
            del parts[0]
        return repeated

    def _fits(self, context: str) -> bool:
        return self._tokenizer.count_up_to(context, self._limit) is not None
