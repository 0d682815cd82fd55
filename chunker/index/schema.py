"""The database of an index: its tables, opening it, and the meaning of its errors.

    files        (tag, source) -> version               a branch is a tag: switching it touches these rows alone; texts that are
                                                        no files have metadata
    versions     what one text was cut into             shared by all files and tags that have this text
    places       (version, number) -> embedding, span   where each chunk stands; its breadcrumb and metadata as JSON, null for none
    embeddings   key -> row of the vectors, text        how many places need it; without places the vector alone is kept
    sources      the names of files
    unsettled    embeddings and sources that full text may have, though nothing needs them (settling.py)
    definitions  (version, number) -> a symbol, its signature and span
    symbols      version -> the lines of each name it uses, and what it imports; full-text search over the names

SQLite in WAL mode: one writer, any number of readers, each of which sees the state of one commit.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from chunker.index.errors import DamagedIndexError, IndexingError, LockedIndexError, StorageError

SCHEMA = 5
DATABASE = "index.sqlite"
# Seconds that a statement waits for another connection. Readers never wait; a writer for whoever checks or vacuums.
_PATIENCE = 30.0

_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE embeddings (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    row INTEGER NOT NULL UNIQUE,
    checksum INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    places INTEGER NOT NULL DEFAULT 0,
    text TEXT,
    names TEXT,
    stems TEXT
);
CREATE INDEX embeddings_spare ON embeddings (id) WHERE places = 0;
CREATE TABLE versions (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE,
    language TEXT,
    chunks INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    files INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE places (
    version INTEGER NOT NULL,
    number INTEGER NOT NULL,
    embedding INTEGER NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    start_byte INTEGER NOT NULL,
    end_byte INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    context INTEGER NOT NULL,
    kind TEXT NOT NULL,
    breadcrumb TEXT,
    metadata TEXT,
    PRIMARY KEY (version, number)
) WITHOUT ROWID;
CREATE INDEX places_embedding ON places (embedding);
CREATE TABLE files (
    tag TEXT NOT NULL,
    source TEXT NOT NULL,
    version INTEGER NOT NULL,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    metadata TEXT,
    PRIMARY KEY (tag, source)
) WITHOUT ROWID;
CREATE INDEX files_version ON files (version);
CREATE TABLE unsettled (kind TEXT NOT NULL, id INTEGER NOT NULL, PRIMARY KEY (kind, id)) WITHOUT ROWID;
CREATE TABLE sources (id INTEGER PRIMARY KEY, source TEXT NOT NULL UNIQUE, files INTEGER NOT NULL DEFAULT 0);
CREATE INDEX sources_unused ON sources (id) WHERE files = 0;
CREATE TABLE definitions (
    version INTEGER NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    folded TEXT NOT NULL,
    qualified TEXT NOT NULL,
    kind TEXT NOT NULL,
    signature TEXT NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    PRIMARY KEY (version, number)
) WITHOUT ROWID;
CREATE INDEX definitions_folded ON definitions (folded);
CREATE TABLE symbols (version INTEGER PRIMARY KEY, imports TEXT NOT NULL, uses BLOB NOT NULL);
CREATE VIRTUAL TABLE used_names USING fts5 (names, content='', detail=none, tokenize="unicode61 remove_diacritics 0 tokenchars '_'");
"""


def tables() -> Iterator[str]:
    """The statements that make an empty database."""
    return (statement for statement in _TABLES.split(";\n") if statement.strip())


@contextlib.contextmanager
def translating(folder: Path) -> Iterator[None]:
    """Convert errors of SQLite to errors of the index."""
    try:
        yield
    except sqlite3.Error as error:
        raise meaning_of(error, folder) from error


def meaning_of(error: sqlite3.Error, folder: Path) -> IndexingError:
    """The exception of the index for an error of SQLite."""
    code = getattr(error, "sqlite_errorcode", None)
    primary = None if code is None else code & 0xFF
    if primary in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        return LockedIndexError(f"{folder} is being written to by another process")
    if primary in {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_NOMEM,
    }:
        return StorageError(f"{folder}: {error}")
    return DamagedIndexError(
        f"the database in {folder} is damaged ({error}): restore it, or remove the folder and index again"
    )


def connect(folder: Path) -> sqlite3.Connection:
    """A connection to the database, which need not have tables yet."""
    connection = sqlite3.connect(folder / DATABASE, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        # A commit may be lost with the power, the last ones first, but never half of one; a process that is killed
        # loses none.
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection, kind: str = "IMMEDIATE") -> Iterator[None]:
    """A transaction: the changes made inside are committed together, or none of them."""
    connection.execute(f"BEGIN {kind}")
    try:
        yield
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
