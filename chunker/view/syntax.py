"""Syntax highlighting by Pygments: runs of a text with a class each, for the page.

    "def f(): return 1"      [3, "k"], [1, ""], [1, "f"], [4, ""], [6, "k"], [1, ""], [1, "m"]

The classes: keywords "k", strings "s", comments "c", numbers "m", headings and the names of definitions "f".
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Name, Number, String, _TokenType
from pygments.util import ClassNotFound

# Pygments matches regular expressions: very long texts and lines could take more time than highlighting is worth.
MOST_CHARACTERS = 200_000
LONGEST_LINE = 5_000
# Languages for which Pygments has other names.
_NAMES = {"jsonl": "json", "latex": "tex", "notebook": "json", "restructuredtext": "rst"}
# The first entry that contains the type of a token decides its class.
_CLASSES: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "c"),
    (Keyword, "k"),
    (String, "s"),
    (Number, "m"),
    (Name.Function, "f"),
    (Name.Class, "f"),
    (Name.Tag, "k"),
    (Name.Attribute, "f"),
    (Generic.Heading, "f"),
    (Generic.Subheading, "f"),
)


def syntax_runs(text: str, language: str | None) -> list[tuple[int, str]]:
    """Split a text into runs of equal class, "" for none. Their lengths, in characters, add up to the text.

    Args:
        text: The text.
        language: Its language; None for plain text.

    Returns:
        The length and class of each run; [] for a language that Pygments does not know, and for a text that is too
        long.
    """
    lexer = _lexer(language) if language is not None else None
    if lexer is None or len(text) > MOST_CHARACTERS or max(map(len, text.splitlines()), default=0) > LONGEST_LINE:
        return []
    joined = [
        (sum(length for length, _ in runs), name) for name, runs in groupby(_runs(text, lexer), lambda run: run[1])
    ]
    return joined if any(name for _, name in joined) else []


def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(_NAMES.get(language, language), stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _runs(text: str, lexer: Lexer) -> Iterator[tuple[int, str]]:
    done = 0
    for offset, kind, value in lexer.get_tokens_unprocessed(text):
        if offset > done:  # lexers that delegate parts to other lexers may leave gaps
            yield offset - done, ""
        length = offset + len(value) - max(offset, done)
        if length > 0:
            yield length, next((name for family, name in _CLASSES if kind in family), "")
            done = offset + len(value)
    if done < len(text):
        yield len(text) - done, ""
