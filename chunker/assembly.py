"""From pieces, which are offsets, to the chunks that a user gets."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from chunker.models import Chunk
from chunker.native import native
from chunker.pieces import Piece
from chunker.spans import Measured, SpanMeter, span_fields

_compiled = native()
# Half the time of Chunk(**fields): nothing is passed by keyword, and the span is made on the way. What Chunk.model_validate calls.
_validated: Callable[[dict[str, Any]], Chunk] = Chunk.__pydantic_validator__.validate_python


class Assembler:
    """Makes the chunks of one text from its pieces, in their order.

    `seen`: the ids that chunks have already, where the chunks of more than one run go together.
    """

    def __init__(
        self, text: str, language: str | None, metadata: dict[str, str], seen: dict[str, int] | None = None
    ) -> None:
        self._text = text
        self._language = language
        self._metadata = metadata
        self._seen: dict[str, int] = {} if seen is None else seen
        # UTF-8 of the whole text, where the compiled meter needs it.
        self._source: bytes | None = None
        if _compiled is None:
            self._measure: Callable[[int, int], Measured] = SpanMeter(text).measure
        elif text.isascii():
            self._measure = _compiled.SpanMeter(text).measure
        else:
            self._source = text.encode("utf-8", "surrogatepass")
            self._measure = _compiled.SpanMeter(self._source).measure

    def chunk(self, piece: Piece) -> Chunk:
        """The chunk of one piece. Costs its length and its distance from the previous one."""
        return _validated(self.fields(piece))

    def fields(self, piece: Piece) -> dict[str, Any]:
        """What a chunk says of a piece, for a model that says more. The model makes its own copy of the metadata."""
        start, end, context, tokens, label = piece
        body = self._text[start:end]
        measured = self._measure(start, end)
        if self._source is None:
            encoded = body.encode("utf-8", "surrogatepass")
        else:
            encoded = self._source[measured[0] : measured[1]]
        digest = _digest(context.encode("utf-8", "surrogatepass") + encoded if context else encoded)
        number = self._seen[digest] = self._seen.get(digest, 0) + 1
        return {
            "body": body,
            "context": context,
            "token_count": tokens,
            "span": span_fields(start, end, measured),
            "kind": label,
            "language": self._language,
            "id": digest if number == 1 else f"{digest}-{number}",
            "metadata": self._metadata,
        }


def _digest(encoded: bytes) -> str:
    """32 hexadecimal digits that depend on the bytes of a text alone."""
    return hashlib.blake2b(encoded, digest_size=16).hexdigest()
