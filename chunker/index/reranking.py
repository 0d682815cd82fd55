"""Rerankers: a model that reads the question with each hit and says how well they fit.

from chunker.index.reranking import CrossEncoderReranker

index.search("where are headers parsed?", rerank=CrossEncoderReranker("cross-encoder/ms-marco-MiniLM-L6-v2"))
index.search("where are headers parsed?", rerank=lambda question, texts: [len(text) for text in texts])
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

from chunker.arguments import told
from chunker.errors import MissingExtraError, OptionError, WrongTypeError
from chunker.hits import Hit

# A reranker reads so many hits for each that is wanted, and at least so many.
_READ, _LEAST = 4, 20


@runtime_checkable
class Reranker(Protocol):
    """Protocol of a reranker."""

    def rerank(self, question: str, texts: Sequence[str], /) -> Sequence[float]:
        """Judge texts by how well they answer a question.

        Args:
            question: The question.
            texts: The texts of hits, contexts included.

        Returns:
            A number for each text, larger for better.
        """
        ...


# A plain function does as well.
AnyReranker = Reranker | Callable[[str, Sequence[str]], Sequence[float]]


class CrossEncoderReranker:
    """A cross-encoder of sentence-transformers on this machine (extra `sentence-transformers`).

    Args:
        model: The name or folder of a model, or an object whose `predict` takes pairs of question and text.
        options: Other arguments of `CrossEncoder`, such as `device` or `backend="onnx"`.

    Raises:
        MissingExtraError: A name was given, and sentence-transformers is not installed.
    """

    def __init__(self, model: Any, **options: Any) -> None:  # noqa: ANN401  # of a package that is not imported here
        if isinstance(model, str):
            try:
                package = import_module("sentence_transformers")
            except ImportError as error:
                raise MissingExtraError("sentence-transformers", "sentence-transformers") from error
            model = package.CrossEncoder(model, **options)
        if not callable(getattr(model, "predict", None)):
            raise OptionError(f"model must be a name, or an object with predict; got {type(model).__name__}")
        self._model = model

    def rerank(self, question: str, texts: Sequence[str]) -> list[float]:
        """Judge texts by how well they answer a question.

        Args:
            question: The question.
            texts: The texts of hits, contexts included.

        Returns:
            The score of the model for each text.
        """
        return [float(score) for score in self._model.predict([(question, text) for text in texts])]


def require_reranker(given: object) -> None:
    """Raise `WrongTypeError` if a value is neither a reranker nor a function nor None."""
    if given is not None and not isinstance(given, Reranker) and not callable(given):
        raise WrongTypeError(f"rerank must be a Reranker or a function of a question and texts, not {told(given)}")


def hits_to_read(limit: int) -> int:
    """The number of hits that a reranker reads to return `limit` of them."""
    return max(_LEAST, _READ * limit)


def reranked(question: str, hits: Sequence[Hit], reranker: AnyReranker, limit: int, *, explain: bool) -> list[Hit]:
    """The best hits by a reranker, best first; of equal ones the better by the rules.

    Args:
        question: The question.
        hits: The hits of a search, best first.
        reranker: The reranker that judges them.
        limit: The largest number of hits to return.
        explain: Whether hits are given points.

    Returns:
        The hits with the score of the reranker.

    Raises:
        OptionError: The reranker does not give a number for each text.
    """
    judge = reranker.rerank if isinstance(reranker, Reranker) else reranker
    given = judge(question, [hit.text for hit in hits]) if hits else []
    try:
        scores = [float(score) for score in given]
    except (TypeError, ValueError):
        raise OptionError(f"rerank must give a number for each text; it gave {given!r:.100}") from None
    if len(scores) != len(hits) or not all(map(math.isfinite, scores)):
        raise OptionError(
            f"rerank must return a finite number for each of {len(hits)} texts; it returned {scores!r:.100}"
        )
    order = sorted(range(len(hits)), key=lambda number: (-scores[number], number))[:limit]
    return [
        replace(
            hits[number],
            score=scores[number],
            points={**(hits[number].points or {}), "rerank": scores[number]} if explain else None,
        )
        for number in order
    ]
