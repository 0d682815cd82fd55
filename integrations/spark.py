"""Spark: chunk a column of a DataFrame, and embed the chunks, by `mapInArrow`: tables stay in Arrow from end to end.

    from chunker.integrations.spark import chunk, embed

    documents = spark.read.parquet("s3a://bucket/corpus")              columns: text, path, ...
    chunks = chunk(documents, 512, context=True)                       a row per chunk
    embed(chunks, "minilm").write.parquet("s3a://bucket/chunks")

Each task builds the tokenizer or the model once, before its first batch; `spark.sql.execution.arrow.maxRecordsPerBatch`
limits the rows of a batch. The workers of Spark need this package, too. Needs Spark: pip install "bpe-chunker[spark]".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Unpack

from chunker.integrations.requirements import missing

try:
    import numpy  # noqa: F401, ICN001  # first: pyarrow 17 needs it, and fails without it in its own way
    import pyarrow as pa
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

    from chunker.scale import ChunkBatch, EmbedBatch
    from chunker.scale.chunk_batch import ChunkSettings
except ModuleNotFoundError as error:
    raise missing(error, "spark") from error

if TYPE_CHECKING:
    from chunker.index import Embedder

__all__ = ["chunk", "embed"]


def chunk(frame: Any, max_tokens: int = 512, **settings: Unpack[ChunkSettings]) -> Any:  # noqa: ANN401  # DataFrames of Spark
    """Chunk a DataFrame of texts with `ChunkBatch`, into one row per chunk.

    Args:
        frame: A DataFrame of Spark with a column of texts.
        max_tokens: The largest number of tokens of a chunk.
        settings: Those of `chunker.scale.ChunkBatch`.

    Returns:
        The DataFrame of the chunks, which Spark computes when it is read.

    Raises:
        OptionError: A setting cannot be used.
        ColumnError: A column that a setting names is missing.
    """
    work = ChunkBatch(max_tokens, **settings)
    return mapped(frame, work, work.schema(to_arrow_schema(frame.schema)))


def embed(
    frame: Any,  # noqa: ANN401  # a DataFrame of Spark
    embedder: str | Embedder = "hashing",
    *,
    column: str = "text",
    into: str = "embedding",
    **options: Any,  # noqa: ANN401  # those of the embedder
) -> Any:  # noqa: ANN401
    """Add the vectors of a column of texts to a DataFrame, as arrays of floats.

    Args:
        frame: A DataFrame of Spark with a column of texts.
        embedder: The name of an embedder (`chunker.index.embedders`), or an embedder that can be pickled.
        column: The column of texts.
        into: The column for the vectors; an existing column of that name is replaced.
        options: Options of a named embedder.

    Returns:
        The DataFrame with the vectors, which Spark computes when it is read.
    """
    work = EmbedBatch(embedder, column=column, into=into, **options)
    given = to_arrow_schema(frame.schema)
    kept = [field for field in given if field.name != into]
    # Spark has no type for lists of a fixed size.
    return mapped(frame, work, pa.schema([*kept, pa.field(into, pa.list_(pa.float32()))]))


def mapped(frame: Any, step: Callable[[pa.Table], pa.Table], schema: pa.Schema) -> Any:  # noqa: ANN401  # DataFrames of Spark
    """Apply a step to each table of a DataFrame; `schema` is the schema of its results."""

    def of_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from step(pa.Table.from_batches([batch])).cast(schema).to_batches()

    return frame.mapInArrow(of_batches, from_arrow_schema(schema))
