"""`EmbedBatch`: add the vectors of a column of texts to an Arrow table. The second half of a job that chunks and
embeds.

    text                      text        embedding
    "Cut the onions"    ->    "Cut ..."   [0.12, -0.03, ...]        float32, length 1, one size for all

Any embedder of the index (`chunker.index.embedders`) can be used.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from chunker.arguments import told
from chunker.errors import OptionError, WrongTypeError
from chunker.index import Embedder, embedder_named
from chunker.index.embedders import batches, checked, identity
from chunker.scale.errors import ColumnError
from chunker.scale.texts import column_of, text_type, texts

# The number of rows whose vectors are in memory besides the table.
_ROWS = 4096


class EmbedBatch:
    """Add the vectors of a column of texts to a table. Call it with a table.

    It holds a name and options, so it can be pickled; the model is loaded by the process that calls it. A text that
    occurs several times in a table is embedded once. The vector of a null is null.

    Args:
        embedder: The name of an embedder (`chunker.index.embedders`), or an embedder that can be pickled.
        column: The column of texts.
        into: The column for the vectors; an existing column of that name is replaced.
        options: Options of a named embedder.

    Raises:
        WrongTypeError: `embedder` is neither a name nor an embedder.
        OptionError: Options are given beside an embedder that has its own.
    """

    def __init__(
        self,
        embedder: str | Embedder = "hashing",
        *,
        column: str = "text",
        into: str = "embedding",
        **options: Any,  # noqa: ANN401  # those of the embedder
    ) -> None:
        if not isinstance(embedder, str | Embedder):
            raise WrongTypeError(
                f"embedder must be a name or an object that is a chunker.index.Embedder, not {told(embedder)}"
            )
        if not isinstance(embedder, str) and options:
            raise OptionError("an embedder has its own options: give either it or a name with options")
        self._embedder = embedder
        self._options = options
        self._column = column
        self._into = into
        self._loaded: Embedder | None = None if isinstance(embedder, str) else embedder

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_loaded": None}

    @property
    def embedder(self) -> Embedder:
        """The embedder, loaded on first access."""
        if self._loaded is None:
            given = self._embedder
            self._loaded = embedder_named(given, **self._options) if isinstance(given, str) else given
        return self._loaded

    def fingerprint(self) -> str:
        """Return a text that depends on every setting that changes the vectors. Loads the model."""
        return f"{identity(self.embedder).hex()}:{self._column}:{self._into}"

    def __call__(self, table: pa.Table) -> pa.Table:
        """Embed the texts of a table.

        Args:
            table: A pyarrow table or batch.

        Returns:
            The table with the column of vectors.

        Raises:
            ColumnError: The column of texts is missing, or its type is wrong.
        """
        given: object = table
        if isinstance(given, pa.RecordBatch):
            table = pa.Table.from_batches([given])
        if self._into in table.schema.names:
            table = table.drop_columns([self._into])
        number = column_of(table.schema, self._column)
        if text_type(table.schema.field(number).type) is None:
            raise ColumnError(f"column {self._column!r} holds {table.schema.field(number).type}, no texts")
        parts = [self._vectors(table.column(number).slice(at, _ROWS)) for at in range(0, len(table), _ROWS)]
        kind = pa.list_(pa.float32(), self.embedder.dimensions)
        return table.append_column(pa.field(self._into, kind), pa.chunked_array(parts, kind))

    def _vectors(self, column: pa.ChunkedArray) -> pa.Array:
        values = list(texts(column))
        unique = list(dict.fromkeys(value for value in values if value is not None))
        vectors = self._embedded(unique)
        places = {text: number for number, text in enumerate(unique)}
        numbers = pa.array([None if value is None else places[value] for value in values], pa.int64())
        kind = pa.list_(pa.float32(), self.embedder.dimensions)
        return pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), type=kind).take(numbers)

    def _embedded(self, unique: list[str]) -> np.ndarray[Any, np.dtype[np.float32]]:
        embedder = self.embedder
        rows = np.zeros((len(unique), embedder.dimensions), np.float32)
        # An upper bound of the token counts, to form batches for the embedder: no token is shorter than a byte.
        sizes = [len(text.encode()) for text in unique]
        for run in batches(sizes, embedder.max_batch_texts, embedder.max_batch_tokens):
            rows[run] = checked(embedder.embed(unique[run]), run.stop - run.start, embedder)
        return rows
