"""Signatures as text: of one file, or of what was chosen of many."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from chunker.mapping.reading import MappedFile, mapped_text
from chunker.symbols import Definition

LEFT_OUT = "..."
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
    return "" if file is None else "".join(f"{line}\n" for line in lines_of(file, range(len(file.symbols.definitions))))


def lines_of(file: MappedFile, chosen: Collection[int], around: Sequence[int] | None = None) -> Iterator[str]:
    """The lines of the chosen definitions of a file, with a mark where some are left out. `around`: their `parents`, if they are known."""
    definitions = file.symbols.definitions
    around = parents(definitions) if around is None else around
    deep = depths(around)
    skipped = False
    for number, definition in enumerate(definitions):
        if number in chosen:
            skipped = False
            yield line_of(definition, deep[number])
        elif not skipped:
            skipped = True
            parent = around[number]
            while parent >= 0 and parent not in chosen:
                parent = around[parent]
            yield f"{_INDENT * (deep[parent] + 1 if parent >= 0 else 0)}{LEFT_OUT}"


def line_of(definition: Definition, depth: int) -> str:
    """The line of a definition."""
    shown = definition.signature or definition.name
    return _INDENT * depth + (shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…")


def parents(definitions: Sequence[Definition]) -> list[int]:
    """The number of the definition around each; -1 for none."""
    around: list[int] = []
    open_ones: list[int] = []
    for number, definition in enumerate(definitions):
        while open_ones and definitions[open_ones[-1]].end <= definition.start:
            open_ones.pop()
        around.append(open_ones[-1] if open_ones else -1)
        open_ones.append(number)
    return around


def depths(around: Sequence[int]) -> list[int]:
    """In how many others each definition is, from their `parents`."""
    deep: list[int] = []
    for parent in around:
        deep.append(0 if parent < 0 else deep[parent] + 1)
    return deep
