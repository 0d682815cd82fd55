'''Imports and summaries for contexts: the imports of the file, and the purpose of the definition around the chunk.

    import math                         imports   import math; from shapes import Shape
    from shapes import Shape
                                        summary   A circle by its radius.
    class Circle(Shape):
        """A circle by its radius.

        More of it.
        """

The outline says where the imports and the definitions are. This module reads only their text, so it works for every
language.
'''

from __future__ import annotations

import re

from chunker.context.imports import import_statements
from chunker.formats import Outline, Scope

# Characters at the start of a definition that are searched for its documentation.
_LOOKED_AT = 2_000
# A comment before or at the start of a definition: /** ... */, ///, //, #, --, ;; and the like. Group 1 or 2 is its
# first line of words.
_COMMENT = re.compile(
    r"[ \t]*(?:/\*[*!]?\s*(?:\*\s*)?([^\s*][^\n\r]*?)\s*(?:\*/|[\n\r]|$)|(?://[/!]?|#(?=\s)|--+[ |]*|;+)[ \t]*(\w[^\n\r]*))"
)
# A string at the start of a body, as in Python and some other languages.
_DOCSTRING = re.compile(r""":[ \t]*(?:\#[^\n]*)?(?:\r\n|\r|\n)\s*[rRuU]?(\"\"\"|\'\'\'|"|')\s*([^\n\r]*)""")
_SENTENCE = re.compile(r".*?[.!?。！？](?=\s|$)", re.DOTALL)


def imports_line(text: str, outline: Outline) -> tuple[str, int]:
    """Return the imports of a file on one line, and the offset after the last import; ("", 0) if there are none.

    Imports are boundaries with the label "import" outside all scopes.
    """
    statements = list(import_statements(text, outline))
    return "; ".join(one.line for one in statements if one.line), statements[-1].end if statements else 0


def summary_of(text: str, scope: Scope) -> str:
    """Return the first sentence of the documentation of a definition, from the comment before it or the string at the
    start of its body; "" if there is none.

    >>> source = '# Adds one.\\ndef f(x):\\n    return x + 1\\n'
    >>> summary_of(source, Scope(0, len(source), "def f"))
    'Adds one.'
    >>> source = "def f(x):\\n    'Add one. And more.'\\n    return x + 1\\n"
    >>> summary_of(source, Scope(0, len(source), "def f"))
    'Add one.'
    """
    head = text[scope.start : min(scope.end, scope.start + _LOOKED_AT)]
    comment = _COMMENT.match(head)
    if comment:
        return _first_sentence(comment[1] or comment[2] or "")
    docstring = _DOCSTRING.search(head)
    if docstring is None or "\n\n" in head[: docstring.start()]:
        return ""
    return _first_sentence(docstring[2].split(docstring[1])[0])


def _first_sentence(line: str) -> str:
    found = _SENTENCE.match(line)
    return " ".join((found[0] if found else line).split())
