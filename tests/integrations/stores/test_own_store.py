"""A store from outside this package keeps the promises of docs/extending.md: the example's, in SQLite. Copy this for your own."""

from __future__ import annotations

import importlib.util
import sys
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunker.index import Index, Vectors, VectorStore, VectorStoreError, store_named, vector_stores

# In your copy: the file, the class, and the name in front of the colon.
EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "sqlite_store.py"
CLASS, NAME = "SqliteStore", "sqlite"
WORDS = ("apple", "badger", "candle", "dolphin", "engine", "falcon")
FIRST, SECOND, UNKNOWN = b"a" * 16, b"b" * 16, b"c" * 16


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> VectorStore:
    """The store of the example, found by its name as if its package were installed."""
    spec = importlib.util.spec_from_file_location(EXAMPLE.stem, EXAMPLE)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, EXAMPLE.stem, module)
    spec.loader.exec_module(module)
    point = EntryPoint(NAME, f"{EXAMPLE.stem}:{CLASS}", vector_stores.GROUP)
    monkeypatch.setattr(vector_stores, "entry_points", lambda group: EntryPoints([point]).select(group=group))
    return store_named(f"{NAME}:{tmp_path / 'vectors.db'}")


def rows(*vectors: list[float]) -> Vectors:
    return np.array(vectors, np.float32)


def write(folder: Path, name: str, word: str) -> None:
    (folder / name).write_text(f"The {word} is described here. A {word} likes another {word}.\n", encoding="utf-8")


def test_a_table(store: VectorStore) -> None:
    store.create("one", 2)
    store.create("one", 2)
    with store.opened("one") as table:
        assert table.nearest(rows([1, 0])[0], 3) == ([], [])
        table.put([FIRST, SECOND], rows([1, 0], [0, 1]))
        table.put([FIRST], rows([0.6, 0.8]))
    with store.opened("one") as table, store.opened("one") as again:
        assert table.count() == again.count() == 2
        assert table.nearest(rows([0, 1])[0], 1) == ([SECOND], [1.0])
        assert table.nearest(rows([0, 1])[0], 9)[0] == [SECOND, FIRST]
        found = table.vectors([FIRST, UNKNOWN])
        assert found.keys() == {FIRST}
        assert found[FIRST].dtype == np.float32
        assert found[FIRST].tobytes() == rows([0.6, 0.8])[0].tobytes()
        table.drop([FIRST, UNKNOWN])
        table.drop([FIRST])
        assert table.count() == 1


def test_failures_are_errors_of_the_store(store: VectorStore, tmp_path: Path) -> None:
    with pytest.raises(VectorStoreError), store.opened("none"):
        pass
    store.discard("none")
    store.create("one", 2)
    with store.opened("one") as table, pytest.raises(VectorStoreError):
        table.put([FIRST], rows([1, 0, 0]))
    store.discard("one")
    with pytest.raises(VectorStoreError), store.opened("one"):
        pass


@pytest.mark.usefixtures("store")
def test_a_folder_that_does_not_exist_is_made_or_refused(tmp_path: Path) -> None:
    elsewhere = store_named(f"{NAME}:{tmp_path / 'no folder' / 'vectors.db'}")
    try:
        elsewhere.create("one", 2)
    except VectorStoreError:
        return
    with elsewhere.opened("one") as table:
        assert table.count() == 0


def test_an_index_in_it(store: VectorStore, tmp_path: Path) -> None:
    files = tmp_path / "files"
    files.mkdir()
    for word in WORDS:
        write(files, f"{word}.txt", word)
    index = Index.open(tmp_path / "index", store=store, root=files)
    assert (index.sync(files).computed, index.verify()) == (6, [])

    write(files, "apple.txt", "zebra")
    (files / "badger.txt").rename(files / "renamed.txt")
    (files / "candle.txt").unlink()
    again = Index.open(tmp_path / "index")  # neither the store nor the root is told
    report: Any = again.sync(files)
    assert (report.changed, report.renamed, report.added, report.removed_files, report.computed) == (1, 1, 1, 2, 1)
    assert again.search("zebra", limit=1, by="vectors")[0].source == "apple.txt"
    assert again.search("badger", limit=1, by="vectors")[0].source == "renamed.txt"
    assert (again.status().embeddings, again.status().spare) == (7, 2)
    assert (again.prune(), again.status().embeddings, again.verify()) == (2, 5, [])


def test_a_lost_vector_is_noticed(store: VectorStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[str, int]] = []
    create = store.create

    def recorded(table: str, dimensions: int) -> None:
        made.append((table, dimensions))
        create(table, dimensions)

    monkeypatch.setattr(store, "create", recorded)
    (tmp_path / "files").mkdir()
    write(tmp_path / "files", "apple.txt", "apple")
    index = Index.open(tmp_path / "index", store=store, root=tmp_path / "files")
    index.sync(tmp_path / "files")
    name, dimensions = made[-1]
    with store.opened(name) as table:
        table.drop(table.nearest(np.ones(dimensions, np.float32), 1)[0])
    assert index.verify()
