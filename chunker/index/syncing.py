"""One sync: bring the index up to date with the files, touching only what has changed.

    vectors    missing in their file? -> embedded anew (mending.py)
    file       size and times as they were? -> nothing to do
      |        its text is known?           -> one row: file -> version
    chunks     cut
      |        the key of a text is known?  -> the vector is there
    vectors    embedded in batches, each kept before the next is asked for
      |
    commit     versions, places and files, some hundred files at a time; at the end the files that are gone

A killed run leaves complete commits; the next run continues from them.
"""

from __future__ import annotations

import json
import sqlite3
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chunker.files.chunk_files import Cut
from chunker.files.discovery import Problem
from chunker.files.documents import Document
from chunker.files.file_chunks import chunks_in_file
from chunker.files.secrets import LEFT_OUT
from chunker.formats import Outline
from chunker.formats.unknown import LinesFormat
from chunker.index.anchors import chunks_of
from chunker.index.embedders import Embedder, batches, checked, identity
from chunker.index.keys import embed_key, version_key
from chunker.index.mending import MendingWriter
from chunker.index.reports import SyncReport
from chunker.index.settings import Settings
from chunker.index.sources import Limits, Source, Sources, is_in_scope, state_of
from chunker.index.stems import stems_of
from chunker.index.vectors import Vectors
from chunker.index.words import split_names
from chunker.index.writing import Changes, FileState, NewFile, NewPlace, NewVersion
from chunker.models import Chunk
from chunker.symbols import FileSymbols, symbols_of

# A commit is made once so many new chunks, or files, wait for it.
CHUNKS_AT_ONCE = 4096
FILES_AT_ONCE = 512

_Place = tuple[bytes, int, int]


@dataclass(frozen=True, slots=True)
class Known:
    """The known content of a file under a tag."""

    version: bytes
    state: FileState


