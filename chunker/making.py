"""From pieces to chunks: ids, metadata and where a piece stands in its text."""

from __future__ import annotations

import hashlib
from collections import Counter

from chunker.growing import Piece
from chunker.models import Chunk, Span


class ChunkMaker:
    """Makes the chunks of one text, in its order. Remembers a hash of each, as equal ones get different ids."""

    def __init__(self, language: str | None) -> None:
        self._language = language
        self._seen: Counter[bytes] = Counter()

    def chunk(self, piece: Piece, body: str, span: Span, metadata: dict[str, str]) -> Chunk:
        """The chunk of `piece`, whose text is `body`."""
        digest = hashlib.blake2b((piece.context + body).encode("utf-8", "surrogatepass"), digest_size=16)
        self._seen[digest.digest()] += 1
        times = self._seen[digest.digest()]
        return Chunk(
            body=body,
            context=piece.context,
            token_count=piece.tokens,
            span=span,
            kind=piece.label,
            language=self._language,
            id=digest.hexdigest() if times == 1 else f"{digest.hexdigest()}-{times}",
            metadata=dict(metadata),
        )
