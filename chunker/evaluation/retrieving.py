"""Search the chunks of one chunker for each question, and measure how much of the answers the best ones contain.

    documents --chunker--> passages --embedder--> vectors \\
                                                           cosine -> ranked passages -> recall, precision, overlap, rank
    questions ------------------------embedder--> vectors /

Two views of a ranking: the first `budget` tokens, the last passage cut to what is left, which is fair to chunkers of
all sizes; and the first `first` passages whatever their size.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bpe_engine import Tokenizer
from chunker.errors import ChunkerError
from chunker.evaluation.metrics import DenseText, DocumentSpan, Retrieved, Score, common, score
from chunker.evaluation.questions import Question


class PeerChunk(NamedTuple):
    """A chunk of any package: its text, the part of it that is from the document, which is its end, and the offset of that part, if known."""

    text: str
    body: str
    start: int | None = None


# A chunker of any package: the name of a document and its text to its parts.
Splitter = Callable[[str, str], list[PeerChunk]]
Vectors = Callable[[Sequence[str]], NDArray[np.float32]]

MEASURES = ("recall", "precision", "overlap", "whole")


class MisplacedChunkError(ChunkerError):
    """A chunk is not a part of its document."""


@dataclass(frozen=True)
class Passage:
    """A chunk: its text, its tokens, the offset in it where the document's part begins, and the span of that part."""

    text: str
    tokens: int
    body: int
    holds: Retrieved


@dataclass
class Findings:
    """The scores of one chunker, question by question.

    Attributes:
        chunks: The number of its chunks.
        tokens: The mean number of tokens of a chunk.
        within: Scores of the first tokens retrieved.
        first: Scores of the first chunks.
        ranks: One divided by the rank of the first chunk that has a part of the answer, 0 for none.
    """

    chunks: int
    tokens: float
    within: list[Score] = field(default_factory=list)
    first: list[Score] = field(default_factory=list)
    ranks: list[float] = field(default_factory=list)

    def values(self, measure: str) -> list[float]:
        """Return one number for each question.

        Args:
            measure: "rank", one of `MEASURES`, or one of these after "first ".

        Returns:
            Numbers from 0 to 1, in the order of the questions; higher is better, also for "rank".
        """
        match measure.split():
            case ["rank"]:
                return self.ranks
            case ["first", name]:
                return [getattr(found, name) for found in self.first]
            case _:
                return [getattr(found, measure) for found in self.within]

    def mean(self, measure: str) -> float:
        """Return the mean over the questions, from 0 to 1.

        Args:
            measure: As for `values`.

        Returns:
            The mean; 0.0 if there are no questions.
        """
        return float(np.mean(self.values(measure))) if self.ranks else 0.0


def passages(split: Splitter, documents: Mapping[str, str], tokenizer: Tokenizer) -> list[Passage]:
    """Chunk all documents, and find each chunk again in its document.

    A chunk without a known offset is found by its characters other than white space, after the one before it.

    Args:
        split: The chunker.
        documents: Texts by name.
        tokenizer: Counts the tokens of the chunks.

    Raises:
        MisplacedChunkError: A chunk is not part of its document.
    """
    found = []
    for name, text in documents.items():
        dense = DenseText(text)
        end = 0
        for whole, body, known in split(name, text):
            own = DenseText(body).text
            if not own:
                continue
            start = dense.text.find(own, end) if known is None else dense.before(known)
            if start < 0:
                raise MisplacedChunkError(f"{body!r:.200} is not in {name} after the chunk before it")
            end = start + len(own)
            begins = len(whole) - len(body)
            holds = Retrieved(DocumentSpan(name, start, end), len(DenseText(whole[:begins]).text))
            found.append(Passage(whole, tokenizer.count(whole), begins, holds))
    return found


def cut(passage: Passage, tokens: int, tokenizer: Tokenizer) -> Retrieved:
    """Return the part of a passage that its first tokens contain.

    Args:
        passage: The passage.
        tokens: How many tokens of it to keep.
        tokenizer: The tokenizer of its count.
    """
    if tokens >= passage.tokens:
        return passage.holds
    _, starts = tokenizer.encode_with_offsets(passage.text)
    end = starts[tokens]
    span = passage.holds.span
    kept = len(DenseText(passage.text[passage.body : max(passage.body, end)]).text)
    context = len(DenseText(passage.text[: min(passage.body, end)]).text)
    return Retrieved(span._replace(end=span.start + kept), context)


def look_up(
    chunks: Sequence[Passage],
    questions: Sequence[Question],
    documents: Mapping[str, str],
    vectors: Vectors,
    tokenizer: Tokenizer,
    *,
    budget: int = 2_000,
    first: int = 5,
) -> Findings:
    """Ask all questions of some chunks, by the cosine of their vectors.

    Args:
        chunks: The chunks of all documents.
        questions: The questions, with the spans of their answers.
        documents: Texts by name.
        vectors: Texts to rows of length 1.
        tokenizer: The tokenizer of the counts.
        budget: Tokens that are retrieved for a question.
        first: Chunks that are looked at whatever their size.
    """
    findings = Findings(len(chunks), float(np.mean([chunk.tokens for chunk in chunks])) if chunks else 0.0)
    if not chunks or not questions:
        return findings
    similarities = vectors([one.text for one in questions]) @ vectors([one.text for one in chunks]).T
    dense = {name: DenseText(text) for name, text in documents.items()}
    for question, row in zip(questions, similarities, strict=True):
        text = dense[question.document]
        answer = DocumentSpan(question.document, text.before(question.start), text.before(question.end))
        ranked = [chunks[index] for index in np.argsort(-row, kind="stable")]
        findings.within.append(score(answer, _within(ranked, budget, tokenizer)))
        findings.first.append(score(answer, [chunk.holds for chunk in ranked[:first]]))
        rank = next((rank for rank, chunk in enumerate(ranked, 1) if common(answer, chunk.holds.span)), None)
        findings.ranks.append(0.0 if rank is None else 1 / rank)
    return findings


def _within(ranked: Sequence[Passage], budget: int, tokenizer: Tokenizer) -> list[Retrieved]:
    """The content of a budget of tokens: the best chunks, the last of them cut to the rest."""
    held = []
    left = budget
    for chunk in ranked:
        held.append(cut(chunk, left, tokenizer))
        left -= chunk.tokens
        if left <= 0:
            break
    return held
