"""Everything that work on tables and corpora raises on purpose.

ScaleError                  the root, a ChunkerError
├── ColumnError             a table lacks a column, or has it in a type that is no text                    (also ValueError)
├── RowError                a document cannot be cut; `row` says which of the table                        (also ValueError)
├── PartError               a part of a corpus cannot be read, or its result not be written; says where
└── TargetError             the results that lie in the target folder were made otherwise, or of something else

Beside it stands `chunker.errors.MissingExtraError`, where a package is not installed.
"""

from __future__ import annotations

from chunker.errors import ChunkerError


class ScaleError(ChunkerError):
    """The root: catches whatever work on tables and corpora raises on purpose."""


class ColumnError(ScaleError, ValueError):
    """A table lacks a column, or has it in a type that is no text; the message names the columns that there are."""


class RowError(ScaleError, ValueError):
    """A document cannot be cut. `row`: its number in the table, from 0; `source`: its name, if it has one; `reason`."""

    def __init__(self, row: int, source: str | None, reason: str) -> None:
        super().__init__(row, source, reason)
        self.row = row
        self.source = source
        self.reason = reason

    def __str__(self) -> str:
        named = "" if self.source is None else f" ({self.source})"
        return (
            f'row {self.row}{named}: {self.reason}; problems="rows" gives such rows a column that says so, and goes on'
        )


class PartError(ScaleError):
    """A part of a corpus cannot be read, or its result not be written; the message says which part, and where in it."""


class TargetError(ScaleError):
    """What lies in the target folder was made with other settings, or two parts would have one name in it."""
