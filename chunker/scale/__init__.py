"""Tables of texts in, tables of chunks out: in one process, in several, or in engines that distribute tables over
machines.

    from chunker.scale import ChunkBatch, EmbedBatch, chunk_corpus

    chunks = ChunkBatch(512)(table)                                pyarrow.Table -> pyarrow.Table, a row a chunk
    chunk_corpus("s3://bucket/in", "out", ChunkBatch(512))         parquet and JSON Lines, part by part; a second run skips what is done

Ray Data and Spark take the same classes: `chunker.integrations.ray_data`, `chunker.integrations.spark`. Needs pyarrow:
pip install "bpe-chunker[arrow]".
"""

from __future__ import annotations

from chunker.errors import MissingExtraError
from chunker.scale.errors import ColumnError, PartError, RowError, ScaleError, TargetError

try:
    import pyarrow as _pyarrow  # noqa: F401, ICN001  # to name the extra before a module of ours fails to import pyarrow
except ImportError as error:
    raise MissingExtraError("pyarrow", "arrow") from error

from chunker.scale.chunk_batch import ChunkBatch
from chunker.scale.corpus import CorpusReport, chunk_corpus
from chunker.scale.embed_batch import EmbedBatch

__all__ = [
    "ChunkBatch",
    "ColumnError",
    "CorpusReport",
    "EmbedBatch",
    "MissingExtraError",
    "PartError",
    "RowError",
    "ScaleError",
    "TargetError",
    "chunk_corpus",
]
