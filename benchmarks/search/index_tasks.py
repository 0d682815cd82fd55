"""The tasks of `index.py`, each in a process of its own; prints its figures as JSON.

python benchmarks/run.py index_tasks make '{"folder": "FOLDER", "chunks": 1000}'
"""

from __future__ import annotations

import hashlib
import itertools
import json
import random
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from chunker.index import HashingEmbedder, Index

WORDS = 30_000
WORDS_OF_A_CHUNK = 60
CHUNKS_OF_A_FILE = 100
QUERIES = 50
EXCERPT = 12  # words
NEAREST = 10
BATCH = 4096
DIMENSIONS = 512

Figures = dict[str, float]


class Ready(HashingEmbedder):
    """An embedder that looks up vectors made before, so that the cost of an index is measured without that of embedding."""

    def __init__(self, folder: Path) -> None:
        super().__init__(DIMENSIONS)
        self._rows = np.load(folder / "vectors.npy", mmap_mode="r")
        self._numbers = {_name(text): number for number, text in enumerate(_texts(folder))}

    def embed(self, texts: Sequence[str], /) -> Any:  # noqa: ANN401  # an array
        """The vectors of texts that are known."""
        return np.array(self._rows[[self._numbers[_name(text)] for text in texts]])


class _Noting(HashingEmbedder):
    """An embedder that records the texts, and returns zeros."""

    max_batch_texts = 1 << 30
    max_batch_tokens = 1 << 60

    def __init__(self) -> None:
        super().__init__(1)
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str], /) -> Any:  # noqa: ANN401  # an array
        """Record the texts; the vectors are zeros."""
        self.texts += texts
        return np.zeros((len(texts), 1), np.float32)


