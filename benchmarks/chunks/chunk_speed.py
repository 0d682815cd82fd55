"""How fast are the chunkers beside those of other packages? At 512 tokens of o200k_base, on one core, each figure in a fresh process, in one run.

Machines differ and are noisy: compare the ratios within one report, not the figures of two.
"""

from __future__ import annotations

import gzip
import json
import re
import tempfile
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from chunk_speed_peers import CODE, LIMIT, MARKDOWN, OURS, PACKAGES, PARSE, PEERS, PROSE
from code_texts import code_texts
from debian_packages import PackageUnavailableError, unpacked
from fresh_process import Outcome, best_of, run
from language_texts import default_folder, prepare
from measuring import Report, parser
from peer_files import prepare_files
from real_texts import standard_library
from rich.progress import track
from timing import in_units, pin_to_one_core

from bpe_engine import Tokenizer, implementation

RESULTS = Path(__file__).parents[1] / "results"
_TASKS = Path(__file__).with_name("chunk_speed_tasks.py")
_NODE = ("nodejs-doc", "usr/share/doc/nodejs/api/*.md.gz")
_NOT_PAGES = {"all.md.gz", "index.md.gz"}
_DOCUMENT = 50_000  # characters of a document, where the text has no documents
_PLACE = re.compile(r" \(/.*")  # what a message says of where it is installed
_REFUSED = "<|endoftext|>"  # a text with it is an error to some peers
GROWTH = (1_000_000, 10_000_000, 100_000_000)


class Texts(NamedTuple):
    """Documents of one kind: `language` as the packages of grammars call it."""

    name: str
    kind: str
    language: str
    documents: list[str]

    @property
    def size(self) -> int:
        """In bytes of UTF-8."""
        return sum(len(document.encode()) for document in self.documents)


def collect(folder: Path, most: int) -> tuple[list[Texts], list[str]]:
    """The texts, each of about `most` bytes; and the missing ones, with the reason."""
    found: list[Texts] = []
    missing = []
    languages, skipped = prepare(folder, ["english", "chinese"])
    for language, path in languages.items():
        text = path.read_text("utf-8")
        found.append(Texts(f"{language.title()} prose", PROSE, language, _head(_documents(text), most)))
    missing += [f"no {language} prose: {why}" for language, why in skipped.items()]
    try:
        pages = sorted(path for path in unpacked(_NODE[0], folder).glob(_NODE[1]) if path.name not in _NOT_PAGES)
        texts = (gzip.decompress(path.read_bytes()).decode("utf-8") for path in pages)
        found.append(Texts("Markdown (the reference of Node.js)", MARKDOWN, "markdown", _head(texts, most)))
    except PackageUnavailableError as error:
        missing.append(f"no Markdown: {error}")
    found.append(Texts("Python (the standard library)", CODE, "python", _head(standard_library().values(), most)))
    for language, title in (("javascript", "JavaScript"), ("java", "Java"), ("cpp", "C++")):
        sources, why_not = code_texts(language, folder)
        if sources:
            found.append(Texts(title, CODE, language, _head(sources.values(), most)))
        missing += why_not
    return found, missing


