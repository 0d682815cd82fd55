"""Everything that the index raises on purpose.

IndexingError                     the root, a ChunkerError
├── DamagedIndexError             the files of an index do not hold together: restore or rebuild it
├── NotAnIndexError               there is no index at this place, or something else lies there
├── SettingsMismatchError         the index was made with other settings than are asked for   (also ValueError)
├── LockedIndexError              another process writes to the index
├── StorageError                  the disk is full, or not to be written to
├── EmbedderError                 vectors could not be had, or are not what they should be
└── VectorStoreError              the store of the vectors cannot be reached, or lacks what it should have

Beside it stands `chunker.errors.MissingExtraError`, where a package is not installed.
"""

from __future__ import annotations

from chunker.errors import ChunkerError


class IndexingError(ChunkerError):
    """The root: catches whatever the index raises on purpose."""


class DamagedIndexError(IndexingError):
    """The files of an index do not hold together; the message says which, and what to do."""


class NotAnIndexError(IndexingError):
    """There is no index at this place, or something else lies there."""


class SettingsMismatchError(IndexingError, ValueError):
    """The index was made with other settings than are asked for.

    `differences`: for each setting that differs, what the index has and what was asked for.
    """

    def __init__(self, differences: dict[str, tuple[object, object]]) -> None:
        super().__init__(differences)
        self.differences = differences

    def __str__(self) -> str:
        told = "; ".join(f"{name} is {has!r}, not {asked!r}" for name, (has, asked) in self.differences.items())
        return f"the index was made with other settings: {told}. Open it without these, or make it anew with rebuild=True (--rebuild)"


class LockedIndexError(IndexingError):
    """Another process, or another thread, writes to the index; readers are never locked out."""


class StorageError(IndexingError):
    """The disk is full, or cannot be written to; what was committed before stays."""


class EmbedderError(IndexingError):
    """Vectors could not be had, or are not what they should be; what was embedded before is kept."""


class VectorStoreError(IndexingError):
    """The store of the vectors cannot be reached, refuses, or lacks what it should have; what was committed before stays."""
