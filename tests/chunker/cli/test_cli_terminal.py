"""What a terminal is shown and a pipe is not, on a real pseudo-terminal."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import chunker

if sys.platform == "win32":
    pytest.skip("pseudo-terminals are of POSIX", allow_module_level=True)

import pty

_PACKAGE_FOLDER = Path(chunker.__path__[0]).parent
COMMAND = [sys.executable, "-m", "chunker"]
FILES = 12
BAR = "━"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for number in range(FILES):
        (tmp_path / f"{number:02}.txt").write_text(f"The file number {number}. " * 1000)
    return tmp_path


def run(
    *arguments: str, cwd: Path, out_terminal: bool, error_terminal: bool, **changes: str
) -> tuple[int, bytes, bytes]:
    """Exit code, standard output and standard error, each of the two a terminal or a pipe."""
    values = os.environ | {"TERM": "xterm-256color", "COLUMNS": "100", "LINES": "30"} | changes
    if Path(sysconfig.get_path("purelib")) != _PACKAGE_FOLDER:
        values["PYTHONPATH"] = str(_PACKAGE_FOLDER)
    out_read, out_write = pty.openpty() if out_terminal else os.pipe()
    error_read, error_write = pty.openpty() if error_terminal else os.pipe()
    process = subprocess.Popen([*COMMAND, *arguments], cwd=cwd, env=values, stdout=out_write, stderr=error_write)
    os.close(out_write)
    os.close(error_write)
    # At once: a terminal holds few kilobytes, and a process that waits for its reader ends neither of the two.
    with ThreadPoolExecutor() as readers:
        out, error = readers.map(_read_all, (out_read, error_read))
    return process.wait(timeout=60), out, error


def _read_all(descriptor: int) -> bytes:
    parts = []
    # Linux reports the end of a pseudo-terminal as an input/output error.
    with contextlib.suppress(OSError):
        while part := os.read(descriptor, 65536):
            parts.append(part)
    os.close(descriptor)
    return b"".join(parts)


def test_a_bar_on_a_terminal_and_results_alone_in_the_pipe(tree: Path) -> None:
    code, out, error = run("count", ".", "-f", "jsonl", cwd=tree, out_terminal=False, error_terminal=True)
    assert code == 0
    assert len([json.loads(line) for line in out.splitlines()]) == FILES
    shown = error.decode()
    assert "Counting" in shown
    assert BAR in shown
    assert f"{FILES}/{FILES}" in shown
    assert "\x1b[?25h" in shown, "the cursor stays hidden"
    assert not shown.rstrip().endswith(f"{FILES}/{FILES}"), "the bar is left on the screen"


def test_a_bar_of_indexing_has_a_total(tree: Path) -> None:
    pytest.importorskip("tantivy", reason='needs tantivy: pip install "bpe-chunker[index]"')
    code, out, error = run("index", ".", cwd=tree, out_terminal=False, error_terminal=True)
    assert code == 0
    assert f"{FILES:,} added" in out.decode()
    assert f"of {FILES:,} files" in error.decode()


def test_no_bar_in_a_pipe(tree: Path) -> None:
    for command in ("count", "chunk"):
        code, out, error = run(command, ".", cwd=tree, out_terminal=False, error_terminal=False)
        assert code == 0
        assert error == b""
        assert b"\x1b" not in out


def test_no_bar_between_lines_on_one_screen(tree: Path) -> None:
    code, out, error = run("chunk", "00.txt", "-f", "jsonl", cwd=tree, out_terminal=True, error_terminal=True)
    assert code == 0
    assert error == b""
    for line in out.decode().splitlines():
        json.loads(line)


def test_a_table_comes_after_the_bar(tree: Path) -> None:
    code, out, error = run("chunk", ".", cwd=tree, out_terminal=True, error_terminal=True)
    assert code == 0
    assert "Chunking" in error.decode()
    rows = out.decode().splitlines()
    assert rows[0].startswith("file")
    assert rows[-1].startswith("total")
    assert len(rows) == FILES + 4


def test_a_dumb_terminal_gets_no_control_codes(tree: Path) -> None:
    code, _, error = run("count", ".", cwd=tree, out_terminal=False, error_terminal=True, TERM="dumb")
    assert code == 0
    assert b"\x1b" not in error


def test_training_shows_two_bars(tree: Path) -> None:
    code, out, error = run(
        "train", ".", "-o", "out.json", "-n", "400", cwd=tree, out_terminal=False, error_terminal=True
    )
    assert (code, out) == (0, b"")
    shown = error.decode()
    assert "Counting" in shown
    assert "Merging" in shown
    assert BAR in shown
    assert f"from {FILES} files" in shown
