"""Signatures as text."""

from __future__ import annotations

from collections.abc import Sequence

from chunker.mapping.reading import mapped_text
from chunker.symbols import Definition

_LEFT_OUT = "..."
_INDENT = "    "
_LONGEST = 160  # characters of a signature


def skeleton(text: str, name: str) -> str:
    """The signatures of a source text, or the headings of prose, each on its line and indented by what it is in.

    Args:
        text: The text of a file.
        name: The name of the file, which tells its language.

    Returns:
        The lines; "" for a text without any.

    Examples:
        >>> print(skeleton("class Box:\\n    def open(self):\\n        return 1\\n", "a.py"), end="")
        class Box:
            def open(self):
    """
    file = mapped_text(name, text)
    if file is None:
        return ""
    definitions = file.symbols.definitions
    return "".join(f"{line}\n" for line in map(line_of, definitions, depths(parents(definitions))))


def line_of(definition: Definition, depth: int) -> str:
    """The line of a definition."""
    shown = definition.signature or definition.name
    return _INDENT * depth + (shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…")


def left_out(depth: int) -> str:
    """The line for definitions that are left out."""
    return f"{_INDENT * depth}{_LEFT_OUT}"


def parents(definitions: Sequence[Definition]) -> list[int]:
    """For each definition the position of the one around it; -1 for none."""
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
