"""Time of chunking random hostile texts, and of the same four times as long.

    python benchmarks/run.py random_growth                          for a minute
    python benchmarks/run.py random_growth --seconds 600 --seed 7   other texts, for longer
    python benchmarks/run.py random_growth --kinds json bash        some formats and languages

A text is a few marks and words of a format or language, again and again, after some others: valid, broken, or nested
without end. Where four times the text takes more than six times as long, or a second, it is timed again, and shown.
Wrong answers are not looked for: the tests do that.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from measuring import Report, parser
from timing import cpu_seconds, pin_to_one_core

from chunker import BudgetTooSmallError, CodeChunker, EditedText, TextChunker, chunk_hierarchy, chunk_stream
from chunker import sentence_chunker as sentences
from chunker.formats.detect import detect

SIZE = 8_000  # characters
LEAST = 0.001  # seconds: what takes less is not timed at four times the size
GROWTH, SLOW = 6.0, 1.0  # of four times the size: more than so many times as long, or so many seconds
SHOWN = 20
SAMPLES = Path(__file__).resolve().parents[2] / "tests" / "chunker" / "formats" / "code" / "samples"
# The marks of a format, one in each word; "␤" stands for a line end, "␠" for a space.
MARKS = {
    "csv": '" , ; ␤ "" a ␉ |',
    "html": "<div> </div> <table> <tr> <td> <pre> <script> <!-- --> <p <a␠href=\" &amp; <ul><li> </ul> <h1> <svg> < > ' <style> <title> </p> = &#",
    "json": '{ } [ ] " : , \\ "a": 1 null // /* */ ␤ ␠',
    "jsonl": '{ } [ ] "a":1 ␤ " ␠',
    "latex": "\\begin{a} \\end{a} \\section{ { } % $ \\ \\verb| \\begin{verbatim} & \\\\ ␤␤ ␤ [ ] \\item \\begin{tabular} \\begin{frame} \\begin{lstlisting}",
    "markdown": "> - 1.␠ ```␤ ~~~ #␠ |␠a␠ | |-|␤ [a] (b) ![ * ** _ ` <div> <!-- ␠␠␠␠ ␉ \\ ===␤ ---␤ [^1]: $$ ␤␤ ␤ [a]:␠ & http:// ~",
    "notebook": '{ } [ ] "cells": "source": " , \\n ␤',
    "restructuredtext": "..␠note:: :: ===␤ ---␤ +--+ |␠ *␠ ` `` _ ␠␠␠␠ ␤␤ ␤ | :a:␠ ..␠[1]␠ >>>␠ ..␠_a:␠ ======␠␠===␤",
    "text": ".␠ ?␠ !␠ ␤ ␤␤ ␠ a 中 。 “ ( ) e.g.␠ \u0301 \u200d 👩 ␍ A.␠ _ -",
    "toml": '[a] [[b]] a= " """ \'\'\' { } [ ] # ␤ ␠ .',
    "yaml": "-␠ a:␠ |␤ >␤ # \" ' { } [ ] &a *a ---␤ ?␠ ␤ ␠␠ !!x␠",
}
WORDS = ["word", "x ", "e"]
SETTINGS: dict[str, dict[str, Any]] = {
    "overlap, context": {"max_tokens": 128, "overlap": 16, "context": True},
    "desired": {"max_tokens": 40, "desired_tokens": 24, "overlap": 8, "overlap_by": "token"},
    "small": {"max_tokens": 64},
    "optimal": {"max_tokens": 64, "strategy": "optimal"},
}


class Found(NamedTuple):
    """The processor time of an operation, in seconds, on a text of SIZE characters and on one four times as long."""

    once: float
    fourfold: float
    kind: str
    operation: str
    start: str
    part: str

    @property
    def growth(self) -> float:
        """How many times as long the long one takes."""
        return self.fourfold / self.once


def pieces_of_kinds() -> dict[str, list[str]]:
    """Format or language -> what its texts are made of."""
    shown = str.maketrans({"␤": "\n", "␠": " ", "␉": "\t", "␍": "\r"})
    found = {kind: [*(mark.translate(shown) for mark in marks.split(" ")), *WORDS] for kind, marks in MARKS.items()}
    for path in sorted(SAMPLES.iterdir()):
        text = path.read_text("utf-8")
        if path.suffix != ".toml" and (language := detect(path.name, text).format):
            found[language] = sorted(set(re.findall(r"\w+|[^\w\s]|\n", text)))
    return found


