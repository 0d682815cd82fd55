"""What benchmarks/chunks/cuts.py counts: each cut of a definition once, by what it separates."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import pytest

FOLDERS = [str(Path(__file__).resolve().parents[2] / "benchmarks" / folder) for folder in ("chunks", "support")]
sys.path.extend(FOLDERS)
from cuts import Cuts, Piece, Placed  # noqa: E402  # the folders have to be on the path
from python_structure import definitions  # noqa: E402  # as above

for folder in FOLDERS:
    sys.path.remove(folder)

LINES = ["import os\n", "# why\n", "@cache\n", "def f():\n", "    return 1\n", "x = 2\n"]
NAMES = ["broken_functions", "cut_decorators", "cut_comments", "cut_heads"]


def cuts(*after: int, fits: bool = True) -> list[int]:
    """The columns for chunks that end after these lines, counted from 1."""
    source = "".join(LINES)
    bounds = [0, *after, len(LINES)]
    pieces = [Piece("".join(LINES[start:end]), None, None) for start, end in pairwise(bounds)]
    found = Cuts()
    [one] = definitions(source)
    found.judge_definition(one, Placed(source, pieces), fits=fits, head_fits=True)
    assert (found.functions, found.decorators, found.comments, found.heads) == ((1, 1, 1, 0) if fits else (0, 0, 0, 1))
    return [getattr(found, name) for name in NAMES]


@pytest.mark.parametrize(
    ("after", "counted"),
    [
        ((), [0, 0, 0, 0]),
        ((1, 5), [0, 0, 0, 0]),
        ((2,), [0, 0, 1, 0]),
        ((3,), [0, 1, 0, 0]),
        ((4,), [1, 0, 0, 0]),
        ((2, 3, 4), [1, 1, 1, 0]),
    ],
)
def test_a_cut_is_counted_once(after: tuple[int, ...], counted: list[int]) -> None:
    assert cuts(*after) == counted


@pytest.mark.parametrize(("after", "torn"), [((1,), 0), ((2,), 1), ((3,), 1), ((2, 3), 1), ((4,), 0)])
def test_a_head_is_torn_or_not(after: tuple[int, ...], torn: int) -> None:
    assert cuts(*after, fits=False) == [0, 0, 0, torn]


def test_a_piece_is_where_it_is_and_not_where_it_says() -> None:
    text = "a b a b"
    placed = Placed(text, [Piece("a b", 0, 3), Piece("b", 1, 2)])
    assert (placed.starts, placed.ends, placed.missing(text)) == ([0, 6], [3, 7], " a ")
    assert not placed.hold(0, 4)
