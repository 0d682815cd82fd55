"""Write changes to an index, each in its own commit: new vectors, then the files that need them; at the end unused
vectors are removed.

    add_vectors      vectors to the disk, then their keys to the database      killed between: the rows are written over
    change_files     new texts to full text (settling.py)                     killed between: the vectors are found by key
                     versions, places, files: one commit                      killed between: full text is settled by who writes next
    drop_spare       vectors without places go, when they are more than the others

Reference counts are kept in the same commits that change what they count. The vector of a text that nobody needs is
kept for a while, for the day the text is back; the text itself is not.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from chunker.index.names import add_symbols, count_source, forget_names, new_sources, remove_symbols
from chunker.index.schema import transaction
from chunker.index.settings import Settings
from chunker.index.settling import Settling, text_terms
from chunker.index.terms import ENGLISH
from chunker.index.vector_sketches import extend, sketched_rows, sketches_path
from chunker.index.vectors import Vectors, checksum, create, map_rows, rewritten, vectors_path, write_rows
from chunker.symbols import FileSymbols

# Vectors without places are kept up to this many plus the number of needed vectors.
SPARE = 1024
# The most vectors without a sketch; a search compares all of them exactly.
UNSKETCHED = 8192


@dataclass(frozen=True, slots=True)
class NewPlace:
    """A chunk of a new version: the key of its vector, its text, of which the first `context` characters are not part of the file; its span.

    `names`: the words of what begins in it, such as definitions and headings. `breadcrumb` and `metadata`: as JSON;
    None for none.
    """

    key: bytes
    text: str
    tokens: int
    context: int
    kind: str
    span: tuple[int, int, int, int, int, int]
    names: str = ""
    breadcrumb: str | None = None
    metadata: str | None = None


@dataclass(frozen=True, slots=True)
class NewVersion:
    """A text that the index does not know, cut. `stems`: the language of its words."""

    key: bytes
    language: str | None
    places: list[NewPlace]
    symbols: FileSymbols = field(default_factory=FileSymbols)
    stems: str = ENGLISH

    @property
    def tokens(self) -> int:
        """Tokens of all chunks."""
        return sum(place.tokens for place in self.places)


@dataclass(frozen=True, slots=True)
class FileState:
    """A file as it was when it was read: bytes, and two times in nanoseconds; -1 for times that prove nothing."""

    size: int
    modified: int
    changed: int


@dataclass(frozen=True, slots=True)
class NewFile:
    """The new content of a file under a tag. `metadata`: as JSON, of a text that is not a file."""

    tag: str
    source: str
    version: bytes
    state: FileState
    metadata: str | None = None


@dataclass(slots=True)
class Changes:
    """The changes of files in one commit; versions before the files that have them."""

    versions: dict[bytes, NewVersion] = field(default_factory=dict)
    files: list[NewFile] = field(default_factory=list)
    removed: list[tuple[str, str]] = field(default_factory=list)


class Writer:
    """Changes an index. There is one at a time: `Store.writing` sees to it."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, full_text: Settling) -> None:
        self._folder = folder
        self._connection = connection
        self._full_text = full_text

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection, to read between changes."""
        return self._connection

    def tidy(self) -> None:
        """Remove vector files of other generations: those that a killed run was about to use, or had replaced."""
        current = vectors_path(self._folder, self._meta("generation"))
        for path in self._folder.glob("vectors-*"):
            if path not in {current, sketches_path(current)}:
                path.unlink(missing_ok=True)

    def unknown(self, keys: Iterable[bytes]) -> set[bytes]:
        """The keys that have no vector."""
        asked = list(dict.fromkeys(keys))
        known = {key for key, _, _ in self._embeddings(asked)}
        return set(asked) - known

    def add_vectors(self, keys: Sequence[bytes], tokens: Sequence[int], vectors: Vectors) -> None:
        """Keep the vectors of keys that have none; when this returns, they are there for good."""
        first = self._meta("rows")
        write_rows(vectors_path(self._folder, self._meta("generation")), first, vectors)
        rows = [(key, first + number, checksum(vectors[number]), tokens[number]) for number, key in enumerate(keys)]
        with transaction(self._connection):
            self._connection.executemany(
                "INSERT INTO embeddings (key, row, checksum, tokens) VALUES (?, ?, ?, ?)", rows
            )
            self._set("rows", first + len(rows))

    def change_files(self, changes: Changes) -> None:
        """Make the changes, all in one commit. The vectors that they need must have been added."""
        self._full_text.announce("words", self._new_texts(changes.versions.values()))
        with transaction(self._connection):
            names = new_sources(self._connection, (file.source for file in changes.files))
        self._full_text.announce("names", names)
        with transaction(self._connection), self._full_text.settled():
            # New places first, so that a text that only moves never has none.
            numbers = {key: self._add_version(version) for key, version in changes.versions.items()}
            left: Counter[int] = Counter()
            for file in changes.files:
                number = numbers.get(file.version)
                if number is None:
                    number = numbers[file.version] = self._version(file.version)
                left.update(self._assign(file, number))
            for tag, source in changes.removed:
                left.update(self._unassign(tag, source))
            for number, files in left.items():
                self._release(number, files)
            self._note_stems({version.stems for version in changes.versions.values()})
            self._set("revision", self._meta("revision") + 1)

    def forget(self, tag: str) -> int:
        """Remove all files of a tag; how many it had."""
        rows = self._connection.execute("SELECT source FROM files WHERE tag = ?", (tag,)).fetchall()
        self.change_files(Changes(removed=[(tag, source) for (source,) in rows]))
        self.drop_spare()
        return len(rows)

    def drop_spare(self, *, everything: bool = False) -> int:
        """Drop the vectors without places if they are too many, and write the others anew; how many went."""
        self._full_text.settle()
        count = self._connection.execute
        spare, needed = self._spare_and_needed()
        if not spare or (spare <= needed + SPARE and not everything):
            self._sketch()
            return 0
        generation = self._meta("generation")
        dimensions = self._dimensions()
        kept = [row for (row,) in count("SELECT row FROM embeddings WHERE places > 0 AND row >= 0 ORDER BY row")]
        before = map_rows(vectors_path(self._folder, generation), dimensions, self._meta("rows"))
        rewritten(before, kept, vectors_path(self._folder, generation + 1), generation + 1)
        with transaction(self._connection):
            count("DELETE FROM embeddings WHERE places = 0")
            # Ascending: each row moves to a lower number, which is free by then.
            self._connection.executemany("UPDATE embeddings SET row = ? WHERE row = ?", enumerate(kept))
            self._set("generation", generation + 1)
            self._set("rows", len(kept))
        self.tidy()
        self._sketch()
        return spare

    def _sketch(self) -> None:
        """Sketches of the vectors, where there are many without one."""
        path = vectors_path(self._folder, self._meta("generation"))
        dimensions = self._dimensions()
        rows = self._meta("rows")
        if rows - sketched_rows(path, dimensions) > UNSKETCHED:
            extend(sketches_path(path), map_rows(path, dimensions, rows))

    def _spare_and_needed(self) -> tuple[int, int]:
        """The number of vectors without places, and of vectors with some."""
        ask = "SELECT coalesce(sum(places = 0), 0), coalesce(sum(places > 0), 0) FROM embeddings"
        spare, needed = self._connection.execute(ask).fetchone()
        return int(spare), int(needed)

    def restart(self, settings: Settings, root: str) -> None:
        """Forget all files, and go on with these settings and this root. Vectors are kept where the embedder is the same."""
        before = Settings.from_json(self._text("settings"))
        same = before.identity == settings.identity
        if not same:
            self._prepare_anew(settings)
        ask = self._connection.execute
        with transaction(self._connection):
            for table in ("files", "places", "versions"):
                self._connection.execute(f"DELETE FROM {table}")  # noqa: S608  # names of ours
            self._full_text.needed_no_more("words", [n for (n,) in ask("SELECT id FROM embeddings WHERE places > 0")])
            self._full_text.needed_no_more("names", [n for (n,) in ask("SELECT id FROM sources")])
            forget_names(self._connection)
            if same:
                self._connection.execute("UPDATE embeddings SET places = 0, text = NULL, names = NULL, stems = NULL")
            else:
                self._begin_anew()
            self._set("settings", settings.to_json())
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES ('root', ?)", (root,))
            self._set("revision", self._meta("revision") + 1)
        # First, because the numbers of what is gone may be given again.
        self._full_text.settle()
        self.tidy()

    def _prepare_anew(self, settings: Settings) -> None:
        """Create the file of the new vectors, before the commit of `_begin_anew`."""
        generation = self._meta("generation") + 1
        create(vectors_path(self._folder, generation), settings.dimensions, generation)

    # --- parts of a commit

    def _begin_anew(self) -> None:
        """Part of the commit that restarts the index with another embedder: forget all vectors, and name the file of the new ones."""
        self._connection.execute("DELETE FROM embeddings")
        self._set("generation", self._meta("generation") + 1)
        self._set("rows", 0)

    def _new_texts(self, versions: Iterable[NewVersion]) -> dict[int, str]:
        """The terms of those texts of versions that stand nowhere yet, by number."""
        found: dict[int, str] = {}
        for version in versions:
            places = {place.key: place for place in version.places}
            for key, identifier, count in self._embeddings(list(places)):
                if count == 0 and identifier not in found:
                    found[identifier] = text_terms(places[key].text, places[key].names, version.stems)
        return found

    def _add_version(self, version: NewVersion) -> int:
        values = (version.key, version.language, len(version.places), version.tokens)
        cursor = self._connection.execute(
            "INSERT INTO versions (key, language, chunks, tokens) VALUES (?, ?, ?, ?)", values
        )
        number = cursor.lastrowid or 0
        texts = {place.key: place.text for place in version.places}
        found = {key: (identifier, places) for key, identifier, places in self._embeddings(list(texts))}
        self._connection.executemany(
            "INSERT INTO places VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    *(number, order, found[place.key][0], *place.span, place.context, place.kind),
                    *(place.breadcrumb, place.metadata),
                )
                for order, place in enumerate(version.places)
            ),
        )
        names = {place.key: place.names for place in version.places}
        fresh = [(found[key][0], text, names[key]) for key, text in texts.items() if found[key][1] == 0]
        self._connection.executemany(
            "UPDATE embeddings SET text = ?, names = ?, stems = ? WHERE id = ?",
            ((text, named, version.stems, identifier) for identifier, text, named in fresh),
        )
        add_symbols(self._connection, number, version.symbols)
        needed = Counter(place.key for place in version.places)
        self._connection.executemany(
            "UPDATE embeddings SET places = places + ? WHERE id = ?",
            ((count, found[key][0]) for key, count in needed.items()),
        )
        return number

    def _assign(self, file: NewFile, version: int) -> list[int]:
        """Give a file its version. Returns the versions that have one file less."""
        before = self._connection.execute(
            "SELECT version FROM files WHERE tag = ? AND source = ?", (file.tag, file.source)
        ).fetchone()
        state = file.state
        self._connection.execute(
            "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)",
            (file.tag, file.source, version, state.size, state.modified, state.changed, file.metadata),
        )
        if before is not None and before[0] == version:
            return []
        self._connection.execute("UPDATE versions SET files = files + 1 WHERE id = ?", (version,))
        if before is None:
            count_source(self._connection, file.source, 1)
        return [] if before is None else [before[0]]

    def _unassign(self, tag: str, source: str) -> list[int]:
        before = self._connection.execute(
            "DELETE FROM files WHERE tag = ? AND source = ? RETURNING version", (tag, source)
        ).fetchall()
        unused = count_source(self._connection, source, -1) if before else None
        if unused is not None:
            self._full_text.needed_no_more("names", [unused])
        return [version for (version,) in before]

    def _release(self, version: int, files: int) -> None:
        """Subtract from the number of files of a version; a version without files is removed with its places."""
        remaining = self._connection.execute(
            "UPDATE versions SET files = files - ? WHERE id = ? RETURNING files", (files, version)
        ).fetchall()
        if remaining != [(0,)]:
            return
        needed = self._connection.execute(
            "SELECT embedding, count(*) FROM places WHERE version = ? GROUP BY embedding", (version,)
        ).fetchall()
        self._connection.execute("DELETE FROM places WHERE version = ?", (version,))
        self._connection.execute("DELETE FROM versions WHERE id = ?", (version,))
        remove_symbols(self._connection, version)
        for embedding, count in needed:
            ((places,),) = self._connection.execute(
                "UPDATE embeddings SET places = places - ? WHERE id = ? RETURNING places", (count, embedding)
            ).fetchall()
            if places == 0:
                self._full_text.needed_no_more("words", [embedding])
                self._connection.execute(
                    "UPDATE embeddings SET text = NULL, names = NULL, stems = NULL WHERE id = ?", (embedding,)
                )

    def _version(self, key: bytes) -> int:
        return int(self._connection.execute("SELECT id FROM versions WHERE key = ?", (key,)).fetchone()[0])

    def _embeddings(self, keys: Sequence[bytes]) -> Iterator[tuple[bytes, int, int]]:
        """Key, number and count of places, of those keys that have a vector."""
        for key in keys:
            found = self._connection.execute("SELECT id, places FROM embeddings WHERE key = ?", (key,)).fetchone()
            if found is not None:
                yield key, *found

    def _dimensions(self) -> int:
        return Settings.from_json(self._text("settings")).dimensions

    def _meta(self, name: str) -> int:
        return int(self._connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()[0])

    def _text(self, name: str) -> str:
        return str(self._connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()[0])

    def _note_stems(self, languages: set[str]) -> None:
        """Questions are asked in the stems of all languages that texts have had."""
        known = set(json.loads(self._text("stems")))
        if languages - known:
            self._set("stems", json.dumps(sorted(known | languages)))

    def _set(self, name: str, value: int | str) -> None:
        self._connection.execute("UPDATE meta SET value = ? WHERE name = ?", (value, name))
