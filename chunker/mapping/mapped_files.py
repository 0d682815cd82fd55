"""The symbols of a file, or the headings of prose."""

from __future__ import annotations

from dataclasses import dataclass

from chunker.by_name import chunker_for
from chunker.errors import MissingGrammarError
from chunker.files.discovery import FoundFile, Problem
from chunker.files.documents import read_document
from chunker.files.secrets import LEFT_OUT_BY_TEXT, begins_with_key
from chunker.formats import Outline
from chunker.symbols import Definition, FileSymbols, symbols_of
from chunker.symbols.reading import line_starts

_MOST_HEADINGS = 40
# Chunkers need a budget; any will do, since no chunks are made.
_BUDGET = 256


@dataclass(frozen=True, slots=True)
class MappedFile:
    """A file and its symbols; of prose the definitions are its headings.

    Args:
        name: The path from the root, with slashes.
        language: The name of its format; None for plain text.
        symbols: What it defines, uses and imports.
    """

    name: str
    language: str | None
    symbols: FileSymbols


def mapped_file(name: str, found: FoundFile) -> MappedFile | Problem | None:
    """A file and its symbols; None if it has none, a Problem if it cannot be read or holds a key."""
    document = read_document(found)
    if isinstance(document, Problem):
        return document
    if begins_with_key(document.text):
        return Problem(found.path, LEFT_OUT_BY_TEXT, failed=found.named)
    return mapped_text(name, document.text)


def mapped_text(name: str, text: str) -> MappedFile | None:
    """A text and its symbols, or headings; None if it has neither. `name` tells its language."""
    try:
        form = chunker_for(name, _BUDGET, text=text).format
        outline = form.outline(text)
    except MissingGrammarError:
        return None
    symbols = symbols_of(text, outline, form.language)
    if not symbols.uses and form.language in {"markdown", "restructuredtext", "latex"}:
        symbols = FileSymbols(_headings(text, outline))
    return MappedFile(name, form.language, symbols) if symbols.definitions else None


def _headings(text: str, outline: Outline) -> list[Definition]:
    starts = line_starts(text)
    lines = {start: number for number, start in enumerate(starts, 1)}
    made = []
    # A scope without a name is not a section: it is a table, for example.
    for scope in [scope for scope in outline.scopes if scope.name][:_MOST_HEADINGS]:
        line = lines.get(scope.start, 1)
        made.append(Definition(scope.name, scope.name, "section", scope.name, scope.start, scope.end, line, line))
    return made
