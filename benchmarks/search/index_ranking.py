"""The search of the index against its parts: by vectors alone, by words alone, and both fused, on the questions of `retrieval_sets`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from debian_packages import PackageUnavailableError
from retrieval_sets import QuestionSet, faq, node, python

from chunker.evaluation.metrics import DenseText, DocumentSpan, Retrieved, common, paired, score
from chunker.index import Index, MissingExtraError
from chunker.index.searching import By

HITS, FIRST = 10, 5
BY: tuple[By, ...] = ("both", "vectors", "words")
EMBEDDERS = ("hashing", "static", "minilm")
_SETS = {"FAQ": (faq, ".txt"), "Node.js": (node, ".md"), "Python": (python, ".py")}


def rankings(texts: Path) -> Iterator[tuple[str, list[list[str]]]]:
    """A title and the rows of a table, for each set and embedder that there is."""
    for name, (make, suffix) in _SETS.items():
        try:
            asked = make(texts)
        except PackageUnavailableError as error:
            print(f"left out: {error}")
            continue
        for embedder in EMBEDDERS:
            try:
                yield f"{name}, {len(asked.questions)} questions, {embedder}", _rows(asked, suffix, embedder)
            except MissingExtraError as error:
                print(f"left out: {error}")


def _rows(asked: QuestionSet, suffix: str, embedder: str) -> list[list[str]]:
    found = {by: _found(asked, suffix, embedder, by) for by in BY}
    rows = []
    for by, columns in found.items():
        means = [f"{100 * sum(values) / len(values):.1f}" for values in columns]
        against = [str(paired(values, others)) for values, others in zip(columns, found["both"], strict=True)]
        rows.append([by, *means, *(against if by != "both" else [""] * len(columns))])
    return rows


def _found(asked: QuestionSet, suffix: str, embedder: str, by: By) -> tuple[list[float], list[float], list[float]]:
    """Of each question, how much of its answer was found, whether the first five hits have a part of it, and one over the rank of the first that has."""
    index = _index(asked, suffix, embedder)
    dense = {document: DenseText(text) for document, text in asked.documents.items()}
    recalls, firsts, ranks = [], [], []
    for question in asked.questions:
        answered = dense[question.document]
        answer = DocumentSpan(question.document, answered.before(question.start), answered.before(question.end))
        found = []
        for hit in index.search(question.text, HITS, by=by):
            document = hit.source.removesuffix(suffix)
            place = dense[document]
            found.append(DocumentSpan(document, place.before(hit.span.start), place.before(hit.span.end)))
        recalls.append(score(answer, [Retrieved(span, 0) for span in found]).recall)
        rank = next((rank for rank, span in enumerate(found, 1) if common(answer, span)), None)
        firsts.append(float(rank is not None and rank <= FIRST))
        ranks.append(0.0 if rank is None else 1 / rank)
    return recalls, firsts, ranks


# Vectors of a set are made once for all ways to search.
_KEPT: dict[tuple[str, str], tempfile.TemporaryDirectory[str]] = {}


def _index(asked: QuestionSet, suffix: str, embedder: str) -> Index:
    known = (asked.name, embedder) in _KEPT
    kept = Path(_KEPT.setdefault((asked.name, embedder), tempfile.TemporaryDirectory()).name)
    folder = kept / "files"
    index = Index.open(kept / "index", embedder=embedder, root=folder)
    if not known:
        folder.mkdir()
        for document, text in asked.documents.items():
            (folder / f"{document}{suffix}").write_text(text, encoding="utf-8", newline="")
        index.sync(folder)
    return index
