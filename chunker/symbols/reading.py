"""The symbols of one file, read from its text and the outline of it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from chunker.formats.code.tables import table_names
from chunker.formats.outline import Outline
from chunker.symbols.definitions import Definition, definitions_of
from chunker.symbols.masking import imports_of, without_comments_and_strings

_NAME = re.compile(r"[^\W\d]\w+")
# A name is told to be on so many lines of a file at most.
MOST_LINES = 64
_LINE_START = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Reference:
    """A use of a name in a file.

    Attributes:
        name: The name.
        source: The name of the file.
        line: The line, from 1.
    """

    name: str
    source: str
    line: int


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
    """
    if language is None or language not in table_names() or not text:
        return FileSymbols()
    code = without_comments_and_strings(text, language)
    starts = line_starts(text)
    uses: dict[str, list[int]] = {}
    for line, words in enumerate(_LINE_START.split(code), 1):
        for name in dict.fromkeys(_NAME.findall(words)):
            lines = uses.setdefault(name, [])
            if len(lines) < MOST_LINES:
                lines.append(line)
    return FileSymbols(list(definitions_of(text, code, outline, starts)), uses, imports_of(text, language))


def line_starts(text: str) -> list[int]:
    """The offsets in characters at which the lines begin."""
    return [0, *(match.end() for match in _LINE_START.finditer(text))]
