"""Functions on a column of texts, for engines that call functions on Arrow columns: token counts, and lists of chunks.

["One. Two.", null]     count_tokens   ->   [5, null]
                        chunk_lists    ->   [[{"text": "One. ", "token_count": 2, ...}, {"text": "Two.", ...}], null]
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from chunker.counting import AnyTokenizer, resolve_tokenizer
from chunker.scale.chunk_batch import ChunkBatch
from chunker.scale.errors import ColumnError
from chunker.scale.texts import text_type, texts

_TEXT, _ROW = "text", "row"


def count_tokens(column: pa.Array | pa.ChunkedArray, tokenizer: AnyTokenizer = "o200k_base") -> pa.Array:
    """Count the tokens of each text of a column.

    Args:
        column: Strings or bytes of Arrow, of any width.
        tokenizer: A name, or anything that `chunker.TextChunker` takes.

    Returns:
        Numbers of 64 bits; null for null.

    Raises:
        ColumnError: The column holds no texts.
    """
    counter = resolve_tokenizer(tokenizer)
    values = list(texts(_chunked(column)))
    whole = [value for value in values if value is not None]
    batch = getattr(counter, "count_batch", None)
    counts = iter(batch(whole, num_threads=1) if batch is not None else map(counter.count, whole))
    return pa.array([None if value is None else next(counts) for value in values], pa.int64())


def chunk_lists(column: pa.Array | pa.ChunkedArray, chunks: ChunkBatch) -> pa.Array:
    """Chunk each text of a column, into one list of structures per text.

    Args:
        column: Strings or bytes of Arrow, of any width.
        chunks: The settings; its columns of texts and sources are not read.

    Returns:
        Lists of structures with the columns of `ChunkBatch`; null for null, and an empty list for an empty text.

    Raises:
        ColumnError: The column holds no texts.
        RowError: A text cannot be chunked.
    """
    given = _chunked(column)
    made = chunks(pa.table({_TEXT: given, _ROW: pa.array(np.arange(len(given), dtype=np.int64))}))
    rows = made.column(_ROW).to_numpy()
    fields = made.drop_columns([_ROW]).combine_chunks()
    values = pa.StructArray.from_arrays(
        [_joined(fields.column(number)) for number in range(fields.num_columns)], fields=list(fields.schema)
    )
    ends = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(given)))]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(ends), values, mask=_joined(given.is_null()))


def list_type(chunks: ChunkBatch) -> pa.DataType:
    """Return the type that `chunk_lists` returns for columns of strings.

    Args:
        chunks: The settings.
    """
    schema = chunks.schema(pa.schema([(_TEXT, pa.string())]))
    return pa.list_(pa.struct(list(schema)))


def _chunked(column: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    given = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    if text_type(given.type) is None:
        raise ColumnError(f"the column holds {given.type}, no texts")
    return given


def _joined(column: pa.ChunkedArray) -> pa.Array:
    joined = column.combine_chunks()
    return joined if isinstance(joined, pa.Array) else pa.concat_arrays(joined.chunks)
