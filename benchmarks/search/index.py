"""Cost and recall of an index: 100,000 chunks compared with LanceDB and Chroma, the text that an edit embeds again, and the parts of the search.

    python benchmarks/run.py index [--chunks 100000] [--output FILE]
    python benchmarks/run.py index --only costs edits ranking

Each system runs in a process of its own, over the same chunks and the same vectors. Peers that are not installed are
left out, and so are questions whose Debian packages cannot be fetched.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

import platformdirs
from fresh_process import Outcome, run
from index_edits import Edits, edits_of, moves
from index_ranking import rankings
from measuring import Report, parser
from timing import pin_to_one_core

CHUNKS = 100_000
PACKAGES = ["bpe-chunker", "numpy", "lancedb", "chromadb"]
_LIMIT = 3600.0
_TASKS = Path(__file__).with_name("index_tasks.py")

COSTS = """\
- Texts are made up, of words with the frequencies of a language (Zipf), about 60 words a chunk; vectors are those of the embedder that comes with the \
package, 512 numbers each, made before and the same for all. Each system has a process of its own. Times are processor time, all threads together; waited \
is the clock on the wall, on a machine that others used as well. Search: the median of fifty questions, excerpts of twelve words; and \
fifty of three words each that hardly go together in any chunk, which are far from all vectors and hard for a graph. Memory is \
the most that the process ever had.
- Ours reads files, cuts them, keeps places, texts, full text and vectors, and commits; LanceDB and Chroma get ready chunks (id, text, vector), 4,096 at a \
time. LanceDB searches without an index, which is exact; Chroma has its graph (HNSW, as it comes), which is approximate: found is the share of the \
ten nearest that it names. The file's pages that ours maps count as its memory."""
EDITS = """\
- One line is inserted, in turn at a hundred places evenly spread over a file, indented as the line after it, and taken out again. Share: tokens that \
are sent to the embedder, of all tokens of the file. Broken: of the places where the line stands in the middle of a statement, so that the file is no \
Python any more."""
RANKING = """\
- The questions of `retrieval.md`; chunks as the index cuts them (160 to 256 tokens), the ten best hits of each question. Recall: the share of the \
answer that is in them; first five: questions of which one of the first five hits has a part of the answer; rank: the mean reciprocal rank of the first that \
has; all in hundredths. Both fused and words are with all rules of the ranking. Differences are to both, paired by question, with 95 % confidence intervals."""

_COLUMNS: Mapping[str, Callable[[float], str]] = {
    "write, s": lambda value: f"{value:.1f}",
    "waited, s": lambda value: f"{value:.1f}",
    "again, s": lambda value: f"{value:.2f}",
    "search, ms": lambda value: f"{value:.1f}",
    "waited, ms": lambda value: f"{value:.1f}",
    "found, %": lambda value: f"{value:.0f}",
    "of rare words, %": lambda value: f"{value:.0f}",
    "memory to write, MB": lambda value: f"{value:.0f}",
    "memory to search, MB": lambda value: f"{value:.0f}",
    "disk, MB": lambda value: f"{value:.0f}",
}


def main() -> None:
    """Measure what is asked for, and report."""
    arguments = parser(__doc__)
    arguments.add_argument("--chunks", type=int, default=CHUNKS)
    arguments.add_argument("--only", nargs="+", choices=["costs", "edits", "ranking"])
    arguments.add_argument("--texts", type=Path, metavar="FOLDER", help="keep documents there, not in the user's cache")
    given = arguments.parse_args()
    asked = given.only or ["costs", "edits", "ranking"]
    texts = given.texts or Path(platformdirs.user_cache_dir("bpe-chunker")) / "benchmark-texts"
    report = Report("The index", given.output)
    report.add_provenance(PACKAGES, pin_to_one_core())
    if "costs" in asked:
        costs(report, given.chunks)
    if "edits" in asked:
        report.add("## What an edit embeds again")
        report.add(EDITS)
        found = edits_of(texts)
        report.add_table(
            ["file", "lines", "chunks", "mean share", "largest share", "broken: places", "mean share", "largest"],
            [_row(edits) for edits in found],
        )
        for line in moves():
            report.add(line)
    if "ranking" in asked:
        report.add("## The parts of the search")
        report.add(RANKING)
        for title, rows in rankings(texts):
            report.add(f"### {title}")
            report.add_table(
                ["by", "recall", "first five", "rank", "recall, to both", "first five, to both", "rank, to both"], rows
            )


def costs(report: Report, chunks: int) -> None:
    """The table of all systems."""
    report.add(f"## {chunks:,} chunks")
    report.add(COSTS)
    with tempfile.TemporaryDirectory() as name:
        made = run("make", _LIMIT, script=_TASKS, folder=name, chunks=chunks)
        if made.failure:
            raise RuntimeError(made.failure)
        rows = []
        for system, label in _SYSTEMS.items():
            written = run(f"{system}_write", _LIMIT, script=_TASKS, folder=name)
            if written.failure:
                rows.append([label, written.failure, *[""] * (len(_COLUMNS) - 1)])
                continue
            for way in _WAYS.get(system, [""]):
                searched = run(f"{system}_search", _LIMIT, script=_TASKS, folder=name, by=way or "vectors")
                rows.append([f"{label}{way and f', {way}'}", *_cells(written, searched)])
    report.add_table(["", *_COLUMNS], rows)


def _cells(*outcomes: Outcome) -> list[str]:
    figures = {name: value for outcome in outcomes for name, value in outcome.figures.items()}
    return [show(figures[name]) if name in figures else "" for name, show in _COLUMNS.items()]


def _row(edits: Edits) -> list[str]:
    return [
        edits.name,
        f"{edits.lines:,}",
        f"{edits.chunks:,}",
        *_shares(edits.shares),
        f"{len(edits.broken)}",
        *_shares(edits.broken),
    ]


def _shares(shares: list[float]) -> list[str]:
    return [f"{100 * value:.2f} %" for value in (sum(shares) / len(shares), max(shares))] if shares else ["", ""]


_SYSTEMS = {
    "ours": "bpe-chunker",
    "ours_lance": "bpe-chunker, its vectors in LanceDB",
    "lancedb": "LanceDB",
    "chroma": "Chroma",
}
_WAYS = {"ours": ["vectors", "words", "both"]}

if __name__ == "__main__":
    main()
