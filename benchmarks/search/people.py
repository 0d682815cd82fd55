"""Questions as people ask them (people.toml) about three documentations: words and vectors together against words alone.

    python benchmarks/run.py people [--embedders hashing static]

The documentation of Python and of Node.js are Debian's packages, the third is that of this package.
"""

from __future__ import annotations

import gzip
import tempfile
import tomllib
from pathlib import Path

import platformdirs
from debian_packages import unpacked
from measuring import Report, parser

from chunker.index import Index
from chunker.index.searching import By

PACKAGES = ["bpe-chunker", "numpy", "tantivy"]
BY: tuple[By, ...] = ("both", "words", "vectors")
_HITS, _FILES = 20, 5
_DOCS = Path(__file__).resolve().parents[2] / "docs"


def main() -> None:
    """Measure, and report."""
    arguments = parser(__doc__)
    arguments.add_argument(
        "--texts", type=Path, metavar="FOLDER", help="keep the packages there, not in the user's cache"
    )
    arguments.add_argument("--embedders", nargs="+", default=["hashing", "static"], metavar="NAME")
    given = arguments.parse_args()
    texts = given.texts or Path(platformdirs.user_cache_dir("bpe-chunker"))
    report = Report("Questions as people ask them", given.output)
    questions = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    report.add_provenance(
        PACKAGES,
        (
            f"Right: one of the files that answer is among the first {_FILES} files of {_HITS} hits. "
            "In brackets the mean of one over the rank of the first of them."
        ),
        "The questions were written before any search was tried.",
    )
    documentations = _documentations(texts)
    for embedder in given.embedders:
        report.add(f"## Vectors: {embedder}")
        report.add_table(["", "questions", *BY], _rows(documentations, questions, embedder))


def _rows(
    documentations: dict[str, dict[str, str]], questions: dict[str, dict[str, list[str]]], embedder: str
) -> list[list[object]]:
    rows: list[list[object]] = []
    sums = dict.fromkeys(BY, 0)
    for name, documents in documentations.items():
        asked = questions[name]
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / "texts"
            for document, text in documents.items():
                path = folder / document
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")
            index = Index.open(Path(temporary) / "index", root=folder, embedder=embedder)
            index.sync(folder)
            cells = []
            for by in BY:
                ranks = [_rank(index, question, answers, by) for question, answers in asked.items()]
                right = sum(0 < rank <= _FILES for rank in ranks)
                sums[by] += right
                cells.append(f"{right} ({sum(1 / rank for rank in ranks if rank) / len(ranks):.2f})")
        rows.append([f"{name}, {len(documents)} files", len(asked), *cells])
    total = sum(len(asked) for asked in questions.values())
    return [*rows, ["all", total, *map(str, sums.values())]]


def _documentations(texts: Path) -> dict[str, dict[str, str]]:
    """The files of each documentation by name."""
    sources = unpacked("python3.11-doc", texts) / "usr/share/doc/python3.11/html/_sources"
    python = {
        path.relative_to(sources).as_posix().removesuffix(".txt"): path.read_text("utf-8")
        for folder in ("faq", "howto", "library", "reference", "tutorial")
        for path in sorted((sources / folder).glob("*.rst.txt"))
    }
    api = unpacked("nodejs-doc", texts) / "usr/share/doc/nodejs/api"
    node = {}
    for path in sorted(api.glob("*.md*")):
        content = path.read_bytes()
        if path.name not in {"all.md.gz", "index.md", "index.md.gz"}:
            node[path.name.removesuffix(".gz")] = (
                gzip.decompress(content) if path.suffix == ".gz" else content
            ).decode()
    ours = {path.relative_to(_DOCS).as_posix(): path.read_text("utf-8") for path in sorted(_DOCS.rglob("*.md"))}
    return {"python": python, "node": node, "chunker": ours}


def _rank(index: Index, question: str, answers: list[str], by: By) -> int:
    """The rank of the first file that answers, from 1; 0 if none is found."""
    files = list(dict.fromkeys(hit.source for hit in index.search(question, _HITS, by=by)))
    names = [file.removesuffix(".md").removesuffix(".rst") for file in files]
    return next((rank for rank, name in enumerate(names, 1) if name in answers), 0)


if __name__ == "__main__":
    main()
