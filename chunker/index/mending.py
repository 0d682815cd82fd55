"""Mend the vectors of an index: those that are lost or altered are embedded anew from the texts that the database keeps.

    set_aside    rows that are gone, or are not what was written: row < 0; the others go to a new file      one commit
    mend         vectors to the end of the file, then their rows to the database                            one commit a batch

A run that is killed in between leaves rows below 0: they are not vectors for searches, and the next sync goes on with
them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from chunker.index.schema import transaction
from chunker.index.vector_sketches import sketches_path
from chunker.index.vectors import Vectors, checksum, map_rows, rewritten, rows_there, vectors_path, write_rows
from chunker.index.writing import Writer


class MendingWriter(Writer):
    """Changes an index, and mends it."""

    def set_aside(self, *, check: bool = False) -> None:
        """Mark the embeddings whose vectors are lost by a row below 0, until they are embedded anew; forget those that nothing needs.

        Args:
            check: Read all vectors, and treat those that are not what was written as lost, too.
        """
        lost = self._lost(check=check)
        if lost is None and not self._is_waiting():
            return
        # First, because the numbers of what is gone may be given again.
        self._full_text.settle()
        if lost is not None:
            self._without(lost)
        self._drop_waiting()

    def waiting(self) -> list[tuple[int, str, int]]:
        """Number, text and tokens of the embeddings that are to be embedded anew."""
        return self._connection.execute(
            "SELECT id, text, tokens FROM embeddings WHERE row < 0 AND places > 0 ORDER BY id"
        ).fetchall()

    def mend(self, numbers: Sequence[int], vectors: Vectors) -> None:
        """Keep the vectors of embeddings that waited for them; when this returns, they are there for good."""
        first = self._meta("rows")
        self._keep_again(numbers, vectors, first)
        rows = [(first + order, checksum(vectors[order]), number) for order, number in enumerate(numbers)]
        with transaction(self._connection):
            self._connection.executemany("UPDATE embeddings SET row = ?, checksum = ? WHERE id = ?", rows)
            self._set("rows", first + len(rows))

    def _keep_again(self, numbers: Sequence[int], vectors: Vectors, first: int) -> None:  # noqa: ARG002  # a store asks for their keys
        """Write the vectors of some embeddings to the rows from `first` on."""
        write_rows(vectors_path(self._folder, self._meta("generation")), first, vectors)

    def _is_waiting(self) -> bool:
        return self._connection.execute("SELECT 1 FROM embeddings WHERE row < 0").fetchone() is not None

    def _drop_waiting(self) -> None:
        """Forget embeddings that wait for a vector but have no place any more."""
        self._connection.execute("DELETE FROM embeddings WHERE row < 0 AND places = 0")

    def _lost(self, *, check: bool) -> set[int] | None:
        """The rows that are lost; None if all is well."""
        path, dimensions = vectors_path(self._folder, self._meta("generation")), self._dimensions()
        if check:
            sketches_path(path).unlink(missing_ok=True)  # they are made again from the rows
        there, rows = rows_there(path, dimensions), self._meta("rows")
        whole = there is not None and there >= rows
        if whole and not check:
            return None
        vectors = map_rows(path, dimensions, min(there, rows)) if there else np.zeros((0, dimensions), np.float32)
        lost = {
            row
            for row, written in self._connection.execute("SELECT row, checksum FROM embeddings WHERE row >= 0")
            if row >= len(vectors) or (check and checksum(vectors[row]) != written)
        }
        return None if whole and not lost else lost

    def _without(self, lost: set[int]) -> None:
        """Write the rows anew without those that are lost."""
        generation, dimensions = self._meta("generation"), self._dimensions()
        ask = self._connection.execute
        kept = [row for (row,) in ask("SELECT row FROM embeddings WHERE row >= 0 ORDER BY row") if row not in lost]
        path = vectors_path(self._folder, generation)
        there = rows_there(path, dimensions) or 0
        before = map_rows(path, dimensions, there) if there else np.zeros((0, dimensions), np.float32)
        rewritten(before, kept, vectors_path(self._folder, generation + 1), generation + 1)
        with transaction(self._connection):
            self._connection.executemany("UPDATE embeddings SET row = -id WHERE row = ?", ((row,) for row in lost))
            # Ascending: each row moves to a lower number, which is free by then.
            self._connection.executemany("UPDATE embeddings SET row = ? WHERE row = ?", enumerate(kept))
            self._set("generation", generation + 1)
            self._set("rows", len(kept))
        self.tidy()
