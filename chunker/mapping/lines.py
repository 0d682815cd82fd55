"""Definitions as lines of text."""

from __future__ import annotations

from collections.abc import Sequence

from chunker.symbols import Definition

_LEFT_OUT = "..."
_INDENT = "    "
_LONGEST = 160  # characters of a signature


def line_of(definition: Definition, depth: int) -> str:
    """The line of a definition."""
    shown = definition.signature or definition.name
    return _INDENT * depth + (shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…")


def left_out(depth: int) -> str:
    """The line for definitions that are left out."""
    return f"{_INDENT * depth}{_LEFT_OUT}"


def parents(definitions: Sequence[Definition]) -> list[int]:
    """For each definition the index of the one around it; -1 for none."""
    around: list[int] = []
    open_ones: list[int] = []
    for number, definition in enumerate(definitions):
        while open_ones and definitions[open_ones[-1]].end <= definition.start:
            open_ones.pop()
        around.append(open_ones[-1] if open_ones else -1)
        open_ones.append(number)
    return around


def depths(around: Sequence[int]) -> list[int]:
    """The number of definitions around each, from their `parents`."""
    deep: list[int] = []
    for parent in around:
        deep.append(0 if parent < 0 else deep[parent] + 1)
    return deep
