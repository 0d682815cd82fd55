"""`chunker chunk --explain`, and the options of `chunker view` that change what it explains."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from chunker import chunker_for
from chunker.cli.app import app
from chunker.view import cut_reasons

CODE = "import os\n\n\ndef one():\n" + "    os.getpid()\n" * 9 + "\n\ndef two():\n" + "    os.getpid()\n" * 9
OPTIONS = ("--max-tokens", "60", "--explain")


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "shop.py"
    path.write_text(CODE, encoding="utf-8")
    return path


def run(*arguments: str) -> str:
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == 0, done.output
    return done.output


def test_each_record_says_why_its_chunk_ends(shop: Path) -> None:
    records = [json.loads(line) for line in run("chunk", "shop.py", *OPTIONS, "--format", "jsonl").splitlines()]
    chunker = chunker_for("shop.py", 60)
    *reasons, last = cut_reasons(chunker, CODE, chunker.chunk(CODE))
    assert [record["cut"].partition(": ")[2] for record in records[:-1]] == [str(reason) for reason in reasons]
    assert last is None
    assert records[-1]["cut"] == "end of the text"
    assert records[0]["cut"].startswith("before function, structure 1 of ")
    assert "cut" not in json.loads(run("chunk", "shop.py", "--format", "jsonl").splitlines()[0])


def test_the_table_has_a_row_for_each_chunk(shop: Path) -> None:
    heading, _, *rows, _, total = run("chunk", "shop.py", *OPTIONS).splitlines()
    assert heading.split() == ["file", "lines", "tokens", "cut"]
    assert rows[0].split()[:2] == ["shop.py", "1-15"]
    assert "would make" in rows[0]
    assert rows[-1].endswith("end of the text")
    assert total.split()[0] == "total"


def test_workers_and_columns(shop: Path) -> None:
    (shop.parent / "note.txt").write_text("A line.\n")
    run("chunk", "shop.py", "note.txt", *OPTIONS, "--workers", "2", "--output", "chunks.csv")
    with (shop.parent / "chunks.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["source"] for row in rows if row["cut"] == "end of the text"} == {"shop.py", "note.txt"}


def test_view_takes_the_strategy_and_the_desired_size(shop: Path) -> None:
    assert "desired_tokens is 20" in run("view", "shop.py", "--terminal", "-m", "60", "--desired-tokens", "20")
    assert "whole text" in run("view", "shop.py", "--terminal", "-m", "50", "--strategy", "optimal").replace(
        "\n   ", " "
    )
    run("view", "shop.py", "-m", "60", "--compare", "strategy=optimal,desired-tokens=20")
    page = (shop.parent / "chunker-view.html").read_text("utf-8")
    assert "desired_tokens=20, strategy=&#x27;optimal&#x27;" in page or "desired_tokens=20, strategy='optimal'" in page
