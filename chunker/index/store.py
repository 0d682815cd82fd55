"""An index on disk: its folder, database and vectors; locks of writers, and snapshots of readers.

    .chunker/index.sqlite        which text stands where (schema.py)
    .chunker/words-0/            full text of the chunks (full_text.py), kept in step by settling.py
    .chunker/names-0/            full text of the names of files
    .chunker/vectors-0.f32       one row a text (vectors.py), vectors-0.bits: their sketches; or they are in a store (stored.py)
    .chunker/writer.sqlite       locked by who writes; the lock goes with the process
    .chunker/.gitignore          *

`Store.reading` gives a `Snapshot`: the state of one commit, whatever is written meanwhile. `Store.writing` gives a
`MendingWriter` (mending.py, writing.py).
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from chunker.index.errors import DamagedIndexError, LockedIndexError, NotAnIndexError, StorageError
from chunker.index.full_text import FullText
from chunker.index.full_text import create as create_full_text
from chunker.index.kept_open import KeptOpen
from chunker.index.mending import MendingWriter
from chunker.index.schema import DATABASE, SCHEMA, connect, tables, transaction, translating
from chunker.index.settings import Settings
from chunker.index.settling import KINDS, folder_of, settling
from chunker.index.stored import PENDING, StoredRows, StoreWriter, TableName, meta_of, table_name
from chunker.index.terms import ENGLISH
from chunker.index.vector_stores import VectorStore
from chunker.index.vectors import HEADER_BYTES, MENDED, MappedRows, create, vectors_path

_LOCK = "writer.sqlite"
_OURS = (DATABASE, _LOCK, "vectors-", *(f"{kind}-" for kind in KINDS), ".gitignore")
# How often a reader looks again for vectors that were written anew while it began.
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of one commit: rows of the database by `connection`, and as many `vectors` as it knows of.

    `words` and `names` are the full text of chunks and of file names; they have all that this state needs, and may have
    more. `stems` are the languages whose stems the words may have.
    """

    connection: sqlite3.Connection
    vectors: MappedRows | StoredRows
    words: FullText
    names: FullText
    stems: tuple[str, ...]


