"""Scores of retrieved text against an answer, in characters, and differences between chunkers with their uncertainty.

    answer               |---------|
    retrieved       |--------|          |-------|       recall 5/10, precision 5/17, overlap (intersection over union) 5/22

White space does not count, since some chunkers keep it and others do not: all offsets here are those of the text
without it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_RESAMPLES = 10_000
_SEED = 20_260_101


class DenseText:
    """A text without its white space, and the offsets that its characters had.

    Args:
        text: The text.

    Examples:
        >>> dense = DenseText("a bc d")
        >>> dense.text, dense.before(2), dense.before(5)
        ('abcd', 1, 3)
    """

    def __init__(self, text: str) -> None:
        self._offsets = [offset for offset, character in enumerate(text) if not character.isspace()]
        self.text = "".join(text[offset] for offset in self._offsets)

    def before(self, offset: int) -> int:
        """Characters that are not white space before an offset into the text."""
        return bisect_left(self._offsets, offset)


class DocumentSpan(NamedTuple):
    """A span of a document, in characters other than white space."""

    document: str
    start: int
    end: int


class Retrieved(NamedTuple):
    """A span that was retrieved, and how many characters of context stand before it."""

    span: DocumentSpan
    context: int


@dataclass(frozen=True)
class Score:
    """The match of retrieved spans and an answer, each value from 0 to 1.

    Attributes:
        recall: The share of the answer that was retrieved.
        precision: The share of the retrieved text that is the answer.
        overlap: The size of the common part, as a share of both together.
        whole: 1 if nothing of the answer is missing.
    """

    recall: float
    precision: float
    overlap: float
    whole: float


def score(answer: DocumentSpan, retrieved: Iterable[Retrieved]) -> Score:
    """Score retrieved spans. Spans that overlap count once for the answer, and each time as retrieved text.

    Args:
        answer: The span that was asked for.
        retrieved: The spans found. Their context is retrieved text that is never part of the answer.

    Examples:
        >>> found = [Retrieved(DocumentSpan("a", 5, 15), context=0), Retrieved(DocumentSpan("b", 0, 6), context=4)]
        >>> score(DocumentSpan("a", 10, 20), found)
        Score(recall=0.5, precision=0.25, overlap=0.2, whole=0.0)
    """
    size = answer.end - answer.start
    total = 0
    inside = []
    for span, context in retrieved:
        total += context + span.end - span.start
        if common(answer, span):
            inside.append((max(answer.start, span.start), min(answer.end, span.end)))
    shared = 0
    reached = answer.start
    for start, end in sorted(inside):  # an overlap repeats text: it is found once
        shared += max(0, end - max(start, reached))
        reached = max(reached, end)
    return Score(
        recall=shared / size,
        precision=shared / total if total else 0.0,
        overlap=shared / (size + total - shared),
        whole=float(shared == size),
    )


def common(first: DocumentSpan, second: DocumentSpan) -> int:
    """Count the characters that are in both spans.

    Args:
        first: A span.
        second: Another one.
    """
    if first.document != second.document:
        return 0
    return max(0, min(first.end, second.end) - max(first.start, second.start))


class Difference(NamedTuple):
    """The mean of paired differences, and its 95 % confidence interval.

    Attributes:
        mean: The mean.
        low: The lower end of the interval.
        high: Its upper end.
    """

    mean: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """Whether the interval is above zero ("better"), below ("worse") or includes it ("tie")."""
        if self.low > 0:
            return "better"
        return "worse" if self.high < 0 else "tie"

    def __str__(self) -> str:
        """In hundredths: `+3.1 [+0.4, +5.9] better`."""
        return f"{100 * self.mean:+.1f} [{100 * self.low:+.1f}, {100 * self.high:+.1f}] {self.verdict}"


def paired(values: Sequence[float], reference: Sequence[float]) -> Difference:
    """Compare two lists of values question by question; the bootstrap draws questions, always the same ones.

    Args:
        values: A value for each question.
        reference: The values to compare with, in the same order.

    Returns:
        How much higher `values` are, with the 95 % interval of 10,000 bootstrap samples.

    Examples:
        >>> str(paired([1.0, 1.0, 1.0], [0.5, 0.5, 0.5]))
        '+50.0 [+50.0, +50.0] better'
    """
    differences: NDArray[np.float64] = np.asarray(values, np.float64) - np.asarray(reference, np.float64)
    drawn = np.random.default_rng(_SEED).integers(0, len(differences), (_RESAMPLES, len(differences)))
    low, high = np.percentile(differences[drawn].mean(axis=1), [2.5, 97.5])
    return Difference(float(differences.mean()), float(low), float(high))