def _documents(text: str) -> Iterable[str]:
    """The text in parts of about `_DOCUMENT` characters, which end with a line."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _DOCUMENT) + 1 or len(text)
        yield text[start:end]
        start = end


def _head(documents: Iterable[str], most: int) -> list[str]:
    """The first documents that have `most` bytes together."""
    kept: list[str] = []
    for document in documents:
        if most <= 0:
            break
        if document.strip() and _REFUSED not in document:
            kept.append(document)
            most -= len(document.encode())
    return kept


def compare(report: Report, texts: Texts, path: Path, files: Path, patience: tuple[float, int]) -> None:
    """A table of all chunkers for texts of this kind. `patience`: the seconds a process may take, and the processes for a figure."""
    limit, rounds = patience
    tokens = sum(Tokenizer.load("o200k_base").count_batch(texts.documents))
    report.add(f"## {texts.name}: {len(texts.documents)} documents, {texts.size / 1e6:.2f} MB, {tokens:,} tokens")
    names = [name for name, peer in PEERS.items() if texts.kind in peer.kinds]
    outcomes: dict[str, Outcome] = {}
    for name in track(names, description=texts.name, transient=True):
        outcomes[name] = best_of(
            run(
                "passes",
                limit,
                script=_TASKS,
                peer=name,
                files=str(files),
                texts=str(path),
                language=texts.language,
                bytes_a_token=texts.size / tokens,
            )
            for _ in range(rounds)
        )
    ours = outcomes[OURS[texts.kind]].figures
    parse = outcomes[PARSE].figures if PARSE in outcomes else {}
    rows = []
    for name, outcome in outcomes.items():
        figures = outcome.figures
        if not figures:
            rows.append([name, _PLACE.sub("", outcome.failure), *[""] * (6 + bool(parse))])
            continue
        megabytes = figures["bytes"] / 1e6
        row = [
            name,
            in_units(figures["loading"]),
            f"{megabytes / figures['first']:.2f}",
            f"{megabytes / figures['warm']:.2f}",
            f"{figures['warm'] / ours['warm']:.2f}" if ours else "",
        ]
        if parse:
            row.append(f"{figures['warm'] / parse['warm']:.2f}")
        chunks = ["", "", ""]
        if name != PARSE:
            chunks = [f"{figures['chunks']:,.0f}", f"{figures['over']:,.0f}", f"{figures['largest']:,.0f}"]
        rows.append([*row, *chunks])
    header = ["", "loading", "first pass, MB/s", "warm, MB/s", "time / ours"]
    report.add_table(
        [*header, *(["time / the parse"] if parse else []), "chunks", f"over {LIMIT} tokens", "the largest"], rows
    )


def grow(report: Report, collected: list[Texts], paths: list[Path], sizes: tuple[int, ...], rounds: int) -> None:
    """Our chunkers on one text of growing length."""
    report.add("## One text of 1, 10 and 100 MB")
    report.add(
        "The texts above, again and again. 10 is linear; the memory is what the process had at most beyond the text itself and before any "
        "chunk, the chunks included."
    )
    rows = []
    for texts, path in track(list(zip(collected, paths, strict=True)), description="growth", transient=True):
        name = OURS[texts.kind]
        outcomes = [
            best_of(
                run("growth", 900, script=_TASKS, peer=name, texts=str(path), language=texts.language, size=size)
                for _ in range(rounds if size < GROWTH[-1] else 1)
            )
            for size in sizes
        ]
        failures = [outcome.failure for outcome in outcomes if outcome.failure]
        if failures:
            rows.append([f"{name}, {texts.name}", *failures])
            continue
        seconds = [outcome.figures["seconds"] for outcome in outcomes]
        rows.append(
            [
                f"{name}, {texts.name}",
                *map(in_units, seconds),
                *(f"{after / before:.1f}" for before, after in pairwise(seconds)),
                f"{sizes[-1] / 1e6 / seconds[-1]:.1f}",
                *(f"{outcome.figures['memory'] / size:.1f}" for outcome, size in zip(outcomes, sizes, strict=True)),
            ]
        )
    names = [f"{size / 1e6:g} MB" for size in sizes]
    ratios = [f"{after} / {before}" for before, after in pairwise(names)]
    report.add_table(
        ["", *names, *ratios, f"MB/s at {names[-1]}", *(f"memory / text at {name}" for name in names)], rows
    )


def main() -> None:
    """Measure, and report."""
    arguments = parser(__doc__)
    arguments.add_argument("--megabytes", type=float, default=1.0, help="of each text, about (default: 1)")
    arguments.add_argument("--rounds", type=int, default=2, help="processes for a figure, the best counts (default: 2)")
    arguments.add_argument("--limit", type=float, default=120.0, help="seconds a process may take (default: 120)")
    arguments.add_argument("--only", choices=["peers", "growth"], help="this part alone")
    arguments.add_argument(
        "--of",
        nargs="+",
        metavar="WORD",
        help="only texts with one of these words in their name: English, Markdown ...",
    )
    arguments.add_argument("--no-large", action="store_true", help="up to 10 MB, not to 100")
    arguments.add_argument(
        "--texts", type=Path, default=default_folder(), help="where texts are kept (default: %(default)s)"
    )
    options = arguments.parse_args()
    partial = options.only or options.of
    output = options.output or RESULTS / ("chunk_speed_partial.md" if partial else "chunk_speed.md")

    collected, missing = collect(options.texts, int(options.megabytes * 1e6))
    if options.of:
        collected = [texts for texts in collected if any(word in texts.name for word in options.of)]
    files = options.texts / "vocabularies"
    prepare_files(files)
    report = Report("Speed of chunking", output)
    report.add_provenance(
        PACKAGES,
        f"processor time, {pin_to_one_core()}; this package's engine: {implementation()}",
        "loading: the import, and making the chunker with its tokenizer; first pass: over all documents, by a process that has cut nothing "
        "before; warm: the best of some more passes",
        *missing,
    )
    with tempfile.TemporaryDirectory() as scratch:
        paths = []
        for number, texts in enumerate(collected):
            paths.append(Path(scratch) / f"{number}.json")
            paths[-1].write_text(json.dumps(texts.documents), "utf-8")
        if options.only != "growth":
            for texts, path in zip(collected, paths, strict=True):
                compare(report, texts, path, files, (options.limit, options.rounds))
        if options.only != "peers":
            grow(report, collected, paths, GROWTH[:-1] if options.no_large else GROWTH, options.rounds)
    print(f"kept in {output}")


if __name__ == "__main__":
    main()
