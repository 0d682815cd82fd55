"""The names that `chunker` offers: all of them there, and those that few need imported when they are asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

import chunker


@pytest.mark.parametrize("name", chunker.__all__)
def test_a_name_is_there_and_documented(name: str) -> None:
    found = getattr(chunker, name)
    assert found.__name__ == name
    assert found.__doc__


def test_names_are_sorted_and_shown() -> None:
    assert chunker.__all__ == sorted(set(chunker.__all__))
    assert set(chunker.__all__) <= set(dir(chunker))


def test_no_other_name() -> None:
    with pytest.raises(AttributeError, match="no attribute 'chunk_everything'"):
        _ = chunker.chunk_everything  # type: ignore[attr-defined]


def test_what_few_need_is_imported_late() -> None:
    code = "import sys, chunker; print([name for name in ('asyncio', 'multiprocessing', 'chunker.files.chunk_files') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
