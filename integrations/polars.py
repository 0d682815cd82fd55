"""Polars: expressions that count the tokens of a column of texts, and chunk it, over Arrow.

    import polars as pl
    from chunker.integrations.polars import chunk, count_tokens

    frame.with_columns(tokens=count_tokens("text"))
    frame.select("path", chunk("text", 512)).explode("chunks").unnest("chunks")       a row per chunk, a column per field

Needs Polars: pip install "bpe-chunker[polars]".
"""

from __future__ import annotations

from typing import Any, Unpack

from chunker.integrations.requirements import missing

try:
    import numpy  # noqa: F401, ICN001  # first: pyarrow 17 needs it, and fails without it in its own way
    import polars as pl
    import pyarrow as pa

    from chunker.scale import ChunkBatch
    from chunker.scale.functions import chunk_lists, list_type
    from chunker.scale.functions import count_tokens as counts_of
except ModuleNotFoundError as error:
    raise missing(error, "polars") from error

from chunker.by_name import chunker_named
from chunker.counting import AnyTokenizer
from chunker.errors import WrongTypeError
from chunker.options import Options

__all__ = ["chunk", "count_tokens"]


def count_tokens(texts: str | pl.Expr, tokenizer: AnyTokenizer = "o200k_base") -> pl.Expr:
    """Return an expression for the number of tokens of each text; null for null.

    Args:
        texts: A column of strings, by its name or as an expression.
        tokenizer: A name, or anything that `chunker.TextChunker` takes.

    Returns:
        The expression, of 64-bit integers.

    Raises:
        WrongTypeError: `texts` is neither.
    """

    def counted(series: pl.Series) -> Any:  # noqa: ANN401  # a Series
        return pl.Series(series.name, pl.from_arrow(counts_of(series.to_arrow(), tokenizer)))

    return _expression(texts).map_batches(counted, return_dtype=pl.Int64, is_elementwise=True)


def chunk(
    texts: str | pl.Expr, max_tokens: int = 512, *, language: str | None = None, **options: Unpack[Options]
) -> pl.Expr:
    """Return an expression for the chunks of each text, named "chunks": lists of structures with the columns of
    `chunker.scale.ChunkBatch`.

    Args:
        texts: A column of strings, by its name or as an expression.
        max_tokens: The largest number of tokens of a chunk.
        language: The format of all texts: "markdown", "python". None detects it for each text from its content.
        options: Those of `chunker.TextChunker`.

    Returns:
        The expression, with a list for each text.

    Raises:
        OptionError: An option cannot be used.
    """
    if language is None:
        batch = ChunkBatch(max_tokens, source=None, **options)
    else:
        batch = ChunkBatch(chunker=chunker_named(language, max_tokens, **options), source=None)

    def chunked(series: pl.Series) -> Any:  # noqa: ANN401  # a Series
        return pl.Series(series.name, pl.from_arrow(chunk_lists(series.to_arrow(), batch)))

    kind = pl.Series(pl.from_arrow(pa.array([], list_type(batch)))).dtype
    return _expression(texts).map_batches(chunked, return_dtype=kind, is_elementwise=True).alias("chunks")


def _expression(texts: str | pl.Expr) -> pl.Expr:
    if not isinstance(texts, str | pl.Expr):
        raise WrongTypeError(f"texts must be the name of a column or an expression, not {type(texts).__name__}")
    return pl.col(texts) if isinstance(texts, str) else texts
