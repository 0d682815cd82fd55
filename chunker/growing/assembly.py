"""From pieces, which are offsets, to the chunks that a user gets."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from chunker.growing.pieces import Piece
from chunker.growing.spans import Measured, SpanMeter, span_fields
from chunker.models import Chunk
from chunker.native import native

_compiled = native()
# Half the time of Chunk(**fields): nothing is passed by keyword, and the span is made on the way. What Chunk.model_validate calls.
_validated: Callable[[dict[str, Any]], Chunk] = Chunk.__pydantic_validator__.validate_python


class Assembler:
    """Makes the chunks of one text from its pieces, in their order.

    Args:
        text: what the pieces are of.
        language: of all chunks.
        metadata: of all chunks; each gets a copy.
        source: where the text comes from, for the ids.
        start: where `text` begins in the whole text, in characters, if it is a part of it.
        level: of a hierarchy, whose levels may have chunks of the same place and text.
    """

    def __init__(
        self,
        text: str,
        language: str | None,
        metadata: dict[str, str],
        *,
        source: str | None,
        start: int = 0,
        level: int = 0,
    ) -> None:
        self._text = text
        self._language = language
        self._metadata = metadata
        self._start = start
        self._identity = _identity(source, level)
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
        identity = self._identity.copy()
        identity.update((self._start + start).to_bytes(8, "little"))
        if context:
            identity.update(context.encode("utf-8", "surrogatepass"))
        identity.update(encoded)
        return {
            "body": body,
            "context": context,
            "token_count": tokens,
            "span": span_fields(start, end, measured),
            "kind": label,
            "language": self._language,
            "id": identity.hexdigest(),
            "metadata": self._metadata,
        }


def _identity(source: str | None, level: int) -> hashlib.blake2b:
    """What all ids of a text begin with: 16 bytes to be, of its source and the level."""
    named = b"" if source is None else source.encode("utf-8", "surrogatepass")
    length = -1 if source is None else len(named)
    return hashlib.blake2b(
        length.to_bytes(8, "little", signed=True) + named + level.to_bytes(8, "little"), digest_size=16
    )
