"""Timing for the benchmarks. Imports the standard library alone: the import of other packages may be what is timed."""

from __future__ import annotations

import gc
import os
import time
from collections.abc import Callable


def cpu_seconds(function: Callable[[], object]) -> float:
    """Processor time of one call, in seconds. Waiting for other processes is not part of it."""
    gc.collect()
    start = time.process_time()
    function()
    return time.process_time() - start


def best_seconds(function: Callable[[], object], *, repeats: int = 5, at_most: float = 2.0) -> float:
    """The least processor time of some calls: of `repeats`, fewer where they take longer than `at_most` seconds together."""
    best = total = cpu_seconds(function)
    for _ in range(repeats - 1):
        if total > at_most:
            break
        taken = cpu_seconds(function)
        best = min(best, taken)
        total += taken
    return best


def pin_to_one_core() -> str:
    """Keep this process on one core where the system can do that; says what was done."""
    if not hasattr(os, "sched_setaffinity"):
        return "not pinned to a core"
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    return "pinned to one core"


def busy() -> str:
    """Whether other work goes on, by the processes that are ready to run.

    >>> "core" in busy()
    True
    """
    if not hasattr(os, "getloadavg"):
        return "cores: it is not known how busy"
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    return f"{'busy' if load > cores / 2 else 'quiet'} machine: load {load:.1f} on {cores} cores"


def in_units(seconds: float) -> str:
    """A duration with three digits.

    >>> in_units(0.0000123), in_units(0.0123), in_units(12.34)
    ('12.3 µs', '12.3 ms', '12.3 s')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
