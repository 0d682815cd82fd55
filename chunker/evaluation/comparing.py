"""Compare chunkers and sizes on a corpus: which setting finds the answers?

    evaluation = evaluate(documents, questions, sizes=[128, 256], embedder="minilm")
    evaluation.rows[0].findings.mean("recall")
    evaluation.best()

Each text is embedded once, however many settings make it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bpe_engine import Tokenizer
from chunker.counting.tokenizer_files import engine_tokenizer
from chunker.errors import OptionError
from chunker.evaluation.candidates import DEFAULTS, candidate
from chunker.evaluation.metrics import Difference, paired
from chunker.evaluation.questions import Question
from chunker.evaluation.retrieving import Findings, look_up, passages
from chunker.files.progress import with_progress
from chunker.index.embedders import Embedder, batches, checked, embedder_named

# The compared figures, the most important first.
COMPARED = ("recall", "overlap", "rank", "first overlap")


@dataclass(frozen=True)
class SettingScores:
    """The findings of one setting.

    Attributes:
        name: The name of the chunker.
        size: The largest number of tokens of a chunk.
        findings: The scores.
    """

    name: str
    size: int
    findings: Findings

    @property
    def tokens(self) -> int:
        """The tokens of all chunks together, which an embedder charges for."""
        return round(self.findings.chunks * self.findings.tokens)


@dataclass(frozen=True)
class Evaluation:
    """All settings on one corpus.

    Attributes:
        rows: The settings, in the order in which they were asked for; differences are to the first.
        failures: Settings that could not be run, with the reason.
        questions: The number of questions.
        documents: The number of documents.
        embedder: The name of the embedder.
        tokenizer: The name of the tokenizer.
        budget: Tokens that were retrieved for a question.
        first: Chunks that were looked at whatever their size.
    """

    rows: tuple[SettingScores, ...]
    failures: tuple[str, ...]
    questions: int
    documents: int
    embedder: str
    tokenizer: str
    budget: int
    first: int

    def difference(self, row: SettingScores, measure: str = "recall") -> Difference:
        """Compare a setting with the first one, question by question.

        Args:
            row: One of the rows.
            measure: As for `Findings.values`.

        Returns:
            How much higher the measure is than that of the first setting, with its 95 % interval.
        """
        return paired(row.findings.values(measure), self.rows[0].findings.values(measure))

    def best(self, measure: str = "recall") -> SettingScores:
        """Return the setting with the highest mean; of equal ones the one with fewer tokens to embed.

        Args:
            measure: As for `Findings.values`.

        Returns:
            One of the rows.
        """
        return max(self.rows, key=lambda row: (row.findings.mean(measure), -row.tokens))


class VectorsOf:
    """Vectors of texts by an embedder, each text embedded once.

    Args:
        embedder: The embedder.
        tokenizer: Counts for its limits of a batch.
    """

    def __init__(self, embedder: Embedder, tokenizer: Tokenizer) -> None:
        self._embedder = embedder
        self._tokenizer = tokenizer
        self._kept: dict[str, NDArray[np.float32]] = {}

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a row of length 1 for each text.

        Args:
            texts: The texts.
        """
        embedder = self._embedder
        missing = [text for text in dict.fromkeys(texts) if text not in self._kept]
        runs = list(batches(self._tokenizer.count_batch(missing), embedder.max_batch_texts, embedder.max_batch_tokens))
        with with_progress(runs, "Embedding", len(runs), streaming=False, lines=True) as counted:
            for run in counted:
                rows = checked(embedder.embed(missing[run]), len(missing[run]), embedder)
                self._kept.update(zip(missing[run], rows, strict=True))
        return np.stack([self._kept[text] for text in texts])


def evaluate(  # each is a choice of the user
    documents: Mapping[str, str],
    questions: Sequence[Question],
    *,
    chunkers: Iterable[str] = DEFAULTS,
    sizes: Iterable[int] = (256,),
    embedder: str | Embedder = "hashing",
    tokenizer: str | Path | Tokenizer = "o200k_base",
    budget: int = 2_000,
    first: int = 5,
) -> Evaluation:
    """Chunk documents in several ways, and measure how well each finds the answers.

    A setting that fails is listed in `failures`; the others are still measured.

    Args:
        documents: Texts by name; the name chooses the format.
        questions: Questions with known answers (`load_questions`, `plant_questions`).
        chunkers: Names of chunkers; `chunker.evaluation.candidates` lists them.
        sizes: Tokens of a chunk.
        embedder: An embedder of the index, or its name.
        tokenizer: The tokenizer to count with, its name, or its file.
        budget: Tokens that are retrieved for a question.
        first: Chunks that are looked at whatever their size.

    Returns:
        The findings, a row for each size and chunker that could be run, the first size with all chunkers before the
        next.

    Raises:
        OptionError: No questions, no chunkers, or a number out of its range.
    """
    names, lengths = list(dict.fromkeys(chunkers)), list(dict.fromkeys(sizes))
    if not questions or not names or not lengths:
        raise OptionError("an evaluation needs questions, chunkers and sizes; one of them is empty")
    if min(*lengths, budget, first) < 1:
        raise OptionError(f"sizes, budget and first must be at least 1; got {lengths}, {budget}, {first}")
    made = embedder_named(embedder) if isinstance(embedder, str) else embedder
    counter = engine_tokenizer(tokenizer) if isinstance(tokenizer, str | Path) else tokenizer
    counted_by = str(tokenizer) if isinstance(tokenizer, str | Path) else tokenizer.name or repr(tokenizer)
    vectors = VectorsOf(made, counter)
    rows = []
    failures = []
    for size in lengths:
        for name in names:
            split = candidate(name, size, counter)
            try:
                chunks = passages(split, documents, counter)
            except Exception as error:  # noqa: BLE001 - whatever another package fails with is a result
                failures.append(f"{name}, {size} tokens: {type(error).__name__}: {error}")
                continue
            rows.append(
                SettingScores(
                    name, size, look_up(chunks, questions, documents, vectors, counter, budget=budget, first=first)
                )
            )
    if not rows:
        raise OptionError(f"no chunker could be run: {'; '.join(failures)}")
    return Evaluation(
        tuple(rows),
        tuple(failures),
        len(questions),
        len(documents),
        made.model_id,
        counted_by,
        budget,
        first,
    )
