"""The words of a text as full-text search looks for them.

    parseHTTPHeader     parsehttpheader parse http header     the name and its parts
    max_tokens          max tokens                            FTS5 itself takes an underscore for a gap
    東京都               東京 京都                               pairs of characters, where no spaces stand between words

What the text has beside its own words stands in a second column, so that both are found.
"""

from __future__ import annotations

import re

import regex

# All of these are read from left to right once: a chunk may be one word of a hundred thousand letters.
_WORD = re.compile(r"[^\W_]+")
# Capitals before a capital that begins a word, a word with or without its capital, digits, and letters that have no case.
_PARTS = regex.compile(r"\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}++|\p{N}++|[\p{Lo}\p{Lm}\p{Lt}]++")
_UNSPACED = regex.compile(
    r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+"
)
# A query is looked for by so many words at most: a page that is pasted is no reason to read the whole index.
MOST_WORDS = 64
_LONGEST_QUERY = 10_000  # characters that are looked at


def further_words(text: str) -> str:
    """What a text is to be found by beside its own words.

    >>> further_words("def parseHTTPHeader(): 東京都")
    'parse HTTP Header 東京 京都'
    """
    found: list[str] = []
    for word in _WORD.findall(text):
        found += _parts(word)
    if not text.isascii():
        for run in _UNSPACED.findall(text):
            found += _pairs(run)
    return " ".join(found)


def query_of(text: str) -> str:
    """The query of FTS5 for a text that somebody typed: any of its words; empty if it has none. No operator in it is one.

    >>> query_of('parseHeader "NOT" x*')
    '"parseHeader" OR "parse" OR "Header" OR "NOT" OR "x"'
    """
    words: dict[str, None] = {}
    for word in _WORD.findall(text[:_LONGEST_QUERY]):
        runs = _UNSPACED.findall(word)
        for part in [pair for run in runs for pair in _pairs(run)] if runs else [word, *_parts(word)]:
            words[part] = None
    return " OR ".join(f'"{word}"' for word in list(words)[:MOST_WORDS])


def _parts(word: str) -> list[str]:
    """The words in a name of several, told by their capitals; none in any other word."""
    if word.islower() or word.isupper() or word[1:].islower() or word.isdecimal():
        return []
    parts: list[str] = _PARTS.findall(word)
    return parts if len(parts) > 1 else []


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]
