"""Vector stores: the protocol of a store, and stores by name. They keep vectors elsewhere than in a file of the index.

    Index.open(".chunker", store="lancedb:vectors")                          a folder
    Index.open(".chunker", store="qdrant:http://localhost:6333")
    Index.open(".chunker", store="pgvector:postgresql://localhost/search")

The database of the index stays the book of record: which text stands where, what is found by words, and which keys have
a vector. A store holds vectors by `embed_key`, and nothing of where a text stands; so a rename, a branch, shifted lines
touch no store. Each index has a table of its own, whose name nobody else has (`bpe_chunker_`, 16 digits, and a number).

The order of the steps, so that a run may be killed between any two:

    new vectors     the book: keys are `pending`  ->  the store: put, acknowledged  ->  the book: they have vectors, pending no more
    spare ones go   the book: they are gone, `pending`  ->  the store: drop  ->  the book: pending no more

The next writer drops from the store what is pending: a store may have more than the book for a while, never less. To
put or to drop twice is the same as once. Readers ask the store, and take of its answers what the book has in their
snapshot and their filter lets pass.

Other packages add theirs through the entry point group `bpe_chunker.stores`: a callable that takes the part of the name
after the colon, if there is one.
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
# A user name and password before the address.
_PASSWORD = re.compile(r"(?<=://)([^/@:\s]*):[^/@\s]*@")


class VectorTable(Protocol):
    """Protocol of the vectors of one index, by key. Keys have 16 bytes; vectors are rows of float32, of length 1. All errors are
    raised as `VectorStoreError`.
    """

    def put(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Keep vectors: when this returns they outlast a crash. A key that was there gets the new vector.

        Args:
            keys: The keys.
            vectors: A row for each key, float32.
        """
        ...

    def drop(self, keys: Sequence[bytes]) -> None:
        """Remove vectors. A key without a vector is not an error.

        Args:
            keys: The keys.
        """
        ...

    def nearest(self, vector: Vectors, limit: int) -> tuple[list[bytes], list[float]]:
        """The vectors with the largest dot products with a vector.

        Args:
            vector: The vector of a question.
            limit: How many to return.

        Returns:
            Their keys, best first, and the products.
        """
        ...

    def vectors(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """The vectors of keys, bit by bit as they were put.

        Args:
            keys: The keys.

        Returns:
            Key -> vector, of the keys that have one.
        """
        ...

    def count(self) -> int:
        """The number of vectors.

        Returns:
            How many keys have a vector.
        """
        ...


@runtime_checkable
class VectorStore(Protocol):
    """Protocol of a store of tables of vectors. Threads may share it; making it does not connect to the store."""

    @property
    def spec(self) -> str:
        """The name by which `store_named` finds it again, "KIND:PLACE" with an absolute place, so that an index reopens without
        `store=`; "" for a store that has to be given each time.
        """
        ...

    def create(self, table: str, dimensions: int) -> None:
        """Make a table without vectors; nothing if it is there.

        Args:
            table: The name of the table.
            dimensions: The length of its vectors.
        """
        ...

    def opened(self, table: str) -> AbstractContextManager[VectorTable]:
        """A table, for as long as the context lasts. Several may be open at once, in several threads.

        Args:
            table: The name of the table.

        Returns:
            A context manager that gives the table.

        Raises:
            VectorStoreError: There is no such table.
        """
        ...

    def discard(self, table: str) -> None:
        """Remove a table with all its vectors, if it is there.

        Args:
            table: The name of the table.
        """
        ...


def store_named(spec: str) -> VectorStore:
    """A vector store by its name.

    Args:
        spec: The kind of store and, after a colon, its address: "lancedb:vectors".

    Returns:
        The store; whether it can be reached shows when it is used.

    Raises:
        OptionError: There is no such kind of store.
        MissingExtraError: The package that it needs is not installed.
        VectorStoreError: Another package has registered something that is not a store.
    """
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
