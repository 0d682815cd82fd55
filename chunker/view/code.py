"""Python code that makes the same chunks of a text as a given chunker, to copy.

from chunker import MarkdownChunker
MarkdownChunker(max_tokens=64, overlap=8).chunk(text, source='guide.md')
"""

from __future__ import annotations

from chunker.chunkers import TextChunker
from chunker.formats.registry import name_of

_OWN = ", format="  # the arguments of a plain chunker come before this


def code_of(chunker: TextChunker, source: str | None = None) -> str:
    """Return Python code that chunks a variable `text` as a chunker does.

    Args:
        chunker: The chunker. Your own tokenizer or format appears as its `repr`.
        source: The name of the text, which contexts and ids depend on.

    Returns:
        Two statements, an import and the call.
    """
    made, name = repr(chunker), type(chunker).__name__
    if type(chunker) is TextChunker and name_of(chunker.format) is None and source is not None:
        # A format that was chosen for this file alone: its language has no grammar, or its kind is unknown.
        given = made.removeprefix(f"{name}(").partition(_OWN)[0].removesuffix(")")
        name, made = "chunker_for", f"chunker_for({source!r}, {given}, text=text)"
    named = "" if source is None else f", source={source!r}"
    return f"from chunker import {name}\n{made}.chunk(text{named})"
