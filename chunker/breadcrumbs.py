"""The context header of a chunk: where in the text, and in which file, its body begins.

    src/shop.py > class Cart > def total
    ^ source      ^ class      ^ method: the named regions around the first character of the body, outermost first

One line, the same for all formats, with its line end. A header may use a quarter of the budget; from a longer one the outermost parts are
dropped first, for the innermost say most about the body.
"""

from __future__ import annotations

from chunker.boundaries import Outline
from chunker.counting import TokenCounter

_SEPARATOR = " > "
_MAX_SHARE = 4


class Breadcrumbs:
    """The headers of one text. The same trail is priced once."""

    def __init__(self, outline: Outline, source: str | None, tokenizer: TokenCounter, max_tokens: int) -> None:
        self._outline = outline
        self._source = source
        self._tokenizer = tokenizer
        self._limit = max_tokens // _MAX_SHARE
        self._headers: dict[tuple[str, ...], str] = {}

    def at(self, offset: int) -> str:
        """The header of a chunk whose body begins at `offset`, at most a quarter of the budget; "" if there is nothing to say."""
        trail = self._outline.breadcrumb(offset)
        header = self._headers.get(trail)
        if header is None:
            header = self._headers[trail] = self._header(trail)
        return header

    def _header(self, trail: tuple[str, ...]) -> str:
        names = trail if self._source is None else (self._source, *trail)
        # A name is a part of one line, whatever stands in it.
        parts = [part for part in (" ".join(name.split()) for name in names) if part]
        while parts:
            header = _SEPARATOR.join(parts) + "\n"
            if self._tokenizer.count_up_to(header, self._limit) is not None:
                return header
            del parts[0]
        return ""
