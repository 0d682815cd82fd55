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
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypedDict, Unpack

from chunker.arguments import require, require_all, require_text, require_whole, told
from chunker.errors import OptionError, WrongTypeError
from chunker.files.intake import Intake
from chunker.files.patterns import Patterns, Wanted
from chunker.index.asking import Asking
from chunker.index.checking import faults
from chunker.index.embedders import DEFAULT, Embedder, embedder_named, identity
from chunker.index.errors import EmbedderError, NotAnIndexError, SettingsMismatchError, VectorStoreError
from chunker.index.reports import Status, SyncReport
from chunker.index.schema import tables
from chunker.index.settings import DEFAULT_DESIRED_TOKENS, DEFAULT_MAX_TOKENS, Settings
from chunker.index.sources import MAX_FILE_BYTES, Limits, Sources
from chunker.index.store import Store
from chunker.index.syncing import Sync
from chunker.index.vector_stores import VectorStore, store_named
from chunker.options import Strategy

# The embedder in the settings of an index whose embedder has no name, but was given as an object.
_GIVEN = "(given)"

# The name of the place of vectors without a store.
_FILE = "a file of the index"

DEFAULT_FOLDER = ".chunker"


class IndexOptions(TypedDict, total=False):
    """The options of chunks in an index; see `chunker.TextChunker`. `tokenizer` is a name, because it must be found
    again.
    """

    tokenizer: str
    max_tokens: int
    desired_tokens: int | None
    min_tokens: int | None
    overlap: int
    context: bool
    strategy: Strategy


