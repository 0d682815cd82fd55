"""Index: files in, chunks that answer a question out.

index = Index.open(".chunker")
index.sync(["src", "docs"])                 embeds what is new, and nothing else
index.search("where are headers parsed?")   by meaning or spelling, and by words
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Unpack

from chunker.arguments import require, require_all, require_name, require_names, require_path, told, whole_number
from chunker.errors import OptionError, WrongTypeError
from chunker.files.intake import Intake
from chunker.files.patterns import Patterns, Wanted
from chunker.index import opening
from chunker.index.adding import Adding, checked_texts
from chunker.index.asking import Asking
from chunker.index.checking import faults
from chunker.index.embedders import (
    AnyEmbedder,
    Embedder,
    default_embedder,
    embedder_again,
    embedder_named,
    identity,
)
from chunker.index.errors import EmbedderError, NotAnIndexError
from chunker.index.opening import GIVEN, IndexOptions
from chunker.index.reports import Status, SyncReport
from chunker.index.schema import tables
from chunker.index.settings import Settings
from chunker.index.sources import MAX_FILE_BYTES, Limits, Sources
from chunker.index.store import Store
from chunker.index.syncing import Sync
from chunker.index.vector_stores import VectorStore
from chunker.models import Chunk

DEFAULT_FOLDER = ".chunker"


class Index(Asking):
    """An index in a folder. Any number of processes and threads may search it while one writes to it.

    Make one with `Index.open`. Between searches it keeps the database and the full text open, but not on Windows.

    Args:
        store: The folder of the index.
        root: The folder that source names are relative to.
        settings: The settings that chunks and vectors depend on.
        embedder: The embedder; None for the one that the settings name.
        exists: Whether the folder already holds an index.
    """

    def __init__(
        self, store: Store, root: Path, settings: Settings, embedder: Embedder | None, *, exists: bool
    ) -> None:
        self._store = store
        self._root = root
        self._settings = settings
        self._embedder = embedder
        self._exists = exists

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str] = DEFAULT_FOLDER,
        *,
        embedder: str | AnyEmbedder | None = None,
        embedder_options: dict[str, Any] | None = None,
        store: str | VectorStore | None = None,
        root: str | os.PathLike[str] | None = None,
        create: bool = True,
        rebuild: bool = False,
        **options: Unpack[IndexOptions],
    ) -> Index:
        """Open the index in a folder, or start a new one. A new index is written at the first `sync`.

        Args:
            path: The folder of the index.
            embedder: The name of an embedder, an embedder, a function of a list of texts, or an embedding object of
                LangChain or LlamaIndex. By default that of the index; for a new one "static" where the packages of that
                extra are installed, else "hashing", which finds shared spelling.
            embedder_options: Options of a named embedder; without a name, of "hashing".
            store: Where the vectors are kept: the name of a store (`chunker.index.vector_stores`), or a store. By
                default that of the index; for a new one a file in its folder.
            root: The folder that source names are relative to. By default that of the index; for a new one the folder
                around it.
            create: Start a new index if there is none.
            rebuild: Accept other settings than the index has, and begin anew: the next sync chunks all files. Vectors
                are kept if the embedder is the same and they are what was written.
            options: How files are chunked (`IndexOptions`). By default as the index has it.

        Returns:
            The index, to sync, to search and to ask. It may be empty still.

        Raises:
            SettingsMismatchError: Given settings, or the root, differ from those of the index.
            NotAnIndexError: There is no index and `create` is not set, or the folder holds something else.
            DamagedIndexError: The files of the index are damaged.
            UnknownEncodingError: There is no such tokenizer, or the tokenizer file of the index is gone.
            OptionError: An option cannot be used.
        """
        require_path(path, "path")
        if root is not None:
            require_path(root, "root")
        require(embedder_options, (dict, type(None)), "embedder_options", "a dict or None")
        if embedder is not None and not isinstance(embedder, str):
            embedder = opening.given_embedder(embedder)
        if store is not None and not isinstance(store, str | VectorStore):
            raise WrongTypeError(f"store must be a name or a chunker.index.VectorStore, not {told(store)}")
        folder = Path(path).absolute()
        kept_by = Store(folder)
        kept = kept_by.settings()
        kept_by.vector_store = opening.vector_store_of(kept_by, store, exists=kept is not None)
        top = opening.root_of(kept_by, root, exists=kept is not None, rebuild=rebuild)
        if kept is None and not create:
            hint = "make one with `chunker index PATH`, or Index.open(...).sync(...)"
            raise NotAnIndexError(f"there is no index at {folder}: {hint}")
        made: Embedder | None
        if kept is not None and embedder is None:
            made, name, configured = None, kept.embedder, kept.embedder_options
        else:
            if embedder is None:
                embedder = "hashing" if embedder_options else default_embedder()
            name = embedder if isinstance(embedder, str) else GIVEN
            configured = json.dumps(embedder_options or {}, sort_keys=True)
            made = embedder_named(name, **(embedder_options or {})) if isinstance(embedder, str) else embedder
        asked = opening.settings_of(kept, made, name, configured, options, root=top)
        index = cls(kept_by, top, asked, made, exists=kept is not None)
        if kept is None:
            if options:
                asked.cut(top)  # raises for bad options
            return index
        if rebuild:
            asked.cut(top)
            with kept_by.writing() as writer:
                writer.restart(asked, opening.written_root(folder, top))
                writer.set_aside(check=True)
        else:
            kept.require(asked)
        return index

    @property
    def path(self) -> Path:
        """The folder of the index."""
        return self._store.folder

    @property
    def settings(self) -> Settings:
        """The settings that its chunks and vectors depend on."""
        return self._settings

    @property
    def store(self) -> VectorStore | None:
        """The store of its vectors; None for a file in its folder."""
        return self._store.vector_store

    @property
    def embedder(self) -> Embedder:
        """The embedder of its vectors. Raises `EmbedderError` if the index was made with an unnamed one, and none is
        given.
        """
        if self._embedder is None:
            if self._settings.embedder == GIVEN:
                raise EmbedderError("the index was made with a custom embedder: pass it to Index.open(embedder=...)")
            settings = self._settings
            made = embedder_again(settings.embedder, json.loads(settings.embedder_options), settings.dimensions)
            if identity(made).hex() != self._settings.identity:
                raise EmbedderError(
                    f"the embedder {self._settings.embedder!r} is not the one that the index was made with: rebuild it"
                )
            self._embedder = made
        return self._embedder

    def sync(  # noqa: PLR0913  # as many as there are options
        self,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        tags: str | Iterable[str] = "",
        dry_run: bool = False,
        hidden: bool = False,
        secrets: bool = False,
        generated: bool = False,
        include: str | Collection[str] | Patterns = (),
        exclude: str | Collection[str] | Patterns = (),
        encoding: str = "utf-8",
        max_file_bytes: int = MAX_FILE_BYTES,
        progress: Callable[[SyncReport], object] | None = None,
    ) -> SyncReport:
        """Bring the index up to date with files and folders; files that are gone from there leave it. Lost vectors are made anew.

        Problems of single files are in the report: the other files are done, and the content of such a file in the
        index stays. It may be killed at any point; the next sync resumes.

        Args:
            paths: One or more files and folders.
            tags: One or more names, such as the branch. Each tag has its own view of the files; texts that they share
                are kept once.
            dry_run: Only report the work that there is.
            hidden: Include hidden files.
            secrets: Include files that hold secrets.
            generated: Include what programs wrote; see `chunk_files`.
            include: Patterns of the files of folders that are wanted.
            exclude: Patterns of those that are not; they win.
            encoding: The encoding of files that are not UTF-8.
            max_file_bytes: Leave out larger files.
            progress: Called with the report so far.

        Returns:
            The numbers of files and chunks that were added, changed, moved and removed.

        Raises:
            LockedIndexError: Another process writes to the index.
            EmbedderError: The embedder fails; the vectors that it made before are kept.
            OptionError: An option cannot be used.
        """
        max_file_bytes = whole_number(max_file_bytes, "max_file_bytes", " of bytes", least=0)
        if not isinstance(paths, str | os.PathLike):
            require_all(paths, (str, os.PathLike), "paths", "str and paths")
        intake = Intake(secrets=secrets, generated=generated, encoding=encoding)
        limits = Limits(hidden, max_file_bytes, intake, Wanted.of(include, exclude))
        sources = Sources([paths] if isinstance(paths, str | os.PathLike) else paths, self._root, self.path, limits)
        given = self._of_a_sync(tags, limits, progress)
        if dry_run:
            with self._connection() as connection:
                return Sync(connection, None, self._settings, self.embedder, **given).run(sources)
        self._ensure()
        with self._store.writing() as writer:
            return Sync(writer.connection, writer, self._settings, self.embedder, **given).run(sources)

    def add(  # as many as there are options
        self,
        texts: Mapping[str, str | Sequence[Chunk]],
        *,
        metadata: Mapping[str, Any] | None = None,
        language: str | None = None,
        tags: str | Iterable[str] = "",
        progress: Callable[[SyncReport], object] | None = None,
    ) -> SyncReport:
        """Add texts that are not files, or replace those of the same names. A sync leaves them alone; a rebuild forgets them.

        Args:
            texts: Name -> a text, which is chunked as a file is; or its chunks, which are taken as they are.
            metadata: Notes about these texts, values of JSON by name: hits have them, and filters may ask for them.
            language: The format of the texts: "markdown", "python" ...; None to tell it by their names and themselves.
            tags: One or more tags that they get.
            progress: Called with the report so far.

        Returns:
            The numbers of texts and chunks that were added and changed; texts that cannot be chunked are among the
            problems.

        Raises:
            LockedIndexError: Another process writes to the index.
            EmbedderError: The embedder fails; the vectors that it made before are kept.
            OptionError: A name is that of a file of the index, or metadata are not JSON.
            UnknownLanguageError: There is no such language.
            WrongTypeError: A text is neither a str nor a list of chunks.
        """
        listed = checked_texts(texts)
        require(metadata, (Mapping, type(None)), "metadata", "a dict or None")
        try:
            json.dumps(dict(metadata or {}), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise OptionError(f"metadata must be values of JSON: {error}") from error
        cut = self._settings.cut(self._root, language)
        with self._adding(tags, progress) as adding:
            return adding.add(listed, metadata or {}, cut)

    def remove(self, names: str | Iterable[str], *, tags: str | Iterable[str] = "") -> SyncReport:
        """Remove texts that were added.

        Args:
            names: One or more of their names; those that are not there are passed over.
            tags: The tags under which they are removed.

        Returns:
            The number of texts that were removed, among others.

        Raises:
            LockedIndexError: Another process writes to the index.
            OptionError: A name is that of a file of the index.
        """
        listed = _names(names, "names")
        with self._adding(tags, None) as adding:
            return adding.remove(listed)

    @contextlib.contextmanager
    def _adding(self, tags: str | Iterable[str], progress: Callable[[SyncReport], object] | None) -> Iterator[Adding]:
        given = self._of_a_sync(tags, Limits(), progress)
        embedder = self.embedder
        self._ensure()
        with self._store.writing() as writer:
            yield Adding(writer.connection, writer, self._settings, embedder, **given)

    def _of_a_sync(
        self, tags: str | Iterable[str], limits: Limits, progress: Callable[[SyncReport], object] | None
    ) -> dict[str, Any]:
        if progress is not None and not callable(progress):
            raise WrongTypeError(f"progress must be a function or None, not {told(progress)}")
        return {"root": self._root, "tags": _names(tags, "tags"), "limits": limits, "progress": progress or _nobody}

    def status(self) -> Status:
        """The number of files, chunks and vectors in the index, and its settings.

        Returns:
            Files, chunks, tokens and bytes at this moment; all are 0 before the first sync.
        """
        settings = asdict(self._settings)
        if self._is_empty:
            return Status({}, 0, 0, 0, 0, 0, 0, 0, settings)
        with self._store.reading() as snapshot:
            ask = snapshot.connection.execute
            tags = dict(ask("SELECT tag, count(*) FROM files GROUP BY tag ORDER BY tag").fetchall())
            chunks, tokens = ask(
                "SELECT coalesce(sum(v.chunks), 0), coalesce(sum(v.tokens), 0) FROM files AS f JOIN versions AS v ON v.id = f.version"
            ).fetchone()
            embeddings, spare = ask("SELECT count(*), coalesce(sum(places = 0), 0) FROM embeddings").fetchone()
            revision = ask("SELECT value FROM meta WHERE name = 'revision'").fetchone()[0]
        size = sum(path.stat().st_size for path in self.path.iterdir() if path.is_file())
        return Status(tags, sum(tags.values()), chunks, tokens, embeddings, spare, size, revision, settings)

    def verify(self) -> list[str]:
        """Check the whole index, the vectors too. `Index.open(..., rebuild=True)` and a sync mend what is damaged.

        Returns:
            A sentence for each fault; empty if there is none.
        """
        if self._is_empty:
            return []
        with self._store.reading() as snapshot:
            return faults(snapshot)

    def forget(self, tag: str) -> int:
        """Remove a tag with all its files, such as a branch that is gone.

        Args:
            tag: The tag.

        Returns:
            The number of files that it had.
        """
        require_name(tag, "tag")
        self._ensure()
        with self._store.writing() as writer:
            return writer.forget(tag)

    def prune(self) -> int:
        """Remove the vectors that no chunk needs, which else go once they are more than 1,024 and the needed ones.

        Returns:
            Their number.
        """
        self._ensure()
        with self._store.writing() as writer:
            return writer.drop_spare(everything=True)

    @property
    def _is_empty(self) -> bool:
        return not self._exists and self._store.settings() is None

    def _ensure(self) -> None:
        if not self._exists:
            self._settings.cut(self._root)  # raises for bad options before a folder is made
            self._store.create(self._settings, opening.written_root(self.path, self._root))
            kept = self._store.settings()
            if kept is not None:
                kept.require(self._settings)
                opening.root_of(self._store, self._root, exists=True, rebuild=False)
            self._exists = True

    @contextlib.contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """A connection to read by; to an empty database if the index does not exist yet."""
        if self._store.settings() is not None:
            with self._store.reading() as snapshot:
                yield snapshot.connection
            return
        with contextlib.closing(sqlite3.connect(":memory:")) as connection:
            for statement in tables():
                connection.execute(statement)
            yield connection

    def __repr__(self) -> str:
        has = self._settings
        return f"Index({str(self.path)!r}, embedder={has.embedder!r}, max_tokens={has.max_tokens})"


def _names(given: str | Iterable[str], option: str) -> list[str]:
    if not isinstance(given, str):
        require_all(given, str, option, "str")
    names = [given] if isinstance(given, str) else list(given)
    require_names(names, option)
    if not names:
        raise OptionError(f"{option} must name at least one")
    return names


def _nobody(_report: SyncReport) -> None:
    return
