"""Packs against plain hits cut to the same budget: how much of the marked answers is in them, on the questions of `retrieval_sets`.

    python benchmarks/run.py packs

Counted by tiktoken; the lines of each part are looked up in its file.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path

from debian_packages import PackageUnavailableError
from measuring import Report, parser
from oracles import tiktoken_encoding
from retrieval_sets import QuestionSet, faq, node, python

from bpe_engine import Tokenizer
from chunker.evaluation.metrics import DenseText, DocumentSpan, Retrieved, paired, score
from chunker.hits import Hit
from chunker.index import Index

PACKAGES = ["bpe-chunker", "numpy", "tiktoken"]
BUDGETS = (1000, 2000, 4000, 8000)
_SETS = {"FAQ": (faq, ".txt"), "Node.js": (node, ".md"), "Python": (python, ".py")}
_BETWEEN = "\n\n"


def main() -> None:
    """Measure, and report."""
    arguments = parser(__doc__)
    arguments.add_argument(
        "--texts", type=Path, default=Path("texts"), metavar="FOLDER", help="keep the packages there"
    )
    arguments.add_argument("--questions", type=int, default=250, help="questions of a set at most")
    given = arguments.parse_args()
    report = Report("Packs", given.output)
    report.add_provenance(
        PACKAGES,
        "Recall of the marked answer in hundredths, by its characters without white space. Chunks of 256 tokens, vectors of hashed words, all rules.",
        "Plain: the texts of the best hits with a blank line between them, cut off at the budget, without any header.",
    )
    for name, (make, suffix) in _SETS.items():
        try:
            asked = make(given.texts)
        except PackageUnavailableError as error:
            report.add(f"{name} is left out: {error}")
            continue
        rows, checked = _rows(asked, suffix, given.questions)
        report.add(f"## {name}, {min(given.questions, len(asked.questions))} questions")
        report.add_table(
            ["budget", "plain", "pack", "difference", "packs over budget", "parts that are not their lines"], rows
        )
        report.add(f"{checked:,} parts were looked up.")


def _rows(asked: QuestionSet, suffix: str, most: int) -> tuple[list[list[str]], int]:
    encoding, tokenizer = tiktoken_encoding("o200k_base"), Tokenizer.load("o200k_base")
    rows: list[list[str]] = []
    checked = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for document, text in asked.documents.items():
            (folder / f"{document}{suffix}").write_text(text, encoding="utf-8", newline="")
        index = Index.open(folder / ".chunker", root=folder, embedder="hashing")
        index.sync(folder)
        dense = {document: DenseText(text) for document, text in asked.documents.items()}
        lines = {document: _lines(text) for document, text in asked.documents.items()}

        def spans(found: Iterator[tuple[str, int, int]]) -> list[Retrieved]:
            return [
                Retrieved(DocumentSpan(name, dense[name].before(start), dense[name].before(end)), 0)
                for name, start, end in found
            ]

        for budget in BUDGETS:
            plain, packed = [], []
            over = untrue = 0
            for question in asked.questions[:most]:
                whole = dense[question.document]
                answer = DocumentSpan(question.document, whole.before(question.start), whole.before(question.end))
                hits = index.search(question.text, max(20, budget // 60))
                plain.append(score(answer, spans(_cut(hits, budget, tokenizer, suffix))).recall)
                pack = index.pack(question.text, budget, hits=hits)
                over += len(encoding.encode(pack.text, disallowed_special=())) > budget
                places = []
                for part in pack.parts:
                    name = part.source.removesuffix(suffix)
                    starts, texts = lines[name]
                    checked += 1
                    shown = "\n".join(texts[part.start_line - 1 : part.end_line])
                    # Embedded data is shortened to "…", in the index and so in packs.
                    untrue += part.text != shown and "…" not in part.text
                    places.append((name, starts[part.start_line - 1], starts[part.end_line]))
                packed.append(score(answer, spans(iter(places))).recall)
            means = [f"{100 * sum(values) / len(values):.1f}" for values in (plain, packed)]
            rows.append([f"{budget:,}", *means, str(paired(packed, plain)), str(over), str(untrue)])
    return rows, checked


def _lines(text: str) -> tuple[list[int], list[str]]:
    """The offsets at which lines begin, and that of the end; and the lines."""
    whole = text.splitlines(keepends=True) if "\x0c" not in text and "\u2028" not in text else text.split("\n")
    if "".join(whole) != text:
        whole = [f"{line}\n" for line in whole[:-1]] + whole[-1:]
    return [0, *accumulate(map(len, whole))], [line.rstrip("\r\n") for line in whole]


def _cut(hits: list[Hit], budget: int, tokenizer: Tokenizer, suffix: str) -> Iterator[tuple[str, int, int]]:
    """The spans of documents that remain of some hits, cut to the budget."""
    left = len(tokenizer.truncate(_BETWEEN.join(hit.text for hit in hits), budget))
    for hit in hits:
        shown = min(left, len(hit.text)) - len(hit.context)
        if shown > 0:
            yield hit.source.removesuffix(suffix), hit.span.start, min(hit.span.start + shown, hit.span.end)
        left -= len(hit.text) + len(_BETWEEN)
        if left <= 0:
            return


if __name__ == "__main__":
    main()
