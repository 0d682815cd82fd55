"""Measurements of the encoders that grow, roll back and price slices. `tokenizer_tasks.py` runs each in its own process.

Seconds are processor time where they are sums, and time by the clock where single calls are told apart.
"""

from __future__ import annotations

import ctypes
import gc
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from timing import best_seconds, cpu_seconds
from tokenizer_peers import OURS, SMALL_PEERS

from bpe_engine import AppendingEncoder, IntervalEncoder, Tokenizer

PIECE = 40  # bytes appended at a time
MARKS = 20  # taken, and rolled back to, in a row: one call alone is too short for a clock
MARK_ROUNDS = 300
SLICES = 20_000
SHORT_SLICE = 4000  # characters at most
CHECKED = 200  # short slices whose count is compared with that of a fresh call; of the others, a few


def appending(encoding: str, path: str, size: int) -> dict[str, float]:
    """Seconds to append a text piece by piece, without and with asking for the count after each. The loop is in the time."""
    tokenizer = Tokenizer.load(encoding)
    pieces = _pieces(path, size)
    _append(tokenizer, pieces[:100])
    cold = cpu_seconds(lambda: _append(tokenizer, pieces))
    warm = best_seconds(lambda: _append(tokenizer, pieces), repeats=3)
    counted = best_seconds(lambda: _append_and_count(tokenizer, pieces), repeats=3)
    return {"cold": cold, "warm": warm, "counted": counted, "bytes": PIECE * len(pieces)}


def _append(tokenizer: Tokenizer, pieces: list[str]) -> AppendingEncoder:
    encoder = tokenizer.appending_encoder()
    append = encoder.append
    for piece in pieces:
        append(piece)
    return encoder


def _append_and_count(tokenizer: Tokenizer, pieces: list[str]) -> int:
    encoder = tokenizer.appending_encoder()
    tokens = 0
    for piece in pieces:
        encoder.append(piece)
        tokens = encoder.count
    return tokens


def marks(encoding: str, path: str, size: int) -> dict[str, float]:
    """Seconds of one snapshot and of one rollback on a text of `size` bytes: medians over rows of each. The loop is in the time."""
    tokenizer = Tokenizer.load(encoding)
    pieces = _pieces(path, size + MARKS * PIECE)
    encoder = _append(tokenizer, pieces[:-MARKS])
    tokens = encoder.count
    snapshots, rollbacks = [], []
    for _ in range(MARK_ROUNDS):
        taken = []
        for piece in pieces[-MARKS:]:
            taken.append(encoder.snapshot())
            encoder.append(piece)
        start = time.perf_counter_ns()
        for mark in reversed(taken):
            encoder.rollback(mark)
        rollbacks.append(time.perf_counter_ns() - start)
        start = time.perf_counter_ns()
        for _mark in taken:
            encoder.snapshot()
        snapshots.append(time.perf_counter_ns() - start)
        if encoder.count != tokens:
            raise ValueError(f"{encoder.count} tokens after rolling back to {tokens}")
    per_call = 1e-9 / MARKS
    return {"snapshot": statistics.median(snapshots) * per_call, "rollback": statistics.median(rollbacks) * per_call}


def growing(peer: str, encoding: str, *, files: str, path: str, lengths: list[int], enough: float) -> dict[str, float]:
    """Length -> seconds until a text that grows piece by piece has this length, with its count after each piece.

    Of `peer`, the incremental encoder where it has one; else the text is counted anew. Ends soon after `enough`
    seconds.
    """
    pieces = _pieces(path, max(lengths))
    one = SMALL_PEERS[peer]
    names = one.load(encoding, Path(files))
    count = one.counter(names)
    count("a")  # some load late
    step = _grown(names["tokenizer"]) if peer == OURS else _anew(count)
    found: dict[str, float] = {}
    start = time.process_time()
    size = 0
    wanted = iter(sorted(lengths))
    next_length = next(wanted)
    for piece in pieces:
        step(piece)
        size += len(piece)
        if size >= next_length:
            taken = time.process_time() - start
            found[str(next_length)] = taken
            next_length = next(wanted, -1)
            if taken > enough or next_length < 0:
                break
    return found


def _grown(tokenizer: Tokenizer) -> Callable[[str], int]:
    encoder = tokenizer.appending_encoder()

    def step(piece: str) -> int:
        encoder.append(piece)
        return encoder.count

    return step


