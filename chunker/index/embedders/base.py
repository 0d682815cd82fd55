"""What the index needs of an embedder: who it is, and vectors of texts.

    class Mine:
        model_id, revision, dimensions, prefix = "mine", "1", 256, ""
        tokenizer, max_batch_texts, max_batch_tokens = "o200k_base", 64, 16_000
        def embed(self, texts): ...            float32, one row a text
        def embed_query(self, text): ...       float32, one row

The index keeps vectors by who made them: an embedder that would give other vectors must have another `model_id` or `revision`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from chunker.index.errors import EmbedderError
from chunker.index.keys import identity_of
from chunker.index.vectors import Vectors, unit_rows


@runtime_checkable
class Embedder(Protocol):
    """Texts to vectors. `tokenizer`: the encoding whose tokens it reads and is paid by, the default of an index with this embedder."""

    @property
    def model_id(self) -> str:
        """The name of the model."""
        ...

    @property
    def revision(self) -> str:
        """Which of all models of this name."""
        ...

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""
        ...

    @property
    def prefix(self) -> str:
        """What the embedder puts before each text; "" for nothing."""
        ...

    @property
    def tokenizer(self) -> str:
        """The encoding to count with."""
        ...

    @property
    def max_batch_texts(self) -> int:
        """At most so many texts at a time."""
        ...

    @property
    def max_batch_tokens(self) -> int:
        """At most so many tokens at a time, in texts that are more than one."""
        ...

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """The vectors of texts, a row each."""
        ...

    def embed_query(self, text: str, /) -> Vectors:
        """The vector of a question, to be compared with those of texts."""
        ...


def identity(embedder: Embedder) -> bytes:
    """What a vector of this embedder depends on, beside its text."""
    return identity_of(embedder.model_id, embedder.revision, embedder.dimensions, embedder.prefix)


def batches(tokens: Sequence[int], max_texts: int, max_tokens: int) -> Iterator[slice]:
    """Runs of texts that have at most `max_texts` and `max_tokens` together; a text that has more is a run of its own.

    >>> list(batches([3, 3, 3, 9, 1], 10, 6))
    [slice(0, 2, None), slice(2, 3, None), slice(3, 4, None), slice(4, 5, None)]
    """
    start = total = 0
    for number, size in enumerate(tokens):
        if number > start and (number - start == max_texts or total + size > max_tokens):
            yield slice(start, number)
            start, total = number, 0
        total += size
    if start < len(tokens):
        yield slice(start, len(tokens))


def checked(vectors: Vectors, texts: int, embedder: Embedder) -> Vectors:
    """The vectors with length 1. Raises `EmbedderError` if they are not `texts` rows of `dimensions` finite numbers."""
    rows = np.asarray(vectors, np.float32)
    if rows.shape != (texts, embedder.dimensions):
        raise EmbedderError(
            f"{embedder.model_id} gave an array of shape {rows.shape} for {texts} texts, not {(texts, embedder.dimensions)}"
        )
    if not np.isfinite(rows).all():
        raise EmbedderError(f"{embedder.model_id} gave vectors that hold infinities or no numbers")
    return unit_rows(rows)
