"""Chunk and embed a parquet corpus with Ray, on this machine or on the cluster that `RAY_ADDRESS` names; a second run does nothing again.

    python examples/ray_job.py                     makes a small corpus, to see it work
    python examples/ray_job.py CORPUS OUT          folders or URLs of parquet or JSON Lines files, with a column `text` and one `path`

Needs Ray: pip install "bpe-chunker[ray]". The embedder is the one that needs no model: it finds shared spelling, not
shared meaning.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import ray

from chunker.integrations.ray_data import chunk, chunk_corpus, embed
from chunker.scale import ChunkBatch, EmbedBatch

PARTS = 4
WORKERS = 2


def make_corpus(folder: Path) -> None:
    """Four parts of made-up documents, in Markdown and Python."""
    for part in range(PARTS):
        numbers = range(part * 25, part * 25 + 25)
        guides = [f"# Guide {n}\n\n" + f"## Step\n\nTurn wheel {n} to the left, and wait.\n\n" * 30 for n in numbers]
        code = ["".join(f"def turn_{n}_{k}(wheel):\n    return wheel + {k}\n\n\n" for k in range(30)) for n in numbers]
        names = [f"guide{n}.md" for n in numbers] + [f"wheel{n}.py" for n in numbers]
        pq.write_table(pa.table({"path": names, "text": guides + code}), folder / f"part-{part}.parquet")


def main() -> None:
    """Part by part, which can be stopped and goes on; then as one dataset."""
    with tempfile.TemporaryDirectory() as name:
        if len(sys.argv) > 2:
            corpus, out = sys.argv[1:3]
        else:
            corpus, out = f"{name}/corpus", f"{name}/out"
            Path(corpus).mkdir()
            make_corpus(Path(corpus))
        # More logical processors than workers: what reads and writes wants some, too.
        local = {} if "RAY_ADDRESS" in os.environ else {"num_cpus": WORKERS + 2, "include_dashboard": False}
        ray.init(log_to_driver=False, **local)
        try:
            chunking, embedding = ChunkBatch(128, context=True), EmbedBatch("hashing", dimensions=256)
            for _ in range(2):
                report = chunk_corpus(corpus, out, [chunking, embedding], workers=WORKERS)
                print(
                    f"{report.done} parts done, {report.skipped} skipped: {report.chunks} chunks, {report.tokens} tokens"
                )
            # The same as a dataset of Ray, for what comes before and after it.
            texts = ray.data.read_parquet(corpus)
            vectors = embed(chunk(texts, 128, context=True), "hashing", dimensions=256)
            print(f"as a dataset: {vectors.count()} chunks")
            table = ds.dataset(out, format="parquet").to_table(columns=["path", "context", "token_count", "embedding"])
            row = table.slice(1, 1).to_pylist()[0]
            print(
                f"{row['path']}, {row['token_count']} tokens, {len(row['embedding'])} numbers: {row['context'].strip()}"
            )
        finally:
            ray.shutdown()


if __name__ == "__main__":
    main()
