"""Which chunks find the answers? Three sets of questions, one embedder, the same number of retrieved tokens for every chunker.

    python benchmarks/run.py retrieval                            chunks of 200 tokens: the embedder reads nearly all of them
    python benchmarks/run.py retrieval --sizes 128 200 256 512

Runs on one core, offline after the Debian packages with the documents have been fetched. Vectors are kept from run to
run: the first takes about nine minutes of processor time a size, the next seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import platformdirs
from debian_packages import PackageUnavailableError
from measuring import Report, parser
from retrieval_embedder import PACKAGE, READ, Store, word_pieces
from retrieval_sets import SETS, QuestionSet
from retrieval_systems import PACKAGES, systems
from rich.progress import track
from timing import pin_to_one_core

from bpe_engine import Tokenizer
from chunker.evaluation.metrics import Difference, paired
from chunker.evaluation.retrieving import Findings, Passage, look_up, passages

BUDGET = 2000  # tokens that are retrieved for a question
MOST = 5  # chunks that are retrieved for a question
USUAL = 200  # tokens of a chunk

# What is compared: column, measure.
COMPARED = {"recall": "recall", "overlap": "overlap", "rank": "rank", f"overlap of {MOST}": "first overlap"}
MEASURED = {
    **{name: name for name in ("recall", "precision", "overlap", "whole")},
    **{f"{name} of {MOST}": f"first {name}" for name in ("recall", "precision", "overlap")},
    "rank": "rank",
}
VERDICTS = ("better", "tie", "worse")
EXPLANATION = f"""\
- All figures are in hundredths, of characters that are not white space, mean over the questions of a set.
- recall, precision, overlap: of the first {BUDGET:,} tokens retrieved, the last chunk cut to what is left of them; contexts are \
part of what is retrieved. Recall is the share of the answer that is in them, precision the share of them that is answer, overlap the intersection of \
both over their union. whole: questions whose answer is in them completely.
- the same of {MOST}: of the first {MOST} chunks, whatever their size. Five small chunks are less text than five large ones: chunkers \
that fill less of their budget gain precision here and lose recall.
- rank: mean reciprocal rank of the first chunk that has a part of the answer.
- read: of all word pieces of the chunks, what the embedder reads: it stops after {READ} of a chunk. What it does not read can be \
retrieved all the same, but not found.
- Differences are to our chunker as it comes, in the first row: paired by question, with the 95 % confidence interval of 10,000 \
bootstrap samples of the questions (seeded). "tie" is where the interval includes 0. Intervals are not corrected for their number: of \
20 true ties, one is expected to be called something else.
- No chunker was tuned on these sets. One embedder, English, three small corpora: other texts may say otherwise."""


def read_share(chunks: Sequence[Passage]) -> float:
    """Of all word pieces of the chunks, the share that the embedder reads."""
    lengths = np.array([len(found.ids) for found in word_pieces().encode_batch([chunk.text for chunk in chunks])])
    return float(np.minimum(lengths - 2, READ).sum() / (lengths - 2).sum())


@dataclass(frozen=True)
class Cell:
    """The results of one set of questions at one size of chunks: the figures of each chunker, or why it has none."""

    limit: int
    findings: dict[str, Findings]
    read: dict[str, float]
    failures: dict[str, str]

    def differences(self, name: str) -> dict[str, Difference]:
        """Column -> difference of a chunker to the first."""
        reference = next(iter(self.findings.values()))
        return {
            column: paired(self.findings[name].values(measure), reference.values(measure))
            for column, measure in COMPARED.items()
        }


def compare(kind: str, asked: QuestionSet, limit: int, store: Store, tokenizer: Tokenizer) -> Cell:
    """All chunkers on one set."""
    findings = {}
    read = {}
    failures = {}
    for name, system in track(systems(kind, limit).items(), description=f"{asked.name}, {limit}", transient=True):
        try:
            chunks = passages(system, asked.documents, tokenizer)
        except Exception as error:  # noqa: BLE001 - whatever a package fails with is a result
            failures[name] = f"{name}: {type(error).__name__}: {error}"
            continue
        findings[name] = look_up(
            chunks, asked.questions, asked.documents, store.vectors, tokenizer, budget=BUDGET, first=MOST
        )
        read[name] = read_share(chunks)
    return Cell(limit, findings, read, failures)


def add_cell(report: Report, cell: Cell) -> None:
    """Two tables: figures, and differences to our chunker as it comes."""
    report.add(f"### {cell.limit} tokens")
    report.add_table(
        ["", "chunks", "mean tokens", "read", *MEASURED],
        [
            [
                name,
                f"{found.chunks:,}",
                f"{found.tokens:.0f}",
                f"{100 * cell.read[name]:.0f} %",
                *(f"{100 * found.mean(measure):.1f}" for measure in MEASURED.values()),
            ]
            for name, found in cell.findings.items()
        ],
    )
    for failure in cell.failures.values():
        report.add(f"Not run: {failure}")
    report.add_table(
        ["difference to the first row", *COMPARED],
        [[name, *map(str, cell.differences(name).values())] for name in list(cell.findings)[1:]],
    )


def add_summary(report: Report, cells: Sequence[Cell]) -> None:
    """How often each chunker was better than ours as it comes, tied with it, or worse."""
    verdicts: dict[str, dict[str, list[str]]] = {}
    for cell in cells:
        for name in list(cell.findings)[1:]:
            for column, difference in cell.differences(name).items():
                verdicts.setdefault(name, {}).setdefault(column, []).append(difference.verdict)
    report.add("## Against our chunker as it comes: better, tie, worse, of all sets and sizes")
    report.add_table(
        ["", *COMPARED],
        [
            [name, *(", ".join(str(found.count(verdict)) for verdict in VERDICTS) for found in columns.values())]
            for name, columns in verdicts.items()
        ],
    )


def main() -> None:
    """Ask, and report."""
    arguments = parser(__doc__)
    arguments.add_argument("--sizes", type=int, nargs="+", default=[USUAL], metavar="TOKENS", help="of chunks")
    arguments.add_argument(
        "--texts", type=Path, metavar="FOLDER", help="keep documents and vectors there, not in the user's cache"
    )
    given = arguments.parse_args()
    folder = given.texts or Path(platformdirs.user_cache_dir("bpe-chunker")) / "benchmark-texts"
    pinned = pin_to_one_core()
    store = Store(folder / "vectors")
    tokenizer = Tokenizer.load("o200k_base")
    asked: dict[str, QuestionSet] = {}
    cells: dict[str, list[Cell]] = {}
    missing = []
    for kind, make in SETS.items():
        try:
            asked[kind] = make(folder)
        except PackageUnavailableError as error:
            missing.append(f"{kind}: {error}")
            continue
        cells[kind] = [compare(kind, asked[kind], limit, store, tokenizer) for limit in given.sizes]
    report = Report("Chunks that are found", given.output)
    packages = [*PACKAGES, PACKAGE, "openvino", "tokenizers", "numpy"]
    report.add_provenance(packages, f"{pinned}; tokens are those of o200k_base; the embedder is all-MiniLM-L6-v2")
    report.add(EXPLANATION)
    for why in missing:
        report.add(f"Not run: {why}")
    add_summary(report, [cell for found in cells.values() for cell in found])
    for kind, found in cells.items():
        add_set(report, asked[kind], tokenizer)
        for cell in found:
            add_cell(report, cell)


def add_set(report: Report, asked: QuestionSet, tokenizer: Tokenizer) -> None:
    """Describe a set of questions: their number, documents and answers."""
    answers = [tokenizer.count(asked.documents[one.document][one.start : one.end]) for one in asked.questions]
    total = sum(map(tokenizer.count, asked.documents.values()))
    report.add(f"## {asked.name}: {asked.source}")
    report.add(
        f"{len(asked.questions)} questions on {len(asked.documents)} documents of {total:,} tokens together; an answer has "
        f"{np.median(answers):.0f} tokens (median), one in ten more than {np.percentile(answers, 90):.0f}. {asked.rule}"
    )


if __name__ == "__main__":
    main()
