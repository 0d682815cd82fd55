"""What an index of 100,000 chunks costs: sync, a sync without changes, search by vectors, by words and by both.

    python benchmarks/index.py [CHUNKS]

The texts are made up, of words with the frequencies of a language (Zipf); the embedder is the one that comes with the package.
"""

from __future__ import annotations

import random
import resource
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from chunker.index import Index

Result = TypeVar("Result")

CHUNKS = 100_000
WORDS = 30_000
WORDS_OF_A_CHUNK = 60
CHUNKS_OF_A_FILE = 100
QUERIES = 20


def main() -> None:
    """Write the texts, index them, search them, print the figures."""
    chunks = int(sys.argv[1]) if len(sys.argv) > 1 else CHUNKS
    chance = random.Random(1)  # noqa: S311  # guards no secret
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randrange(3, 10))) for _ in range(WORDS)]
    weights = [1 / (rank + 1) for rank in range(WORDS)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number in range(max(chunks // CHUNKS_OF_A_FILE, 1)):
            paragraphs = (" ".join(chance.choices(words, weights, k=WORDS_OF_A_CHUNK)) for _ in range(CHUNKS_OF_A_FILE))
            (folder / f"{number}.txt").write_text(".\n\n".join(paragraphs), encoding="utf-8")
        index = Index.open(folder / ".chunker")
        first, report = timed(lambda: index.sync(folder))
        print(
            f"{report.chunks:,} chunks, {report.tokens:,} tokens: {first:.1f} s, {report.tokens / first:,.0f} tokens/s"
        )
        print(f"without changes: {timed(lambda: index.sync(folder))[0]:.2f} s")
        for by in ("vectors", "words", "both"):
            queries = [" ".join(chance.choices(words, k=3)) for _ in range(QUERIES)]
            times = [timed(lambda query=query, by=by: index.search(query, by=by))[0] for query in queries]  # type: ignore[misc]  # defaults of a lambda
            print(
                f"search by {by}: median {statistics.median(times) * 1000:.1f} ms, longest {max(times) * 1000:.1f} ms"
            )
        print(
            f"on the disk: {index.status().bytes / 1e6:.0f} MB; memory at most: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB"
        )


def timed(work: Callable[[], Result]) -> tuple[float, Result]:
    """Seconds, and what came out."""
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


if __name__ == "__main__":
    main()
