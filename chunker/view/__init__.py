"""Show how a text was chunked: as a page for the browser, or in the terminal.

    chunker view src -o page.html
    chunker view src --terminal

    view(chunks)                                      # in a notebook, or view(chunks).save("page.html").open()
    view(text, TextChunker(64), TextChunker(256))     # two settings side by side

    seen = see(chunker, text, "notes.md")             # the facts
    b"".join(page([seen], settings, "notes.md"))      # one HTML file
    "".join(terminal_view(seen, screen()))            # lines: chunker.cli.terminal, chunker.cli.screen

Chunks that were made elsewhere are shown with `see_chunks`.
"""

from __future__ import annotations

from chunker.view.code import code_of
from chunker.view.page import PageSettings, page
from chunker.view.reasons import CutPart, CutReason, cut_reasons
from chunker.view.seeing import SeenChunk, SeenText, see, see_chunks
from chunker.view.side_by_side import ChunkView, view

__all__ = [
    "ChunkView",
    "CutPart",
    "CutReason",
    "PageSettings",
    "SeenChunk",
    "SeenText",
    "code_of",
    "cut_reasons",
    "page",
    "see",
    "see_chunks",
    "view",
]
