"""The words of a text as full-text search looks for them.

    parseHTTPHeader     parsehttpheader parse http header     the name and its parts
    max_tokens          max tokens maxtokens                  FTS5 itself takes an underscore for a gap
    東京都               東京 京都                               pairs of characters, where no spaces stand between words

What the text has beside its own words stands in a second column, so that both are found. Stems are those of FTS5's porter tokenizer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import regex

# All of these are read from left to right once: a chunk may be one word of a hundred thousand letters.
_WORD = re.compile(r"[^\W_]+")
_SNAKE = re.compile(r"[^\W_]+(?:_+[^\W_]+)+")
# Capitals before a capital that begins a word, a word with or without its capital, digits, and letters that have no case.
_PARTS = regex.compile(r"\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}++|\p{N}++|[\p{Lo}\p{Lm}\p{Lt}]++")
_UNSPACED = regex.compile(
    r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+"
)
# Words of questions that say nothing of what is asked for. They are looked for where a query has no others.
FUNCTION_WORDS = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its",
    "me", "my", "no", "not", "of", "on", "or", "so", "that", "the", "their", "them", "then", "there", "these", "this", "to", "was", "we", "were", "what",
    "when", "where", "which", "who", "why", "will", "with", "you", "your",
})  # fmt: skip
# A query is looked for by so many words at most: a page that is pasted is no reason to read the whole index.
MOST_WORDS = 64
_LONGEST_QUERY = 10_000  # characters that are looked at
_IDENTIFIER = re.compile(r"[^\W\d]\w*(?:(?:::|\.|#|->|\\)[^\W\d]\w*)*[?!]?")
_STEP = re.compile(r"::|\.|#|->|\\")
_MIXED = regex.compile(r"\p{Ll}[\p{Lu}\p{N}]|\p{Lu}{2,}\p{Ll}|\p{N}\p{Lu}|._.")
_PHRASE = re.compile(r'"([^"]+)"')


def further_words(text: str) -> str:
    """Further words by which a text is found, beside its own.

    >>> further_words("def parseHTTPHeader(max_tokens): 東京都")
    'parse HTTP Header maxtokens 東京 京都'
    """
    found: list[str] = []
    for word in _WORD.findall(text):
        found += _parts(word)
    if "_" in text:
        found += [name.replace("_", "") for name in _SNAKE.findall(text)]
    if not text.isascii():
        for run in _UNSPACED.findall(text):
            found += _pairs(run)
    return " ".join(found)


def words_of_query(text: str) -> list[str]:
    """The words that a query is looked for by, each once: names whole and in parts; without function words, if there are others.

    >>> words_of_query('how does parseHeader handle max_tokens'), words_of_query("to be or to be")
    (['parseHeader', 'parse', 'Header', 'handle', 'max', 'tokens', 'maxtokens'], ['to', 'be', 'or'])
    """
    found: dict[str, None] = {}
    text = text[:_LONGEST_QUERY]
    for word in _WORD.findall(text):
        runs = _UNSPACED.findall(word)
        for part in [pair for run in runs for pair in _pairs(run)] if runs else [word, *_parts(word)]:
            found[part] = None
    for name in _SNAKE.findall(text):
        found[name.replace("_", "")] = None
    telling = [word for word in found if word.lower() not in FUNCTION_WORDS]
    return (telling or list(found))[:MOST_WORDS]


def query_of(text: str) -> str:
    """The query of FTS5 for a text that somebody typed: any of its words; empty if it has none. No operator in it is one.

    >>> query_of('parseHeader "NEAR" x*')
    '"parseHeader" OR "parse" OR "Header" OR "NEAR" OR "x"'
    """
    return any_of(words_of_query(text))


def any_of(words: list[str]) -> str:
    """The query of FTS5 for any of some words."""
    return " OR ".join(f'"{word}"' for word in words)


def names_in_query(text: str) -> Iterator[tuple[str, str, bool]]:
    """The names in a query that may be those of symbols: the last step, the whole, and whether it can hardly be a word of a sentence.

    >>> list(names_in_query("how Rack::Builder calls to_app of Functor"))
    [('Builder', 'Rack::Builder', True), ('to_app', 'to_app', True), ('Functor', 'Functor', False)]
    """
    alone = len(text.split()) == 1
    for whole in dict.fromkeys(_IDENTIFIER.findall(text[:_LONGEST_QUERY])):
        name = _STEP.split(whole)[-1]
        certain = alone or whole != name or _MIXED.search(name) is not None
        if certain or (name[0].isupper() and len(name) > 2):
            yield name, whole, certain


def phrases_in_query(text: str) -> list[str]:
    """The phrases between double quotes in a query, in small letters."""
    return [phrase.strip().lower() for phrase in _PHRASE.findall(text[:_LONGEST_QUERY]) if phrase.strip()]


def split_names(names: list[str]) -> str:
    """Names as the index finds them: whole, and in their parts."""
    text = " ".join(names)
    return f"{text} {further_words(text)}".strip()


def parts_of_name(name: str) -> list[str]:
    """The words that a name is made of.

    >>> parts_of_name("basic_HTTPAuth-2")
    ['basic', 'HTTP', 'Auth', '2']
    """
    return [part for word in _WORD.findall(name) for part in (_parts(word) or [word])]


def _parts(word: str) -> list[str]:
    """The words in a name of several, told by their capitals; none in any other word."""
    if word.islower() or word.isupper() or word[1:].islower() or word.isdecimal():
        return []
    parts: list[str] = _PARTS.findall(word)
    return parts if len(parts) > 1 else []


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]
