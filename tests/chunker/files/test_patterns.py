"""Which files of a walk are wanted: patterns to include and to exclude, and `.chunkerignore`."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunker.errors import OptionError, WrongTypeError
from chunker.files.chunk_files import FileChunks, chunk_files
from chunker.files.discovery import find_files

FILES = ["a.md", "docs/b.md", "docs/deep/c.txt", "src/d.py", "src/gen/e.py", "src/gen/keep.py"]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("words\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("include", "exclude", "wanted"),
    [
        (["*.md"], [], ["a.md", "docs/b.md"]),
        (["docs"], [], ["docs/b.md", "docs/deep/c.txt"]),
        (["docs/"], ["deep"], ["docs/b.md"]),
        (["/a.md", "src/**/*.py"], [], ["a.md", "src/d.py", "src/gen/e.py", "src/gen/keep.py"]),
        ([], ["*.py"], ["a.md", "docs/b.md", "docs/deep/c.txt"]),
        ([], ["src/gen"], ["a.md", "docs/b.md", "docs/deep/c.txt", "src/d.py"]),
        ([], ["*.py", "!keep.py"], ["a.md", "docs/b.md", "docs/deep/c.txt", "src/gen/keep.py"]),
        (["*.md"], ["*.md"], []),
    ],
)
def test_patterns(tree: Path, include: list[str], exclude: list[str], wanted: list[str]) -> None:
    assert tree.is_dir()
    for top in (".", str(tree)):
        found = [
            one.path for one in chunk_files(top, 64, include=include, exclude=exclude) if isinstance(one, FileChunks)
        ]
        assert [path.removeprefix(f"{tree}/") for path in found] == wanted


def test_patterns_are_relative_to_the_current_folder_not_to_what_is_walked(tree: Path) -> None:
    assert tree.is_dir()
    found = [one.path for one in chunk_files("src", 64, include=["src/gen"])]
    assert found == ["src/gen/e.py", "src/gen/keep.py"]
    assert [one.path for one in chunk_files("docs", 64, include="docs")] == ["docs/b.md", "docs/deep/c.txt"]


def test_a_named_file_is_taken_whatever_patterns_say(tree: Path) -> None:
    assert [Path(one.path).name for one in chunk_files(tree / "a.md", 64, exclude=["*.md"])] == ["a.md"]
    with pytest.raises(WrongTypeError, match="include"):
        chunk_files(tree, 64, include=[1])  # type: ignore[list-item]


def test_own_ignore_files_win_over_those_of_git(tree: Path) -> None:
    (tree / ".git").mkdir()
    (tree / ".gitignore").write_text("*.py\n")
    (tree / "src" / ".gitignore").write_text("*.md\n")
    (tree / ".chunkerignore").write_text("docs/deep\n!keep.py\n")
    assert [one.path for one in find_files(["."])] == ["a.md", "docs/b.md", "src/gen/keep.py"]
    (tree / "docs" / ".chunkerignore").write_text("*\n")
    assert [one.path for one in find_files(["."])] == ["a.md", "src/gen/keep.py"]


@pytest.mark.parametrize("pattern", ["[", "#x", " ", "\\", "/", "!"])
def test_a_pattern_that_is_no_rule_is_told(tree: Path, pattern: str) -> None:
    with pytest.raises(OptionError, match="no file can match the pattern"):
        list(chunk_files(tree, include=["*.md", pattern]))
    with pytest.raises(OptionError, match="no file can match the pattern"):
        list(chunk_files(tree, exclude=pattern))
