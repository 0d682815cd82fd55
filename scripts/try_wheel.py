"""Try an installed wheel: both modules are compiled, counts are right, and threads that share objects get right answers.

The workflow of the wheels runs it for each of them. On an interpreter without the GIL the threads run at the same time,
and the engine must not switch it on.
"""

from __future__ import annotations

import sys
import sysconfig
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import bpe_engine

THREADS = 8
TEXTS = [f"def function_{n}(argument={n * n}):\n    return 'Straße {n} 東京'\n" * (n % 40 + 1) for n in range(300)]


def check(*, holds: bool, what: str) -> None:
    """Stop with a message if something does not hold."""
    if not holds:
        sys.exit(f"{sys.version}: {what}")


def at_once(work: Callable[[], object]) -> list[object]:
    """The results of threads that all call a function from the same moment on."""
    start = threading.Barrier(THREADS)

    def run() -> object:
        start.wait()
        return work()

    with ThreadPoolExecutor(THREADS) as pool:
        return [done.result() for done in [pool.submit(run) for _ in range(THREADS)]]


def main() -> None:
    """Check what is compiled, then one tokenizer, one encoder and one chunker in several threads."""
    check(holds=bpe_engine.implementation() == "cpp", what="the engine is not compiled")
    tokenizer = bpe_engine.Tokenizer.load("o200k_base")
    check(holds=tokenizer.count("Hello, world") == 3, what="a count is wrong")

    expected = [len(tokenizer.encode(text)) for text in TEXTS]
    check(
        holds=all(found == expected for found in at_once(lambda: [tokenizer.count(text) for text in TEXTS])),
        what="threads that share a tokenizer count otherwise",
    )
    encoder = tokenizer.appending_encoder()
    at_once(lambda: [encoder.append(" word") for _ in range(1_000)])
    check(holds=encoder.count == THREADS * 1_000, what="threads that share an encoder lose text")
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        check(holds=not sys._is_gil_enabled(), what="the engine has switched the GIL on")  # type: ignore[attr-defined]  # noqa: SLF001  # no other name

    # Only now: packages that the chunkers need may switch the GIL on.
    from chunker import TextChunker
    from chunker.native import native

    compiled = native()
    check(holds=compiled is not None and compiled.has_syntax(), what="there is no runtime of tree-sitter")
    chunker = TextChunker(64)
    chunks = [chunk.text for chunk in chunker.chunk(TEXTS[39])]
    check(
        holds=all(found == chunks for found in at_once(lambda: [chunk.text for chunk in chunker.chunk(TEXTS[39])])),
        what="threads that share a chunker cut otherwise",
    )


if __name__ == "__main__":
    main()
