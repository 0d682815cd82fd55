"""What comes from standard input: its name, its language, and token ids in both directions."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import chunker
from bpe_engine import Tokenizer
from chunker.cli.app import app
from chunker.files import progress

SOURCE = "import os\n\n\ndef f(x):\n    return os.sep + x\n"
GUIDE = "# Guide\n\nSome words.\n\n## Install\n\n- one\n- two\n"


def run(*arguments: str, text: str = "", code: int = 0) -> Any:
    done = CliRunner().invoke(app, list(arguments), input=text)
    assert done.exit_code == code, done.output
    return done


def records(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


@pytest.mark.parametrize(("text", "language"), [(SOURCE, "python"), (GUIDE, "markdown"), ('{"a": [1]}', "json")])
def test_what_is_clear_is_told_aloud(text: str, language: str) -> None:
    done = run("chunk", "-", "-f", "jsonl", text=text)
    assert {record["language"] for record in records(done.stdout)} == {language}
    assert f"Standard input is read as {language}" in done.stderr
    assert language in run("count", "-", text=text).stdout.lower()


def test_plain_text_is_no_surprise() -> None:
    done = run("chunk", "-", "-f", "jsonl", text="Some words.\n\nAnd others.\n")
    assert records(done.stdout)[0]["language"] is None
    assert done.stderr == ""


def test_the_language_that_is_asked_for() -> None:
    done = run("chunk", "-", "-f", "jsonl", "--language", "text", text=GUIDE)
    assert records(done.stdout)[0]["language"] is None
    assert done.stderr == ""
    assert records(run("chunk", "-", "-f", "jsonl", "-l", "md", text="word").stdout)[0]["language"] == "markdown"
    assert "Klingon" in run("chunk", "-", "--language", "Klingon", text="a", code=2).output


def test_the_name_that_is_given() -> None:
    done = run("chunk", "-", "-f", "jsonl", "--stdin-filename", "src/shop.rs", text="fn main() {}\n")
    (record,) = records(done.stdout)
    assert (record["source"], record["language"]) == ("src/shop.rs", "rust")
    assert done.stderr == ""
    assert "src/shop.rs" in run("count", "-", "--stdin-filename", "src/shop.rs", text="fn main() {}\n").stdout


@pytest.mark.parametrize("command", ["chunk", "count"])
def test_a_name_without_standard_input(command: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a", encoding="utf-8")
    done = run(command, str(tmp_path / "a.md"), "--stdin-filename", "shop.rs", code=2)
    assert "--stdin-filename: no PATH is -" in done.stderr


def test_text_to_encode_that_is_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9\n")
    done = run("encode", str(tmp_path / "latin.txt"), code=1)
    assert "latin.txt: byte 3: not UTF-8: invalid continuation byte" in done.stderr


def test_ids_and_back() -> None:
    text = "Hello, wörld 漢字 🎉\n"
    ids = Tokenizer.load("o200k_base").encode(text)
    encoded = run("encode", "-", text=text).stdout
    assert encoded == " ".join(map(str, ids)) + "\n"
    assert json.loads(run("encode", "-", "--json", text=text).stdout) == ids
    for written in (encoded, json.dumps(ids)):
        assert run("decode", "-", text=written).stdout_bytes.decode() == text
    pieces = [line.split("\t") for line in run("encode", "-", "--pieces", text="Hello, world").stdout.splitlines()]
    assert [(int(token), json.loads(piece)) for token, piece in pieces] == [
        (13225, "Hello"),
        (11, ","),
        (2375, " world"),
    ]


def test_special_tokens_of_a_text() -> None:
    special = Tokenizer.load("o200k_base").encode("<|endoftext|>", allowed_special="all")
    assert run("encode", "-", "--special", text="<|endoftext|>").stdout.split() == [str(special[0])]
    assert len(run("encode", "-", text="<|endoftext|>").stdout.split()) > 1


@pytest.mark.parametrize("command", ["encode", "decode"])
def test_a_text_in_place_of_a_path(command: str) -> None:
    told = run(command, "Hello world", code=2).stderr
    assert "Hello world does not exist; to pass the text itself, pipe it in, and write - for PATH" in " ".join(
        told.split()
    )


@pytest.mark.parametrize("text", ["12 abc", "99999999", "-1", "9" * 5_000])
def test_what_are_no_ids(text: str) -> None:
    assert "Error: " in run("decode", "-", text=text, code=1).stderr


def test_the_shell_completes_commands_and_options() -> None:
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(chunker.__path__[0]).parent),
        "_CHUNKER_COMPLETE": "complete_bash",
        "COMP_WORDS": "chunker en",
        "COMP_CWORD": "1",
    }
    program = "import sys; sys.argv = ['chunker']; from chunker.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["encode"], done.stderr


def test_an_interrupt_before_a_command_begins_is_no_traceback() -> None:
    program = (
        "import sys; sys.argv = ['chunker', 'count', '.']\n"
        "class Interrupting:\n    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'typer':\n            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupting())\nfrom chunker.__main__ import main\nmain()\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(chunker.__path__[0]).parent)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")


def test_a_bar_has_a_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(progress, "_REDRAWN_AFTER", 0.0)
    with progress.with_progress(range(50), "Working", 50, streaming=False, shown=True) as items:
        assert list(items) == list(range(50))
    assert "/s" in screen.getvalue()


@pytest.mark.parametrize("ending", ["pdf", "docx", "xlsx", "pptx", "epub"])
def test_documents_are_piped(ending: str) -> None:
    """Told by their first bytes; the name is for who wants one."""
    pytest.importorskip("pypdfium2", reason='needs pypdfium2: pip install "bpe-chunker[pdf]"')
    made = pytest.importorskip("document_files", reason="needs what makes documents")
    makers = {"pdf": "pdf", "docx": "word", "xlsx": "sheets", "pptx": "slides", "epub": "book"}
    known = made.known_text(1, 1, 1)
    content = getattr(made, f"{makers[ending]}_of")(known)
    program = [sys.executable, "-P", "-m", "chunker", "chunk", "-", "--format", "jsonl"]
    environment = {**os.environ, "PYTHONPATH": str(Path(chunker.__path__[0]).parent)}
    done = subprocess.run(program, input=content, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert records[0]["source"] == "-"
    text = "".join(record["text"] for record in records)
    words = known.words[-12:] if ending == "xlsx" else known.words  # a sheet has the table alone
    assert made.found_in_order(words, text) > 0.9
    if ending == "pdf":
        assert records[0]["metadata"]["places"][0]["page"] == 1
