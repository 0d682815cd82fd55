"""Progress in pipes and logs: a line every few seconds."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("numpy")
pytest.importorskip("tantivy")

from chunker.cli.run_index import IndexOrder, run_index
from chunker.cli.run_training import TrainingOrder, run_training
from chunker.cli.runs import Run
from chunker.files import progress
from chunker.files.documents import Document
from chunker.files.intake import Intake
from chunker.files.patterns import Patterns, Wanted
from chunker.mapping import map_repository

NUMBER = 30


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for number in range(NUMBER):
        (tmp_path / f"{number:02}.txt").write_text(f"Words of file {number}.\n" * 20)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    return tmp_path


def wanted() -> Wanted:
    return Wanted.of(Patterns.of([], None), Patterns.of([], None))


def test_a_run_over_files(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def size(document: Document) -> int:
        return len(document.text)

    run = Run(["."], Intake(), wanted(), hidden=False, output=None, task="Counting")
    assert len(list(run.over(size, streaming=True))) == NUMBER
    told = capsys.readouterr()
    assert told.out == ""
    lines = told.err.splitlines()
    assert lines[0].startswith("Counting: 1 of 30, ")
    assert "/s, " in lines[0]
    assert lines[-1].endswith(" 0 s left")


def test_an_index(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    order = IndexOrder(
        folder=".chunker", embedder="hashing", embedder_options={}, store=None, options={}, tags=[], rebuild=False,
        dry_run=False, watch=False, interval=1, hidden=False, intake=Intake(), wanted=wanted(),
    )  # fmt: skip
    with Path(".out").open("wb") as output:
        run_index(["."], order, output)
    lines = [line for line in capfd.readouterr().err.splitlines() if line.startswith("Indexing: ")]
    assert lines[-1].startswith(f"Indexing: {NUMBER} of {NUMBER} files, ")
    assert " tokens embedded, " in lines[-1]


def test_training(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    order = TrainingOrder(
        output="out.json", vocab_size=280, pattern=None, special_tokens=(), min_frequency=2, tie_breaking="first",
        layout=None, threads=1, hidden=False, secrets=False,
    )  # fmt: skip
    run_training(["."], order)
    told = capsys.readouterr().err
    assert "Counting: " in told
    assert " bytes\n" in told


def test_a_map(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree / "a.py").write_text("def f():\n    return 1\n")
    assert map_repository(tree, progress=None).files == 1
    assert capsys.readouterr().err.splitlines()[-1].startswith("Reading: 31 of 31, ")
    map_repository(tree)
    assert capsys.readouterr().err == ""


def test_short_work_writes_none(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 60.0)
    with progress.with_progress(range(9), "Counting", 9, streaming=False, lines=True) as counted:
        assert len(list(counted)) == 9
    assert capsys.readouterr().err == ""
