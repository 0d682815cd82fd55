"""Does search find the file? Questions with known answers about repositories of code: words alone, each rule left out, all together.

    git clone --depth 1 https://github.com/MinishLab/semble     its annotations are the questions
    python benchmarks/run.py search --annotations semble/benchmarks/annotations --repositories FOLDER

--embedder names another one than hashed words. FOLDER has a checkout of each repository, called as its file of annotations; a
repository without one of both is left out. Indexes are kept in --keep from run to run. With --semble PYTHON (of an environment that
has semble) and where ripgrep is installed, they answer the same questions.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
import subprocess
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from measuring import Report, parser

from chunker.index import Index, Weights
from chunker.index.searching import By
from chunker.index.words import words_of_query

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
NO_RULES = Weights(meaning=0, definitions=0, path=0, stem=0, file=0, phrase=0, again=1, lower=False, older=1)
_ALL = Weights()
WAYS: dict[str, tuple[By, Weights]] = {
    "all rules, words and vectors": ("both", _ALL),
    "all rules, words": ("words", _ALL),
    "words (BM25) without rules": ("words", NO_RULES),
    "vectors": ("vectors", NO_RULES),
    "without definitions": ("both", replace(_ALL, definitions=0)),
    "without path": ("both", replace(_ALL, path=0)),
    "without stem": ("both", replace(_ALL, stem=0)),
    "without path and stem": ("both", replace(_ALL, path=0, stem=0)),
    "without file": ("both", replace(_ALL, file=0)),
    "without again": ("both", replace(_ALL, again=1)),
    "without lower": ("both", replace(_ALL, lower=False)),
    "without older": ("both", replace(_ALL, older=1)),
}
REMARKS = (
    "NDCG@10 by file: of the first ten files among the first forty hits; primary and secondary answers count alike.",
    (
        "Questions and answers are the published annotations of MinishLab/semble for these repositories, at the revisions that it names "
        "(nlohmann-json: a newer one)."
    ),
    (
        "The rules and their weights were chosen on these very questions: neither half has judged alone, "
        "and other repositories may say otherwise. Weights of `file`, `meaning`, `path` and "
        "`stem` chosen without a repository, for each of them in turn, give 0.866 on the repositories left out. "
        "Five answers name files that the revision does not have "
        "(chi, cobra, nlohmann-json), and six a file of fmtlib that includes another and has nothing else; they count as they are."
    ),
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


def is_for_choosing(question: Question) -> bool:
    """Whether a question is of the half that weights may be chosen on; the others judge. By a hash of its text."""
    return hashlib.sha256(question.text.encode()).digest()[0] % 2 == 0


def main() -> None:
    """Measure, and report."""
    arguments = parser(__doc__)
    arguments.add_argument("--annotations", type=Path, required=True, metavar="FOLDER")
    arguments.add_argument("--repositories", type=Path, required=True, metavar="FOLDER")
    arguments.add_argument("--embedder", default="hashing", metavar="NAME")
    arguments.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the indexes there")
    arguments.add_argument("--semble", type=Path, metavar="PYTHON", help="the Python of an environment with semble")
    given = arguments.parse_args()
    report = Report("Search in code", given.output)
    there = {
        name: root
        for name, root in ROOTS.items()
        if (given.annotations / f"{name}.json").is_file() and (given.repositories / name / root).is_dir()
    }
    if not there:
        raise SystemExit(f"no repository has annotations and a checkout here; wanted are {', '.join(ROOTS)}")
    with tempfile.TemporaryDirectory() as temporary:
        kept = given.keep or Path(temporary)
        asked = {}
        for name, root in there.items():
            index = Index.open(kept / name, root=given.repositories / name, embedder=given.embedder)
            index.sync(given.repositories / name / root)
            asked[name] = (index, questions_in(given.annotations / f"{name}.json"))
        number = sum(len(questions) for _, questions in asked.values())
        chunks = sum(index.status().chunks for index, _ in asked.values())
        told = f"{number} questions about {len(asked)} repositories, {chunks:,} chunks"
        missing = (
            [f"left out, for they are not here: {', '.join(name for name in ROOTS if name not in there)}"]
            if len(there) < len(ROOTS)
            else []
        )
        report.add_provenance(PACKAGES, told, f"vectors: {given.embedder}", *missing, *REMARKS)
        rows = [[way, *_row(asked, _answers(asked, *how))] for way, how in WAYS.items()]
        folders = {name: given.repositories / name / root for name, root in there.items()}
        if given.semble is not None:
            rows.append(["semble: BM25 and its rules", *_row(asked, _of_semble(asked, folders, given.semble))])
        if shutil.which("rg"):
            rows.append(["ripgrep: files with most words", *_row(asked, _of_ripgrep(asked, folders))])
        report.add_table(["", *_GROUPS, *asked], rows)


Asked = dict[str, tuple[Index, list[Question]]]
# Of each repository the files that were found for each question, best first.
Answers = dict[str, list[list[str]]]
_GROUPS = ("all", "choosing half", "judging half", "names", "sentences")


def _answers(asked: Asked, by: By, weights: Weights) -> Answers:
    return {
        name: [
            list(dict.fromkeys(hit.source for hit in index.search(question.text, HITS, by=by, weights=weights)))
            for question in questions
        ]
        for name, (index, questions) in asked.items()
    }


def _of_semble(asked: Asked, folders: dict[str, Path], python: Path) -> Answers:
    request = {
        name: {"folder": str(folders[name].resolve()), "questions": [question.text for question in questions]}
        for name, (_, questions) in asked.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "request.json"
        path.write_text(json.dumps(request), "utf-8")
        command = [str(python), str(Path(__file__).with_name("semble_side.py")), str(path)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603 - the interpreter that was named
    told = [json.loads(line) for line in done.stdout.splitlines()]
    prefixes = {name: f"{ROOTS[name]}/" if ROOTS[name] else "" for name in asked}
    return {one["name"]: [[prefixes[one["name"]] + file for file in files] for files in one["found"]] for one in told}


def _of_ripgrep(asked: Asked, folders: dict[str, Path]) -> Answers:
    """Files by how many of the words of the question they have, then by how often."""
    answers: Answers = {}
    for name, (_, questions) in asked.items():
        answers[name] = []
        for question in questions:
            words = list(dict.fromkeys(word for word in words_of_query(question.text)))
            options = [option for word in words for option in ("-e", word)]
            command = [
                "rg",
                "--no-heading",
                "--no-line-number",
                "--with-filename",
                "-0",
                "-i",
                "-o",
                "-F",
                *options,
                ".",
            ]
            done = subprocess.run(  # noqa: S603 - words of ours
                command, cwd=folders[name], stdout=subprocess.PIPE, text=True, errors="replace", check=False
            )
            found: dict[str, list[str]] = defaultdict(list)
            for line in done.stdout.splitlines():
                file, _, word = line.partition("\0")
                found[f"{ROOTS[name]}/{file.removeprefix('./')}".lstrip("/")].append(word.lower())
            answers[name].append(sorted(found, key=lambda file: (-len(set(found[file])), -len(found[file]), file)))
    return answers


def _row(asked: Asked, answers: Answers) -> list[str]:
    values: dict[str, list[float]] = defaultdict(list)
    for name, (_, questions) in asked.items():
        for question, found in zip(questions, answers[name], strict=True):
            value = ndcg(found, question.answers)
            half = "choosing half" if is_for_choosing(question) else "judging half"
            for group in ("all", half, "sentences" if " " in question.text else "names", name):
                values[group].append(value)
    return [f"{sum(values[group]) / len(values[group]):.3f}" for group in (*_GROUPS, *asked)]


if __name__ == "__main__":
    main()
