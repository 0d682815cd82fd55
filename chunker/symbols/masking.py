"""Source code without comments and strings, at the same offsets: only the words of the program are left."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache

from chunker.formats.code.tables import reading_named, table_names

# Quotation marks of strings that may span lines: an unclosed one hides the rest of the text, an unclosed other one the
# rest of its line.
_MULTI_LINE = frozenset({'"""', "'''", "`"})
_NOT_LINE_ENDS = re.compile(r"[^\r\n]+")


def without_comments_and_strings(text: str, language: str) -> str:
    """Replace comments and strings by spaces; line ends stay. Linear time.

    Args:
        text: The source code.
        language: A language that has a table.

    Returns:
        A text with as many characters, so that offsets in it are those in `text`.

    Examples:
        >>> without_comments_and_strings("a = 'b'  # c", "python")
        'a =         '
    """
    pattern = _hidden(language)
    return text if pattern is None else pattern.sub(_blanked, text)


def imports_of(text: str, language: str) -> list[str]:
    """The imports of a file as written, in order, each once."""
    found: dict[int, str] = {}
    for pattern in _imports(language):
        for match in pattern.finditer(text):
            found[match.start()] = match[1]
    return list(dict.fromkeys(found[start] for start in sorted(found)))


def hidden_marks(language: str) -> tuple[list[str], list[str], list[str]]:
    """The start and end of block comments, the starts of line comments, and the quotation marks of a language."""
    reading = _reading(language)
    return reading.get("block_comments", []), reading.get("line_comments", []), reading.get("strings", [])


def _blanked(match: re.Match[str]) -> str:
    hidden = match[0]
    if "\r" in hidden:
        return _NOT_LINE_ENDS.sub(lambda run: " " * len(run[0]), hidden)
    return "\n".join([" " * len(line) for line in hidden.split("\n")])


def _up_to(begin: str, end: str, *, escaping: bool = False) -> str:
    """A pattern from one mark to the other, or to the end of the text. It skips in one step what cannot begin the second mark, so it is linear."""
    first, rest = re.escape(end[0]), re.escape(end[1:])
    other = rf"[^{first}\\]+|\\[\s\S]?" if escaping else rf"[^{first}]+"
    more = rf"|{first}(?!{rest})" if rest else ""
    return rf"{re.escape(begin)}(?:{other}{more})*+(?:{re.escape(end)})?"


def _reading(language: str) -> Mapping[str, list[str]]:
    return reading_named(language) if language in table_names() else {}


@cache
def _hidden(language: str) -> re.Pattern[str] | None:
    """A pattern of all comments and strings; None for a language without any."""
    reading = _reading(language)
    parts: list[str] = []
    if "block_comments" in reading:
        begin, end = reading["block_comments"]
        parts.append(_up_to(begin, end))
    parts += [rf"{re.escape(begin)}[^\r\n]*" for begin in reading.get("line_comments", ())]
    for quote in reading.get("strings", ()):
        mark = re.escape(quote)
        if quote in _MULTI_LINE:
            parts.append(_up_to(quote, quote, escaping=True))
        else:
            parts.append(rf"{mark}(?:\\.|[^\\\r\n{mark}])*{mark}?")
    return re.compile("|".join(parts)) if parts else None


@cache
def _imports(language: str) -> list[re.Pattern[str]]:
    return [re.compile(pattern, re.MULTILINE) for pattern in _reading(language).get("imports", ())]
