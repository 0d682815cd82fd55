"""The symbols of one file, read from its text and the outline of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import accumulate

from chunker.formats.code.tables import table_names
from chunker.formats.outline import Outline
from chunker.native import native
from chunker.symbols.definitions import Definition, definitions_of
from chunker.symbols.masking import hidden_marks, imports_of, without_comments_and_strings

_NAME = re.compile(r"[^\W\d]\w+")
# The most lines that are kept for a name in a file.
MOST_LINES = 64
_LINE_START = re.compile(r"\r\n|\r|\n")

_compiled = native()


@dataclass(frozen=True, slots=True)
class Reference:
    """A use of a name in a file.

    Attributes:
        name: The name.
        source: The name of the file.
        line: The line, from 1.
        text: What is written on the line, without the white space around it.
    """

    name: str
    source: str
    line: int
    text: str = ""

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.text}"


@dataclass(frozen=True, slots=True)
class FileSymbols:
    """The symbols of a file.

    Attributes:
        definitions: Its definitions, in order.
        uses: Name -> the lines on which it stands, those of definitions included.
        imports: Its imports, as they are written.
    """

    definitions: list[Definition] = field(default_factory=list)
    uses: dict[str, list[int]] = field(default_factory=dict)
    imports: list[str] = field(default_factory=list)


def symbols_of(text: str, outline: Outline, language: str | None) -> FileSymbols:
    """The symbols of a text. Linear time.

    Args:
        text: The text.
        outline: Its outline.
        language: Its language; one without a table, such as Markdown, has no symbols.

    Returns:
        Definitions with their offsets in characters, names with the lines that they stand on, and imports.
    """
    if language is None or language not in table_names() or not text:
        return FileSymbols()
    code, uses = _code_and_uses(text, language)
    definitions = list(definitions_of(text, code, outline, line_starts(text)))
    return FileSymbols(definitions, uses, imports_of(text, language))


def _code_and_uses(text: str, language: str) -> tuple[str, dict[str, list[int]]]:
    """The code without comments and strings, and the lines on which each name stands."""
    if _compiled is not None:
        found = _compiled.source_names(text, *hidden_marks(language), MOST_LINES)
        if found is not None:
            code, uses = found
            return code, uses if uses is not None else uses_in(code)
    code = without_comments_and_strings(text, language)
    return code, uses_in(code)


def uses_in(code: str) -> dict[str, list[int]]:
    """The lines on which each name of some code stands. The specification of chunker/cpp/include/chunker/source_names.hpp."""
    uses: dict[str, list[int]] = {}
    for line, words in enumerate(_LINE_START.split(code), 1):
        for name in dict.fromkeys(_NAME.findall(words)):
            lines = uses.setdefault(name, [])
            if len(lines) < MOST_LINES:
                lines.append(line)
    return uses


def line_starts(text: str) -> list[int]:
    """The offsets in characters at which the lines begin."""
    if "\r" in text:
        return [0, *(match.end() for match in _LINE_START.finditer(text))]
    lines = text.split("\n")
    del lines[-1]
    return list(accumulate([len(line) + 1 for line in lines], initial=0))
