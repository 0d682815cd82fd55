"""Splitters that measure by `len`, with LangChain's and LlamaIndex's own in the same run.

    python benchmarks/run.py length_splitters                     the tables
    python benchmarks/run.py length_splitters --output FILE       written there as well
    python benchmarks/run.py length_splitters --only html         some cells alone

Both sides get the same texts, sizes and overlaps; the chunks differ, as each has its own rules. Processor time of one
core, the best of some rounds in turns. A ratio is our time divided by theirs: 1.00 is as long, less is faster.
"language=, structure" is other work: LangChain's `from_language` looks for lines that begin with certain words, as ours
does, but our option `language` reads the structure of the text. "Of it structure": that reading (for Python, to parse
the text), divided by all of their time; code between fences of Markdown is parsed when it is cut, which is not in it.
"Theirs above the size": how many of their chunks are longer than the size that was asked for, because there is no
separator in them; none of ours is.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import langchain_text_splitters as theirs
from chunk_ratios import each, in_turns
from format_texts import edited_texts
from measuring import Report, parser
from timing import pin_to_one_core

from chunker import TextChunker
from chunker.integrations import langchain as ours

ROUNDS = 7
SIZES = ((1_000, 200), (200, 0), (4_000, 200))
# The length of each document, and how many of them.
SHAPES = {"1 kB": (1_000, 50), "20 kB": (20_000, 10), "200 kB": (200_000, 1)}
LANGUAGES = {"markdown": "markdown", "html": "html", "python": "python", "latex": "latex"}
HEADERS = [("#", "h1"), ("##", "h2"), ("###", "h3")]
Split = Callable[[str], object]
Cell = tuple[str, str, Split, Split, Split | None]


def _prose(text: str) -> str:
    """Paragraphs of one line each."""
    return text.replace(".\n\n", ".\n\t").replace(".\n", ". ").replace("\t", "\n")


def cells(size: int, overlap: int) -> Iterator[Cell]:
    """Each comparison: the names of the text and of the splitter, our `split` and theirs, and the reader of the structure for ours, if any."""
    sizes: dict[str, Any] = {"chunk_size": size, "chunk_overlap": overlap, "length_function": len}
    mine, other = ours.RecursiveCharacterTextSplitter, theirs.RecursiveCharacterTextSplitter
    for name in ("text", "prose", "python"):
        yield name, "recursive", mine(**sizes).split_text, other(**sizes).split_text, None
    started: dict[str, Any] = {**sizes, "add_start_index": True}
    yield "text", "recursive, start index", _documents(mine(**started)), _documents(other(**started)), None
    for separator in ("\n\n", "\n"):
        named = f"character, {separator!r}"
        yield (
            "text",
            named,
            mine(separators=[separator], **sizes).split_text,
            theirs.CharacterTextSplitter(separator=separator, **sizes).split_text,
            None,
        )
    for name, language in LANGUAGES.items():
        known = theirs.Language(language)
        own = other.from_language(known, **sizes).split_text
        yield name, "from_language", mine.from_language(known, **sizes).split_text, own, None
        sketch = TextChunker(size, overlap=overlap, tokenizer="characters", format=language).sketch
        yield name, "language=, structure", mine(language=language, **sizes).split_text, own, sketch
    yield (
        "markdown",
        "headers",
        ours.MarkdownHeaderTextSplitter(HEADERS).split_text,
        theirs.MarkdownHeaderTextSplitter(HEADERS).split_text,
        None,
    )
    try:
        sentences = importlib.import_module("llama_index.core.node_parser").SentenceSplitter
        parsed = importlib.import_module("chunker.integrations.llamaindex").TokenBudgetNodeParser
    except ImportError:
        return
    shared: dict[str, Any] = {"chunk_size": size, "chunk_overlap": overlap}
    for name in ("text", "prose"):
        # Its tokenizer returns what is counted: the characters themselves.
        yield (
            name,
            "LlamaIndex sentences",
            parsed(tokenizer="characters", **shared).split_text,
            sentences(tokenizer=list, **shared).split_text,
            None,
        )


def _documents(splitter: Any) -> Split:  # noqa: ANN401  # of either package
    return lambda text: splitter.create_documents([text])


def _above(size: int, found: object) -> str:
    """The share of chunks, texts or documents, with more than `size` characters."""
    lengths = [len(getattr(chunk, "page_content", chunk)) for chunk in found]  # type: ignore[attr-defined]  # a list
    return f"{sum(length > size for length in lengths) / len(lengths):.0%}"


def rows(texts: dict[str, str], only: str) -> Iterator[list[str]]:
    """A row for each text, splitter and size: our MB/s on the longest documents, and the ratio for each length."""
    for size, overlap in SIZES:
        for name, splitter, mine, other, structure in cells(size, overlap):
            if name not in texts or only not in f"{name} {splitter}" or (splitter == "headers" and size != SIZES[0][0]):
                continue
            ratios, speed, alone, above = [], 0.0, "", ""
            for length, number in SHAPES.values():
                text = texts[name]
                documents = [
                    text[start : start + length] for start in range(0, min(len(text), length * number), length)
                ]
                works: dict[str, Callable[[], object]] = {
                    "ours": partial(each, mine, documents),
                    "theirs": partial(each, other, documents),
                }
                if structure is not None:
                    works["structure"] = partial(each, structure, documents)
                taken = in_turns(works, ROUNDS)
                alone = f"{taken['structure'] / taken['theirs']:.2f}" if structure is not None else ""
                ratios.append(f"{taken['ours'] / taken['theirs']:.2f}")
                speed = sum(map(len, documents)) / taken["ours"] / 1e6
                above = "" if splitter == "headers" else _above(size, other(documents[0]))
            yield [
                name,
                splitter,
                f"{size}, {overlap}" if splitter != "headers" else "",
                f"{speed:.1f}",
                *ratios,
                alone,
                above,
            ]


def main() -> None:
    """Print the table, and write it where that is asked for."""
    arguments = parser(__doc__)
    arguments.add_argument("--only", default="", metavar="WORD", help="cells whose text or splitter has this word")
    chosen = arguments.parse_args()
    # LangChain's says of each chunk above its size that it is.
    logging.disable(logging.WARNING)
    pinned = pin_to_one_core()
    texts = edited_texts()
    texts["prose"] = _prose(texts["text"])
    report = Report("Splitters that measure by len, beside LangChain's and LlamaIndex's own", chosen.output)
    report.add_provenance(
        ["bpe-chunker", "langchain-text-splitters", "llama-index-core"],
        pinned,
        "processor time",
    )
    report.add((__doc__ or "").split("\n\n")[2].replace("\n", " ").strip())
    lengths = [f"ratio, {name}" for name in SHAPES]
    header = [
        "text",
        "splitter",
        "size, overlap",
        "MB/s, 200 kB",
        *lengths,
        "of it structure, 200 kB",
        "theirs above the size, 200 kB",
    ]
    report.add_table(header, rows(texts, chosen.only))


if __name__ == "__main__":
    main()
