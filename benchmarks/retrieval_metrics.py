"""What was found of what was asked for: spans that are measured in characters, and differences with their uncertainty.

    answer               |---------|
    retrieved       |--------|          |-------|       recall 5/10, precision 5/17, overlap (intersection over union) 5/22

White space does not count, as some chunkers keep it and others do not: all offsets here are those of the text without it.
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


class Ink:
    """A text without its white space: which characters are left, and where they were.

    >>> ink = Ink("a bc d")
    >>> ink.text, ink.before(2), ink.before(5)
    ('abcd', 1, 3)
    """

    def __init__(self, text: str) -> None:
        self._places = [offset for offset, character in enumerate(text) if not character.isspace()]
        self.text = "".join(text[offset] for offset in self._places)

    def before(self, offset: int) -> int:
        """Characters that are not white space before an offset into the text."""
        return bisect_left(self._places, offset)


class Stretch(NamedTuple):
    """A part of a document, in characters without white space."""

    document: str
    start: int
    end: int


class Retrieved(NamedTuple):
    """What was found: of the documents, and how many characters of context stand in front of it."""

    stretch: Stretch
    context: int


@dataclass(frozen=True)
class Score:
    """How well a set of stretches covers an answer, each from 0 to 1; `whole` is 1 if nothing of the answer is missing."""

    recall: float
    precision: float
    overlap: float
    whole: float


def score(answer: Stretch, retrieved: Iterable[Retrieved]) -> Score:
    """The score of stretches that do not overlap each other. A context is text that was retrieved and is no part of the answer.

    >>> score(Stretch("a", 10, 20), [Retrieved(Stretch("a", 5, 15), context=0), Retrieved(Stretch("b", 0, 6), context=4)])
    Score(recall=0.5, precision=0.25, overlap=0.2, whole=0.0)
    """
    size = answer.end - answer.start
    shared = total = 0
    for stretch, context in retrieved:
        total += context + stretch.end - stretch.start
        shared += common(answer, stretch)
    return Score(
        recall=shared / size,
        precision=shared / total if total else 0.0,
        overlap=shared / (size + total - shared),
        whole=float(shared == size),
    )


def common(first: Stretch, second: Stretch) -> int:
    """Characters that are in both."""
    if first.document != second.document:
        return 0
    return max(0, min(first.end, second.end) - max(first.start, second.start))


class Difference(NamedTuple):
    """The mean of paired differences, and the ends of its 95 % confidence interval."""

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
    """How much higher `values` are than `reference`, question by question; the bootstrap draws questions, always the same ones.

    >>> str(paired([1.0, 1.0, 1.0], [0.5, 0.5, 0.5]))
    '+50.0 [+50.0, +50.0] better'
    """
    differences: NDArray[np.float64] = np.asarray(values, np.float64) - np.asarray(reference, np.float64)
    drawn = np.random.default_rng(_SEED).integers(0, len(differences), (_RESAMPLES, len(differences)))
    low, high = np.percentile(differences[drawn].mean(axis=1), [2.5, 97.5])
    return Difference(float(differences.mean()), float(low), float(high))
