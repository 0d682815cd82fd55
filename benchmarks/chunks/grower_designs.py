"""Two designs of the grower: all of it in C++, or Python that asks compiled code for boundaries and prices.

    python benchmarks/run.py grower_designs                the table
    python benchmarks/run.py grower_designs --output F     written there as well

MB/s of making the pieces of a megabyte of English prose, with the lines that it has and with a paragraph a line, on one
core. In each column the encoders and the outline are compiled:

    C++             the grower that runs
    readable        the specification, `chunker.growing.grower`, which appends and rolls back unit by unit
    bulk prices     a sketch of a faster one in Python: one call prices all candidate cuts of a chunk, and the strongest
                    that fits is chosen. It has no minimum, no refinement (a line that does not fit is cut by halves) and
                    no context, with which slices have other prices: it says what such a design reaches at most.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from functools import partial

from chunk_settings import prose, settings
from language_texts import default_folder, prepare
from measuring import Report, parser
from timing import best_seconds, pin_to_one_core

from bpe_engine import Tokenizer
from chunker import TextChunker
from chunker.formats import Outline
from chunker.growing.budget import Budget
from chunker.growing.grower import Grower
from chunker.growing.pieces import ContextAt

SIZES = (32, 64, 128, 256, 512, 2000)
COLUMNS = ("plain", "both")
CHARACTERS = 8  # a token, at most, of nearly all texts: no candidate is further away


def in_cpp(text: str, chunker: TextChunker, outline: Outline, context_at: ContextAt) -> None:
    """Make all pieces."""
    for _ in chunker.pieces(text, outline, context_at):
        pass


def readable(text: str, budget: Budget, tokenizer: Tokenizer, outline: Outline, context_at: ContextAt) -> None:
    """Make all pieces by the specification."""
    for _ in Grower(text, outline, tokenizer, budget, context_at).pieces():
        pass


def by_bulk_prices(
    text: str, tokenizer: Tokenizer, outline: Outline, size: int, overlap: int
) -> list[tuple[int, int, int]]:
    """The start, end and tokens of each chunk of at most `size` tokens, which repeats whole lines of the one before."""
    prices = tokenizer.interval_encoder(text)
    ends, strengths = [*outline.offsets[1:], len(text)], [*outline.strengths[1:], 0]
    chunks = []
    start = row = 0
    while start < len(text):
        far = bisect_right(ends, start + size * CHARACTERS, row)
        counts = prices.counts(start, ends[row:far])
        fitting = bisect_right(counts, size)
        if fitting == 0:
            end = min(start + size * CHARACTERS, len(text))
            while (tokens := prices.count(start, end)) > size:
                end = start + (end - start) // 2
        else:
            chosen = min(range(fitting), key=lambda number: (strengths[row + number], -number))
            end, tokens = ends[row + chosen], counts[chosen]
        chunks.append((start, end, tokens))
        last = bisect_left(ends, end + 1, row)  # the first line after the chunk
        row, before = last, start
        start = end
        while overlap and end < len(text) and row > 0 and before < ends[row - 1]:
            if prices.count(ends[row - 1], end) > overlap:
                break
            row, start = row - 1, ends[row - 1]
        row = bisect_left(ends, start + 1, row)
    return chunks


def rows() -> Iterator[list[str]]:
    """A row for each shape and size."""
    tokenizer = Tokenizer.load("o200k_base")
    files, _ = prepare(default_folder(), ["english"])
    for shape in ("lines", "paragraphs"):
        text = prose(files["english"], shape)
        megabytes = len(text.encode()) / 1e6
        for size in SIZES:
            tasks: list[Callable[[], object]] = []
            for column in COLUMNS:
                options = settings(size)[column]
                chunker = TextChunker(size, **options)
                outline = chunker.outline(text)
                context_at = chunker.context_of(text, outline, "a.txt")
                tasks.append(partial(in_cpp, text, chunker, outline, context_at))
                budget = Budget.of(size, overlap=options.get("overlap", 0))
                tasks.append(partial(readable, text, budget, tokenizer, outline, context_at))
            for overlap in (0, size // 8):
                tasks.append(partial(by_bulk_prices, text, tokenizer, outline, size, overlap))  # noqa: PERF401
            yield [f"{shape}, {size}", *(f"{megabytes / best_seconds(task, repeats=3):.1f}" for task in tasks)]


def main() -> None:
    """Print the table, and write it where that is asked for."""
    chosen = parser(__doc__).parse_args()
    pinned = pin_to_one_core()
    report = Report("Two designs of the grower", chosen.output)
    report.add_provenance(["bpe-chunker"], pinned, "MB/s, o200k_base")
    columns = [f"{design}, {column}" for column in COLUMNS for design in ("C++", "readable")]
    report.add_table(["text, tokens", *columns, "bulk prices, plain", "bulk prices, overlap"], rows())


if __name__ == "__main__":
    main()
