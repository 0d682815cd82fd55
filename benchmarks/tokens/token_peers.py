"""Our tokenizer and those of other packages with one interface. Each is imported where it is used: loading is measured too."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Sized
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import cast

from timing import best_seconds, cpu_seconds

PACKAGES = ["bpe-chunker", "tiktoken", "rs-bpe", "toktok-rs", "regex", "pyahocorasick"]


def _bpe_chunker_count(encoding: str) -> Callable[[str], int]:
    from bpe_engine import Tokenizer  # noqa: PLC0415 - see the module docstring

    return Tokenizer.load(encoding).count


def _bpe_chunker_encode(encoding: str) -> Callable[[str], int]:
    from bpe_engine import Tokenizer  # noqa: PLC0415 - see the module docstring

    return _length_of(Tokenizer.load(encoding).encode)


def _tiktoken_encode(encoding: str) -> Callable[[str], int]:
    import tiktoken  # noqa: PLC0415 - see the module docstring

    from bpe_engine.published.registry import load_vocabulary  # noqa: PLC0415 - see the module docstring

    # Its own loader would download the same vocabulary.
    vocabulary = load_vocabulary(encoding)
    assert vocabulary.pattern is not None
    loaded = tiktoken.Encoding(
        encoding,
        pat_str=vocabulary.pattern.source,
        mergeable_ranks=vocabulary.ranks,
        special_tokens=vocabulary.special_tokens,
    )
    return _length_of(loaded.encode_ordinary)


def _rs_bpe_count(encoding: str) -> Callable[[str], int]:
    from rs_bpe.bpe import openai  # noqa: PLC0415 - see the module docstring

    return cast("Callable[[str], int]", getattr(openai, encoding)().count)


def _rs_bpe_encode(encoding: str) -> Callable[[str], int]:
    from rs_bpe.bpe import openai  # noqa: PLC0415 - see the module docstring

    return _length_of(getattr(openai, encoding)().encode)


def _toktok_count(encoding: str) -> Callable[[str], int]:
    import toktok  # noqa: PLC0415 - see the module docstring

    return lambda text: cast("int", toktok.batch_count([text], encoding, threads=1)[0])


def _length_of(encode: Callable[[str], Sized]) -> Callable[[str], int]:
    return lambda text: len(encode(text))


# Name -> encoding name -> text -> number of tokens.
COUNTERS: dict[str, Callable[[str], Callable[[str], int]]] = {
    "tiktoken encode_ordinary": _tiktoken_encode,
    "bpe-chunker count": _bpe_chunker_count,
    "bpe-chunker encode": _bpe_chunker_encode,
    "rs-bpe count": _rs_bpe_count,
    "rs-bpe encode": _rs_bpe_encode,
    "toktok-rs batch_count": _toktok_count,
}


@dataclass(frozen=True)
class Sighting:
    """The times that a fresh process measured, in seconds: import and loading, the text at first sight, again, and 1,000 characters of it."""

    loading: float
    first: float
    warm: float
    short: float
    tokens: int


def see(name: str, encoding: str, text: str) -> Sighting:
    """Measure here and now; only the first call in a process tells about loading and first sight."""
    start = time.process_time()
    counter = COUNTERS[name](encoding)
    tokens = counter("")
    loading = time.process_time() - start
    first = cpu_seconds(lambda: counter(text))
    warm = best_seconds(lambda: counter(text))
    short = text[:1000]
    many = best_seconds(lambda: [counter(short) for _ in range(100)])
    tokens = counter(text)
    return Sighting(loading, first, warm, many / 100, tokens)


def see_in_fresh_process(name: str, encoding: str, text: Path) -> Sighting:
    """The same in a new process, on the text in a file."""
    done = subprocess.run(  # noqa: S603 - this very file
        [sys.executable, __file__, name, encoding, str(text)], capture_output=True, check=True, encoding="utf-8"
    )
    return Sighting(**json.loads(done.stdout))


if __name__ == "__main__":
    print(json.dumps(asdict(see(sys.argv[1], sys.argv[2], Path(sys.argv[3]).read_bytes().decode("utf-8")))))
