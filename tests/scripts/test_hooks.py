"""The hook for commit messages: what it lets pass, and what it refuses."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

HOOK = Path(__file__).resolve().parents[2] / "scripts" / "hooks" / "commit-msg"


def complaint(folder: Path, message: str) -> str:
    """Return what the hook prints for a commit message; "" if it accepts the message."""
    path = folder / "COMMIT_EDITMSG"
    path.write_text(message, encoding="utf-8")
    shell = shutil.which("sh")
    if shell is None:
        pytest.skip("there is no sh")
    done = subprocess.run([shell, str(HOOK), str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode == 0) == (not done.stderr)
    return done.stderr


@pytest.mark.parametrize(
    "message",
    [
        "growing: refine sentences in C++\n",
        "tests, benchmarks: lines of at most 160\n\nAnd a text of any length below it, " + "long " * 30 + "\n",
        "# a comment of git\nviews: " + "ü" * 65 + "\n",
        "Merge branch 'of any name' " + "x" * 80,
        'Revert "' + "x" * 80,
    ],
)
def test_passes(tmp_path: Path, message: str) -> None:
    assert complaint(tmp_path, message) == ""


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("Refine sentences in C++\n", "begins with the module"),
        ("growing:\n", "begins with the module"),
        ("", "begins with the module"),
        ("growing: " + "x" * 64, "has 73 characters"),
    ],
)
def test_refused(tmp_path: Path, message: str, told: str) -> None:
    assert told in complaint(tmp_path, message)
