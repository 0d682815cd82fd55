"""The exceptions of work on tables and corpora.

ScaleError                  the root, a ChunkerError
├── ColumnError             a table lacks a column, or has it in a type that is not text (also ValueError)
├── RowError                a document cannot be chunked; `row` says which of the table (also ValueError)
├── PartError               a part of a corpus cannot be read, or its result not be written; says where
└── TargetError             the results in the target folder were made with other settings, or of another corpus

A package that is not installed raises `chunker.errors.MissingExtraError`.
"""

from __future__ import annotations

from chunker.errors import ChunkerError


class ScaleError(ChunkerError):
    """Base class of all exceptions that work on tables and corpora raises on purpose."""


class ColumnError(ScaleError, ValueError):
    """A table lacks a column, or the column does not hold text; the message names the columns of the table."""


class RowError(ScaleError, ValueError):
    """A document cannot be chunked.

    Args:
        row: Its row in the table, from 0.
        source: Its name, if it has one.
        reason: A sentence that says why.
    """

    def __init__(self, row: int, source: str | None, reason: str) -> None:
        super().__init__(row, source, reason)
        self.row = row
        self.source = source
        self.reason = reason

    def __str__(self) -> str:
        named = "" if self.source is None else f" ({self.source})"
        return f'row {self.row}{named}: {self.reason}; problems="rows" reports such rows in a column, and continues'


class PartError(ScaleError):
    """A part of a corpus cannot be read, or its result cannot be written; the message names the part and the position
    in it.
    """


class TargetError(ScaleError):
    """The results in the target folder were made with other settings, or two parts would have the same name in it."""
