"""`chunker train` as a user runs it: the file it writes, what it notes, what it refuses."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

import command
import pytest
from typer.testing import CliRunner

import chunker
from bpe_engine import Tokenizer, train
from chunker.cli import run_training as training
from chunker.cli.app import app
from chunker.files.discovery import FoundFile, Problem
from chunker.files.intake import Intake

_PACKAGE_FOLDER = Path(chunker.__path__[0]).parent
PROSE = "".join(f"Line {number} says a word, größer als {number * 7}.\n" for number in range(200))

KEY = "-----BEGIN RSA PRIVATE KEY-----\nMII\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    files = {
        "a.txt": PROSE.encode(),
        "b.txt": ("\ufeff" + PROSE[:500]).encode("utf-16-le"),
        "logo.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        ".gitignore": b"*.log\n",
        "run.log": b"left out " * 100,
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    return tmp_path


def run(*arguments: str, cwd: Path, code: int = 0, stdin: bytes = b"") -> str:
    """What the command says on standard error; it says nothing else."""
    values = dict(os.environ)
    if Path(sysconfig.get_path("purelib")) != _PACKAGE_FOLDER:
        values["PYTHONPATH"] = str(_PACKAGE_FOLDER)
    done = command.run(["train", *arguments], cwd=cwd, env=values, given=stdin)
    error = done.stderr.decode()
    assert "Traceback" not in error
    assert done.returncode == code, error
    assert done.stdout == b""
    return error


def test_files_of_a_folder(tree: Path) -> None:
    said = run(".", "-o", "out.json", "-n", "300", "--special", "<|end|>", cwd=tree)
    assert said.startswith(
        "out.json: 300 tokens (43 learned, 1 special) from 2 files\nSkipped without text: 1, such as logo.png"
    )
    expected = train([PROSE, "\ufeff" + PROSE[:500]], 300, special_tokens=["<|end|>"])
    assert Tokenizer.from_file(tree / "out.json").encode(PROSE) == expected.encode(PROSE)


def test_standard_input_and_minbpe(tree: Path) -> None:
    said = run("-", "-o", "out.model", "-n", "280", "-p", "gpt2", "--ties", "first", cwd=tree, stdin=PROSE.encode())
    assert said == "out.model: 280 tokens (24 learned, 0 special) from 1 file\n"
    expected = train([PROSE], 280, pattern="gpt2", tie_breaking="first", layout="minbpe")
    assert Tokenizer.from_file(tree / "out.model").encode(PROSE) == expected.encode(PROSE)


def test_more_tokens_than_there_are_pairs(tree: Path) -> None:
    (tree / "short.txt").write_text("abcabc")
    said = run("short.txt", "-o", "out.tiktoken", "-n", "300", "-p", "none", cwd=tree)
    assert said.splitlines() == [
        "Note: the texts have no more pairs: the vocabulary has 259 tokens, not 300",
        "out.tiktoken: 259 tokens (3 learned, 0 special) from 1 file",
    ]


def test_a_bad_file_does_not_lose_the_others(tree: Path) -> None:
    (tree / "bad.txt").write_bytes(b"good until \xff\xfe\xff")
    said = run("a.txt", "bad.txt", "-o", "out.json", "-n", "300", "--expression", r"\S+|\s+", cwd=tree, code=1)
    assert "from 1 file" in said
    assert "Failed: bad.txt: byte 11" in said
    assert Tokenizer.from_file(tree / "out.json").n_vocab == 300


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a.txt", "-o", "out.bin", "-n", "300"], "unknown file extension; the formats are"),
        (["a.txt", "-o", "out.json", "-n", "300", "-p", "o200"], "no grammar is called 'o200'"),
        (["a.txt", "-o", "out.json", "-n", "256", "--special", "<s>"], "at least 257"),
        (["a.txt", "-o", "out.json", "-n", "300", "--expression", "("], "does not compile"),
        (["a.txt", "-o", "out.json", "-n", "300", "--expression", r"\w+"], "Oniguruma"),
        (["a.txt", "-o", "out.model", "-n", "300", "--layout", "gpt2"], 'layout="minbpe"'),
        (["a.txt", "-o", "out.model", "-n", "300", "--special", "a b"], "white space"),
        (["nothing.txt", "-o", "out.json", "-n", "300"], "does not exist"),
        (["a.txt", "-o", "nowhere/out.json", "-n", "300"], "the folder of"),
        (["logo.png", "-o", "out.json", "-n", "300"], "nothing to learn from"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    done = CliRunner().invoke(app, ["train", *arguments])
    assert done.exit_code == 2
    assert message in done.stderr
    assert not list(tree.glob("out.*"))


def test_a_large_file_is_read_in_blocks(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "_LARGE", 10)

    def text_of(name: str) -> object:
        path = tree / name
        return training._text(FoundFile(str(path), path.stat().st_size, named=True), Intake())

    assert text_of("a.txt") == tree / "a.txt"
    assert text_of("b.txt") == "\ufeff" + PROSE[:500]  # in another encoding: as a whole
    assert isinstance(text_of("logo.png"), Problem)
    (tree / "key.txt").write_text(KEY)
    assert isinstance(text_of("key.txt"), Problem)


def test_secrets_are_left_out_and_told_of(tree: Path) -> None:
    (tree / "credentials").write_text("aws_secret_access_key = zzqzzqzzqzzq\n" * 50)
    (tree / "notes.txt").write_text(KEY + "zzqzzq\n" * 50)
    said = run(".", "-o", "out.json", "-n", "300", cwd=tree)
    assert "from 2 files\n" in said
    assert said.endswith("Left out files that hold secrets (--secrets includes them): credentials, notes.txt\n")
    expected = train([PROSE, "\ufeff" + PROSE[:500]], 300)
    assert Tokenizer.from_file(tree / "out.json").encode(PROSE) == expected.encode(PROSE)
    assert "from 4 files\n" in run(".", "-o", "out.json", "-n", "300", "--secrets", cwd=tree)
    named = run("a.txt", "credentials", "-o", "out.json", "-n", "300", cwd=tree, code=1)
    assert "Failed: credentials: left out: by its name it holds secrets\n" in named