class Store:
    """The folder of an index. Threads may share it, and it survives a fork (`kept_open`)."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._kept_open = KeptOpen(folder)
        self.vector_store: VectorStore | None = None  # in place of a file

    def kept_store(self) -> str | None:
        """The name of the store that has the vectors of an index, "" for an object without one; None for a file."""
        with translating(self.folder), contextlib.closing(connect(self.folder)) as connection:
            found = connection.execute("SELECT value FROM meta WHERE name = 'store'").fetchone()
        return None if found is None else str(json.loads(found[0]))

    def kept_root(self) -> str | None:
        """The root of the names of an index, as `opening.written_root` writes it; None for one that does not know it."""
        with translating(self.folder), contextlib.closing(connect(self.folder)) as connection:
            found = connection.execute("SELECT value FROM meta WHERE name = 'root'").fetchone()
        return None if found is None else str(found[0])

    def settings(self) -> Settings | None:
        """The settings that the index was made with; None where there is no index yet. Raises the errors of `IndexingError`."""
        if not (self.folder / DATABASE).exists():
            self._refuse_strangers()
            return None
        with translating(self.folder), contextlib.closing(connect(self.folder)) as connection:
            if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                if any(path.stat().st_size > HEADER_BYTES for path in self.folder.glob("vectors-*.f32")):
                    raise DamagedIndexError(
                        f"the database in {self.folder} is empty, but there are vectors: it was damaged; remove the folder and index again"
                    )
                return None
            meta = dict(connection.execute("SELECT name, value FROM meta"))
        if meta.get("schema") != SCHEMA:
            raise DamagedIndexError(
                f"{self.folder} has the form {meta.get('schema')!r}; this version reads {SCHEMA}: remove the folder and index again"
            )
        return Settings.from_json(str(meta.get("settings", "")))

    def create(self, settings: Settings, root: str) -> None:
        """Make an empty index whose names have this root; killed at any point, it can be made again."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / ".gitignore").write_text("*\n", encoding="utf-8")
        except OSError as error:
            raise StorageError(f"{self.folder}: {error.strerror}") from error
        with self._locked(), translating(self.folder), contextlib.closing(connect(self.folder)) as connection:
            if connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                return  # another process was first
            values: dict[str, str | int] = {"schema": SCHEMA, "settings": settings.to_json(), "root": root}
            values |= {"generation": 0, "rows": 0, "revision": 0, "stems": json.dumps([ENGLISH])}
            for kind in KINDS:
                values |= {kind: 0, f"{kind}_removed": 0}
                create_full_text(folder_of(self.folder, kind, 0))
            if self.vector_store is None:
                create(vectors_path(self.folder, 0), settings.dimensions, 0)
            else:
                name = TableName.new()
                self.vector_store.create(str(name), settings.dimensions)
                values |= meta_of(self.vector_store, name)
            with transaction(connection):
                for statement in tables():
                    connection.execute(statement)
                if self.vector_store is not None:
                    connection.execute(PENDING)
                connection.executemany("INSERT INTO meta VALUES (?, ?)", values.items())

    @contextlib.contextmanager
    def reading(self) -> Iterator[Snapshot]:
        """The state of the last commit."""
        with (
            translating(self.folder),
            self._kept_open.connection() as connection,
            contextlib.ExitStack() as stack,
        ):
            for attempt in range(_ATTEMPTS):
                last = attempt == _ATTEMPTS - 1
                try:
                    # Opened before the snapshot begins: it may need texts that are removed from the full text later.
                    before = _meta(connection)
                    words, names = (
                        self._kept_open.full_text(folder_of(self.folder, kind, before[kind])) for kind in KINDS
                    )
                    connection.execute("BEGIN")
                    now = _meta(connection)
                    if now["revision"] == before["revision"] or last:
                        vectors = self._vectors(connection, now, stack)
                        break
                except FileNotFoundError as error:
                    # The files were written anew after we read the database; the next attempt finds them.
                    if last:
                        raise DamagedIndexError(self._missing(error)) from error
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            yield Snapshot(connection, vectors, words, names, tuple(json.loads(before["stems"])))
            connection.execute("ROLLBACK")

    @contextlib.contextmanager
    def writing(self) -> Iterator[MendingWriter]:
        """A writer for the index, as long as the context lasts. Raises `LockedIndexError` at once if another writes."""
        # The last connection that closes writes the log back to the database: it must be the writer's.
        self._kept_open.close()
        with (
            self._locked(),
            translating(self.folder),
            contextlib.closing(connect(self.folder)) as connection,
            contextlib.ExitStack() as stack,
        ):
            # Full text and a store may have more than the database, never less, even if the power fails.
            connection.execute("PRAGMA synchronous = FULL")
            full_text = stack.enter_context(settling(self.folder, connection))
            full_text.tidy()
            if self.vector_store is None:
                writer = MendingWriter(self.folder, connection, full_text)
                writer.tidy()
                yield writer
                return
            with self.vector_store.opened(str(table_name(connection))) as table:
                writer = StoreWriter(self.folder, connection, full_text, self.vector_store, table)
                writer.tidy()
                yield writer

    def _vectors(
        self, connection: sqlite3.Connection, meta: dict[str, Any], stack: contextlib.ExitStack
    ) -> MappedRows | StoredRows:
        if self.vector_store is not None:
            table = stack.enter_context(self.vector_store.opened(str(table_name(connection))))
            return StoredRows(connection, table)
        settings = Settings.from_json(str(meta.get("settings", "")))
        return self._kept_open.rows(vectors_path(self.folder, meta["generation"]), settings.dimensions, meta["rows"])

    def _missing(self, error: FileNotFoundError) -> str:
        """The message for a missing file: what is missing, and what to do."""
        if Path(str(error.filename or "")).name.startswith("vectors-"):
            return f"the vectors of {self.folder} are missing; {MENDED}"
        return f"the full text of {self.folder} is missing: remove the folder and index again"

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        # A lock of SQLite works on every system, and ends with the process that holds it.
        try:
            lock = sqlite3.connect(self.folder / _LOCK, timeout=0, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise StorageError(f"{self.folder}: {error}") from error
        with contextlib.closing(lock):
            try:
                lock.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
                    raise LockedIndexError(f"{self.folder} is being written to by another process") from None
                raise StorageError(f"{self.folder}: {error}") from error
            yield

    def _refuse_strangers(self) -> None:
        if self.folder.is_file():
            raise NotAnIndexError(f"{self.folder} is a file; an index is a folder")
        if not self.folder.is_dir():
            return
        names = sorted(path.name for path in self.folder.iterdir())
        strange = [name for name in names if not name.startswith(_OURS)]
        if strange:
            raise NotAnIndexError(
                f"{self.folder} is not an index: it contains {strange[0]}. Choose an empty or a new folder"
            )
        if any(path.stat().st_size > HEADER_BYTES for path in self.folder.glob("vectors-*.f32")):
            raise DamagedIndexError(
                f"the database of {self.folder} is missing: restore it, or remove the folder and index again"
            )


def _meta(connection: sqlite3.Connection) -> dict[str, Any]:
    """The values that an index stores about itself, by name."""
    return dict(connection.execute("SELECT name, value FROM meta"))
