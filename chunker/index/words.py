"""The words of texts and of questions: names whole and in parts, pairs of characters where no spaces stand between words.

parseHTTPHeader     parse HTTP Header     the parts of the name
max_tokens          max tokens            and maxtokens
東京都               東京 京都              pairs of characters
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import regex

# None of these patterns goes back: a chunk may be one word of a hundred thousand letters.
_WORD = re.compile(r"[^\W_]+")
# Words whose letters may have combining marks, such as the vowels of Hindi.
_MARKED_WORD = regex.compile(r"[\p{L}\p{N}][\p{L}\p{N}\p{M}]*+")
_NAME = re.compile(r"\w+")
# Capitals before a capital that begins a word, a word with or without its capital, digits, and letters that have no
# case.
_PARTS = regex.compile(r"\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}++|\p{N}++|[\p{Lo}\p{Lm}\p{Lt}]++")
_UNSPACED = regex.compile(
    r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+"
)
# Words of questions that say nothing about what is asked for. They are searched only if a query has no others.
FUNCTION_WORDS = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "has", "have", "how", "i", "if", "in", "into", "is", "it", "its",
    "me", "my", "no", "not", "of", "on", "or", "so", "that", "the", "their", "them", "then", "there", "these", "this", "to", "was", "we", "were", "what",
    "when", "where", "which", "who", "why", "will", "with", "you", "your",
})  # fmt: skip
# The most words of a query that are searched: a pasted page must not read the whole index.
MOST_WORDS = 64
_LONGEST_QUERY = 10_000  # characters that are looked at
_IDENTIFIER = re.compile(r"[^\W\d]\w*(?:(?:::|\.|#|->|\\)[^\W\d]\w*)*[?!]?")
_STEP = re.compile(r"::|\.|#|->|\\")
_MIXED = regex.compile(r"\p{Ll}[\p{Lu}\p{N}]|\p{Lu}{2,}\p{Ll}|\p{N}\p{Lu}|._.")
_PHRASE = re.compile(r'"([^"]+)"')


def words_in(text: str) -> list[str]:
    """The words of a text, in their order."""
    found: list[str] = (_WORD if text.isascii() else _MARKED_WORD).findall(text)
    return found


def runs_of(word: str) -> Iterator[tuple[str, bool]]:
    """A word in runs of characters, and for each whether it is written without spaces between words.

    >>> list(runs_of("Python入門"))
    [('Python', False), ('入門', True)]
    """
    end = 0
    if not word.isascii():
        for run in _UNSPACED.finditer(word):
            if run.start() > end:
                yield word[end : run.start()], False
            yield run.group(), True
            end = run.end()
    if end < len(word):
        yield word[end:], False


def joined_names(text: str) -> list[str]:
    """The names of several words that underscores join, with the underscores removed.

    >>> joined_names("__all__ = max_tokens")
    ['maxtokens']
    """
    return [name.replace("_", "") for name in _NAME.findall(text) if "_" in name.strip("_")]


def further_words(text: str) -> str:
    """Further words by which a text is found, beside its own.

    >>> further_words("def parseHTTPHeader(max_tokens): 東京都")
    'parse HTTP Header maxtokens 東京 京都'
    """
    found: list[str] = []
    for word in _WORD.findall(text):
        found += parts_of_word(word)
    if "_" in text:
        found += joined_names(text)
    if not text.isascii():
        for run in _UNSPACED.findall(text):
            found += pairs_of(run)
    return " ".join(found)


def words_of_query(text: str) -> list[str]:
    """The words to search for a query, each once: names whole and in their parts. Function words are left out if there are others, except between
    double quotes.

    >>> words_of_query('how does parseHeader handle max_tokens'), words_of_query("to be or to be")
    (['parseHeader', 'parse', 'Header', 'handle', 'max', 'tokens', 'maxtokens'], ['to', 'be', 'or'])
    """
    found: dict[str, None] = {}
    text = text[:_LONGEST_QUERY]
    for word in words_in(text):
        for run, unspaced in runs_of(word):
            found.update(dict.fromkeys(pairs_of(run) if unspaced else [run, *cased_parts(run)]))
    found.update(dict.fromkeys(joined_names(text)))
    quoted = {word for phrase in _PHRASE.findall(text) for word in words_in(phrase)}
    telling = [word for word in found if word in quoted or word.lower() not in FUNCTION_WORDS]
    return (telling or list(found))[:MOST_WORDS]


def names_in_query(text: str) -> Iterator[tuple[str, str, bool]]:
    """The names in a query that may be those of symbols: the last part, the whole name, and whether it can hardly be a plain word.

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
    return [part for word in _WORD.findall(name) for part in (parts_of_word(word) or [word])]


def parts_of_word(word: str) -> list[str]:
    """The words in a name of several, told by their capitals; none in any other word."""
    if word.islower() or word.isupper() or word[1:].islower() or word.isdecimal():
        return []
    parts: list[str] = _PARTS.findall(word)
    return parts if len(parts) > 1 else []


def cased_parts(word: str) -> list[str]:
    """`parts_of_word` for words of letters with cases; none for others, which combining marks would split."""
    return [] if word.lower() == word.upper() else parts_of_word(word)


def pairs_of(run: str) -> list[str]:
    """All pairs of neighbours; one character alone is itself."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]
