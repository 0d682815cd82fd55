"""Symbols of source code: what a file defines, which names it uses on which lines, and what it imports.

    class Stack:                 Definition("Stack", kind="class", signature="class Stack:")
        def push(self, item):    Definition("push", qualified="Stack.push", kind="function", ...)
            self.put(item)       uses: {"self": [3], "put": [3], "item": [3]}

Definitions are the scopes of the outline that chunking makes anyway; names are read off the code without its comments
and strings. All languages that have a table (`chunker/formats/code/languages`) have symbols; no code here knows any of
them.
"""

from __future__ import annotations

from chunker.symbols.definitions import Definition
from chunker.symbols.masking import without_comments_and_strings
from chunker.symbols.reading import FileSymbols, Reference, symbols_of

__all__ = ["Definition", "FileSymbols", "Reference", "symbols_of", "without_comments_and_strings"]
