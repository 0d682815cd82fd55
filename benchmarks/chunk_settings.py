"""How fast chunks are made in the settings that people use: sizes, overlap, context, desired size, strategy; lines and whole paragraphs; languages.

    python benchmarks/chunk_settings.py                        the table
    python benchmarks/chunk_settings.py --output F             written there as well
    python benchmarks/chunk_settings.py --languages german     of some languages alone

Each text is a megabyte of prose, once with the lines that its pages have, and once with a paragraph a line. MB/s of `chunk`, objects included: the best of a few
calls, in one process on one core. The worst cell of each row is what to look at.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

from language_texts import default_folder, prepare
from measuring import Report, parser
from timing import best_seconds, pin_to_one_core

from bpe_engine import Tokenizer
from chunker import TextChunker

LANGUAGES = ("english", "german", "chinese", "japanese", "hindi")
SIZES = (32, 64, 128, 256, 512, 2000)
SIZE = 1_000_000  # bytes
_BREAK = re.compile(r"\n\s*\n")
_LINE_END = re.compile(r"[ \t]*\n[ \t]*")


def settings(size: int) -> dict[str, dict[str, Any]]:
    """The options of each column, for chunks of so many tokens."""
    overlap = size // 8
    return {
        "plain": {},
        "overlap": {"overlap": overlap},
        "context": {"context": True},
        "both": {"overlap": overlap, "context": True},
        "sentences": {"overlap": overlap, "overlap_by": "sentence"},
        "desired": {"desired_tokens": size * 7 // 10},
        "optimal": {"strategy": "optimal"},
    }


def paragraphs_as_lines(text: str) -> str:
    """Paragraphs joined from their lines, a line each.

    >>> paragraphs_as_lines("One\\ntwo.\\n\\nThree.\\n")
    'One two.\\nThree.'
    """
    return "\n".join(_LINE_END.sub(" ", paragraph.strip()) for paragraph in _BREAK.split(text))


def rows(languages: list[str]) -> Iterator[list[str]]:
    """A row a language, shape and size."""
    files, missing = prepare(default_folder(), languages)
    for language, reason in missing.items():
        print(f"{language}: {reason}", file=sys.stderr)
    count = Tokenizer.load("o200k_base").count
    for language, path in files.items():
        lines = path.read_bytes()[:SIZE].decode("utf-8", "ignore")
        for shape, text in (("lines", lines), ("paragraphs", paragraphs_as_lines(lines))):
            megabytes = len(text.encode()) / 1e6
            counted = megabytes / best_seconds(partial(count, text))
            for size in SIZES:
                speeds = [
                    megabytes / best_seconds(partial(TextChunker(size, **options).chunk, text), repeats=3)
                    for options in settings(size).values()
                ]
                yield [f"{language}, {shape}, {size}", f"{counted:.0f}", *(f"{speed:.1f}" for speed in speeds)]


def main() -> None:
    """Print the table, and write it where that is asked for."""
    arguments = parser(__doc__)
    arguments.add_argument("--languages", nargs="+", choices=LANGUAGES, default=list(LANGUAGES))
    chosen = arguments.parse_args()
    pinned = pin_to_one_core()
    report = Report("Chunks in many settings", chosen.output)
    report.add_provenance(["bpe-chunker"], pinned, "MB/s, o200k_base")
    report.add_table(["text, tokens", "counted", *settings(SIZES[0])], rows(chosen.languages))


if __name__ == "__main__":
    main()
