"""The focus of a map: files, folders and symbols by the names that a user gives them.

src/http/client.py      a file, by its name on the map or by its path from here
src/http                a folder, likewise
Client.send, send       a symbol
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from chunker.files.discovery import portable
from chunker.mapping.mapped_files import MappedFile


@dataclass(frozen=True, slots=True)
class Focus:
    """A focus, resolved against the files of a map.

    Args:
        files: For each file that was named, its number; for each folder, the numbers of its files.
        symbols: The names of symbols, each from after its last dot on.
        unknown: The names that match nothing, as they were given.
    """

    files: tuple[tuple[int, ...], ...] = ()
    symbols: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Iterable[str], files: Sequence[MappedFile], used: Collection[str], root: str) -> Focus:
        """Resolve names: as a file or folder first, else as a symbol.

        Args:
            given: Names.
            files: The files of the map.
            used: The names of all symbols.
            root: The folder that names of files begin in.
        """
        found: list[tuple[int, ...]] = []
        symbols: list[str] = []
        unknown: list[str] = []
        for name in dict.fromkeys(given):
            numbers = next(filter(None, (_numbers_of(one, files) for one in _names_of(name, root))), ())
            symbol = name.rpartition(".")[2]
            if numbers:
                found.append(numbers)
            elif symbol in used:
                symbols.append(symbol)
            else:
                unknown.append(name)
        return cls(tuple(found), tuple(dict.fromkeys(symbols)), tuple(unknown))


def _names_of(given: str, root: str) -> list[str]:
    """The names that a file may have on the map: as given, resolved from the current folder, and from the folder around the root."""
    if not given or "\0" in given:
        return []
    paths = [os.path.realpath(given), os.path.realpath(Path(root).parent / given)]
    inside = [path for path in paths if Path(path).is_relative_to(root)]
    return [
        given.replace(os.sep, "/").rstrip("/"),
        *(portable(os.path.relpath(path, root)).replace(os.sep, "/") for path in inside),
    ]


def _numbers_of(name: str, files: Sequence[MappedFile]) -> tuple[int, ...]:
    """The numbers of the file of this name, or of the files in this folder."""
    if name == ".":
        return tuple(range(len(files)))
    return tuple(number for number, file in enumerate(files) if file.name == name or file.name.startswith(f"{name}/"))
