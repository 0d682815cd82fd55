"""The files that `chunker chunk` and `chunker count` write: in the format that the ending says, or not at all."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from chunker.cli.app import app
from chunker.cli.records import chunk_line, chunk_lines
from chunker.files.chunk_files import Cut
from chunker.files.documents import Document

FILES = {"a.py": 'def f():\n    return "é, \\"x\\""\n', "b.txt": "One line.\r\nAnother;\n" * 20, "empty.txt": ""}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == code, done.output
    return done.output


def parquet_rows(path: Path) -> list[dict[str, Any]]:
    pq = pytest.importorskip("pyarrow.parquet", reason='needs pyarrow: pip install "bpe-chunker[arrow]"')
    rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
    return rows


def arrow_rows(path: Path) -> list[dict[str, Any]]:
    ipc = pytest.importorskip("pyarrow.ipc")
    rows: list[dict[str, Any]] = ipc.open_file(path).read_all().to_pylist()
    return rows


def csv_rows(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def flat(record: dict[str, Any]) -> dict[str, Any]:
    """A record as a row: the span as columns, lists and objects as JSON, and null for a body that is the text."""
    span = record.pop("span", {})
    body = {"body": record.get("body")} if "text" in record else {}
    rest = {
        name: json.dumps(value, ensure_ascii=False, separators=(",", ":")) if isinstance(value, dict | list) else value
        for name, value in record.items()
    }
    return {**rest, **body, **span}


COMMANDS = [
    ("chunk", ".", "--max-tokens", "16", "--context"),
    ("count", "."),
    ("count", ".", "--by", "language"),
    ("count", ".", "--by", "total"),
    ("chunk", "empty.txt"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_all_formats_say_the_same(tree: Path, command: tuple[str, ...]) -> None:
    outputs = tree.parent / f"{tree.name}-out"
    outputs.mkdir()
    for ending in ("jsonl", "json", "csv", "parquet", "NDJSON", "arrow"):
        run(*command, "-o", str(outputs / f"x.{ending}"))
    lines = (outputs / "x.jsonl").read_bytes()
    assert (outputs / "x.NDJSON").read_bytes() == lines
    records = [json.loads(line) for line in lines.decode().splitlines()]
    assert json.loads((outputs / "x.json").read_text("utf-8")) == records
    wanted = [flat(record) for record in records]
    assert parquet_rows(outputs / "x.parquet") == arrow_rows(outputs / "x.arrow") == wanted
    written = [{name: "" if value is None else str(value) for name, value in row.items()} for row in wanted]
    assert csv_rows(outputs / "x.csv") == written
    assert (wanted == []) == (command[1] == "empty.txt")


@pytest.mark.parametrize("name", ["x.xlsx", "x.jsonl.gz", "x.parket"])
@pytest.mark.parametrize("command", ["chunk", "count"])
def test_an_unknown_ending_is_refused_before_anything_is_done(tree: Path, command: str, name: str) -> None:
    told = run(command, ".", "--tokenizer", "no-such-tokenizer", "-o", name, code=2)
    assert "no format has this extension" in " ".join(told.split())
    assert not (tree / name).exists()
    run(command, "a.py", "--format", "jsonl", "-o", name)
    assert json.loads((tree / name).read_bytes().splitlines()[0])["source" if command == "chunk" else "path"] == "a.py"


@pytest.mark.parametrize("name", ["x", "x.txt"])
def test_a_table_is_written_where_the_name_is_that_of_a_table(tree: Path, name: str) -> None:
    run("chunk", ".", "-o", name)
    assert (tree / name).read_text("utf-8").startswith("file ")


def test_parquet_without_pyarrow_is_refused_before_anything_is_done(tree: Path) -> None:
    script = "import sys; sys.modules['pyarrow'] = sys.modules['pyarrow.parquet'] = None; from chunker.cli.app import main; main()"
    for options in (["-o", "x.parquet"], ["--format", "parquet"]):
        done = subprocess.run(
            [sys.executable, "-c", script, "chunk", ".", *options], capture_output=True, check=False, text=True
        )
        assert done.returncode == 2
        assert 'pip install "bpe-chunker[arrow]"' in " ".join(done.stderr.split())
    assert not (tree / "x.parquet").exists()


def test_what_the_command_wrote_is_no_source_of_the_next_run(tree: Path) -> None:
    pytest.importorskip("numpy", reason='needs numpy: pip install "bpe-chunker[index]"')
    (tree / "spec.yaml").write_text("budget: 50\nitems: [{id: a, text: Some words.}]\n")
    (tree / "soup.md").write_text("# Soup\n\nCut the onions first of all, finely. Then let them simmer for an hour.\n")
    sources = {"a.py", "b.txt", "soup.md", "spec.yaml"}
    made = ["chunks.jsonl", "chunks.json", "chunks.csv", "page.html", "prompt.html", "evaluation.html", "compared.html"]
    for name in made[:3]:
        run("chunk", ".", "-o", name)
    run("view", "b.txt", "-o", "page.html")
    run("view", "b.txt", "-o", "compared.html", "--compare", "max-tokens=64")
    run("prompt", "spec.yaml", "--html", "prompt.html")
    run("evaluate", "soup.md", "--sizes", "16", "--page", "evaluation.html")
    assert all((tree / name).stat().st_size > 100 for name in made)
    told = CliRunner().invoke(app, ["chunk", ".", "-f", "jsonl"])
    assert {json.loads(line)["source"] for line in told.stdout.splitlines()} == sources
    assert "7 generated: " in told.stderr
    named = CliRunner().invoke(app, ["chunk", *made, "-f", "jsonl"])  # a file that is named is read
    assert {json.loads(line)["source"] for line in named.stdout.splitlines()} == set(made)


def test_a_choice_that_is_none_is_told_with_the_others(tree: Path) -> None:
    told = run("chunk", str(tree), "--strategy", "best", code=2)
    assert "Invalid value for --strategy: 'best' is not one of 'grow', 'optimal'." in told.replace(
        "'--strategy'", "--strategy"
    )


@pytest.mark.parametrize("context", [False, True])
@pytest.mark.parametrize(("path", "encoding"), [("a.py", "utf-8"), ('ü".md', "utf-16-le")])
def test_lines_of_a_file_are_those_of_its_chunks(path: str, encoding: str, context: bool) -> None:
    odd = "".join(map(chr, [*range(1, 48), 92, 127, 160, 0x2028, 0xFEFF, 0x1F600]))
    text = f"# A \\\"title\" {odd}\n\nclass A:\n    def f(self):\n        return '{odd}'\n" * 9
    document = Document(path, text, encoding, len(text.encode(encoding)))
    file, outline = Cut(60, context=context, overlap=8).with_outline(document)
    assert len(file.chunks) > 3
    assert chunk_lines(document, file.chunks) == b"".join(chunk_line(document, chunk) for chunk in file.chunks)
    assert chunk_lines(document, []) == b""
    del outline
