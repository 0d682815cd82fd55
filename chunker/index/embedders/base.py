"""Embedder: the protocol that the index needs of an embedder, its identity and vectors of texts.

    class Mine:
        model_id, revision, dimensions, prefix = "mine", "1", 256, ""
        tokenizer, max_batch_texts, max_batch_tokens = "o200k_base", 64, 16_000
        def embed(self, texts): ...            float32, one row a text
        def embed_query(self, text): ...       float32, one row

The index keeps vectors by the identity of their embedder: one that would make other vectors must have another
`model_id` or `revision`. An embedder that does not know what words mean has a low `meaning_weight`, which is 1.5
without this attribute (see `Weights.meaning`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from chunker.index.errors import EmbedderError
from chunker.index.keys import identity_of
from chunker.index.vectors import Vectors, unit_rows

# Chosen on the questions of benchmarks/search with MiniLM: 0.5, 0.75, 1.0, 1.5, 2.0 and 3.0 were tried.
_OF_A_MODEL = 1.5


@runtime_checkable
class Embedder(Protocol):
    """Protocol of an embedder: texts -> vectors."""

    @property
    def model_id(self) -> str:
        """The name of the model."""
        ...

    @property
    def revision(self) -> str:
        """The version of the model."""
        ...

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        ...

    @property
    def prefix(self) -> str:
        """The text that the embedder puts before each text; "" for none."""
        ...

    @property
    def tokenizer(self) -> str:
        """The name of the encoding whose tokens the model reads: the default of an index with this embedder."""
        ...

    @property
    def max_batch_texts(self) -> int:
        """The largest number of texts in a call of `embed`."""
        ...

    @property
    def max_batch_tokens(self) -> int:
        """The largest number of tokens in a call of `embed` with more than one text."""
        ...

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """Embed texts.

        Args:
            texts: The texts of chunks.

        Returns:
            The vectors, float32, a row for each text.
        """
        ...

    def embed_query(self, text: str, /) -> Vectors:
        """Embed a question, to compare it with texts.

        Args:
            text: The question.

        Returns:
            One vector, float32.
        """
        ...


def identity(embedder: Embedder) -> bytes:
    """A key of everything that the vectors of an embedder depend on, beside the texts."""
    return identity_of(embedder.model_id, embedder.revision, embedder.dimensions, embedder.prefix)


def meaning_weight(embedder: Embedder) -> float:
    """The weight of the vectors of an embedder in a search that also ranks by words: its `meaning_weight`, if it has one; else that of a model."""
    return float(getattr(embedder, "meaning_weight", _OF_A_MODEL))


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
            f"{embedder.model_id} returned an array of shape {rows.shape} for {texts} texts, not {(texts, embedder.dimensions)}"
        )
    if not np.isfinite(rows).all():
        raise EmbedderError(f"{embedder.model_id} returned vectors with infinite values or NaN")
    return unit_rows(rows)


def without_lone_surrogates(text: str) -> str:
    """Return the text with U+FFFD for lone surrogates, which neither tokenizers written in Rust nor JSON in UTF-8 can take."""
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")
