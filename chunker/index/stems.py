"""Choose the language to stem the words of a text in: by function words for prose; English for code and in doubt."""

from __future__ import annotations

from functools import cache

from chunker.index.full_text import without_function_words
from chunker.index.terms import ENGLISH
from chunker.index.words import words_in

_LANGUAGES = (
    "danish",
    "dutch",
    "finnish",
    "french",
    "german",
    "hungarian",
    "italian",
    "norwegian",
    "portuguese",
    "russian",
    "spanish",
    "swedish",
)
# Formats in which people write to people; None is plain text.
_PROSE = frozenset({None, "asciidoc", "html", "latex", "markdown", "org", "restructuredtext", "text"})
_CHARACTERS = 6000
_LEAST_WORDS = 12
# A text is in a language if at least this share of its words are function words of it, and so many times the share of
# English ones.
_LEAST_SHARE = 0.2
_CLEARLY = 1.5


def stems_of(text: str, language: str | None) -> str:
    """The English name of the language of a text in a format.

    >>> stems_of("Die Häuser stehen in der Straße, und an der Ecke ist ein Baum, der auf das Haus und die Wiese sieht.", "markdown")
    'german'
    """
    if language not in _PROSE:
        return ENGLISH
    words = words_in(text[:_CHARACTERS])
    if len(words) < _LEAST_WORDS:
        return ENGLISH
    joined = " ".join(words)
    counts = {one: len(words) - _counter(one)(joined) for one in (ENGLISH, *_LANGUAGES)}
    best = max(_LANGUAGES, key=lambda one: counts[one])
    clearly = counts[best] >= _LEAST_SHARE * len(words) and counts[best] > _CLEARLY * counts[ENGLISH]
    return best if clearly else ENGLISH


_counter = cache(without_function_words)
