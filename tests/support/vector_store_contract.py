"""What every store of vectors must do, whichever server it uses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from chunker.index import HashingEmbedder, Index, VectorStoreError
from chunker.index.vector_stores import VectorStore

TABLE = "bpe_chunker_0123456789abcdef_1"


def unit(count: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    rows = np.random.default_rng(1).normal(size=(count, 8)).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def keeps_vectors_bit_by_bit_and_finds_them_by_their_product(
    store: VectorStore, wrong_length: str, missing: str
) -> None:
    """`wrong_length`, `missing`: what its errors say of a vector of another length, and of a table that is gone."""
    assert isinstance(store, VectorStore)
    store.create(TABLE, 8)
    store.create(TABLE, 8)
    rows = unit(700)
    keys = [number.to_bytes(16, "big") for number in range(700)]
    with store.opened(TABLE) as opened:
        assert opened.nearest(rows[0], 3) == ([], [])
        opened.put(keys, rows)
        opened.put(keys[:3], rows[:3])
        assert opened.count() == 700
        found = opened.vectors([*keys, b"\xff" * 16])
        assert sorted(found) == keys
        assert all(np.array_equal(found[key], row) for key, row in zip(keys, rows, strict=True))
        products = rows @ rows[5]
        order = np.argsort(-products)
        near, scores = opened.nearest(rows[5], 1000)
        assert near == [keys[number] for number in order]
        assert scores == pytest.approx(products[order].tolist(), abs=1e-5)
        opened.drop([*keys[:600], b"\xee" * 16])
        opened.drop([])
        assert opened.count() == 100
        with pytest.raises(VectorStoreError, match=wrong_length):
            opened.put(keys[:1], rows[:1, :4])
    store.discard(TABLE)
    store.discard(TABLE)
    with pytest.raises(VectorStoreError, match=missing), store.opened(TABLE):
        pass


def finds_what_an_index_with_a_file_does(store: VectorStore, folder: Path) -> None:
    for number in range(6):
        (folder / f"f{number}.md").write_text(f"# Part {number}\n\nOnions and stars, {number} of them.\n", "utf-8")
    embedder = HashingEmbedder(32)
    plain = Index.open(folder / ".plain", embedder=embedder, root=folder)
    index = Index.open(folder / ".chunker", embedder=embedder, store=store)
    files = sorted(folder.glob("*.md"))
    assert plain.sync(files).computed == index.sync(files).computed == 6
    for query in ("stars", "part 3", "5 of them"):
        assert [hit.source for hit in index.search(query, 4)] == [hit.source for hit in plain.search(query, 4)]
    (folder / "f3.md").write_text("# Part 3\n\nLeeks.\n", "utf-8")
    assert index.sync(files).computed == 1
    assert index.verify() == []
