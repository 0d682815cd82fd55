"""Sketches: the nearest vectors are among those with the fewest differing bits, and files of them lag behind without harm."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from chunker.index import Index, vectors, writing
from chunker.index.vector_sketches import Sketches, extend, sketched_rows, sketches_of, sketches_path
from chunker.index.vectors import MappedRows, Vectors, best_rows, unit_rows

Write = Callable[..., Path]


def near_and_far(count: int, dimensions: int, seed: int = 5) -> tuple[Vectors, Vectors]:
    """Rows around some centres, and questions near some of the rows."""
    random = np.random.default_rng(seed)
    centres = random.standard_normal((50, dimensions))
    rows = unit_rows(
        (centres[random.integers(0, 50, count)] + random.standard_normal((count, dimensions))).astype("f4")
    )
    questions = rows[random.integers(0, count, 20)] + 0.05 * random.standard_normal((20, dimensions))
    return rows, unit_rows(questions.astype("f4"))


@pytest.mark.parametrize("dimensions", [20, 64, 96, 384])
def test_the_nearest_are_found(tmp_path: Path, dimensions: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "COMPARED", 600)
    rows, questions = near_and_far(3000, dimensions)
    path = tmp_path / "vectors.bits"
    extend(path, rows)
    mapped = MappedRows(rows, Sketches(path, dimensions))
    found = 0
    for question in questions:
        numbers, scores = mapped.best(question, 10)
        exact, best = best_rows(rows, question, 10)
        found += len(set(numbers.tolist()) & set(exact.tolist()))
        assert numbers[0] == exact[0]
        assert scores[0] == pytest.approx(best[0], abs=1e-6)
        assert np.allclose(scores, rows[numbers] @ question, atol=1e-6)
        assert (np.diff(scores) <= 0).all()
    assert found >= 190  # of 200


def test_a_file_grows_as_it_would_have_been_made_at_once(tmp_path: Path) -> None:
    rows, questions = near_and_far(17_500, 30)
    parts, whole = tmp_path / "parts.bits", tmp_path / "whole.bits"
    for count in (1, 900, 16_384, 17_500):
        extend(parts, rows[:count])
        assert len(Sketches(parts, 30)) == count
    extend(whole, rows)
    assert parts.read_bytes() == whole.read_bytes()
    sketches = Sketches(whole, 30)
    assert sketches.wrong(rows) == 0
    assert sketches.wrong(rows[::-1]) > 17_000
    differing = np.bitwise_count(sketches_of(rows) ^ sketches_of(questions[:1])).sum(axis=1)
    near = sketches.nearest(questions[0], 100)
    assert len(near) >= 100
    assert set(near.tolist()) == set(np.flatnonzero(differing <= np.sort(differing)[99]).tolist())


def test_rows_without_a_sketch_are_compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "COMPARED", 100)
    rows, _ = near_and_far(2000, 40)
    path = tmp_path / "vectors.bits"
    extend(path, rows[:1500])
    mapped = MappedRows(rows, Sketches(path, 40))
    for number in (1500, 1999):
        assert mapped.best(rows[number], 1)[0].tolist() == [number]
    fewer = MappedRows(rows[:900], Sketches(path, 40))  # a snapshot from before
    assert fewer.best(rows[3], 2)[0].max() < 900


@pytest.mark.parametrize("content", [b"", b"BPEBIT01", b"x" * 200])
def test_what_is_no_file_of_sketches_is_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "vectors-0.f32"
    sketches_path(path).write_bytes(content)
    assert sketched_rows(path, 8) == 0
    rows, _ = near_and_far(300, 8)
    extend(sketches_path(path), rows)
    assert sketched_rows(path, 8) == 300
    assert sketched_rows(path, 16) == 0
    whole = sketches_path(path).read_bytes()
    sketches_path(path).write_bytes(whole[:-8])
    assert sketched_rows(path, 8) == 0


def test_an_index_finds_the_same_with_and_without(
    index: Index, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "UNSKETCHED", 0)
    for number in range(60):
        write(f"f{number}.md", f"Paragraph {number} is about the {chr(97 + number % 26) * 5} of {number * 7}.\n" * 20)
    index.sync(tmp_path)
    assert index.verify() == []
    exact = [index.search(f"paragraph {number}", by="vectors") for number in range(0, 60, 9)]
    monkeypatch.setattr(vectors, "COMPARED", 20)
    monkeypatch.setattr(vectors, "_COMPARED_EACH", 1)
    monkeypatch.setattr(vectors, "_LEAST_SAVED", 1)
    (bits,) = index.path.glob("*.bits")
    sketched = [index.search(f"paragraph {number}", by="vectors") for number in range(0, 60, 9)]
    assert [hits[0].source for hits in sketched] == [hits[0].source for hits in exact]
    damaged = bytearray(bits.read_bytes())
    damaged[64:80] = bytes(byte ^ 0xFF for byte in damaged[64:80])
    bits.write_bytes(damaged)
    assert any("sketched wrongly" in fault for fault in index.verify())
    bits.unlink()
    assert [index.search(f"paragraph {number}", by="vectors") for number in range(0, 60, 9)] == exact
    write("f1.md", "Another text.\n", age=1)
    index.sync(tmp_path)
    assert index.verify() == []
    assert len(list(index.path.glob("*.bits"))) == 1