class Index(Asking):
    """An index in a folder. Any number of processes and threads may search it while one writes to it.

    Make one with `Index.open`. It keeps no files open between calls.

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
        embedder: str | Embedder | None = None,
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
            embedder: The name of an embedder (`chunker.index.embedders`), or an embedder. By default that of the index;
                for a new one "hashing", which needs no model and finds shared spelling.
            embedder_options: Options of a named embedder.
            store: Where the vectors are kept: the name of a store (`chunker.index.vector_stores`), or a store. By
                default that of the index; for a new one a file in its folder.
            root: The folder that source names are relative to; by default the one around the index.
            create: Start a new index if there is none.
            rebuild: Accept other settings than the index has. Files are then chunked again, and vectors are kept if the
                embedder is the same.
            options: How files are chunked (`IndexOptions`). By default as the index has it.

        Raises:
            SettingsMismatchError: Given settings differ from those of the index.
            NotAnIndexError: There is no index, and `create` is not set; or the folder holds something else.
            DamagedIndexError: The files of the index are damaged.
            OptionError: An option cannot be used.
        """
        require(path, (str, os.PathLike), "path", "the folder of the index, as a str or a path")
        require(root, (str, os.PathLike, type(None)), "root", "a folder, as a str or a path, or None")
        require(embedder_options, (dict, type(None)), "embedder_options", "a dict or None")
        if embedder is not None and not isinstance(embedder, str | Embedder):
            raise WrongTypeError(
                f"embedder must be a name or an object that is a chunker.index.Embedder, with all of {_EMBEDDER}, not {told(embedder)}"
            )
        if store is not None and not isinstance(store, str | VectorStore):
            raise WrongTypeError(f"store must be a name or a chunker.index.VectorStore, not {told(store)}")
        folder = Path(path).absolute()
        kept_by = Store(folder)
        kept = kept_by.settings()
        kept_by.vector_store = _vector_store(kept_by, store, exists=kept is not None)
        if kept is None and not create:
            raise NotAnIndexError(
                f"there is no index at {folder}: make one with `chunker index PATH`, or Index.open(...).sync(...)"
            )
        made: Embedder | None
        if kept is not None and embedder is None:
            made, name, configured = None, kept.embedder, kept.embedder_options
        else:
            name = embedder if isinstance(embedder, str) else DEFAULT if embedder is None else _GIVEN
            configured = json.dumps(embedder_options or {}, sort_keys=True)
            made = (
                embedder_named(name, **(embedder_options or {}))
                if embedder is None or isinstance(embedder, str)
                else embedder
            )
        asked = _settings(kept, made, name, configured, options)
        index = cls(kept_by, Path(root) if root is not None else folder.parent, asked, made, exists=kept is not None)
        if kept is None:
            return index
        if not rebuild:
            kept.require(asked)
        elif kept.fingerprint() != asked.fingerprint() or kept.identity != asked.identity:
            asked.cut()
            with kept_by.writing() as writer:
                writer.restart(asked)
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
            if self._settings.embedder == _GIVEN:
                raise EmbedderError(
                    "the index was made with an embedder of its own: give it to Index.open(embedder=...)"
                )
            made = embedder_named(self._settings.embedder, **json.loads(self._settings.embedder_options))
            if identity(made).hex() != self._settings.identity:
                raise EmbedderError(
                    f"the embedder {self._settings.embedder!r} is another than the index was made with: rebuild it"
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
        include: Collection[str] | Patterns = (),
        exclude: Collection[str] | Patterns = (),
        encoding: str = "utf-8",
        max_file_bytes: int = MAX_FILE_BYTES,
        progress: Callable[[SyncReport], object] | None = None,
    ) -> SyncReport:
        """Bring the index up to date with files and folders; files that are gone from there leave it.

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
        require_whole(max_file_bytes, "max_file_bytes", " of bytes")
        if not isinstance(paths, str | os.PathLike):
            require_all(paths, (str, os.PathLike), "paths", "str and paths")
        if progress is not None and not callable(progress):
            raise WrongTypeError(f"progress must be a function or None, not {told(progress)}")
        if max_file_bytes < 0:
            raise OptionError(f"max_file_bytes must be a whole number from 0, got {max_file_bytes!r}")
        intake = Intake(secrets=secrets, generated=generated, encoding=encoding)
        limits = Limits(hidden, max_file_bytes, intake, Wanted.of(include, exclude))
        listed = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
        sources = Sources(listed, self._root, self.path, limits)
        named = _names(tags, "tags")
        tell = progress or _nobody
        if dry_run:
            with self._connection() as connection:
                return Sync(
                    connection, None, self._settings, self.embedder, tags=named, limits=limits, progress=tell
                ).run(sources)
        self._ensure()
        with self._store.writing() as writer:
            return Sync(
                writer.connection, writer, self._settings, self.embedder, tags=named, limits=limits, progress=tell
            ).run(sources)

    def status(self) -> Status:
        """The number of files, chunks and vectors in the index, and its settings."""
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
        """Check the whole index, the vectors too.

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
        require_text(tag, "tag")
        self._ensure()
        with self._store.writing() as writer:
            return writer.forget(tag)

    def prune(self) -> int:
        """Remove the vectors that no chunk needs.

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
            self._settings.cut()  # raises for bad options before a folder is made
            self._store.create(self._settings)
            kept = self._store.settings()
            if kept is not None:
                kept.require(self._settings)
            self._exists = True

    @contextlib.contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """To find out what is known: of an index that does not exist yet, nothing."""
        if self._store.settings() is not None:
            with self._store.reading() as snapshot:
                yield snapshot.connection
            return
        with contextlib.closing(sqlite3.connect(":memory:")) as connection:
            for statement in tables():
                connection.execute(statement)
            yield connection

    def __repr__(self) -> str:
        return (
            f"Index({str(self.path)!r}, embedder={self._settings.embedder!r}, max_tokens={self._settings.max_tokens})"
        )


_EMBEDDER = ", ".join(sorted(name for name in vars(Embedder) if not name.startswith("_")))


def _vector_store(kept_by: Store, given: str | VectorStore | None, *, exists: bool) -> VectorStore | None:
    """The store of the vectors of an index: the given one, if it is that of the index; None for a file."""
    asked = store_named(given) if isinstance(given, str) else given
    if not exists:
        return asked
    has = kept_by.kept_store()
    if asked is None and has is not None:
        if not has:
            raise VectorStoreError("the index was made with a store of its own: give it to Index.open(store=...)")
        return store_named(has)
    if asked is not None and asked.spec != has:
        raise SettingsMismatchError({"store": (_FILE if has is None else has, asked.spec)})
    return asked


def _settings(
    kept: Settings | None, embedder: Embedder | None, name: str, configured: str, options: IndexOptions
) -> Settings:
    given: dict[str, Any] = dict(options)
    tokenizer: object = given.get("tokenizer", "")
    if not isinstance(tokenizer, str):
        raise OptionError(f"the tokenizer of an index must be a name, which is found again; got {tokenizer!r}")
    if given.get("max_tokens") is not None:
        require_whole(given["max_tokens"], "max_tokens", " of tokens")
    if kept is not None:
        if embedder is not None:
            given |= {"identity": identity(embedder).hex(), "dimensions": embedder.dimensions, "embedder": name}
            given["embedder_options"] = configured
        if given.get("max_tokens", kept.max_tokens) != kept.max_tokens:
            given.setdefault("desired_tokens", _desired(given["max_tokens"]))
        return kept.with_options(**given)
    if embedder is None:
        raise EmbedderError("an index needs an embedder")
    max_tokens = given.get("max_tokens")
    if max_tokens is not None and "desired_tokens" not in given:
        given["desired_tokens"] = _desired(max_tokens)
    base = Settings(embedder.tokenizer, name, configured, identity(embedder).hex(), embedder.dimensions)
    return base.with_options(**given)


def _desired(max_tokens: int) -> int:
    """In the proportion of the defaults."""
    return max(max_tokens * DEFAULT_DESIRED_TOKENS // DEFAULT_MAX_TOKENS, 1)


def _names(given: str | Iterable[str], option: str) -> list[str]:
    if not isinstance(given, str):
        require_all(given, str, option, "str")
    names = [given] if isinstance(given, str) else list(given)
    if not names:
        raise OptionError(f"{option} must name at least one")
    return names


def _nobody(_report: SyncReport) -> None:
    return
