"""Measurements, each in its own process: `python tokenizer_tasks.py TASK ARGUMENTS`. Arguments and results are JSON.

Seconds are processor time on one core, which holds the threads of a peer too, unless it says otherwise.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
import timeit
from collections.abc import Callable
from pathlib import Path

from timing import cpu_seconds, pin_to_one_core
from tokenizer_peers import PEERS, SMALL_PEERS

Result = dict[str, float]

MOST_PASSES = 7
ENOUGH = 1.0  # seconds of warm passes
SMALL_TEXTS = 64  # different ones, so that no call finds what the one before it left
SMALL_LENGTHS = (11, 1000)  # characters


def passes(peer: str, encoding: str, files: str, path: str, size: int) -> Result:
    """The first pass over the first `size` bytes of a file, the best of some more, and the number of tokens.

    Each pass gets a new str: none finds the UTF-8 form that CPython keeps beside a str that was asked for it.
    """
    data = _head(path, size)
    one = PEERS[peer]
    count = one.counter(one.load(encoding, Path(files)))
    count("a")
    found = []

    def timed_pass() -> float:
        text = data.decode()
        return cpu_seconds(lambda: found.append(count(text)))

    cold = timed_pass()
    warm = [timed_pass()]
    while len(warm) < MOST_PASSES and sum(warm) < ENOUGH:
        warm.append(timed_pass())
    if len(set(found)) > 1:
        raise ValueError(f"counts differ from pass to pass: {sorted(set(found))}")
    return {"cold": cold, "warm": min(warm), "tokens": found[0], "bytes": len(data)}


def small_calls(peer: str, encoding: str, files: str, path: str) -> Result:
    """Seconds a call on short texts, by their number of characters. The time of an empty loop over them is subtracted."""
    text = _head(path, 1_000_000).decode()
    one = SMALL_PEERS[peer]
    names = one.load(encoding, Path(files))
    result = {}
    for length in SMALL_LENGTHS:
        step = len(text) // SMALL_TEXTS
        texts = [text[start : start + length] for start in range(0, step * SMALL_TEXTS, step)]
        in_all = {**names, "texts": texts}
        loop = timeit.Timer(f"for text in texts: {one.expression}", globals=in_all, timer=time.process_time)
        empty = timeit.Timer("for text in texts: pass", globals=in_all, timer=time.process_time)
        rounds = max(1, int(0.05 / max(loop.timeit(3) / 3, 1e-6)))
        taken = min(loop.repeat(5, rounds)) - min(empty.repeat(5, rounds))
        result[str(length)] = taken / rounds / len(texts)
    return result


def loading(peer: str, encoding: str, files: str) -> Result:
    """Seconds from the start: the import, the vocabulary and the first count, all in all; both by processor and by clock."""
    clock, processor = time.perf_counter(), time.process_time()
    one = PEERS[peer]
    count = one.counter(one.load(encoding, Path(files)))
    count("Hello, world")
    return {"processor": time.process_time() - processor, "clock": time.perf_counter() - clock}


def batches(
    peer: str, encoding: str, *, files: str, path: str, size: int, document: int, threads: int, cores: int
) -> Result:
    """Seconds by the clock for a text in documents of so many characters. The process may use `cores` cores."""
    text = _head(path, size).decode()
    one = PEERS[peer]
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(range(os.cpu_count() or 1)))
        os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[-cores:]))
    count = one.batch_counter(one.load(encoding, Path(files)), threads)
    texts = [text[start : start + document] for start in range(0, len(text), document)]
    count(texts[:10])
    best, tokens = float("inf"), 0
    until = time.perf_counter() + ENOUGH
    for _ in range(MOST_PASSES):
        gc.collect()
        start = time.perf_counter()
        tokens = count(texts)
        best = min(best, time.perf_counter() - start)
        if time.perf_counter() > until:
            break
    return {"seconds": best, "tokens": tokens, "bytes": len(text.encode())}


def _head(path: str, size: int) -> bytes:
    """The first `size` bytes of a file in UTF-8, but no part of a character."""
    with Path(path).open("rb") as file:
        return file.read(size).decode("utf-8", "ignore").encode()


def _all_tasks() -> dict[str, Callable[..., Result]]:
    from incremental_tasks import TASKS  # noqa: PLC0415 - it imports the engine, whose loading is measured above

    return TASKS


TASKS: dict[str, Callable[..., Result]] = {task.__name__: task for task in (passes, small_calls, loading, batches)}

if __name__ == "__main__":
    name, arguments = sys.argv[1], json.loads(sys.argv[2])
    pin_to_one_core()
    task = TASKS.get(name) or _all_tasks()[name]
    print(json.dumps(task(**arguments)))
