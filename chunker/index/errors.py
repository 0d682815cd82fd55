"""The exceptions of the index.

    IndexingError                     the root, a ChunkerError
    ├── DamagedIndexError             the files of an index are damaged: restore or rebuild it
    ├── NotAnIndexError               there is no index in this folder, or it holds something else
    ├── SettingsMismatchError         the index was made with other settings than are asked for   (also ValueError)
    ├── LockedIndexError              another process writes to the index
    ├── StorageError                  the disk is full or write-protected
    ├── EmbedderError                 the embedder fails, or its vectors are wrong
    └── VectorStoreError              the store of the vectors cannot be reached, or lacks vectors

A package that is not installed raises `chunker.errors.MissingExtraError`.
"""

from __future__ import annotations

from chunker.errors import ChunkerError


class IndexingError(ChunkerError):
    """Base class of all exceptions that the index raises on purpose."""


class DamagedIndexError(IndexingError):
    """The files of an index are damaged or do not belong together; the message says which, and what to do."""


class NotAnIndexError(IndexingError):
    """There is no index in this folder, or it holds something else."""


class SettingsMismatchError(IndexingError, ValueError):
    """The index was made with other settings than are asked for.

    Args:
        differences: Setting -> its value in the index, and the one that was asked for.
    """

    def __init__(self, differences: dict[str, tuple[object, object]]) -> None:
        super().__init__(differences)
        self.differences = differences

    def __str__(self) -> str:
        told = "; ".join(f"{name} is {has!r}, not {asked!r}" for name, (has, asked) in self.differences.items())
        return f"the index was made with other settings: {told}. Open it without these, or rebuild it with rebuild=True (--rebuild)"


class LockedIndexError(IndexingError):
    """Another process or thread writes to the index. Readers are never locked out."""


class StorageError(IndexingError):
    """The disk is full or write-protected; everything that was committed before stays."""


class EmbedderError(IndexingError):
    """The embedder fails, or its vectors are wrong; vectors that it made before are kept."""


class VectorStoreError(IndexingError):
    """The store of the vectors cannot be reached, refuses, or lacks vectors; everything that was committed before
    stays.
    """
