"""Vectors kept elsewhere than in a file of the index: what is asked of a store, and stores by name.

    Index.open(".chunker", store="lancedb:vectors")                          a folder
    Index.open(".chunker", store="qdrant:http://localhost:6333")
    Index.open(".chunker", store="pgvector:postgresql://localhost/search")

The database of the index stays the book of record: which text stands where, what is found by words, and which keys have a vector. A store holds
vectors by `embed_key`, and nothing of where a text stands; so a rename, a branch, shifted lines touch no store. Each index has a table of its
own, whose name nobody else has (`bpe_chunker_`, 16 digits, and a number).

What is done in which order, so that a run may be killed between any two steps:

    new vectors     the book: keys are `pending`  ->  the store: put, acknowledged  ->  the book: they have vectors, pending no more
    spare ones go   the book: they are gone, `pending`  ->  the store: drop  ->  the book: pending no more

Whoever writes next drops from the store what is pending: a store may have more than the book for a while, never less. To put or to drop twice is the
same as once. Readers ask the store, and take of its answers what the book has in their snapshot and their filter lets pass.

Other packages add theirs through the entry point group `bpe_chunker.stores`: what takes the part of the name after the colon, if there is one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from chunker.arguments import require_text
from chunker.errors import OptionError
from chunker.index.errors import VectorStoreError
from chunker.index.vectors import Vectors

GROUP = "bpe_chunker.stores"
# What stands between a user and an address, with the password that follows it.
_PASSWORD = re.compile(r"(?<=://)([^/@:\s]*):[^/@\s]*@")


class VectorTable(Protocol):
    """Vectors by key, of one index. Keys have 16 bytes, vectors length 1. Whatever goes wrong is raised as `VectorStoreError`."""

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Keep the vectors; when this returns, they are there for good. A key that was there has the new one."""
        ...

    def drop(self, keys: Sequence[bytes]) -> None:
        """Have no vectors under these keys, whether there were any or not."""
        ...

    def nearest(self, vector: Vectors, limit: int) -> tuple[list[bytes], list[float]]:
        """The keys of the `limit` vectors that have the largest dot product with `vector`, best first, and these products."""
        ...

    def vectors(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """The vectors of those keys that have one, bit by bit what was put."""
        ...

    def count(self) -> int:
        """How many vectors there are."""
        ...


@runtime_checkable
class VectorStore(Protocol):
    """Where tables of vectors are. Threads may share it; it is made without asking anything of the store."""

    @property
    def spec(self) -> str:
        """The name by which `store_named` finds it again; "" for an object that has none."""
        ...

    def create(self, table: str, dimensions: int) -> None:
        """Make a table without vectors, for as many numbers each; nothing if it is there."""
        ...

    def opened(self, table: str) -> AbstractContextManager[VectorTable]:
        """A table, for as long as the context lasts. Raises `VectorStoreError` if it is not there."""
        ...

    def discard(self, table: str) -> None:
        """Remove a table with all that is in it, if it is there."""
        ...


def store_named(spec: str) -> VectorStore:
    """The store of this name. Raises `OptionError` for one that is none, and `MissingExtraError`."""
    require_text(spec, "the name of a vector store")
    kind, _, place = spec.partition(":")
    points = {point.name: point for point in entry_points(group=GROUP)}
    if kind not in points:
        known = ", ".join(sorted(points)) or "none: the package bpe-chunker is not installed, only imported"
        raise OptionError(f"no vector store is called {kind!r}; there are {known}")
    make: Any = points[kind].load()
    made = make(place) if place else make()
    if not isinstance(made, VectorStore):
        raise VectorStoreError(f"what is registered as the vector store {kind!r} is none: {made!r}")
    return made


def hide_folder(place: str) -> None:
    """Make the folder of a store, and keep its files out of whatever walks over the files around it."""
    try:
        folder = Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise VectorStoreError(f"{place}: {error.strerror}") from error


def without_password(spec: str) -> str:
    """The name of a store as it may be written down.

    >>> without_password("pgvector:postgresql://me:secret@host/search")
    'pgvector:postgresql://me@host/search'
    """
    return _PASSWORD.sub(r"\1@", spec)
