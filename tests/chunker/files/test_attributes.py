"""`.gitattributes`: who wrote a file, as the project itself says; git tells whether the patterns are read as it reads them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from chunker import FileChunks, chunk_files
from chunker.files.attributes import GENERATED, VENDORED, AttributeStack, parse_attributes
from chunker.files.discovery import Problem

LINES = {
    "": "*.ts linguist-generated\n/api/keep.ts -linguist-generated\nlib/** linguist-vendored=true\n"
    "*_pb2.py linguist-generated=false\ndocs/ linguist-generated\n# *.md linguist-generated\n*.txt\ttext\tlinguist-vendored\n",
    "api": "*.py linguist-generated\n*.txt !linguist-vendored\n",
}
FILES = [
    "a.ts",
    "api/b.ts",
    "api/keep.ts",
    "api/c.py",
    "lib/x/y.js",
    "lib.js",
    "m_pb2.py",
    "docs/d.md",
    "t.txt",
    "api/t.txt",
]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"Some words of {name}.\n")
    for folder, lines in LINES.items():
        (tmp_path / folder / ".gitattributes").write_text(lines)
    (tmp_path / ".git").mkdir()
    return tmp_path


def taken(folder: Path, **options: bool) -> tuple[set[str], dict[str, str]]:
    """The files that are chunked, and those that a rule leaves out."""
    made, left = set(), {}
    for one in chunk_files(folder, **options):  # type: ignore[arg-type]  # flags
        name = Path(one.path).relative_to(folder).as_posix() if folder.is_absolute() else one.path
        if isinstance(one, FileChunks):
            made.add(name)
        elif isinstance(one, Problem):
            left[name] = one.reason
    return made, left


def test_what_others_wrote_is_left_out_and_listed(tree: Path) -> None:
    made, left = taken(tree)
    assert made == {"api/keep.ts", "lib.js", "m_pb2.py", "docs/d.md", "api/t.txt"}
    assert left == {
        "a.ts": "left out: generated (.gitattributes)",
        "api/b.ts": "left out: generated (.gitattributes)",
        "api/c.py": "left out: generated (.gitattributes)",
        "lib/x/y.js": "left out: vendored file (.gitattributes)",
        "t.txt": "left out: vendored file (.gitattributes)",
    }
    assert taken(tree, generated=True) == (set(FILES), {})
    # A walk that begins further down knows what stands above.
    assert taken(tree / "lib") == (set(), {"x/y.js": "left out: vendored file (.gitattributes)"})
    # A file that is named is taken.
    assert [type(one) for one in chunk_files(tree / "a.ts")] == [FileChunks]


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_git_reads_it_alike(tree: Path) -> None:
    (tree / ".git").rmdir()
    subprocess.run(["git", "init", "-q"], cwd=tree, check=True)
    stacks = {"": AttributeStack.down_to(tree, "").entered("")}
    names = [GENERATED.decode(), VENDORED.decode()]
    for file in FILES:
        folder = str(Path(file).parent.as_posix()).removeprefix(".")
        stack = stacks[""]
        for depth in range(folder.count("/") + bool(folder)):
            stack = stack.entered("/".join(folder.split("/")[: depth + 1]))
        done = subprocess.run(
            ["git", "check-attr", *names, "--", file], cwd=tree, check=True, capture_output=True, text=True
        )
        told = [line.rpartition(": ")[2] for line in done.stdout.splitlines()]
        meant = {"set": True, "true": True, "unset": False, "false": False, "unspecified": None}
        found = [stack.holds(name.encode(), file) for name in names]
        # What is taken back (`!`) is as good as denied.
        assert [one or None for one in found] == [meant[one] or None for one in told], file


def test_lines_that_say_nothing_of_it() -> None:
    for line in (
        b"",
        b"# a",
        b"*.ts",
        b"!*.ts linguist-generated",
        b"[attr]x linguist-generated",
        b"docs/ linguist-generated",
    ):
        assert parse_attributes(line + b"\n") == ()
