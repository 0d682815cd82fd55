"""The files of a repository and their symbols, read once and again when they change."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from chunker.chunkers import chunker_for
from chunker.errors import MissingGrammarError
from chunker.files.discovery import FoundFile, Problem, find_files, portable
from chunker.files.documents import read_document
from chunker.files.secrets import begins_with_key, named_as_secret
from chunker.formats import Outline
from chunker.symbols import Definition, FileSymbols, symbols_of
from chunker.symbols.reading import line_starts

# A larger file was written by a program.
_MOST_BYTES = 1 << 20
_MOST_HEADINGS = 40
# Any budget will do for who wants no chunks.
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


class Repository:
    """The files behind some paths. `refresh` reads those that have changed.

    Args:
        paths: Files and folders; hidden files, and what .gitignore names, are left out.
        root: Files are named from here; by default the only folder of `paths`, or else the current one.
    """

    def __init__(
        self,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        root: str | os.PathLike[str] | None = None,
    ) -> None:
        listed = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
        self._paths = [os.path.realpath(path) for path in listed]
        alone = len(self._paths) == 1 and Path(self._paths[0]).is_dir()
        self._root = os.path.realpath(root) if root is not None else self._paths[0] if alone else os.path.realpath(".")
        self._states: dict[str, tuple[int, int]] = {}
        self._files: dict[str, MappedFile] = {}

    def refresh(self) -> int:
        """Read what is new or has changed, forget what is gone; how many files that were."""
        changed = 0
        seen: set[str] = set()
        for found in find_files(self._paths):
            if isinstance(found, Problem) or found.size > _MOST_BYTES or named_as_secret(found.path):
                continue
            name = portable(os.path.relpath(found.path, self._root)).replace(os.sep, "/")
            try:
                state = Path(found.path).stat()
            except OSError:
                continue  # gone since it was found
            seen.add(name)
            now = (state.st_size, state.st_mtime_ns)
            if self._states.get(name) != now:
                self._states[name] = now
                changed += 1
                self._files.pop(name, None)
                mapped = _mapped(name, found)
                if mapped is not None:
                    self._files[name] = mapped
        for name in set(self._states) - seen:
            del self._states[name]
            self._files.pop(name, None)
            changed += 1
        return changed

    @property
    def files(self) -> list[MappedFile]:
        """The files that have symbols or headings, by name."""
        return [self._files[name] for name in sorted(self._files)]


def _mapped(name: str, found: FoundFile) -> MappedFile | None:
    document = read_document(found)
    if isinstance(document, Problem) or begins_with_key(document.text):
        return None
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
    for scope in outline.scopes[:_MOST_HEADINGS]:
        line = lines.get(scope.start, 1)
        made.append(Definition(scope.name, scope.name, "section", scope.name, scope.start, scope.end, line, line))
    return made