def chunker_of(kind: str, options: dict[str, Any]) -> TextChunker:
    """A chunker of a format or language."""
    return TextChunker(format=kind, **options) if kind in MARKS else CodeChunker(kind, **options)


def operations(kind: str) -> Iterator[tuple[str, Callable[[str], object]]]:
    """Yield the operations that are timed on the texts of one format or language, each with its name."""
    made = {name: chunker_of(kind, options) for name, options in SETTINGS.items()}
    for name, chunker in made.items():
        yield f"chunk, {name}", chunker.chunk
    small, large = made["small"], made["overlap, context"]

    def stream(text: str) -> None:
        for _ in chunk_stream((text[start : start + 1_000] for start in range(0, len(text), 1_000)), large):
            pass

    def edit(text: str) -> None:
        edited = EditedText(large, text)
        for number in range(4):
            edited.replace(len(text) * number // 4, len(text) * number // 4, "x")

    yield "stream", stream
    yield "edits", edit
    yield "breadcrumbs", lambda text: [chunk.breadcrumb for chunk in small.chunk(text)]
    yield "hierarchy", lambda text: chunk_hierarchy(text, [large, small])
    if kind in MARKS:
        yield "sentences", sentences(64, format=kind).chunk


def seconds(operation: Callable[[str], object], text: str, rounds: int = 1) -> float:
    """The least processor time of some rounds."""

    def run() -> None:
        try:
            operation(text)
        except BudgetTooSmallError:
            return  # a character of more tokens than the budget has

    return min(cpu_seconds(run) for _ in range(rounds))


def hunt(kinds: dict[str, list[str]], chance: random.Random, most_seconds: float) -> tuple[int, list[Found]]:
    """Try random texts for `most_seconds`. Returns the number of texts, and those whose time grows too fast."""
    known: dict[str, list[tuple[str, Callable[[str], object]]]] = {}
    found: list[Found] = []
    end = time.monotonic() + most_seconds
    for tried in count():
        if time.monotonic() > end:
            return tried, found
        kind = chance.choice(list(kinds))
        name, operation = chance.choice(known.setdefault(kind, list(operations(kind))))
        pieces = kinds[kind]
        start = "".join(chance.choices(pieces, k=chance.randrange(3)))
        part = "".join(chance.choice(pieces) + chance.choice(["", "", " "]) for _ in range(chance.randint(1, 4)))
        text, longer = (start + part * (size // len(part) + 1) for size in (SIZE, 4 * SIZE))
        once = seconds(operation, text)
        if once < LEAST:
            continue
        fourfold = seconds(operation, longer)
        if fourfold > GROWTH * once or fourfold > SLOW:
            once, fourfold = min(once, seconds(operation, text, 2)), min(fourfold, seconds(operation, longer))
            if fourfold > GROWTH * once or fourfold > SLOW:
                found.append(Found(once, fourfold, kind, name, start, part))
    raise AssertionError


def main() -> None:
    """Print the tables, and write them where that is asked for."""
    every = pieces_of_kinds()
    arguments = parser(__doc__)
    arguments.add_argument("--seconds", type=float, default=60.0, help="how long to look (60)")
    arguments.add_argument("--seed", type=int, default=1, help="which texts to begin with (1)")
    arguments.add_argument("--kinds", nargs="+", choices=sorted(every), default=sorted(every), metavar="KIND")
    chosen = arguments.parse_args()
    pinned = pin_to_one_core()
    report = Report("Chunking random hostile texts", chosen.output)
    report.add_provenance(["bpe-chunker"], pinned, f"texts of {SIZE:,} characters, and four times as long")
    chance = random.Random(chosen.seed)  # noqa: S311  # texts to measure by
    tried, found = hunt({kind: every[kind] for kind in chosen.kinds}, chance, chosen.seconds)
    report.add(
        f"{tried:,} texts. {len(found)} take more than {GROWTH:.0f} times as long at four times the length, or more "
        "than a second there; the slowest first."
    )
    report.add_table(
        ["kind", "operation", "begins with", "again and again", "ms", "ms, four times as long", "growth"],
        (
            [
                *(one.kind, one.operation, repr(one.start), repr(one.part)),
                *(f"{one.once * 1e3:.1f}", f"{one.fourfold * 1e3:.0f}", f"{one.growth:.1f}"),
            ]
            for one in sorted(found, key=lambda one: -one.fourfold)[:SHOWN]
        ),
    )


if __name__ == "__main__":
    main()
