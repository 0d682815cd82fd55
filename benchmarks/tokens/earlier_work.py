"""One piece of work of `earlier_version`, done by whatever version is installed: tasks come as lines of JSON, and each is answered with a line.

Uses only what both versions have.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from bpe_engine import Tokenizer
from chunker import CodeChunker, MarkdownChunker, TextChunker

PIECE, DOCUMENT = 40, 4_000  # characters
SLICES = 500
SECONDS = 2.0  # the longest time of one task; slower work gets less text

_LOADED: dict[str, Tokenizer] = {}


def tokenizer_of(name: str) -> Tokenizer:
    """A tokenizer by its name or file, loaded once."""
    if name not in _LOADED:
        _LOADED[name] = Tokenizer.from_file(name) if "/" in name or "\\" in name else Tokenizer.load(name)
    return _LOADED[name]


def count(tokenizer: Tokenizer, text: str, _options: dict[str, Any]) -> int:
    """The tokens of a text."""
    return tokenizer.count(text)


def documents(tokenizer: Tokenizer, text: str, _options: dict[str, Any]) -> int:
    """The sum of the tokens of all documents in a text."""
    return sum(tokenizer.count(text[start : start + DOCUMENT]) for start in range(0, len(text), DOCUMENT))


def encode(tokenizer: Tokenizer, text: str, _options: dict[str, Any]) -> int:
    """The number of tokens of a text, as the length of its ids."""
    return len(tokenizer.encode(text))


def append(tokenizer: Tokenizer, text: str, _options: dict[str, Any]) -> int:
    """The sum of the counts after each append of `PIECE` characters."""
    encoder = tokenizer.appending_encoder()
    total = 0
    for start in range(0, len(text), PIECE):
        encoder.append(text[start : start + PIECE])
        total += encoder.count
    return total


def chunk(tokenizer: Tokenizer, text: str, options: dict[str, Any]) -> int:
    """The number of chunks of a text."""
    settings = {name: value for name, value in options.items() if name != "format"}
    form = options["format"]
    if form == "text":
        made = TextChunker(tokenizer=tokenizer, **settings).chunk(text)
    elif form == "markdown":
        made = MarkdownChunker(tokenizer=tokenizer, **settings).chunk(text)
    else:
        made = CodeChunker(form, tokenizer=tokenizer, **settings).chunk(text)
    if any(chunk.token_count > settings["max_tokens"] for chunk in made):
        raise ValueError("a chunk is over the budget")
    return len(made)


WORKS: dict[str, Callable[[Tokenizer, str, dict[str, Any]], int]] = {
    "count": count,
    "documents": documents,
    "encode": encode,
    "append": append,
    "chunk": chunk,
}


def measured(task: dict[str, Any]) -> dict[str, Any]:
    """Seconds of one task, for how many characters, and its answer."""
    if task["work"] == "load":
        _LOADED.pop(task["tokenizer"], None)
        start = time.process_time()
        tokenizer_of(task["tokenizer"])
        return {"seconds": time.process_time() - start, "characters": 0, "answer": 0}
    tokenizer = tokenizer_of(task["tokenizer"])
    text = task["text"]
    if task["work"] == "slice":
        return sliced(tokenizer, text)
    work = WORKS[task["work"]]
    size = task.get("characters") or 2_000
    while True:
        part = text[:size]
        start = time.process_time()
        answer = work(tokenizer, part, task["options"])
        seconds = time.process_time() - start
        if task.get("characters") or size >= len(text) or seconds * 8 > SECONDS:
            return {"seconds": seconds, "characters": len(part), "answer": answer}
        size *= 8


def sliced(tokenizer: Tokenizer, text: str) -> dict[str, Any]:
    """The median time of a slice, and the sum of all counts."""
    prices = tokenizer.interval_encoder(text)
    chosen = random.Random(1)  # noqa: S311  # places to measure at
    taken, answer = [], 0
    for _ in range(SLICES):
        start, end = sorted(chosen.randrange(len(text)) for _ in range(2))
        before = time.perf_counter()
        answer += prices.count(start, end)
        taken.append(time.perf_counter() - before)
    return {"seconds": statistics.median(taken), "characters": 0, "answer": answer}


if __name__ == "__main__":
    for line in sys.stdin:
        given = json.loads(line)
        try:
            told = measured(given)
        except Exception as error:  # noqa: BLE001  # a version may lack what is asked for: the table says so
            told = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(told), flush=True)
