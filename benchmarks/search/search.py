"""Does search find the file? Questions with known answers about repositories of code: words alone, each rule left out, all together.

    git clone --depth 1 https://github.com/MinishLab/semble     its annotations are the questions
    python benchmarks/run.py search --annotations semble/benchmarks/annotations --repositories FOLDER

FOLDER has a checkout of each repository, called as its file of annotations. Indexes are kept in --keep from run to run.
"""

from __future__ import annotations

import json
import math
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from measuring import Report, parser

from chunker.index import Index, Weights
from chunker.index.searching import By

PACKAGES = ["bpe-chunker", "numpy"]
# The repositories of which annotations are used, and the folder of each that the questions are about.
ROOTS = {
    "aiohttp": "aiohttp",
    "chi": "",
    "cobra": "",
    "commons-lang": "src/main/java/org/apache/commons/lang3",
    "rack": "lib/rack",
    "tokio": "tokio/src",
    "trpc": "packages/server/src",
    "zod": "packages/zod/src",
    "ktor": "ktor-client/ktor-client-core/common/src",
    "cats": "core/src/main/scala",
    "serde": "",
    "nlohmann-json": "include/nlohmann",
    "fmtlib": "include/fmt",
}
# Hits that are read for ten files, and files that count.
HITS, FILES = 40, 10
NO_RULES = Weights(meaning=0, definitions=0, path=0, stem=0, file=0, phrase=0, again=1, lower=False)
_ALL = Weights()
WAYS: dict[str, tuple[By, Weights]] = {
    "all rules, words and vectors": ("both", _ALL),
    "all rules, words": ("words", _ALL),
    "words (BM25) without rules": ("words", NO_RULES),
    "vectors (hashed words)": ("vectors", NO_RULES),
    "without definitions": ("both", replace(_ALL, definitions=0)),
    "without path": ("both", replace(_ALL, path=0)),
    "without stem": ("both", replace(_ALL, stem=0)),
    "without path and stem": ("both", replace(_ALL, path=0, stem=0)),
    "without file": ("both", replace(_ALL, file=0)),
    "without again": ("both", replace(_ALL, again=1)),
    "without lower": ("both", replace(_ALL, lower=False)),
}
REMARKS = (
    "NDCG@10 by file: of the first ten files among the first forty hits; primary and secondary answers count alike.",
    (
        "Questions and answers are the published annotations of MinishLab/semble for these repositories, at the revisions that it names "
        "(nlohmann-json: a newer one)."
    ),
    (
        "The weights were chosen on these very questions: other repositories may say otherwise. Five answers name files that the revision does not have "
        "(chi, cobra, nlohmann-json), and six a file of fmtlib that includes another and has nothing else; they count as they are."
    ),
    "No neural model: the vectors are hashed words and parts of words.",
)


@dataclass(frozen=True)
class Question:
    """A question about a repository, and the files that answer it."""

    text: str
    answers: tuple[str, ...]


def ndcg(found: Sequence[str], answers: Sequence[str]) -> float:
    """The normalized discounted cumulative gain of the first files.

    >>> ndcg(["a", "b"], ["a"]), round(ndcg(["b", "a"], ["a"]), 2)
    (1.0, 0.63)
    """
    gain = sum(1 / math.log2(rank + 1) for rank, file in enumerate(found[:FILES], 1) if file in answers)
    return gain / sum(1 / math.log2(rank + 1) for rank in range(1, min(FILES, len(answers)) + 1))


def questions_in(path: Path) -> list[Question]:
    """The questions of a file of annotations."""

    def name(target: str | dict[str, object]) -> str:
        return target if isinstance(target, str) else str(target["path"])

    entries = json.loads(path.read_text("utf-8"))
    return [
        Question(entry["query"], tuple(map(name, [*entry["relevant"], *entry.get("secondary", [])])))
        for entry in entries
    ]


def main() -> None:
    """Measure, and report."""
    arguments = parser(__doc__)
    arguments.add_argument("--annotations", type=Path, required=True, metavar="FOLDER")
    arguments.add_argument("--repositories", type=Path, required=True, metavar="FOLDER")
    arguments.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the indexes there")
    given = arguments.parse_args()
    report = Report("Search in code", given.output)
    with tempfile.TemporaryDirectory() as temporary:
        kept = given.keep or Path(temporary)
        asked = {}
        for name, root in ROOTS.items():
            index = Index.open(kept / name, root=given.repositories / name)
            index.sync(given.repositories / name / root)
            asked[name] = (index, questions_in(given.annotations / f"{name}.json"))
        number = sum(len(questions) for _, questions in asked.values())
        chunks = sum(index.status().chunks for index, _ in asked.values())
        told = f"{number} questions about {len(asked)} repositories, {chunks:,} chunks"
        report.add_provenance(PACKAGES, time.strftime("%d %B %Y, on a busy machine"), told, *REMARKS)
        rows = [[way, *_row(asked, *how)] for way, how in WAYS.items()]
        report.add_table(["", "all", "names", "sentences", *asked], rows)


def _row(asked: dict[str, tuple[Index, list[Question]]], by: By, weights: Weights) -> list[str]:
    values: dict[str, list[float]] = defaultdict(list)
    for name, (index, questions) in asked.items():
        for question in questions:
            hits = index.search(question.text, HITS, by=by, weights=weights)
            value = ndcg(list(dict.fromkeys(hit.source for hit in hits)), question.answers)
            for group in ("all", "sentences" if " " in question.text else "names", name):
                values[group].append(value)
    return [f"{sum(values[group]) / len(values[group]):.3f}" for group in ("all", "names", "sentences", *asked)]


if __name__ == "__main__":
    main()