class Sync:
    """One run. Without a `writer` it is a dry run: it only reports what would be done."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        writer: MendingWriter | None,
        settings: Settings,
        embedder: Embedder,
        *,
        root: Path,
        tags: Collection[str],
        limits: Limits,
        progress: Callable[[SyncReport], object],
    ) -> None:
        self._connection = connection
        self._writer = writer
        self._embedder = embedder
        self._tags = list(dict.fromkeys(tags))
        self._limits = limits
        self._progress = progress
        self._cut: Cut = settings.cut(root)
        self._fingerprint = settings.fingerprint()
        self._reach = settings.reach
        self._identity = identity(embedder)
        self._price = float(getattr(embedder, "price", 0.0))
        self._report = SyncReport(dry_run=writer is None)
        self._began = time.monotonic()
        self._changes = Changes()
        self._waiting = 0  # chunks in self._changes
        self._seen: set[str] = set()
        self._kept: list[str] = []  # paths that could not be read: what the index has of them stays
        self._known: dict[tuple[str, str], Known] = {}
        self._appeared: Counter[bytes] = Counter()
        self._disappeared: Counter[bytes] = Counter()
        self._promised: set[bytes] = set()  # in a dry run: keys that would have vectors by now
        self._planned: dict[bytes, NewVersion] = {}  # in a dry run: versions that there would be
        self._held: Counter[bytes] = Counter()  # in a dry run: versions that files would have
        self._new_names: list[tuple[str, bytes]] = []
        self._metadata: str | None = None  # of texts that are not files

    def run(self, sources: Sources) -> SyncReport:
        """Run the sync."""
        scopes, missing = sources.scopes(), sources.missing()
        self._load_known(scopes)
        items = list(sources.found())
        self._report.found = sum(isinstance(item, Source) for item in items)
        self._mend()
        for item in items:
            if isinstance(item, Problem):
                self._note(item, missing)
            else:
                self._take(item)
            if self._waiting >= CHUNKS_AT_ONCE or len(self._changes.files) >= FILES_AT_ONCE:
                self._flush()
        self._remove_missing(scopes)
        self._flush()
        self._finish()
        return self._report

    # --- files

    def _load_known(self, scopes: Iterable[str]) -> None:
        for tag in self._tags:
            rows = self._connection.execute(
                "SELECT f.source, v.key, f.size, f.modified, f.changed FROM files AS f JOIN versions AS v ON v.id = f.version "
                "WHERE f.tag = ? AND f.metadata IS NULL",
                (tag,),
            )
            for source, version, size, modified, changed in rows:
                if any(is_in_scope(source, scope) for scope in scopes):
                    self._known[tag, source] = Known(version, FileState(size, modified, changed))

    def _note(self, problem: Problem, missing: Collection[str] = ()) -> None:
        if not problem.failed:
            self._report.left_out.append(problem)
            return
        if problem.path in missing and any(is_in_scope(source, problem.path) for _, source in self._known):
            return  # it was indexed, it is asked for, and it is not there any more
        self._report.problems.append(problem)
        self._kept.append(problem.path)

    def _take(self, source: Source) -> None:
        self._report.files += 1
        state = state_of(source.file)
        known = [self._known.get((tag, source.name)) for tag in self._tags]
        if state is not None and all(one is not None and one.state == state for one in known):
            self._seen.add(source.name)
            self._report.unchanged += 1
            if self._writer is None:
                self._held.update(one.version for one in known if one is not None)
            return
        document = self._limits.intake.read(source.file)
        if isinstance(document, Problem):
            failed = document.failed and document.reason not in LEFT_OUT
            self._note(replace(document, path=source.name, failed=failed))
            return
        version = self._version(source.name, document)
        if version is None:
            return
        self._seen.add(source.name)
        self._assign(source.name, version, state or FileState(document.size, -1, -1), known)

    def _version(self, name: str, document: Document) -> bytes | None:
        """The key of the version of a text, which is added to the changes if it is new; None if the text cannot be chunked."""
        chunker = self._cut.chunker_of(document)
        form = chunker.format
        notes = repr(form) if isinstance(form, LinesFormat) else ""
        if document.shortened is not None:
            notes += repr(document.shortened)  # leaving text out moves the spans
        if document.places is not None or document.notes:
            notes += repr((document.places, document.notes))  # equal texts of other pages
        key = version_key(self._fingerprint, type(form).__name__, form.language, notes, document.text)
        if key in self._changes.versions or key in self._planned or self._is_version(key):
            return key
        try:
            outline = chunker.outline(document.text)
            chunks = chunks_of(chunker, document.text, self._reach, outline)
            placed = chunks_in_file(chunks, document)
            symbols = symbols_of(document.text, outline, form.language)
        except Exception as error:  # noqa: BLE001 - whatever one file leads to, the others are to be done
            self._note(Problem(name, f"{type(error).__name__}: {error}"))
            return None
        names = _names_in_order(symbols, outline)
        starts = [start for start, _ in names]
        places = [
            place_of(
                self._identity,
                there,
                names[bisect_left(starts, chunk.span.start) : bisect_left(starts, chunk.span.end)],
            )
            for chunk, there in zip(chunks, placed, strict=True)
        ]
        self._changes.versions[key] = NewVersion(
            key, form.language, places, symbols, stems_of(document.text, form.language)
        )
        self._waiting += len(places)
        return key

    def _assign(self, name: str, version: bytes, state: FileState, known: list[Known | None]) -> None:
        before = {one.version for one in known if one is not None}
        if None in known:
            self._report.added += 1
            self._new_names.append((name, version))
        elif before == {version}:
            self._report.unchanged += 1
        else:
            self._report.changed += 1
        for tag in self._tags:
            self._changes.files.append(NewFile(tag, name, version, state, self._metadata))
        if self._writer is None:
            self._held[version] += len(self._tags)

    def _remove_missing(self, scopes: list[str]) -> None:
        gone: dict[str, bytes] = {}
        for (tag, source), known in self._known.items():
            if source in self._seen or any(is_in_scope(source, kept) for kept in self._kept):
                continue
            if any(is_in_scope(source, scope) for scope in scopes):
                self._changes.removed.append((tag, source))
                gone[source] = known.version
        self._report.removed_files = len(gone)
        left = Counter(gone.values())
        for _, version in self._new_names:
            if left[version] > 0:
                left[version] -= 1
                self._report.renamed += 1

    # --- commits

    def _flush(self) -> None:
        """Embed the texts that have no vector, then commit the waiting changes."""
        changes = self._changes
        if not changes.files and not changes.removed:
            return
        texts = {place.key: place for version in changes.versions.values() for place in version.places}
        missing = self._missing(texts)
        self._count(changes, set(missing))
        places = [texts[key] for key in missing]
        sizes = [place.tokens for place in places]

        def keep(run: slice, vectors: Vectors) -> None:
            if self._writer is not None:
                self._writer.add_vectors(missing[run], sizes[run], vectors)

        self._embed([place.text for place in places], sizes, keep)
        if self._writer is not None:
            self._writer.change_files(changes)
        else:
            self._promised.update(missing)
            self._planned.update(changes.versions)
        self._changes = Changes()
        self._waiting = 0
        self._tell()

    def _missing(self, texts: Collection[bytes]) -> list[bytes]:
        known = self._connection.execute
        return [
            key
            for key in texts
            if key not in self._promised and known("SELECT 1 FROM embeddings WHERE key = ?", (key,)).fetchone() is None
        ]

    def _mend(self) -> None:
        """Embed anew the texts whose vectors were lost."""
        writer = self._writer
        if writer is None:
            return
        writer.set_aside()
        waiting = writer.waiting()
        if not waiting:
            return

        def keep(run: slice, vectors: Vectors) -> None:
            writer.mend([number for number, _, _ in waiting[run]], vectors)

        self._embed([text for _, text, _ in waiting], [tokens for _, _, tokens in waiting], keep)
        self._report.mended = len(waiting)

    def _embed(self, texts: Sequence[str], sizes: list[int], keep: Callable[[slice, Vectors], None]) -> None:
        """Embed texts in batches, and pass each batch to `keep`; in a dry run, only count. `sizes`: the tokens of each text."""
        report = self._report
        report.tokens_waiting = sum(sizes)
        self._tell()
        for run in batches(sizes, self._embedder.max_batch_texts, self._embedder.max_batch_tokens):
            batch = texts[run]
            if self._writer is not None:
                began = time.monotonic()
                vectors = checked(self._embedder.embed(list(batch)), len(batch), self._embedder)
                report.embedding_seconds += time.monotonic() - began
                keep(run, vectors)
            report.computed += len(batch)
            report.tokens_computed += sum(sizes[run])
            report.tokens_waiting -= sum(sizes[run])
            report.cost = report.tokens_computed * self._price / 1e6
            self._tell()

    def _count(self, changes: Changes, missing: set[bytes]) -> None:
        """Count the places that the next commit adds and removes."""
        steps: set[tuple[str, bytes | None, bytes | None]] = set()
        for file in changes.files:
            known = self._known.get((file.tag, file.source))
            steps.add((file.source, known.version if known else None, file.version))
        for tag, source in changes.removed:
            steps.add((source, self._known[tag, source].version, None))
        for _, before, after in sorted(steps, key=repr):
            if before == after:
                continue
            old = Counter(self._places(before))
            new = Counter(self._places(after))
            for (key, _, _), count in (new - old).items():
                fresh = key in missing
                missing.discard(key)
                if count > fresh:
                    self._appeared[key] += count - fresh
            for (key, _, _), count in (old - new).items():
                self._disappeared[key] += count

    def _places(self, version: bytes | None) -> list[_Place]:
        if version is None:
            return []
        new = self._changes.versions.get(version) or self._planned.get(version)
        if new is not None:
            return [(place.key, *place.span[:2]) for place in new.places]
        rows = self._connection.execute(
            "SELECT e.key, p.start, p.end FROM versions AS v JOIN places AS p ON p.version = v.id "
            "JOIN embeddings AS e ON e.id = p.embedding WHERE v.key = ?",
            (version,),
        )
        return [(key, start, end) for key, start, end in rows]

    def _is_version(self, key: bytes) -> bool:
        return self._connection.execute("SELECT 1 FROM versions WHERE key = ?", (key,)).fetchone() is not None

    # --- the end

    def _finish(self) -> None:
        report = self._report
        report.moved = (self._appeared & self._disappeared).total()
        report.reused = self._appeared.total() - report.moved
        report.removed = self._disappeared.total() - report.moved
        if self._writer is not None:
            report.dropped = self._writer.drop_spare()
            query = (
                "SELECT coalesce(sum(v.chunks), 0), coalesce(sum(v.tokens), 0) FROM files AS f JOIN versions AS v ON v.id = f.version "
                "WHERE f.tag IN (SELECT value FROM json_each(?))"
            )
            report.chunks, report.tokens = self._connection.execute(query, (json.dumps(self._tags),)).fetchone()
        else:
            report.chunks, report.tokens = self._planned_totals()
        self._tell()

    def _planned_totals(self) -> tuple[int, int]:
        """The chunks and tokens that the files of the paths would have."""
        chunks = tokens = 0
        for key, files in self._held.items():
            new = self._planned.get(key)
            if new is not None:
                found = (len(new.places), new.tokens)
            else:
                query = "SELECT chunks, tokens FROM versions WHERE key = ?"
                found = self._connection.execute(query, (key,)).fetchone()
            chunks += files * found[0]
            tokens += files * found[1]
        return chunks, tokens

    def _tell(self) -> None:
        self._report.seconds = time.monotonic() - self._began
        self._progress(self._report)


def place_of(identity: bytes, chunk: Chunk, names: Sequence[tuple[int, str]]) -> NewPlace:
    """`names`: what begins in the chunk, and where."""
    return NewPlace(
        embed_key(identity, chunk.text),
        chunk.text,
        chunk.token_count,
        len(chunk.context),
        chunk.kind,
        chunk.span,
        split_names([name for _, name in names]),
        _json_or_none(list(chunk.breadcrumb)),
        _json_or_none(chunk.metadata),
    )


def _json_or_none(value: list[str] | dict[str, Any]) -> str | None:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")) if value else None


def _names_in_order(symbols: FileSymbols, outline: Outline) -> list[tuple[int, str]]:
    """The offsets and names of symbols of code, or of headings of any other text, in order."""
    if symbols.uses:
        return sorted((definition.start, definition.name) for definition in symbols.definitions)
    return [(scope.start, scope.name) for scope in outline.scopes]
