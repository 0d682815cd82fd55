"""Names of files, and of the symbols that they define and use, written in the commits that change the files.

sources                      a row for each name of a file, counted by its tags; its words are in full text
definitions                  by version, found by their name in small letters
symbols, used_names          by version: the lines of each name, packed; which versions have a name is asked of full-text search
"""

from __future__ import annotations

import json
import re
import sqlite3
import zlib
from collections.abc import Iterable, Iterator

from chunker.index.terms import terms_of
from chunker.symbols import FileSymbols

_SUFFIX = re.compile(r"\.[^./]*$")
_LINE_END = re.compile(r"\r\n|\n|\r")
# The most versions whose symbols are read for one question.
_MOST_VERSIONS = 5000


def words_of_source(source: str) -> str:
    """The terms of the name of a file, its last suffix left out.

    >>> words_of_source("src/http/HttpClient.kt")
    'src http httpclient http client'
    """
    return terms_of(_SUFFIX.sub("", source))


def new_sources(connection: sqlite3.Connection, sources: Iterable[str]) -> dict[int, str]:
    """Number -> terms, for those names that no file has yet."""
    found = {}
    for source in dict.fromkeys(sources):
        row = connection.execute("SELECT id, files FROM sources WHERE source = ?", (source,)).fetchone()
        if row is None:
            number = connection.execute("INSERT INTO sources (source) VALUES (?)", (source,)).lastrowid or 0
            found[number] = words_of_source(source)
        elif row[1] == 0:
            found[row[0]] = words_of_source(source)
    return found


def count_source(connection: sqlite3.Connection, source: str, change: int) -> int | None:
    """Count a file of this name under one tag more or less. Returns the number of the name if no file has it any more."""
    ask = "UPDATE sources SET files = files + ? WHERE source = ? RETURNING id, files"
    ((number, files),) = connection.execute(ask, (change, source)).fetchall()
    return None if files else int(number)


def add_symbols(connection: sqlite3.Connection, version: int, symbols: FileSymbols) -> None:
    """Keep the symbols of a new version."""
    connection.executemany(
        "INSERT INTO definitions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                *(version, number, one.name, one.name.lower(), one.qualified, one.kind, one.signature),
                *(one.start, one.end, one.line, one.end_line),
            )
            for number, one in enumerate(symbols.definitions)
        ),
    )
    packed = zlib.compress(json.dumps(symbols.uses, separators=(",", ":")).encode("utf-8", "surrogatepass"), 1)
    connection.execute("INSERT INTO symbols VALUES (?, ?, ?)", (version, json.dumps(symbols.imports), packed))
    connection.execute("INSERT INTO used_names (rowid, names) VALUES (?, ?)", (version, " ".join(symbols.uses)))


def remove_symbols(connection: sqlite3.Connection, version: int) -> None:
    """Forget the symbols of a version that is gone."""
    connection.execute("DELETE FROM definitions WHERE version = ?", (version,))
    for (packed,) in connection.execute("DELETE FROM symbols WHERE version = ? RETURNING uses", (version,)).fetchall():
        connection.execute(
            "INSERT INTO used_names (used_names, rowid, names) VALUES ('delete', ?, ?)",
            (version, " ".join(_unpacked(packed))),
        )


def forget_names(connection: sqlite3.Connection) -> None:
    """Forget all symbols, and set the counts of all file names to 0."""
    connection.execute("DELETE FROM definitions")
    connection.execute("DELETE FROM symbols")
    connection.execute("INSERT INTO used_names (used_names) VALUES ('delete-all')")
    connection.execute("UPDATE sources SET files = 0")


def versions_that_use(connection: sqlite3.Connection, name: str) -> Iterator[tuple[int, list[int]]]:
    """The versions that use a name, each with the lines it is on."""
    quoted = '"' + name.replace('"', "") + '"'
    rows = connection.execute(
        "SELECT s.version, s.uses FROM used_names JOIN symbols AS s ON s.version = used_names.rowid WHERE used_names MATCH ? LIMIT ?",
        (quoted, _MOST_VERSIONS),
    )
    for version, packed in rows:
        lines = _unpacked(packed).get(name)
        if lines:
            yield version, lines


def lines_of_version(connection: sqlite3.Connection, version: int, wanted: Iterable[int]) -> dict[int, str]:
    """The text of some lines of a version, from 1, by its chunks."""
    rows = connection.execute(
        "SELECT p.start, substr(e.text, p.context + 1) FROM places AS p JOIN embeddings AS e ON e.id = p.embedding WHERE p.version = ? ORDER BY p.number",
        (version,),
    )
    parts: list[str] = []
    end = 0
    for start, body in rows:
        if start + len(body) > end:
            parts.append(body[max(end - start, 0) :])  # what an overlap repeats is there
            end = start + len(body)
    lines = _LINE_END.split("".join(parts))
    return {number: lines[number - 1] for number in wanted if 0 < number <= len(lines)}


def _unpacked(packed: bytes) -> dict[str, list[int]]:
    uses: dict[str, list[int]] = json.loads(zlib.decompress(packed).decode("utf-8", "surrogatepass"))
    return uses
