"""Ray Data: chunk a dataset, embed its chunks, and chunk a whole corpus, on the workers of a cluster.

    import ray
    from chunker.integrations.ray_data import chunk, chunk_corpus, embed

    documents = ray.data.read_parquet("s3://bucket/corpus")            columns: text, path, ...
    chunks = chunk(documents, 512, workers=8, context=True)            a row per chunk
    embed(chunks, "minilm", workers=(1, 16)).write_parquet("s3://bucket/chunks")

    chunk_corpus("s3://bucket/corpus", "s3://bucket/chunks", [ChunkBatch(512)], workers=8)      may be stopped; the next run resumes

The work is done by `chunker.scale`: actors hold the tokenizer and the model, tables stay in Arrow. Ray restarts a
worker that dies, and repeats its batch. Needs Ray: pip install "bpe-chunker[ray]".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from chunker.integrations.requirements import missing

try:
    import ray
    import ray.data
except ModuleNotFoundError as error:
    raise missing(error, "ray") from error

from chunker.files.discovery import Problem
from chunker.scale import ChunkBatch, CorpusReport, EmbedBatch
from chunker.scale import chunk_corpus as chunk_parts
from chunker.scale.chunk_batch import ChunkSettings

if TYPE_CHECKING:
    from chunker.index import Embedder
    from chunker.scale.corpus import Batch, Done, PartWork
    from chunker.scale.parts import CorpusPart, Output

__all__ = ["chunk", "chunk_corpus", "embed"]

# Documents per batch: enough to be worth sending to a worker, few enough to hold their chunks in memory.
BATCH_ROWS = 256
# Chunks per batch; the embedder splits them into its own batches.
EMBED_ROWS = 1024
# The number of retries for a part whose worker died.
_RETRIES = 1


def chunk(
    dataset: Any,  # noqa: ANN401  # a ray.data.Dataset
    max_tokens: int = 512,
    *,
    workers: int | tuple[int, int] = 1,
    batch_rows: int = BATCH_ROWS,
    **settings: Unpack[ChunkSettings],
) -> Any:  # noqa: ANN401
    """Chunk a dataset of texts with `ChunkBatch`, into one row per chunk.

    Ray keeps the order of the texts only with `DataContext.execution_options.preserve_order`.

    Args:
        dataset: A `ray.data.Dataset` with a column of texts.
        max_tokens: The largest number of tokens of a chunk.
        workers: The number of actors, or the smallest and the largest number.
        batch_rows: The largest number of texts in a batch of an actor.
        settings: Those of `chunker.scale.ChunkBatch`.

    Returns:
        The dataset of the chunks, which Ray computes when it is read.

    Raises:
        OptionError: A setting cannot be used.
    """
    ChunkBatch(max_tokens, **settings)  # raises here, not in a worker
    return _mapped(dataset, ChunkBatch, (max_tokens,), dict(settings), workers=workers, rows=batch_rows)


def embed(
    dataset: Any,  # noqa: ANN401  # a ray.data.Dataset
    embedder: str | Embedder = "hashing",
    *,
    workers: int | tuple[int, int] = 1,
    batch_rows: int = EMBED_ROWS,
    column: str = "text",
    into: str = "embedding",
    **options: Any,  # noqa: ANN401  # those of the embedder
) -> Any:  # noqa: ANN401
    """Add the vectors of a column of texts to a dataset with `EmbedBatch`. Each actor loads the model once.

    Args:
        dataset: A `ray.data.Dataset` with a column of texts.
        embedder: The name of an embedder (`chunker.index.embedders`), or an embedder that can be pickled.
        workers: The number of actors, or the smallest and the largest number.
        batch_rows: The largest number of texts in a batch of an actor.
        column: The column of texts.
        into: The column for the vectors; an existing column of that name is replaced.
        options: Options of a named embedder.

    Returns:
        The dataset with the vectors, which Ray computes when it is read.
    """
    settings = {"column": column, "into": into, **options}
    return _mapped(dataset, EmbedBatch, (embedder,), settings, workers=workers, rows=batch_rows)


def _mapped(
    dataset: Any,  # noqa: ANN401  # a ray.data.Dataset
    batch: type[ChunkBatch | EmbedBatch],
    arguments: tuple[Any, ...],
    settings: dict[str, Any],
    *,
    workers: int | tuple[int, int],
    rows: int,
) -> Any:  # noqa: ANN401
    pool = (
        ray.data.ActorPoolStrategy(size=workers)
        if isinstance(workers, int)
        else ray.data.ActorPoolStrategy(min_size=workers[0], max_size=workers[1])
    )
    return dataset.map_batches(
        batch,
        batch_format="pyarrow",
        batch_size=rows,
        compute=pool,
        fn_constructor_args=arguments,
        fn_constructor_kwargs=settings,
        zero_copy_batch=True,
    )


def chunk_corpus(
    source: str,
    target: str,
    steps: Batch | Sequence[Batch] | None = None,
    *,
    workers: int = 1,
    output: Output = "parquet",
    rows: int = BATCH_ROWS,
    redo: bool = False,
) -> CorpusReport:
    """Chunk the files of a corpus with tasks of Ray: `chunker.scale.chunk_corpus` on a cluster.

    The result of a part is complete or absent, and a second run skips finished parts. A part whose worker dies is
    retried once.

    Args:
        source: The folder or URL of the corpus, which every machine can reach.
        target: The folder or URL for the results, which every machine can reach.
        steps: Functions from a table to a table, which can be pickled; by default `ChunkBatch()` alone.
        workers: The largest number of tasks at a time.
        output: The format of the results: "parquet" or "jsonl".
        rows: The largest number of rows of a table.
        redo: Chunk parts again that were made with other settings.

    Returns:
        The report of the run.

    Raises:
        TargetError: The target holds parts that were made with other settings, and `redo` is not set.
        PartError: There is no corpus at `source`.
        OptionError: An option has a value that cannot be used.
    """
    return chunk_parts(source, target, steps, output=output, rows=rows, redo=redo, runner=_Tasks(workers))


class _Tasks:
    """Processes parts in Ray tasks."""

    def __init__(self, workers: int) -> None:
        self._workers = workers

    def __call__(self, work: PartWork, parts: Sequence[CorpusPart]) -> Iterator[Done | Problem]:
        task = ray.remote(max_retries=_RETRIES)(_done)
        shared = ray.put(work)
        waiting = iter(parts)
        running: dict[Any, CorpusPart] = {}
        while True:
            while len(running) < self._workers and (part := next(waiting, None)) is not None:
                running[task.remote(shared, part)] = part
            if not running:
                return
            ready, _ = ray.wait(list(running), num_returns=1)
            part = running.pop(ready[0])
            try:
                yield ray.get(ready[0])
            except ray.exceptions.RayError as error:
                yield Problem(part.name, f"the worker ended: {type(error).__name__}")


def _done(work: PartWork, part: CorpusPart) -> Done | Problem:
    return work(part)
