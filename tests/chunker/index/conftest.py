"""What the tests of the index share: a project to index, and a picture of all that an index keeps."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunker.index import Index

Picture = dict[str, Any]

_OLD = 1_700_000_000


def write_file(folder: Path, name: str, text: str | bytes, age: int = 0) -> Path:
    """A file that was written long ago, so that its times tell whether it was changed."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    os.utime(path, (_OLD + age, _OLD + age))
    return path


def picture(index: Index) -> Picture:
    """All that an index keeps of its files, without numbers that depend on the order of the work; it holds together."""
    assert index.verify() == []
    store = index._store
    with store.reading() as snapshot:
        ask = snapshot.connection.execute
        files = ask(
            "SELECT tag, source, v.key FROM files JOIN versions AS v ON v.id = version ORDER BY 1, 2"
        ).fetchall()
        places = ask(
            "SELECT v.key, number, e.key, start, end, start_byte, end_byte, start_line, end_line, context, kind "
            "FROM places JOIN versions AS v ON v.id = version JOIN embeddings AS e ON e.id = embedding ORDER BY 1, 2"
        ).fetchall()
        needed = ask("SELECT key, text, tokens, places, row FROM embeddings WHERE places > 0 ORDER BY key").fetchall()
        vectors = [np.array(snapshot.vectors[row]).tobytes() for *_, row in needed]
        keys = dict(ask("SELECT id, key FROM embeddings"))
        words = [keys[number] for number, _ in snapshot.words.best(["self", "line", "return"], 100_000)]
        sources = dict(ask("SELECT id, source FROM sources"))
        names = [sources[number] for number, _ in snapshot.names.best(["f1", "new", "move", "a"], 100_000)]
    return {
        "files": files,
        "places": places,
        "texts": [row[:4] for row in needed],
        "vectors": vectors,
        "words": sorted(words),
        "names": sorted(names),
    }


@pytest.fixture(autouse=True)
def same_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make hashed words the default embedder, whichever packages are installed. The choice itself is tested in test_static.py."""
    monkeypatch.setattr("chunker.index.indexing.default_embedder", lambda: "hashing")


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file of the project."""

    def writing(name: str, text: str | bytes, age: int = 0) -> Path:
        return write_file(tmp_path, name, text, age)

    return writing


@pytest.fixture
def index(tmp_path: Path) -> Index:
    """An empty index in the folder of the project."""
    return Index.open(tmp_path / ".chunker")


@pytest.fixture
def look() -> Callable[[Index], Picture]:
    """All that an index keeps."""
    return picture


@pytest.fixture(scope="session")
def python_lines() -> list[str]:
    """At least 2,000 lines of real Python."""
    import argparse  # noqa: PLC0415 - to read it

    lines = Path(str(argparse.__file__)).read_text(encoding="utf-8").splitlines(keepends=True)
    assert len(lines) >= 2000
    return lines
