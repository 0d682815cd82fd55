"""The tests mirror the packages: what tests a folder is in the folder of its name."""

from __future__ import annotations

from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("package", ["bpe_engine", "chunker", "integrations", "scripts", "benchmarks"])
def test_each_folder_is_one_of_what_it_tests(package: str) -> None:
    folders = {path.parent for path in REPOSITORY.joinpath("tests", package).rglob("test_*.py")}
    named = {folder.relative_to(REPOSITORY / "tests") for folder in folders}
    assert sorted(folder for folder in named if not REPOSITORY.joinpath(folder).is_dir()) == []


def test_no_test_stands_outside() -> None:
    known = {"bpe_engine", "chunker", "integrations", "scripts", "benchmarks", "support"}
    folders = {
        path.name for path in REPOSITORY.joinpath("tests").iterdir() if path.is_dir() and path.name[0] not in "._"
    }
    assert folders <= known
