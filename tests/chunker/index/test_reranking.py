"""Rerankers: a function, an object, a cross-encoder; and what is wrong with their numbers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from chunker.errors import OptionError
from chunker.index import CrossEncoderReranker, Index, Reranker


class Overlap:
    """A small cross-encoder: a linear model over the words that question and text share, trained on two pairs."""

    def __init__(self) -> None:
        pairs = [("open the drawer", "a drawer opens"), ("open the drawer", "onions simmer")]
        features = np.array([self._features(pair) for pair in pairs])
        self._weights = np.linalg.lstsq(features, np.array([1.0, -1.0]), rcond=None)[0]

    @staticmethod
    def _features(pair: tuple[str, str]) -> list[float]:
        question, text = (set(side.lower().split()) for side in pair)
        return [float(len(question & text)), 1.0]

    def predict(self, pairs: list[tuple[str, str]]) -> np.ndarray:
        scores: np.ndarray = np.array([self._features(pair) for pair in pairs]) @ self._weights
        return scores


@pytest.fixture
def filled(tmp_path: Path) -> Index:
    for number in range(30):
        (tmp_path / f"n{number:02}.md").write_text(f"# Drawer {number}\n\nIt is {'very ' * number}old.\n")
    (tmp_path / "target.md").write_text("# Onions\n\nopen the drawer with a spoon\n")
    index = Index.open(tmp_path / ".chunker")
    index.sync(tmp_path)
    return index


def test_a_function_decides(filled: Index) -> None:
    asked: list[int] = []

    def longest(question: str, texts: Sequence[str]) -> list[int]:
        assert question == "drawer"
        asked.append(len(texts))
        return [len(text) for text in texts]

    hits = filled.search("drawer", 3, rerank=longest, explain=True)
    assert asked == [20]
    assert [hit.score for hit in hits] == sorted((float(len(hit.text)) for hit in hits), reverse=True)
    assert len(hits) == 3
    assert all(hit.points is not None and hit.points["rerank"] == hit.score and "words" in hit.points for hit in hits)
    assert filled.search("drawer", 3, rerank=longest)[0].points is None
    read = filled.search("drawer", 20)
    # Equal ones stay in the order of the rules.
    same = filled.search("drawer", 3, rerank=lambda _, texts: [0.0] * len(texts))
    assert [hit.source for hit in same] == [hit.source for hit in read[:3]]


def test_a_cross_encoder_decides(filled: Index) -> None:
    reranker = CrossEncoderReranker(Overlap())
    assert isinstance(reranker, Reranker)
    assert filled.search("open the drawer", 1, rerank=reranker)[0].source == "target.md"
    with pytest.raises(OptionError, match="predict"):
        CrossEncoderReranker(object())


def test_wrong_numbers_are_told(filled: Index) -> None:
    for wrong in (lambda _, texts: [1.0] * (len(texts) - 1), lambda _, texts: [float("nan")] * len(texts)):
        with pytest.raises(OptionError, match="finite number for each"):
            filled.search("drawer", rerank=wrong)
    assert filled.search("drawer", filter=None, limit=2, by="words", rerank=lambda _, texts: range(len(texts)))


def test_nothing_found_asks_nobody(index: Index) -> None:
    def never(question: str, texts: Sequence[str]) -> list[float]:
        raise AssertionError

    assert index.search("drawer", rerank=never) == []
