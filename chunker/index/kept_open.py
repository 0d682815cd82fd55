"""Files of an index that readers keep open from one search to the next, for as long as they are the same files.

    search 1    open the database, its full text, the vectors   search   hand them back
    search 2    the same files? take them                       search   hand them back

Opening a database and its full text, and reading the first pages of both, costs more than most searches; so does the
first access to thousands of newly mapped pages of vectors. A connection is used by one search at a time, and a forked
process opens its own. On Windows, where an open file cannot be removed, nothing is kept open.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import weakref
from collections.abc import Iterator
from pathlib import Path

from chunker.index.full_text import FullText
from chunker.index.schema import DATABASE, connect
from chunker.index.vector_sketches import opened, sketches_path
from chunker.index.vectors import MappedRows, map_rows

_KEEPS = os.name != "nt"
# Bytes of the database that are mapped into memory, so that reading a page needs no system call.
_MAPPED = 1 << 30

_State = tuple[int, int, int, int]
# Connections of the process that this one was forked from: they are not ours to close.
_INHERITED: list[object] = []


class KeptOpen:
    """The open files of one index."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._idle: list[tuple[_State | None, sqlite3.Connection]] = []
        self._texts: dict[str, tuple[_State, FullText]] = {}
        self._rows: tuple[tuple[_State, _State | None, int, int], MappedRows] | None = None
        weakref.finalize(self, _close, self._idle, self._process)

    @contextlib.contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """A connection to the database, to be used by one thread at a time. After an error it is closed."""
        state, connection = self._taken()
        try:
            yield connection
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except BaseException:
            connection.close()
            raise
        if _KEEPS and self._process == os.getpid():
            self._idle.append((state, connection))
        else:
            connection.close()

    def full_text(self, folder: Path) -> FullText:
        """The last commit of a folder of full text. Raises FileNotFoundError if there is none."""
        state = _state(folder / "meta.json")
        known = self._texts.get(folder.name)
        if known is not None and known[0] == state:
            return known[1]
        found = FullText(folder)
        if _KEEPS:
            # Only the last generation of each kind.
            kind = folder.name.partition("-")[0]
            for name in [name for name in self._texts if name.partition("-")[0] == kind]:
                self._texts.pop(name, None)
            self._texts[folder.name] = (state, found)
        return found

    def rows(self, path: Path, dimensions: int, rows: int) -> MappedRows:
        """The first `rows` vectors of a file, with their sketches. Raises `DamagedIndexError`, and FileNotFoundError."""
        sketches = None
        with contextlib.suppress(FileNotFoundError):
            sketches = _state(sketches_path(path))
        state = _state(path), sketches, dimensions, rows
        if self._rows is not None and self._rows[0] == state:
            return self._rows[1]
        found = MappedRows(map_rows(path, dimensions, rows), opened(path, dimensions))
        if _KEEPS:
            self._rows = state, found
        return found

    def close(self) -> None:
        """Close what no search is using."""
        self._texts.clear()
        self._rows = None
        _close(self._idle, self._process)

    def _taken(self) -> tuple[_State | None, sqlite3.Connection]:
        if self._process != os.getpid():
            _INHERITED.append((self._idle, self._texts, self._rows))
            self._begin()
        state = None
        with contextlib.suppress(OSError):
            state = _state(self._folder / DATABASE)
        with contextlib.suppress(IndexError):
            while True:
                known, connection = self._idle.pop()
                if known == state:
                    return known, connection
                connection.close()
        connection = connect(self._folder)
        connection.execute(f"PRAGMA mmap_size = {_MAPPED}")
        return state, connection


def _close(idle: list[tuple[_State | None, sqlite3.Connection]], process: int) -> None:
    if process != os.getpid():
        _INHERITED.append(idle)
        return
    with contextlib.suppress(IndexError):
        while True:
            idle.pop()[1].close()


def _state(path: Path) -> _State:
    found = path.stat()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns
