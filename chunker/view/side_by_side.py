"""Chunks on a page in one call; those of several chunkers side by side.

    view(chunks)                                               in a notebook: shown below the cell
    view(text, MarkdownChunker(64), MarkdownChunker(256))      two settings, a column each
    view(chunks).save("page.html").open()

Each column is the page of `chunker view` in a frame of its own; above it stands the code that makes the same chunks.
"""

from __future__ import annotations

import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Self

from chunker.arguments import require_all
from chunker.chunkers import TextChunker, chunker_for, chunker_named
from chunker.counting import name_of_tokenizer
from chunker.errors import OptionError
from chunker.formats.registry import format_names
from chunker.growing.assembly import shared_origin
from chunker.models import Chunk
from chunker.view.code import code_of
from chunker.view.page import PageSettings, escaped, page
from chunker.view.seeing import SeenText, see_chunks

_STYLE = (
    "body{margin:0;font:14px system-ui,sans-serif;color-scheme:light dark;background:Canvas;color:CanvasText}main{display:flex;gap:8px;height:100vh}"
    "section{flex:1;min-width:0;display:flex;flex-direction:column}"
    "header{padding:8px}pre{margin:0;white-space:pre-wrap;overflow-wrap:anywhere}p{margin:4px 0 0}"
    "iframe{flex:1;border:0;width:100%}@media(max-width:700px){main{flex-direction:column;height:auto}iframe{min-height:90vh}}"
)


class Column(NamedTuple):
    """One of several pages of chunks: the code that makes them, the texts that were cut, and the page that shows them."""

    code: str
    texts: Sequence[SeenText]
    html: str


def side_by_side(columns: Sequence[Column], title: str) -> str:
    """One page with a column for each setting, in frames of their own.

    Args:
        columns: The columns, from left to right.
        title: The title of the page.
    """
    sections = "".join(
        f'<section aria-label="Setting {number}">{_head(column)}{_frame(column.html, f"column {number}")}</section>'
        for number, column in enumerate(columns, 1)
    )
    head = (
        f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{escaped(title)}</title>'
        f"<style>{_STYLE}</style>"
    )
    return f'<!doctype html><html lang="en"><head>{head}</head><body><main>{sections}</main></body></html>'


class ChunkView:
    """A page that shows chunks. Notebooks show it by themselves.

    Args:
        title: The title of the page.
        columns: For each column the chunker, and what there is to see.
    """

    def __init__(self, title: str, columns: Sequence[tuple[TextChunker, SeenText]]) -> None:
        self._title = title
        self._columns = list(columns)

    @property
    def html(self) -> str:
        """The page, one file without references to others."""
        pages = [self._page(chunker, seen) for chunker, seen in self._columns]
        if len(pages) == 1:
            return pages[0]
        columns = [
            Column(code_of(chunker, seen.chunks[0].chunk.source if seen.chunks else None), [seen], made)
            for (chunker, seen), made in zip(self._columns, pages, strict=True)
        ]
        return side_by_side(columns, self._title)

    def save(self, path: str | Path) -> Self:
        """Write the page.

        Args:
            path: The file to write.
        """
        Path(path).write_text(self.html, encoding="utf-8")
        self._saved = Path(path).resolve()
        return self

    def open(self) -> None:
        """Show the page that was saved in the browser.

        Raises:
            OptionError: It was not saved.
        """
        if not hasattr(self, "_saved"):
            raise OptionError('there is no file to open: view(chunks).save("page.html").open()')
        webbrowser.open(self._saved.as_uri())

    def _page(self, chunker: TextChunker, seen: SeenText) -> str:
        settings = PageSettings(
            tokenizer=name_of_tokenizer(chunker.tokenizer) or repr(chunker.tokenizer),
            max_tokens=chunker.max_tokens,
            min_tokens=chunker.min_tokens,
            overlap=chunker.overlap,
            context=bool(chunker.context),
        )
        return b"".join(page([seen], settings, self._title)).decode()

    def _repr_html_(self) -> str:
        return _frame(self.html, self._title, height="640px")

    def __repr__(self) -> str:
        told = ", ".join(f"{chunker!r}: {len(seen.chunks)} chunks" for chunker, seen in self._columns)
        return f"ChunkView({self._title!r}, {told})"


def view(shown: str | Sequence[Chunk], *chunkers: TextChunker, source: str | None = None) -> ChunkView:
    """Show chunks, or a text as one or several chunkers cut it.

    Args:
        shown: All chunks of one text, in order, as a chunker made them; or a text.
        chunkers: For a text, one a column; by default the one that `chunker_for` chooses. For chunks, the one that made them: their
            limits and tokens are shown as it has them, and why they end where they end. Without it they are shown as those of the default tokenizer.
        source: The name of a text.

    Raises:
        OptionError: The chunks are not all of one text, or have more than one chunker.
        WrongTypeError: An argument has a wrong type.
    """
    require_all(chunkers, TextChunker, "chunkers", "chunkers, such as TextChunker(512)")
    if isinstance(shown, str):
        named = source or ""
        made = chunkers or (chunker_for(named, text=shown),)
        columns = [(one, see_chunks(one, shown, source or "text", one.chunk(shown, source=source))) for one in made]
        return ChunkView(source or "text", columns)
    require_all(shown, Chunk, "shown", "chunks, if it is no text")
    chunks = list(shown)
    origin = shared_origin(chunks)
    if origin is None or len(chunkers) > 1:
        raise OptionError(
            "view takes all chunks of one text, as a chunker made them, and that chunker: view(chunks, chunker); "
            "to compare, give the text and the chunkers: view(text, TextChunker(64), TextChunker(256))"
        )
    path = origin.source or "text"
    chunker = chunkers[0] if chunkers else _like(chunks)
    return ChunkView(path, [(chunker, see_chunks(chunker, origin.text, path, chunks, reasons=bool(chunkers)))])


def _like(chunks: Sequence[Chunk]) -> TextChunker:
    """A chunker of the format of these chunks, with their largest size as the limit."""
    language = chunks[0].language
    return chunker_named(language if language in format_names() else "text", max(one.token_count for one in chunks))


def _head(column: Column) -> str:
    chunks = sum(len(seen.chunks) for seen in column.texts)
    tokens = sum(seen.tokens for seen in column.texts)
    room = sum(len(seen.chunks) * seen.max_tokens for seen in column.texts)
    facts = f"{chunks:,} chunks, {tokens:,} tokens, {tokens / room if room else 0:.0%} full on average"
    code = "\n".join(map(escaped, column.code.split("\n")))
    return f'<header><pre tabindex="0">{code}</pre><p>{facts}</p></header>'


def _frame(html: str, title: str, height: str | None = None) -> str:
    """A page inside another one, which it has no access to."""
    content = html.replace("&", "&amp;").replace('"', "&quot;")
    style = f' style="width:100%;height:{height};border:0"' if height else ""
    return f'<iframe title="{escaped(title)}" sandbox="allow-scripts"{style} srcdoc="{content}"></iframe>'
