"""LateEmbedder: documents and their chunks -> one vector a chunk, with any model that returns vectors of tokens.

class Mine:
    dimensions, max_tokens, prefix = 768, 8192, "search_document: "
    model_tokenizer = tokenizers.Tokenizer.from_file("tokenizer.json")
    max_batch_tokens = 16_384
    def embed_tokens(self, batch): ...        for each list of ids float32, one row a token
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from chunker.arguments import require, whole_number
from chunker.index.errors import EmbedderError
from chunker.index.vectors import unit_rows
from chunker.late.model_windows import ModelWindow, windows
from chunker.late.pooling import pooled
from chunker.late.tokens import TokenSpan, embedder_tokens, spans_in
from chunker.models import Chunk

Array = NDArray[np.float32]

# One in this many tokens of a window is read again by the next, as context for its first tokens.
_OVERLAP_SHARE = 8


@runtime_checkable
class TokenEmbedder(Protocol):
    """Protocol of a model that gives one vector for each token."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        ...

    @property
    def model_tokenizer(self) -> Any:  # noqa: ANN401  # of two packages
        """The tokenizer of the model: a `tokenizers.Tokenizer`, or a fast one of transformers."""
        ...

    @property
    def max_tokens(self) -> int:
        """The largest number of tokens that the model reads at once, special tokens and prefix included."""
        ...

    @property
    def prefix(self) -> str:
        """The text that the model needs before each document; "" for none."""
        ...

    @property
    def max_batch_tokens(self) -> int:
        """The largest number of tokens in a call of `embed_tokens` with more than one list."""
        ...

    def embed_tokens(self, batch: Sequence[Sequence[int]], /) -> Sequence[Array]:
        """The vectors of tokens.

        Args:
            batch: Lists of token ids, each with its special tokens, of any lengths up to `max_tokens`.

        Returns:
            The last hidden states of each list, float32, one row a token.
        """
        ...


class LateEmbedder:
    """Embed chunks with what is around them: read whole documents, and take the mean over the tokens of each chunk.

    Args:
        model: The model.
        overlap: The number of tokens that neighbouring windows of a long document share; by default an eighth of
            `max_tokens`.

    Raises:
        WrongTypeError: `model` is not a `TokenEmbedder`.
    """

    def __init__(self, model: TokenEmbedder, *, overlap: int | None = None) -> None:
        require(model, TokenEmbedder, "model", "an object that is a chunker.late.TokenEmbedder")
        if overlap is None:
            overlap = model.max_tokens // _OVERLAP_SHARE
        self._model = model
        self._overlap = whole_number(overlap, "overlap", " of tokens")

    def embed(self, documents: Iterable[tuple[str, Sequence[Chunk]]]) -> list[Array]:
        """Embed the chunks of documents. Windows of several documents go to the model together.

        Args:
            documents: Texts and their chunks.

        Returns:
            For each document float32, one row a chunk, of length 1.

        Raises:
            OptionError: A chunk is not a slice of its text, or the overlap is too large for the model.
            EmbedderError: The model did not return one row of numbers for each token.
        """
        return list(self.stream(documents))

    def stream(self, documents: Iterable[tuple[str, Sequence[Chunk]]]) -> Iterator[Array]:
        """Embed the chunks of documents one after the other; only those of one call of the model are in memory.

        Args:
            documents: As for `embed`.

        Yields:
            As `embed` returns.

        Raises:
            OptionError: As `embed`.
            EmbedderError: As `embed`.
        """
        waiting: deque[tuple[list[TokenSpan], list[ModelWindow]]] = deque()
        made: list[Array] = []
        for batch in self._batches(documents, waiting):
            made += self._vectors(batch)
            while waiting and len(waiting[0][1]) <= len(made):
                spans, parts = waiting.popleft()
                vectors, made = made[: len(parts)], made[len(parts) :]
                if parts:
                    yield unit_rows(pooled(spans, list(zip(parts, vectors, strict=True))))
                else:
                    yield np.zeros((len(spans), self._model.dimensions), np.float32)

    def _batches(
        self,
        documents: Iterable[tuple[str, Sequence[Chunk]]],
        waiting: deque[tuple[list[TokenSpan], list[ModelWindow]]],
    ) -> Iterator[list[ModelWindow]]:
        """Windows that the model takes in one call; their documents are put into the list."""
        model = self._model
        batch: list[ModelWindow] = []
        size = 0
        for text, chunks in documents:
            tokens = embedder_tokens(text, model.model_tokenizer, model.prefix)
            # A text without tokens, for a model without special tokens, needs no call.
            parts = list(windows(tokens, model.max_tokens, self._overlap)) if tokens.ids else []
            waiting.append((tokens.spans(spans_in(text, chunks)), parts))
            for window in parts:
                if batch and size + len(window.ids) > model.max_batch_tokens:
                    yield batch
                    batch, size = [], 0
                batch.append(window)
                size += len(window.ids)
        yield batch

    def _vectors(self, batch: list[ModelWindow]) -> list[Array]:
        if not batch:
            return []
        found = [np.asarray(rows, np.float32) for rows in self._model.embed_tokens([window.ids for window in batch])]
        wanted = [(len(window.ids), self._model.dimensions) for window in batch]
        shapes = [rows.shape for rows in found]
        if shapes != wanted:
            raise EmbedderError(f"the model returned arrays of the shapes {shapes}, not {wanted}")
        if not all(np.isfinite(rows).all() for rows in found):
            raise EmbedderError("the model returned vectors with infinite values or NaN")
        return found
