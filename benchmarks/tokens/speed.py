"""The speed of counting, encoding, appending, slicing and chunking real text, beside other packages, on one core.

Processor time of one thread. Machines differ and are noisy: compare the ratios within one report, not the figures of
two.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from chunk_peers import PACKAGES as CHUNK_PACKAGES
from chunk_peers import Split, code_splitters, count, prose_splitters
from measuring import Report, parser
from real_texts import installed_documents, standard_library
from rich.progress import track
from timing import best_seconds, cpu_seconds, in_units, pin_to_one_core
from token_peers import COUNTERS, PACKAGES, see_in_fresh_process

from bpe_engine import Tokenizer

PIECE = 40  # bytes appended at a time
SLICES = 200
REFERENCE = "tiktoken encode_ordinary"


def compare_counting(report: Report, encoding: str, texts: Mapping[str, str]) -> None:
    """One row a package and function: loading, first sight and warm, in megabytes of UTF-8 a second."""
    report.add(f"## Counting and encoding whole texts, {encoding}")
    report.add(
        "First sight is the first pass in a fresh process; warm is the best of up to five more on the same text. Loading of tiktoken "
        "here takes the vocabulary from this package."
    )
    seen = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind, text in texts.items():
            path = Path(folder, "text")
            path.write_bytes(text.encode())
            for name in track(COUNTERS, description=f"{encoding}, {kind}", transient=True):
                seen[name, kind] = see_in_fresh_process(name, encoding, path)
    rows = []
    for name in COUNTERS:
        row = [name, in_units(min(seen[name, kind].loading for kind in texts))]
        for kind, text in texts.items():
            size = len(text.encode()) / 1e6
            one, reference = seen[name, kind], seen[REFERENCE, kind]
            wrong = "" if one.tokens == reference.tokens else f" ({one.tokens - reference.tokens:+,} tokens!)"
            row += [
                f"{size / one.first:.1f}{wrong}",
                f"{size / one.warm:.1f}",
                f"{reference.warm / one.warm:.2f}",
                in_units(one.short),
            ]
        rows.append(row)
    header = ["", "loading"]
    for kind in texts:
        header += [f"{kind}, first sight, MB/s", "warm, MB/s", "warm / tiktoken", "1,000 characters"]
    report.add_table(header, rows)


def compare_appending(report: Report, text: str) -> None:
    """The count after each 40 bytes: an appending encoder, and whoever has to count the whole text each time."""
    report.add(f"## The count after each {PIECE} bytes of a growing text (Python source, o200k_base)")
    tokenizer = Tokenizer.load("o200k_base")
    recounters = {name: COUNTERS[name]("o200k_base") for name in (REFERENCE, "rs-bpe count", "toktok-rs batch_count")}
    data = text.encode("ascii", "replace")
    rows = []
    for size in (500, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000):
        pieces = [data[start : start + PIECE].decode() for start in range(0, size, PIECE)]
        _append_all(tokenizer, pieces)  # what is seen for the first time is the business of another table
        ours = best_seconds(partial(_append_all, tokenizer, pieces))
        row = [f"{size:,} bytes", in_units(ours)]
        for counter in recounters.values():
            theirs = best_seconds(partial(_count_anew, counter, pieces))
            row += [in_units(theirs), f"{theirs / ours:.2f}"]
        rows.append(row)
    header = ["text", "bpe-chunker append"]
    for name in recounters:
        header += [f"{name}, each time anew", "times ours"]
    report.add_table(header, rows)


def _append_all(tokenizer: Tokenizer, pieces: list[str]) -> int:
    encoder = tokenizer.appending_encoder()
    for piece in pieces:
        encoder.append(piece)
    return encoder.count


def _count_anew(counter: Callable[[str], int], pieces: list[str]) -> int:
    grown = ""
    tokens = 0
    for piece in pieces:
        grown += piece
        tokens = counter(grown)
    return tokens


def compare_slicing(report: Report, text: str) -> None:
    """The count of random slices: an interval encoder, and encoding the slice."""
    report.add(f"## The count of {SLICES} random slices (Python source, o200k_base)")
    tokenizer = Tokenizer.load("o200k_base")
    rows = [_slicing_row(tokenizer, text[:size]) for size in (10_000, 100_000, 1_000_000)]
    report.add_table(
        ["text", "build, once", "a slice", "a slice by tiktoken", "times ours", "the build is paid back after"], rows
    )


def _slicing_row(tokenizer: Tokenizer, text: str) -> list[str]:
    ends = random.Random(len(text))  # noqa: S311 - nothing secret
    slices = [sorted(ends.choices(range(len(text) + 1), k=2)) for _ in range(SLICES)]
    tokenizer.count(text)  # what is seen for the first time is the business of another table
    build = cpu_seconds(lambda: tokenizer.interval_encoder(text))
    prices = tokenizer.interval_encoder(text)
    assert [prices.count(start, end) for start, end in slices] == [count(text[start:end]) for start, end in slices]
    ours = best_seconds(lambda: [prices.count(start, end) for start, end in slices]) / SLICES
    theirs = best_seconds(lambda: [count(text[start:end]) for start, end in slices]) / SLICES
    return [
        f"{len(text):,} characters",
        in_units(build),
        in_units(ours),
        in_units(theirs),
        f"{theirs / ours:,.1f}",
        f"{build / (theirs - ours):,.1f} slices" if theirs > ours else "never",
    ]


def compare_chunking(
    report: Report, what: str, texts: Mapping[str, str], splitters: Mapping[str, Callable[[], Split]]
) -> None:
    """Chunking, in megabytes of UTF-8 per second."""
    size = sum(len(text.encode()) for text in texts.values()) / 1e6
    report.add(f"## Chunking at 512 tokens of o200k_base: {what}, {len(texts)} texts, {size:.2f} MB")
    rows = []
    for name, make in track(splitters.items(), description=what, transient=True):
        try:
            split = make()
            split("to warm up\n")
            speeds = [size / cpu_seconds(partial(_split_all, split, texts)) for _ in range(2)]
        except Exception as error:  # noqa: BLE001 - whatever a package fails with is a result
            rows.append([name, f"fails: {type(error).__name__}: {str(error).partition(chr(10))[0]}", ""])
            continue
        rows.append([name, *(f"{speed:.2f}" for speed in speeds)])
    report.add_table(["", "first sight, MB/s", "warm, MB/s"], rows)


def _split_all(split: Split, texts: Mapping[str, str]) -> None:
    for text in texts.values():
        split(text)


def _head(texts: Mapping[str, str], size: int) -> dict[str, str]:
    """The first of `texts` that have `size` characters together; the last one is cut."""
    kept = {}
    for name, text in texts.items():
        kept[name] = text[:size]
        size -= len(kept[name])
        if size <= 0:
            break
    return kept


def main() -> None:
    """Measure, and report."""
    arguments = parser(__doc__)
    arguments.add_argument(
        "--size", type=int, default=1_000_000, help="characters of each kind of text (default: a million)"
    )
    options = arguments.parse_args()
    report = Report("Speed", options.output)
    report.add_provenance(
        dict.fromkeys([*PACKAGES, *CHUNK_PACKAGES]),
        f"processor time of one thread, {pin_to_one_core()}",
        "this package's engine is the readable one, in Python; the others are compiled",
    )
    # Some peers refuse texts with a special token in them (chunk_structure.py tells which); here they should have a
    # figure.
    harmless = {name: text for name, text in installed_documents().items() if "<|endoftext|>" not in text}
    prose = _head(harmless, options.size)
    code = _head(standard_library(), options.size)
    texts = {"English documents": "".join(prose.values()), "Python source": "".join(code.values())}
    for encoding in ("o200k_base", "cl100k_base"):
        compare_counting(report, encoding, texts)
    compare_appending(report, texts["Python source"])
    compare_slicing(report, texts["Python source"])
    compare_chunking(report, "Python source", code, code_splitters(512))
    compare_chunking(report, "English documents", prose, prose_splitters(512))


if __name__ == "__main__":
    main()
