"""`chunker tokenizer inspect` and `compare`, on names and on files of several formats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from gguf_files import byte_level_entries, write
from typer.testing import CliRunner, Result

from bpe_engine.minbpe import RegexTokenizer
from chunker.cli.app import app


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["tokenizer", *arguments])


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    return write(tmp_path / "small.gguf", byte_level_entries("llama-bpe"))


def test_inspect_an_encoding() -> None:
    result = run("inspect", "gpt-4o", "--sample", "it's 中")
    assert result.exit_code == 0, result.output
    lines = dict(line.split("  ", 1) for line in result.stdout.splitlines() if "  " in line)
    assert {label: value.strip() for label, value in lines.items()} == {
        "name": "o200k_base",
        "kind": "published encoding",
        "tokens": "199,998",
        "ids": "200,019",
        "special tokens": "'<|endofprompt|> 200018' '<|endoftext|> 199999'",
        "around a text": "none",
        "stages": "'pattern o200k'",
        "longest tokens": lines["longest tokens"].strip(),
        "sample": "\"it's\" ' 中'",
        "sample ids": "64190 25403",
    }


def test_inspect_as_json(gguf: Path, tmp_path: Path) -> None:
    facts = json.loads(run("inspect", str(gguf), "--json", "--sample", "a b").stdout)
    assert (facts["name"], facts["kind"], facts["sample"]) == ("small", "gguf", ["a", " b"])
    assert facts["around a text"] == {"prefix": [facts["ids"] - 5], "suffix": []}
    assert facts["stages"] == ["pattern llama3_ascii", "a pre-token that is a token is not merged"]
    assert len(facts["longest tokens"]) == 5
    minbpe = RegexTokenizer()
    minbpe.train("hello hello hello", 260)
    minbpe.save(tmp_path / "tiny")
    facts = json.loads(run("inspect", str(tmp_path / "tiny.model"), "--json", "--sample", "").stdout)
    assert (facts["kind"], facts["tokens"], facts["longest tokens"][0], facts["sample"]) == ("minbpe", 260, "hello", [])


def test_compare(gguf: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.txt"
    text.write_bytes("it's naïve\n".encode() + b"\xff")
    result = run("compare", "cl100k_base", "o200k_base", str(text))
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[0] == "cl100k_base -> o200k_base"
    assert lines[-1].startswith(f"{text}: ")
    assert run("compare", str(gguf), str(gguf)).stdout.splitlines()[-1] == "stages    the same"


def test_what_is_no_tokenizer(tmp_path: Path) -> None:
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"GGUF")
    for arguments in (["inspect", str(bad)], ["compare", str(bad), "gpt2-ish"], ["compare", "o200k_base", str(bad)]):
        result = run(*arguments)
        assert result.exit_code == 1
        assert f"Error: {bad}: byte 4: 'the version': 4 bytes are claimed" in result.stderr
        assert result.stdout == ""
    result = run("inspect", "o200k-base")
    assert result.exit_code == 2
    assert "no file" in result.stderr
    result = run("compare", "o200k_base", "cl100k_base", str(tmp_path / "none.txt"))
    assert result.exit_code == 2
    assert "does not exist" in result.stderr


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="there is no file that nobody can read")
def test_a_file_that_cannot_be_read() -> None:
    result = run("inspect", "/proc/self/mem")
    assert result.exit_code == 1
    assert result.stderr == "Error: /proc/self/mem: Input/output error\n"
