"""`chunker view` as a user runs it: where the page goes, what opens it, what is printed, and the exit codes."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import command
import pytest

import chunker

_PACKAGE_FOLDER = Path(chunker.__path__[0]).parent
PYTHON = "import os\n\n\ndef one():\n    return os.getpid()\n\n\ndef two():\n    return os.getpid() * 2\n"


def run(*arguments: str, cwd: Path, code: int = 0, **variables: str) -> subprocess.CompletedProcess[str]:
    values = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR"}} | variables
    if Path(sysconfig.get_path("purelib")) != _PACKAGE_FOLDER:
        values["PYTHONPATH"] = str(_PACKAGE_FOLDER)
    done = command.run(["view", *arguments], cwd=cwd, env=values)
    out, error = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in error, error
    assert done.returncode == code, error
    return subprocess.CompletedProcess(done.args, code, out, error)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.py").write_text(PYTHON)
    (tmp_path / "src" / "b.md").write_text("# Title\n\nSome words.\n")
    return tmp_path


def index_of(html: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="index">(.*?)</script>', html)
    assert found
    index: dict[str, Any] = json.loads(found[1])
    return index


def test_secrets_are_on_no_page_that_may_be_sent(tree: Path) -> None:
    (tree / "src" / "server.key").write_text("hunter2\n")
    done = run("src", cwd=tree)
    page = (tree / "chunker-view.html").read_text("utf-8")
    assert [text["path"] for text in index_of(page)["texts"]] == ["src/a.py", "src/b.md"]
    assert "Left out files that hold secrets (--secrets includes them): src/server.key\n" in done.stderr
    run("src", "--secrets", cwd=tree)
    index = index_of((tree / "chunker-view.html").read_text("utf-8"))
    assert [text["path"] for text in index["texts"]] == ["src/a.py", "src/b.md", "src/server.key"]
    assert "secrets=True" in index["code"]


def test_the_code_of_the_page_makes_its_chunks(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "src" / ".c.md").write_text("# Hidden\n\nWords.\n")
    run("src", "-m", "16", "--overlap", "3", "--hidden", "--exclude", "b.*", cwd=tree)
    index = index_of((tree / "chunker-view.html").read_text("utf-8"))
    monkeypatch.chdir(tree)
    *first, last = index["code"].splitlines()
    names: dict[str, Any] = {}
    exec("\n".join(first), names)
    made = list(eval(last, names))
    assert [(one.path, len(one.chunks)) for one in made] == [(text["path"], text["chunks"]) for text in index["texts"]]
    assert [one.path for one in made] == ["src/.c.md", "src/a.py"]


def test_a_page_for_a_folder(tree: Path) -> None:
    done = run("src", "-m", "20", "--overlap", "3", "--context", cwd=tree)
    assert done.stdout == ""
    assert done.stderr == "Written: chunker-view.html\n"
    html = (tree / "chunker-view.html").read_text("utf-8")
    index = index_of(html)
    assert [text["path"] for text in index["texts"]] == ["src/a.py", "src/b.md"]
    assert [text["language"] for text in index["texts"]] == ["python", "markdown"]
    assert index["settings"] == {
        "tokenizer": "o200k_base", "max_tokens": 20, "min_tokens": 2, "overlap": 3, "context": True, "show_tokens": False,
    }  # fmt: skip
    # The page is no source of the next one, though it lies in the folder that is walked.
    run(".", "-m", "20", "--overlap", "3", "--context", cwd=tree)
    again = index_of((tree / "chunker-view.html").read_text("utf-8"))
    assert [text["path"] for text in again["texts"]] == ["src/a.py", "src/b.md"]


def test_where_the_page_goes(tree: Path) -> None:
    done = run("src/a.py", "-o", "-", "--tokens", cwd=tree)
    assert done.stdout.startswith("<!doctype html>\n")
    assert done.stdout.endswith("</html>\n")
    assert done.stderr == ""
    assert '"show_tokens":true' in done.stdout
    run("src/a.py", "--tokens", "--output", "page.html", cwd=tree)
    assert (tree / "page.html").read_text("utf-8") == done.stdout
    assert not (tree / "chunker-view.html").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the browser is a shell script")
def test_the_page_is_opened(tree: Path) -> None:
    browser = tree / "browser"
    browser.write_text('#!/bin/sh\nprintf %s "$1" > "$(dirname "$0")/opened"\n')
    browser.chmod(0o755)
    run("src/a.py", "-o", "the page.html", "--open", cwd=tree, BROWSER=f"{browser} %s")
    assert (tree / "opened").read_text() == (tree / "the page.html").as_uri()


def test_the_terminal_view_of_a_pipe_has_no_codes(tree: Path) -> None:
    done = run("src", "-m", "20", "--terminal", "--context", cwd=tree, COLUMNS="70")
    assert "\x1b" not in done.stdout
    assert "src/a.py" in done.stdout
    assert "3  function" in done.stdout or "2  function" in done.stdout
    assert "before function, structure 1 of " in done.stdout
    assert "src/b.md" in done.stdout
    assert not (tree / "chunker-view.html").exists()
    forced = run("src", "-m", "20", "--terminal", cwd=tree, COLUMNS="70", FORCE_COLOR="1", TERM="xterm-256color")
    assert "\x1b[34m" in forced.stdout
    without = run(
        "src", "-m", "20", "--terminal", cwd=tree, COLUMNS="70", FORCE_COLOR="1", NO_COLOR="1", TERM="xterm-256color"
    )
    assert not re.search("\x1b\\[[0-9;]*3[0-7]m", without.stdout)
    assert re.sub("\x1b\\[[0-9;]*m", "", forced.stdout) == re.sub("\x1b\\[[0-9;]*m", "", without.stdout)


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are of POSIX")
@pytest.mark.parametrize("to_file", [False, True])
def test_colours_on_a_terminal_and_none_in_a_file(tree: Path, to_file: bool) -> None:
    import pty  # noqa: PLC0415  # there is none on Windows

    reader, writer = pty.openpty()
    values = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR"}}
    values |= {"PYTHONPATH": str(_PACKAGE_FOLDER), "TERM": "xterm-256color", "COLUMNS": "72"}
    command = [
        sys.executable,
        "-m",
        "chunker",
        "view",
        "src/b.md",
        "--terminal",
        *(["-o", "out.txt"] if to_file else []),
    ]
    done = subprocess.run(command, cwd=tree, env=values, stdout=writer, stderr=subprocess.PIPE, check=True, timeout=60)
    os.close(writer)
    if to_file:
        assert done.stderr == b"Written: out.txt\n"
        written = (tree / "out.txt").read_bytes()
        assert b"Some words." in written
        assert b"\x1b" not in written
    else:
        assert b"\x1b[34m" in os.read(reader, 65_536)  # little enough to be there at once
    os.close(reader)


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX")
def test_a_pager_that_is_closed_early(tree: Path) -> None:
    (tree / "long.txt").write_text("A line of text, and more of it.\n" * 20_000)
    values = {**os.environ, "PYTHONPATH": str(_PACKAGE_FOLDER)}
    process = subprocess.Popen(
        [sys.executable, "-m", "chunker", "view", "long.txt", "--terminal"],
        cwd=tree, env=values, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline() == b"long.txt\n"
    process.stdout.close()
    errors = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=60) == 141
    assert errors == b""


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["src", "--open", "--terminal"], "--open needs a page to open"),
        (["src", "--open", "-o", "-"], "--open needs a page to open"),
        (["nowhere"], "nowhere does not exist"),
        (["src", "-o", "src"], "src is a folder"),
        (["src", "-o", "page.jsonl"], "page.jsonl: the page is HTML, written to a name that ends in .html or .htm"),
        (["src", "-o", "page.html", "--terminal"], "page.html: lines for the terminal are written to a name that ends"),
        (["src", "-m", "8", "--overlap", "8"], "overlap"),
        (["src", "-t", "no_such_encoding"], "no_such_encoding"),
    ],
)
def test_wrong_usage_writes_nothing(tree: Path, arguments: list[str], complaint: str) -> None:
    done = run(*arguments, cwd=tree, code=2)
    assert complaint in done.stderr
    assert sorted(path.name for path in tree.iterdir()) == ["src"]


def test_a_bad_file_is_told_and_the_others_are_shown(tree: Path) -> None:
    (tree / "src" / "aa.txt").write_bytes(b"caf\xe9\n")
    done = run("src", cwd=tree, code=1)
    assert "src/aa.txt" in done.stderr
    assert "not UTF-8" in done.stderr
    index = index_of((tree / "chunker-view.html").read_text("utf-8"))
    assert [text["path"] for text in index["texts"]] == ["src/a.py", "src/b.md"]


def test_two_settings_side_by_side(tree: Path) -> None:
    done = run("src", "--max-tokens", "64", "--compare", "max-tokens=16,overlap=4,context=true", cwd=tree)
    assert "Written: chunker-view.html" in done.stderr
    made = (tree / "chunker-view.html").read_text(encoding="utf-8")
    assert len(re.findall("<iframe", made)) == 2
    assert "chunk_files(['src'], 64)" in made
    assert "chunk_files(['src'], 16, overlap=4, context=True)" in made
    columns = [html.unescape(one) for one in re.findall(r'srcdoc="([^"]*)"', made)]
    sizes = [[text["chunks"] for text in index_of(column)["texts"]] for column in columns]
    assert len(sizes[0]) == 2
    assert sum(sizes[1]) > sum(sizes[0])


@pytest.mark.parametrize("given", ["max-tokens=x", "colour=red", "overlap", "context=maybe", "max-tokens=4,overlap=4"])
def test_what_cannot_be_compared_is_told(tree: Path, given: str) -> None:
    done = run("src", "--compare", given, cwd=tree, code=2)
    assert "overlap" in done.stderr
    assert not (tree / "chunker-view.html").exists()
    assert "not in the terminal" in run("src", "--terminal", "--compare", "overlap=2", cwd=tree, code=2).stderr
