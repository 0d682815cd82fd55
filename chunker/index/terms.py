"""Terms: the forms of words that full text stores, and that a question is turned into.

    the Parsers          the parser                           words as stems, in small letters, without accents
    parseHTTPHeaders     parsehttpheaders pars http header    a name whole, as it is, and its words as stems
    max_tokens           max token maxtokens
    東京都               東京 京都                            pairs of characters, where no spaces stand between words

A question goes the same way, so both have the same terms. Stems are those of Snowball, of the language of the text.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from chunker.index.full_text import analyzer
from chunker.index.words import cased_parts, joined_names, pairs_of, runs_of, words_in

ENGLISH = "english"
# Terms are cut to this many characters: a chunk may be one word of a hundred thousand letters.
_LONGEST = 64
# The most words whose terms are cached; the cache is cleared when it is full.
_REMEMBERED = 1 << 17


def terms_of(text: str, language: str = ENGLISH) -> str:
    """The terms of a text, joined by spaces.

    Args:
        text: The text.
        language: The language of its stems, by its English name.
    """
    known = _known(language)
    if len(known) > _REMEMBERED:
        known.clear()
    found = [known[word] for word in words_in(text)]
    if "_" in text:
        found += [name[:_LONGEST].lower() for name in joined_names(text)]
    return " ".join(found)


def terms_of_word(word: str, languages: Iterable[str] = (ENGLISH,)) -> list[str]:
    """The terms by which one word of a question is found: a name whole, another word as its stem in each of some languages.

    >>> terms_of_word("Headers"), terms_of_word("parseHeaders")
    (['header'], ['parseheaders'])
    """
    return list(dict.fromkeys(_known(language)[word].split(" ")[0] for language in languages))


class _Known(dict[str, str]):
    """Word -> its terms, joined by spaces."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self._stem = analyzer(language)
        self._whole = analyzer(None)

    def __missing__(self, word: str) -> str:
        found: list[str] = []
        unspaced = False
        for run, unspaced in runs_of(word):
            if unspaced:
                found += pairs_of(run)
                continue
            parts = cased_parts(run)
            if parts:
                found.append(self._whole(run[:_LONGEST]))
                found += [self._stem(part[:_LONGEST]) for part in parts]
            else:
                found.append(self._stem(run[:_LONGEST]))
        terms = " ".join(found)
        if len(word) <= _LONGEST and not unspaced:
            self[word] = terms
        return terms


@cache
def _known(language: str) -> _Known:
    return _Known(language)
