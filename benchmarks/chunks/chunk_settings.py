"""The speed of chunking in the settings that people use: sizes, overlap, context, desired size, strategy; lines and whole paragraphs; languages.

    python benchmarks/run.py chunk_settings                        the table
    python benchmarks/run.py chunk_settings --output F             written there as well
    python benchmarks/run.py chunk_settings --languages german     of some languages alone
    python benchmarks/run.py chunk_settings --first                of the first text of a process, a process a cell
    python benchmarks/run.py chunk_settings --formats              of formats in place of prose, and of edits
    python benchmarks/run.py chunk_settings --tokenizers           by published tokenizers: needs those of
                                                                   tests/real_tokenizers.txt

Each text is a megabyte of prose, once with the lines that its pages have, and once with a paragraph a line. MB/s of
`chunk`, objects included: the best of a few calls, in one process on one core. The worst cell of each row is what to
look at.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import fresh_process
from family_files import family_files
from format_texts import edited_texts, format_texts
from language_texts import default_folder, prepare
from measuring import Report, parser
from timing import best_seconds, cpu_seconds, pin_to_one_core

from bpe_engine import Tokenizer
from chunker import TextChunker
from chunker.edits import EditedText

LANGUAGES = ("english", "german", "chinese", "japanese", "hindi")
SIZES = (32, 64, 128, 256, 512, 2000)
SIZE = 1_000_000  # bytes
FORMAT_SIZES = (128, 512)  # of Markdown all of SIZES
FORMAT_COLUMNS = ("plain", "overlap", "context", "both", "optimal")
FAMILY_SIZES, FAMILY_SIZE = (32, 128, 512), 300_000  # bytes
FAMILY_COLUMNS = ("plain", "overlap", "context", "both", "optimal")
ONE_WORD = "Aa" * 200 + "\u4e2d"  # repeated, a single word of most tokenizers
LINES = 20_000  # of a text that is edited, at least
EDITS, FEW_EDITS = 30, 3
FIRST, LIMIT = "first-pass", 20.0  # the task of a process of its own, and the seconds it may take
PLACES = (0.02, 0.5, 0.97)  # in such a text
BROKEN = "def broken(x:\n"
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


def prose(path: Path, shape: str) -> str:
    """A megabyte of a text, in one of the shapes."""
    lines = path.read_bytes()[:SIZE].decode("utf-8", "ignore")
    return lines if shape == "lines" else paragraphs_as_lines(lines)


def rows(languages: list[str], *, first: bool) -> Iterator[list[str]]:
    """One row per language, shape and size; `first`: of a text that is the first of its process."""
    files, missing = prepare(default_folder(), languages)
    for language, reason in missing.items():
        print(f"{language}: {reason}", file=sys.stderr)
    count = Tokenizer.load("o200k_base").count
    for language, path in files.items():
        for shape in ("lines", "paragraphs"):
            text = prose(path, shape)
            megabytes = len(text.encode()) / 1e6
            counted = f"{megabytes / best_seconds(partial(count, text)):.0f}"
            for size in SIZES:
                cells = []
                for column, options in settings(size).items():
                    if first:
                        outcome = fresh_process.run(
                            FIRST, LIMIT, script=Path(__file__), path=str(path), shape=shape, size=size, column=column
                        )
                        seconds = outcome.figures.get("seconds", float("nan"))
                    else:
                        seconds = best_seconds(partial(TextChunker(size, **options).chunk, text), repeats=3)
                    cells.append(f"{megabytes / seconds:.1f}")
                yield [f"{language}, {shape}, {size}", counted, *cells]


def first_pass(path: str, shape: str, size: int, column: str) -> dict[str, float]:
    """The seconds of the first text that this process chunks, after one letter."""
    text = prose(Path(path), shape)
    chunker = TextChunker(size, **settings(size)[column])
    chunker.chunk("a")
    return {"seconds": cpu_seconds(partial(chunker.chunk, text))}


def format_rows() -> Iterator[list[str]]:
    """One row per format and size."""
    count = Tokenizer.load("o200k_base").count
    for name, text in format_texts().items():
        megabytes = len(text.encode()) / 1e6
        counted = megabytes / best_seconds(partial(count, text))
        for size in SIZES if name == "markdown" else FORMAT_SIZES:
            chunkers = [TextChunker(size, format=name, **settings(size)[column]) for column in FORMAT_COLUMNS]
            speeds = [megabytes / best_seconds(partial(chunker.chunk, text), repeats=3) for chunker in chunkers]
            yield [f"{name}, {size}", f"{counted:.0f}", *(f"{speed:.1f}" for speed in speeds)]


def family_rows() -> Iterator[list[str]]:
    """One row per published tokenizer, text and size; o200k_base first."""
    tokenizers = {"o200k_base": Tokenizer.load("o200k_base")}
    tokenizers |= {name: Tokenizer.from_file(path, pattern=pattern) for name, (path, pattern) in family_files().items()}
    files, missing = prepare(default_folder(), ["english", "german", "chinese"])
    for language, reason in missing.items():
        print(f"{language}: {reason}", file=sys.stderr)
    texts = {name: ("text", path.read_bytes()[:FAMILY_SIZE].decode("utf-8", "ignore")) for name, path in files.items()}
    texts |= {"markdown": ("markdown", format_texts()["markdown"]), "python": ("python", edited_texts()["python"])}
    texts["one word"] = ("text", ONE_WORD * 500)
    for name, (text_format, whole) in texts.items():
        text = whole[:FAMILY_SIZE]
        megabytes = len(text.encode()) / 1e6
        for family, tokenizer in tokenizers.items():
            counted = megabytes / best_seconds(partial(tokenizer.count, text))
            for size in FAMILY_SIZES:
                chunkers = [
                    TextChunker(size, tokenizer=tokenizer, format=text_format, **settings(size)[column])
                    for column in FAMILY_COLUMNS
                ]
                speeds = [megabytes / best_seconds(partial(chunker.chunk, text), repeats=3) for chunker in chunkers]
                yield [f"{family}, {name}, {size}", f"{counted:.0f}", *(f"{speed:.1f}" for speed in speeds)]


def edit_rows() -> Iterator[list[str]]:
    """A row a format: a letter near the start, the middle or the end of a text of 20,000 lines is replaced, and put back."""
    texts = edited_texts()
    with_error = {"python, with errors": BROKEN + texts["python"]}
    for name, text in dict(sorted({**texts, **with_error}.items())).items():
        copy = text if text.endswith("\n") else text + "\n"
        whole = copy * -(-LINES // copy.count("\n"))
        chunker = TextChunker(512, format=name.partition(",")[0])
        edited = EditedText(chunker, whole)
        medians = [median(edit_seconds(edited, int(len(whole) * place))) * 1e3 for place in PLACES]
        anew = best_seconds(partial(chunker.chunk, whole), repeats=3) * 1e3
        around = "around the edit" if edited.is_local else "all of it"
        yield [name, f"{len(whole.encode()) / 1e6:.1f}", around, *(f"{each:.2f}" for each in medians), f"{anew:.1f}"]


def edit_seconds(edited: EditedText, first: int) -> list[float]:
    """The seconds of each edit of a letter after the offset `first`."""
    whole = edited.text
    chance = random.Random(1)  # noqa: S311  # texts to measure by
    seconds = []
    for _ in range(EDITS if edited.is_local else FEW_EDITS):
        at = first + chance.randrange(len(whole) // 50)
        while not whole[at].isalpha():
            at -= 1
        # The letter is put back, so that no edit leaves a syntax error to the next.
        seconds += [best_seconds(partial(edited.replace, at, at + 1, new), repeats=1) for new in ("q", whole[at])]
    return seconds


def main() -> None:
    """Print the table, and write it where that is asked for."""
    if sys.argv[1:2] == [FIRST]:
        print(json.dumps(first_pass(**json.loads(sys.argv[2]))))
        return
    arguments = parser(__doc__)
    arguments.add_argument("--first", action="store_true", help="the first text of a process, a process a cell")
    arguments.add_argument("--languages", nargs="+", choices=LANGUAGES, default=list(LANGUAGES))
    arguments.add_argument("--formats", action="store_true", help="chunks of formats, and edits, in place of prose")
    arguments.add_argument("--tokenizers", action="store_true", help="chunks by published tokenizers")
    chosen = arguments.parse_args()
    pinned = pin_to_one_core()
    if chosen.tokenizers:
        report = Report("Chunks by published tokenizers", chosen.output)
        report.add_provenance(["bpe-chunker"], pinned, "MB/s")
        report.add_table(["tokenizer, text, tokens", "counted", *FAMILY_COLUMNS], family_rows())
        return
    title = "Chunks of formats" if chosen.formats else "The first chunks" if chosen.first else "Chunks in many settings"
    report = Report(title, chosen.output)
    report.add_provenance(["bpe-chunker"], pinned, "MB/s, o200k_base")
    if chosen.formats:
        report.add_table(["format, tokens", "counted", *FORMAT_COLUMNS], format_rows())
        report.add(
            f"One letter of a text of {LINES:,} lines or more near the start, the middle or the end is replaced and put back, chunks of 512 tokens: "
            f"the median of {2 * EDITS} edits, "
            f"{2 * FEW_EDITS} where all of the text is read. Errors are those that the parser finds, elsewhere in the text."
        )
        report.add_table(["format", "MB", "read anew", "start, ms", "middle", "end", "chunked anew"], edit_rows())
        return
    report.add_table(["text, tokens", "counted", *settings(SIZES[0])], rows(chosen.languages, first=chosen.first))


if __name__ == "__main__":
    main()