def _anew(count: Callable[[str], int]) -> Callable[[str], int]:
    grown = ""

    def step(piece: str) -> int:
        nonlocal grown
        grown += piece
        return count(grown)

    return step


def intervals(encoding: str, path: str, size: int) -> dict[str, float]:
    """Seconds to count a text and to build its interval encoder, each warm."""
    tokenizer = Tokenizer.load(encoding)
    text = _text(path, size)
    tokenizer.count(text)
    count = best_seconds(lambda: tokenizer.count(text), repeats=3)
    build = best_seconds(lambda: tokenizer.interval_encoder(text), repeats=3)
    return {"count": count, "build": build, "bytes": len(text.encode())}


def slices(encoding: str, path: str, size: int) -> dict[str, float]:
    """Seconds a call by the clock, the median and the 99th percentile, for slices of any length and for short ones."""
    tokenizer = Tokenizer.load(encoding)
    text = _text(path, size)
    prices = tokenizer.interval_encoder(text)
    drawn = random.Random(len(text))  # noqa: S311 - nothing secret
    places = range(len(text) + 1)
    ends = [sorted(drawn.choices(places, k=2)) for _ in range(SLICES)]
    short = [
        (start, min(len(text), start + drawn.randint(0, SHORT_SLICE))) for start in drawn.choices(places, k=SLICES)
    ]
    for start, end in [*short[:CHECKED], *ends[:3]]:
        if prices.count(start, end) != tokenizer.count(text[start:end]):
            raise ValueError(f"the count of text[{start}:{end}] is not that of a fresh call")
    result = {}
    for kind, chosen in (("any", ends), ("short", short)):
        taken = sorted(_calls(prices, chosen))
        result[f"{kind} median"] = taken[len(taken) // 2]
        result[f"{kind} 99th"] = taken[len(taken) * 99 // 100]
    return result


def _calls(prices: IntervalEncoder, chosen: list[list[int]] | list[tuple[int, int]]) -> list[float]:
    """Seconds of each call, those of the clock itself taken off."""
    clock = time.perf_counter_ns
    count = prices.count
    idle = statistics.median(-(clock() - clock()) for _ in range(1000))
    found = []
    for start, end in chosen:
        before = clock()
        count(start, end)
        found.append((clock() - before - idle) * 1e-9)
    return found


def memory(encoding: str, path: str, size: int, kind: str) -> dict[str, float]:
    """Bytes of memory that an encoder ("interval" or "appending") keeps per byte of text, by the growth of the resident set."""
    tokenizer = Tokenizer.load(encoding)
    text = _text(path, size)
    pieces = _pieces(path, size)
    tokenizer.count(text)  # what the tokenizer itself remembers is not the encoder's
    _encoder_of(kind, tokenizer, text[:100_000], pieces[:2500])
    before = _resident()
    encoder = _encoder_of(kind, tokenizer, text, pieces)
    kept = _resident() - before
    assert encoder is not None  # alive up to here
    return {"bytes a text byte": kept / (PIECE * len(pieces) if kind == "appending" else len(text.encode()))}


def _encoder_of(kind: str, tokenizer: Tokenizer, text: str, pieces: list[str]) -> AppendingEncoder | IntervalEncoder:
    if kind == "appending":
        return _append(tokenizer, pieces)
    prices = tokenizer.interval_encoder(text)
    prices.count(1, len(text))  # so that what it builds late is there
    return prices


def _resident() -> int:
    """Resident bytes of this process, without those that are free but not yet returned to the system. Linux with glibc."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    kilobytes = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmRSS:"))
    return 1024 * int(kilobytes.split()[1])


def _text(path: str, size: int) -> str:
    """The first `size` bytes of a file, as often as it takes."""
    data = Path(path).read_bytes()
    return (data * -(-size // len(data)))[:size].decode("utf-8", "ignore")


def _pieces(path: str, size: int) -> list[str]:
    """The same, in ASCII, in pieces of 40 bytes."""
    data = _text(path, size).encode("ascii", "replace")
    return [data[start : start + PIECE].decode() for start in range(0, size, PIECE)]


TASKS: dict[str, Callable[..., dict[str, float]]] = {
    task.__name__: task for task in (appending, marks, growing, intervals, slices, memory)
}
