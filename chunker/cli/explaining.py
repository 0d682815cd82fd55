"""`chunker chunk --explain`: the chunks of a file, each with the reason why it ends where it ends.

file      lines   tokens   cut
-------------------------------------------------------------------------------------------------
shop.py   1-16    131      before function, structure 2 of 3: the next function (81 tokens) would make 212 of 200 tokens; ...
shop.py   17-24   81       end of the text
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chunker.cli.records import chunk_line, render_table
from chunker.files.chunk_files import Cut
from chunker.files.discovery import portable
from chunker.files.documents import Document
from chunker.files.file_chunks import chunks_in_file

if TYPE_CHECKING:
    from chunker.models import Chunk

END = "end of the text"
COLUMNS = ("file", "lines", "tokens", "cut")


class _Explaining:
    """Chunks a file and explains why each chunk ends. Can be pickled, for worker processes."""

    def __init__(self, cut: Cut) -> None:
        self._cut = cut

    def _explained(self, document: Document) -> list[tuple[Chunk, str]]:
        # Imported late: only --explain needs it.
        from chunker.view.cuts import Cuts  # noqa: PLC0415
        from chunker.view.reasons import Reasons  # noqa: PLC0415

        chunker, text = self._cut.chunker_of(document), document.text
        chunks = chunker.chunk(text, source=portable(document.path))
        outline = chunker.outline(text)
        cuts = [*Cuts(text, outline).before(chunks), None][1:]
        told = [
            END if cut is None else f"{cut}: {reason}"
            for cut, reason in zip(cuts, Reasons(chunker, text, outline).of(chunks), strict=True)
        ]
        return list(zip(chunks_in_file(chunks, document), told, strict=True))


class ExplainedLines(_Explaining):
    """Return the chunks of a file as lines of JSON, each with the field "cut"."""

    def __call__(self, document: Document) -> bytes:
        """One line a chunk."""
        return b"".join(chunk_line(document, chunk, cut=told) for chunk, told in self._explained(document))


class ExplainedRows(_Explaining):
    """Converts the chunks of a file to rows of a table, with their tokens."""

    def __call__(self, document: Document) -> list[tuple[list[str], int]]:
        """Return the cells of each row, and the tokens of the chunk."""
        rows = []
        for chunk, told in self._explained(document):
            lines = f"{chunk.span.start_line}-{chunk.span.end_line}"
            rows.append(([document.path, lines, f"{chunk.token_count:,}", told], chunk.token_count))
        return rows


def explained_table(rows: Sequence[tuple[list[str], int]]) -> bytes:
    """Return the rows of all files as a table, with the sum of their tokens."""
    total = ["total", "", f"{sum(tokens for _, tokens in rows):,}", f"{len(rows):,} chunks"]
    return render_table(COLUMNS, [cells for cells, _ in rows], total, left=len(COLUMNS))
