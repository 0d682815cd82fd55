"""Choose how the texts of a chunker are read in windows."""

from __future__ import annotations

import sys

from chunker.chunkers import TextChunker, chunks_locally
from chunker.edits.restart_reader import RestartReader
from chunker.edits.syntax_reader import SyntaxReader
from chunker.edits.windows import WindowReader
from chunker.formats.restarting import restarts_of


def reader_of(chunker: TextChunker, source: str | None, text: str) -> WindowReader | None:
    """Return the reader of a text; None if the text has to be parsed as a whole."""
    if not chunks_locally(chunker):
        return None
    if type(chunker).outline is not TextChunker.outline:
        return None  # the rules of the format are for its own outlines
    rules = restarts_of(chunker.format, chunker.outline, text)
    if rules is not None and not (chunker.context and rules.numbered is not None):
        return RestartReader(chunker, source, rules)
    # A chunker with a format of code has loaded that module; do not load it for other formats, which need no parsers.
    if "chunker.formats.code.code_format" not in sys.modules:
        return None
    from chunker.formats.code.code_format import CodeFormat  # noqa: PLC0415
    from chunker.formats.code.compiled_walk import compiled_walk  # noqa: PLC0415

    if not isinstance(chunker.format, CodeFormat) or type(chunker.format) is not CodeFormat:
        return None
    walk = compiled_walk(chunker.format.grammar)
    return SyntaxReader(chunker, source, walk) if walk is not None and (walk.reads(text) or not text) else None
