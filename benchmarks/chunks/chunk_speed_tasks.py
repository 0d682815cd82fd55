"""The tasks of `chunk_speed.py`, each run in its own process: `python chunk_speed_tasks.py TASK ARGUMENTS`. Arguments and results are JSON.

Seconds are processor time on one core, which holds the threads of a peer too.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from chunk_speed_peers import LIMIT, PEERS, Setting, Split
from timing import cpu_seconds, pin_to_one_core

MOST_PASSES = 6
ENOUGH = 1.5  # seconds of warm passes
# Below this, a second pass over a text is worth its time.
_PATIENCE = 6.0


def passes(peer: str, files: str, texts: str, language: str, bytes_a_token: float) -> dict[str, float]:
    """Loading; the first pass over all texts of a file; the best of some more; and what the chunks are like.

    Each pass gets new str objects, so that none finds the UTF-8 form that CPython keeps beside a str that was asked for
    it.
    """
    # tiktoken's own loader, on a cache that holds what it would download.
    os.environ["TIKTOKEN_CACHE_DIR"] = files
    one, setting = PEERS[peer], Setting(language, bytes_a_token)
    start = time.process_time()
    split = one.load(setting)
    loading = time.process_time() - start
    data = [text.encode() for text in json.loads(Path(texts).read_text("utf-8"))]

    def one_pass(split: Split) -> float:
        documents = [document.decode() for document in data]
        return cpu_seconds(lambda: [split(document) for document in documents])

    first = one_pass(split)
    warm = [first]
    while len(warm) <= MOST_PASSES and sum(warm) < (ENOUGH if len(warm) > 1 else _PATIENCE):
        warm.append(one_pass(one.load(setting) if one.anew else split))
    chunks = [one.text_of(chunk) for document in data for chunk in split(document.decode())]
    sizes = _token_counts(chunks)
    return {
        "loading": loading,
        "first": first,
        "warm": min(warm),
        "bytes": sum(map(len, data)),
        "chunks": len(chunks),
        "over": sum(size > LIMIT for size in sizes),
        "largest": max(sizes),
    }


def growth(peer: str, texts: str, language: str, size: int) -> dict[str, float]:
    """One text of `size` bytes: the time to chunk it, and the most memory that the process had while it did, beyond what it had before."""
    split = PEERS[peer].load(Setting(language, 4))
    documents = json.loads(Path(texts).read_text("utf-8"))
    whole = "\n".join(documents)
    split(whole[:100_000])
    data = whole.encode()
    text = (data * (size // len(data) + 1))[:size].decode("utf-8", "ignore")
    del data, whole, documents
    before = _memory("VmRSS")
    # From here on the kernel notes the peak anew: proc(5).
    Path("/proc/self/clear_refs").write_text("5", "ascii")
    seconds = cpu_seconds(lambda: split(text))
    return {"seconds": seconds, "memory": _memory("VmHWM") - before}


def _token_counts(texts: list[str]) -> list[int]:
    # Not before all is measured: to the peers this import would be a gift or a burden.
    from bpe_engine import Tokenizer  # noqa: PLC0415 - see above

    return Tokenizer.load("o200k_base").count_batch(texts)


def _memory(name: str) -> int:
    """Bytes of memory that the process has ("VmRSS"), or had at most ("VmHWM")."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))


TASKS: dict[str, Callable[..., dict[str, float]]] = {"passes": passes, "growth": growth}

if __name__ == "__main__":
    pin_to_one_core()
    print(json.dumps(TASKS[sys.argv[1]](**json.loads(sys.argv[2]))))
