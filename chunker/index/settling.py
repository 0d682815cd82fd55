"""Keep full text in step with the database, even if a run is killed at any moment.

    database    unsettled: 7 8                      commit: 7 8 are needed, unsettled no more; 3 is not needed any more: unsettled
                    |                                  ^
    full text       +--> remove 3, add 7 8: commit ----+         killed in between: 7 8 are removed by who writes next

Full text has a text for each embedding with places ("words"), and the words of each name of a file ("names"). It may
have more than the database needs for a while, never less; readers drop what their snapshot has no place for.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from chunker.index.full_text import FullTextWriter, create
from chunker.index.names import words_of_source
from chunker.index.schema import transaction
from chunker.index.terms import terms_of

KINDS = ("words", "names")
# Removed texts count in BM25 until full text is written anew: when they are more than this plus the number of the
# others.
REMOVED = 1024
_NEEDED = {
    "words": "SELECT id, text, names, stems FROM embeddings WHERE places > 0 ORDER BY id",
    "names": "SELECT id, source, NULL, NULL FROM sources WHERE files > 0 ORDER BY id",
}


def folder_of(folder: Path, kind: str, generation: int) -> Path:
    """The folder of full text of one kind."""
    return folder / f"{kind}-{generation}"


def text_terms(text: str, names: str, stems: str | None) -> str:
    """The search terms of a chunk: those of its text and those of the names defined in it."""
    told = terms_of(text, stems or "english")
    return f"{told} {terms_of(names)}" if names else told


class Settling:
    """The full text of an index while a writer changes it."""

    def __init__(self, folder: Path, connection: sqlite3.Connection) -> None:
        self._folder = folder
        self._connection = connection
        self._writers: dict[str, FullTextWriter] = {}

    def announce(self, kind: str, terms: Mapping[int, str]) -> None:
        """Write the terms of some numbers to the disk, before the commit that needs them; remove what is unsettled."""
        left = self._unsettled(kind)
        if not left and not terms:
            return
        if terms:
            with transaction(self._connection):
                self._connection.executemany(
                    "INSERT OR IGNORE INTO unsettled VALUES (?, ?)", ((kind, number) for number in terms)
                )
        writer = self._writer(kind)
        writer.remove(left)
        for number, text in terms.items():
            writer.add(number, text)
        writer.commit()
        self._count_removed(kind, len(left))

    @contextlib.contextmanager
    def settled(self) -> Iterator[None]:
        """Part of the commit that needs what was announced: only what is noted inside this context stays unsettled."""
        self._connection.execute("DELETE FROM unsettled")
        yield
        self._connection.execute(
            "DELETE FROM sources WHERE files = 0 AND id NOT IN (SELECT id FROM unsettled WHERE kind = 'names')"
        )

    def needed_no_more(self, kind: str, numbers: Iterable[int]) -> None:
        """Note numbers as unsettled, in the commit that no longer needs them."""
        self._connection.executemany(
            "INSERT OR IGNORE INTO unsettled VALUES (?, ?)", ((kind, number) for number in numbers)
        )

    def settle(self) -> None:
        """Remove what is unsettled; write anew what has more removed texts than others, or is not there."""
        for kind in KINDS:
            if self._current(kind).exists():
                self.announce(kind, {})
            else:
                self._rewrite(kind)
        if self._connection.execute("SELECT 1 FROM unsettled LIMIT 1").fetchone():
            with transaction(self._connection), self.settled():
                pass
        for kind in KINDS:
            removed = self._meta(f"{kind}_removed")
            if removed > REMOVED and removed > REMOVED + self._count_needed(kind):
                self._rewrite(kind)

    def tidy(self) -> None:
        """Remove what a killed run left: folders of other generations, and what is unsettled."""
        for kind in KINDS:
            for path in self._folder.glob(f"{kind}-*"):
                if path != self._current(kind):
                    shutil.rmtree(path, ignore_errors=True)
        self.settle()

    def close(self) -> None:
        """Close the writers of all folders."""
        for writer in self._writers.values():
            writer.close()
        self._writers.clear()

    def _rewrite(self, kind: str) -> None:
        """Write all that is needed to a folder of the next generation."""
        with contextlib.suppress(KeyError):
            self._writers.pop(kind).close()
        generation = self._meta(kind) + 1
        path = folder_of(self._folder, kind, generation)
        create(path)
        writer = FullTextWriter(path)
        for number, text, names, stems in self._connection.execute(_NEEDED[kind]):
            writer.add(number, words_of_source(text) if kind == "names" else text_terms(text, names, stems))
        writer.commit()
        writer.close()
        before = self._current(kind)
        with transaction(self._connection):
            self._set(kind, generation)
            self._set(f"{kind}_removed", 0)
        shutil.rmtree(before, ignore_errors=True)

    def _writer(self, kind: str) -> FullTextWriter:
        if kind not in self._writers:
            self._writers[kind] = FullTextWriter(self._current(kind))
        return self._writers[kind]

    def _current(self, kind: str) -> Path:
        return folder_of(self._folder, kind, self._meta(kind))

    def _unsettled(self, kind: str) -> list[int]:
        return [number for (number,) in self._connection.execute("SELECT id FROM unsettled WHERE kind = ?", (kind,))]

    def _count_needed(self, kind: str) -> int:
        table = {"words": "embeddings WHERE places > 0", "names": "sources"}[kind]
        return int(self._connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608  # texts of ours

    def _count_removed(self, kind: str, more: int) -> None:
        if more:
            self._set(f"{kind}_removed", self._meta(f"{kind}_removed") + more)

    def _meta(self, name: str) -> int:
        return int(self._connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()[0])

    def _set(self, name: str, value: int) -> None:
        self._connection.execute("UPDATE meta SET value = ? WHERE name = ?", (value, name))


@contextlib.contextmanager
def settling(folder: Path, connection: sqlite3.Connection) -> Iterator[Settling]:
    """Full text that is written to, tidied first; let go of at the end."""
    full_text = Settling(folder, connection)
    try:
        yield full_text
    finally:
        full_text.close()
