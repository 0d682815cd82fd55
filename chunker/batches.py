"""Many texts in one call, on threads: what counts their tokens needs no lock of the interpreter.

    texts     a b c | d | e f          in runs, long enough to be worth a change of threads
    run       sketch each text  ->  grow all of them in one compiled call  ->  chunks of each
              Python                without the lock                           Python

So one thread counts while another makes outlines and chunks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator

from chunker.arguments import require_source, require_text, whole_number
from chunker.errors import OptionError, WrongTypeError
from chunker.models import Chunk

# Characters of a run. A change of threads takes some 0.05 ms, in which a tenth of these are chunked.
_RUN = 1 << 16

Run = list[tuple[str, str | None]]  # texts with their names


def in_threads(
    chunks_of: Callable[[Run], list[list[Chunk]]],
    texts: Iterable[str],
    sources: Iterable[str | None] | None,
    num_threads: int,
    *,
    counts_in_python: bool,
) -> list[list[Chunk]]:
    """Return the chunks of each text; `chunks_of` makes those of a run. Raises as `TextChunker.chunk_batch`."""
    threads = min(whole_number(num_threads, "num_threads", least=1), os.cpu_count() or 1)
    runs = list(_runs(_named(texts, sources)))
    if threads == 1 or len(runs) < 2 or counts_in_python:
        done: Iterable[list[list[Chunk]]] = map(chunks_of, runs)
        return [chunks for run in done for chunks in run]
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  # takes 5 ms

    with ThreadPoolExecutor(min(threads, len(runs)), thread_name_prefix="chunk_batch") as pool:
        # An error ends the runs that have not begun.
        try:
            return [chunks for run in pool.map(chunks_of, runs) for chunks in run]
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _named(texts: Iterable[str], sources: Iterable[str | None] | None) -> Run:
    """Return the texts with their names."""
    if isinstance(texts, str | bytes):
        raise WrongTypeError("texts must be an iterable of texts, not one text: pass [text]")
    if isinstance(sources, str | bytes):
        raise WrongTypeError("sources must be an iterable of names, not one name")
    listed = list(texts)
    names: list[str | None] = [None] * len(listed) if sources is None else list(sources)
    if len(names) != len(listed):
        raise OptionError(f"there must be as many sources as texts: {len(names)} for {len(listed)}")
    for text in listed:
        require_text(text)
    for name in names:
        require_source(name)
    return list(zip(listed, names, strict=True))


def _runs(named: Run) -> Iterator[Run]:
    """Yield the texts in runs of at least `_RUN` characters, but for the last."""
    run: Run = []
    size = 0
    for one in named:
        run.append(one)
        size += len(one[0])
        if size >= _RUN:
            yield run
            run, size = [], 0
    if run:
        yield run
