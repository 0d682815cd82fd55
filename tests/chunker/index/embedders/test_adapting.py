"""Embedders of other kinds: functions, and the embedding objects of LangChain and LlamaIndex, as they are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunker.errors import OptionError, WrongTypeError
from chunker.index import CallableEmbedder, Embedder, EmbedderError, HashingEmbedder, Index
from chunker.index.embedders import embedder_of

_HASHING = HashingEmbedder(48)
TEXTS = {"soup": "Onions simmer in the soup.\n", "stars": "A telescope sees galaxies.\n"}


def vectors_of(texts: list[str]) -> list[list[float]]:
    rows: list[list[float]] = _HASHING.embed(texts).tolist()
    return rows


class LlamaIndexLike:
    """What LlamaIndex's embedding objects have."""

    model_name = "some-model"
    embed_batch_size = 3

    def __init__(self) -> None:
        self.batches: list[int] = []

    def get_text_embedding_batch(self, texts: list[str], show_progress: bool = False) -> list[list[float]]:
        assert not show_progress
        self.batches.append(len(texts))
        return vectors_of(texts)

    def get_query_embedding(self, query: str) -> list[float]:
        return vectors_of([query])[0]


def test_a_function(tmp_path: Path) -> None:
    for embedder in (vectors_of, lambda texts: np.array(vectors_of(texts), np.float64)):
        index = Index.open(tmp_path / embedder.__name__.strip("<>"), embedder=embedder)
        assert index.add(TEXTS).computed == 2
        assert index.settings.dimensions == 48
        assert index.search("galaxies", 1, by="vectors")[0].source == "stars"
        again = Index.open(index.path, embedder=embedder)
        assert again.add(TEXTS).computed == 0
        with pytest.raises(EmbedderError, match="pass it to"):
            Index.open(index.path).search("x")


def test_langchain(tmp_path: Path) -> None:
    embeddings = pytest.importorskip("langchain_core.embeddings")

    class Own(embeddings.Embeddings):  # type: ignore[misc,name-defined]  # it is imported where it is installed
        model = "tiny"

        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return vectors_of(texts)

        def embed_query(self, text: str) -> list[float]:
            return vectors_of([f"a question: {text}"])[0]

    index = Index.open(tmp_path / ".chunker", embedder=Own())
    assert index.add(TEXTS).computed == 2
    hit = index.search("onions", 1, by="vectors")[0]
    assert hit.source == "soup"
    question = _HASHING.embed_query("a question: onions")
    assert hit.similarity == pytest.approx(float(_HASHING.embed([hit.text])[0] @ question), abs=1e-5)
    assert index.embedder.model_id == f"{Own.__qualname__}:tiny"


def test_llamaindex(tmp_path: Path) -> None:
    given = LlamaIndexLike()
    index = Index.open(tmp_path / ".chunker", embedder=given)
    assert index.add({f"text-{number}": f"The number {number}.\n" for number in range(8)}).computed == 8
    assert sorted(given.batches[1:]) == [2, 3, 3]
    assert index.embedder.model_id == "LlamaIndexLike:some-model"


def test_another_model_is_another_embedder(tmp_path: Path) -> None:
    index = Index.open(tmp_path / ".chunker", embedder=CallableEmbedder(vectors_of, model_id="one", dimensions=48))
    index.add(TEXTS)
    with pytest.raises(ValueError, match="embedder"):
        Index.open(index.path, embedder=CallableEmbedder(vectors_of, model_id="one", revision="2", dimensions=48))


def fails(_texts: list[str]) -> Any:
    raise RuntimeError("out of memory")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (fails, "fails failed: RuntimeError: out of memory"),
        (lambda texts: [[1.0]] * (len(texts) + 1), "not a row for each"),
        (lambda _: [1.0, 2.0], "not a row for each"),
        (lambda texts: [["x"]] * len(texts), "failed: ValueError"),
    ],
)
def test_what_a_function_does_wrong_is_told(function: Any, message: str, tmp_path: Path) -> None:
    embedder = CallableEmbedder(function, dimensions=2)
    with pytest.raises(EmbedderError, match=message):
        embedder.embed(["a", "b"])
    with pytest.raises(EmbedderError):
        Index.open(tmp_path / ".chunker", embedder=function).add(TEXTS)
    with pytest.raises(EmbedderError, match="not one vector"):
        CallableEmbedder(vectors_of, query=lambda text: [[1.0]]).embed_query("x")


def test_what_is_no_embedder_is_told(tmp_path: Path) -> None:
    assert embedder_of(_HASHING) is _HASHING
    assert isinstance(CallableEmbedder(vectors_of), Embedder)
    for given in (7, object(), LlamaIndexLike):
        with pytest.raises(WrongTypeError, match="embedding object of LangChain"):
            Index.open(tmp_path / ".chunker", embedder=given)  # type: ignore[arg-type]  # that is the point
    with pytest.raises(OptionError):
        CallableEmbedder(vectors_of, max_batch_texts=0)


def test_progress_tells_the_pace_and_what_is_left(tmp_path: Path) -> None:
    index = Index.open(tmp_path / ".chunker", embedder=CallableEmbedder(vectors_of, max_batch_texts=2))
    seen: list[tuple[int, int]] = []
    report = index.add(
        {f"text-{number}": f"The number {number}.\n" for number in range(7)},
        progress=lambda one: seen.append((one.tokens_computed, one.tokens_waiting)),
    )
    assert seen[0] == (0, report.tokens_computed)
    assert len({computed for computed, _ in seen}) == 5  # nothing, and after each of four batches
    assert all(sum(one) == report.tokens_computed for one in seen)
    assert report.tokens_waiting == 0
    assert report.pace == report.tokens_computed / report.embedding_seconds > 0