def make(folder: Path, chunks: int) -> Figures:
    """Files to index, their chunks, and the vectors of these."""
    chance = random.Random(1)  # noqa: S311  # guards no secret
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randrange(3, 10))) for _ in range(WORDS)]
    weights = list(itertools.accumulate(1 / (rank + 1) for rank in range(WORDS)))
    files = folder / "files"
    files.mkdir()
    for number in range(max(chunks // CHUNKS_OF_A_FILE, 1)):
        paragraphs = (
            " ".join(chance.choices(words, cum_weights=weights, k=WORDS_OF_A_CHUNK)) for _ in range(CHUNKS_OF_A_FILE)
        )
        (files / f"{number}.txt").write_text(".\n\n".join(paragraphs), encoding="utf-8")
    noting = _Noting()
    report = Index.open(folder / "noted", embedder=noting, root=files, **OPTIONS).sync(files)
    (folder / "texts.jsonl").write_text("".join(json.dumps(text) + "\n" for text in noting.texts), encoding="utf-8")
    embedder = HashingEmbedder(DIMENSIONS)
    began = time.perf_counter()
    rows = np.lib.format.open_memmap(folder / "vectors.npy", "w+", np.float32, (len(noting.texts), DIMENSIONS))
    for start in range(0, len(rows), BATCH):
        rows[start : start + BATCH] = embedder.embed(noting.texts[start : start + BATCH])
    rows.flush()
    for kind, queries in {
        "excerpts": [_excerpt(chance, chance.choice(noting.texts)) for _ in range(QUERIES)],
        "rare": [" ".join(chance.choices(words, k=3)) for _ in range(QUERIES)],
    }.items():
        (folder / f"{kind}.json").write_text(json.dumps(queries), encoding="utf-8")
        vectors = np.stack([embedder.embed_query(query) for query in queries])
        np.save(folder / f"{kind}.npy", vectors)
        nearest = np.stack([np.argsort(-(rows @ vector), kind="stable")[:NEAREST] for vector in vectors])
        np.save(folder / f"{kind}-nearest.npy", nearest)
    return {"chunks": report.chunks, "tokens": report.tokens, "embedding": time.perf_counter() - began}


def _excerpt(chance: random.Random, text: str) -> str:
    """Some words that follow each other in a text."""
    words = text.split()
    start = chance.randrange(max(len(words) - EXCERPT, 1))
    return " ".join(words[start : start + EXCERPT])


OPTIONS: dict[str, Any] = {"max_tokens": 256, "desired_tokens": 64}


def ours_write(folder: Path, place: str = "ours", store: Any = None) -> Figures:  # noqa: ANN401  # a store
    """Ours: files to an index, with vectors that are there; then once more without changes."""
    embedder = Ready(folder)
    index = Index.open(folder / place, embedder=embedder, root=folder / "files", store=store, **OPTIONS)
    # Files that were just written may change again unseen: their times prove nothing for a while.
    time.sleep(3)
    written = _written(lambda: index.sync(folder / "files"))
    again, _ = _seconds(lambda: index.sync(folder / "files"))
    return {**written, "again, s": again, "disk, MB": _disk(folder / place)}


def ours_search(folder: Path, by: Any, place: str = "ours", store: Any = None) -> Figures:  # noqa: ANN401  # By; a store
    """Ours: by vectors, words or both."""
    index = Index.open(folder / place, embedder=HashingEmbedder(DIMENSIONS), root=folder / "files", store=store)
    numbers = {_name(text): number for number, text in enumerate(_texts(folder))} if by == "vectors" else {}

    def search(query: str, _vector: object) -> list[int]:
        hits = index.search(query, NEAREST, by=by)
        return [numbers[_name(hit.text)] for hit in hits] if numbers else []

    return _searched(folder, search)


def ours_lance_write(folder: Path) -> Figures:
    """Ours with its vectors in LanceDB."""
    figures = ours_write(folder, "ours-lance", _lance(folder))
    figures["disk, MB"] += _disk(folder / "lance-store")
    return figures


def ours_lance_search(folder: Path, by: str) -> Figures:
    """Ours with its vectors in LanceDB."""
    return ours_search(folder, by, "ours-lance", _lance(folder))


def _lance(folder: Path) -> Any:  # noqa: ANN401  # a store
    from chunker.integrations.stores.lancedb import LanceStore  # noqa: PLC0415  # of one task

    return LanceStore(str(folder / "lance-store"))


def lancedb_write(folder: Path) -> Figures:
    """LanceDB: chunks and their vectors to a table."""
    import lancedb  # noqa: PLC0415  # of one task
    import pyarrow as pa  # noqa: PLC0415

    kind = pa.list_(pa.float32(), DIMENSIONS)
    schema = pa.schema([pa.field("id", pa.int64()), pa.field("text", pa.string()), pa.field("vector", kind)])

    def write() -> None:
        table = lancedb.connect(folder / "lance").create_table("chunks", schema=schema)
        for first, texts, rows in _batches(folder):
            vectors = pa.FixedSizeListArray.from_arrays(pa.array(rows.ravel()), type=kind)
            ids = pa.array(range(first, first + len(texts)), pa.int64())
            table.add(pa.table([ids, pa.array(texts, pa.string()), vectors], schema=schema))

    return {**_written(write), "disk, MB": _disk(folder / "lance")}


def lancedb_search(folder: Path, by: str) -> Figures:
    """LanceDB: by vectors, without an index."""
    import lancedb  # noqa: PLC0415  # of one task

    if by != "vectors":
        raise ValueError(by)
    table: Any = lancedb.connect(folder / "lance").open_table("chunks")

    def search(_query: str, vector: Any) -> list[int]:  # noqa: ANN401  # an array
        rows = table.search(vector).distance_type("dot").limit(NEAREST).select(["id", "text", "_distance"]).to_arrow()
        numbers: list[int] = rows["id"].to_pylist()
        return numbers

    return _searched(folder, search)


def chroma_write(folder: Path) -> Figures:
    """Chroma: chunks and their vectors to a collection."""
    collection = _collection(folder)

    def write() -> None:
        for first, texts, rows in _batches(folder):
            ids = [str(number) for number in range(first, first + len(texts))]
            collection.add(ids=ids, embeddings=rows, documents=texts)

    return {**_written(write), "disk, MB": _disk(folder / "chroma")}


def chroma_search(folder: Path, by: str) -> Figures:
    """Chroma: by vectors."""
    if by != "vectors":
        raise ValueError(by)
    collection = _collection(folder)

    def search(_query: str, vector: Any) -> list[int]:  # noqa: ANN401  # an array
        answer = collection.query(query_embeddings=[vector], n_results=NEAREST, include=["documents", "distances"])
        return [int(number) for number in answer["ids"][0]]

    return _searched(folder, search)


def _collection(folder: Path) -> Any:  # noqa: ANN401  # a collection of Chroma
    import chromadb.config  # noqa: PLC0415  # of one task

    settings = chromadb.config.Settings(anonymized_telemetry=False)
    client = chromadb.PersistentClient(str(folder / "chroma"), settings=settings)
    return client.get_or_create_collection("chunks", metadata={"hnsw:space": "ip"}, embedding_function=None)


def _texts(folder: Path) -> Iterator[str]:
    with (folder / "texts.jsonl").open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def _batches(folder: Path) -> Iterator[tuple[int, list[str], Any]]:
    rows = np.load(folder / "vectors.npy", mmap_mode="r")
    texts = _texts(folder)
    for first in range(0, len(rows), BATCH):
        yield first, list(itertools.islice(texts, BATCH)), np.array(rows[first : first + BATCH])


def _searched(folder: Path, search: Callable[[str, Any], list[int]]) -> Figures:
    """Time and finds of questions that are excerpts of chunks, and finds of questions of words that hardly go together in any."""
    figures: Figures = {}
    for kind, column in (("excerpts", "found, %"), ("rare", "of rare words, %")):
        queries = json.loads((folder / f"{kind}.json").read_text("utf-8"))
        vectors = np.load(folder / f"{kind}.npy")
        nearest = np.load(folder / f"{kind}-nearest.npy").tolist()
        found, times = _asked(search, queries, vectors)
        if kind == "excerpts":
            # The first one opens files and reads them.
            worked, waited = (statistics.median(times_of) * 1000 for times_of in zip(*times[1:], strict=True))
            figures |= {"search, ms": worked, "waited, ms": waited}
        if any(found):
            shared = sum(len(set(mine) & set(right)) for mine, right in zip(found, nearest, strict=True))
            figures[column] = 100 * shared / sum(map(len, nearest))
    return figures | {"memory to search, MB": _memory()}


def _asked(
    search: Callable[[str, Any], list[int]],
    queries: list[str],
    vectors: Any,  # noqa: ANN401  # an array
) -> tuple[list[list[int]], list[tuple[float, float]]]:
    """The hits of each question, and the time to find them."""
    found: list[list[int]] = []
    times = [
        _seconds(lambda q=query, v=vector: found.append(search(q, v)))  # type: ignore[misc]  # defaults of a lambda
        for query, vector in zip(queries, vectors, strict=True)
    ]
    return found, times


def _name(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()


def _written(work: Callable[[], object]) -> Figures:
    worked, waited = _seconds(work)
    return {"write, s": worked, "waited, s": waited, "memory to write, MB": _memory()}


def _seconds(work: Callable[[], object]) -> tuple[float, float]:
    """Processor time and wall-clock time, in seconds."""
    before, began = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - before, time.perf_counter() - began


def _memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def _disk(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


if __name__ == "__main__":
    options = json.loads(sys.argv[2])
    print(json.dumps(globals()[sys.argv[1]](Path(options.pop("folder")), **options)))
