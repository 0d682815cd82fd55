"""Safe splits of the named grammars: offsets where every grammar splits, whatever the text before and after, so that
counts add up.

    "the answer: 42"         safe splits at  the|answer, answer|:, and none between ":" and " 42"
                                              ^ count(text) == count(text[:3]) + count(text[3:]), and so in any longer
                                              text

A safe split is between a letter or number and white space, or punctuation that no grammar includes in a word. The list
of punctuation is not complete: apostrophes start contractions, marks belong to the letter before them, and rare
characters are left out.
"""

from __future__ import annotations

import re

from bpe_engine.patterns import PATTERNS, Pattern

# Matches of no width. [^\W_]: letters and numbers of every script. An older Unicode than that of the grammars has fewer
# of them, and no others.
SAFE_SPLIT = re.compile(r"(?<=[^\W_])(?=[ \t\n\r!\"#$%&()*+,\-./:;<=>?@\[\\\]^_`{|}~。，、！？：；」』）])")
# Finds the last safe split, because a greedy expression backtracks from the end.
_LAST_SAFE_SPLIT = re.compile(f".*{SAFE_SPLIT.pattern}", re.DOTALL)
# Characters in each step of the search for the last safe split, from the end.
_BLOCK = 256


def has_safe_splits(pattern: Pattern | None) -> bool:
    """Whether text under a pattern has safe splits: only if the pattern is a named grammar."""
    return pattern is not None and PATTERNS.get(pattern.name or "") == pattern


def first_safe_split(text: str) -> int | None:
    """Return the first safe split of `text`, in characters; None if there is none. Never 0 or the length of `text`.

    >>> first_safe_split("the answer: 42"), first_safe_split("\\n\\n"), first_safe_split("word")
    (3, None, None)
    """
    found = SAFE_SPLIT.search(text)
    return found.start() if found else None


def last_safe_split(text: str) -> int | None:
    """Return the last safe split of `text`, in characters; None if there is none.

    >>> last_safe_split("the answer: 42"), last_safe_split("word ")
    (10, 4)
    """
    end = len(text)
    while end > 0:
        start = max(0, end - _BLOCK)
        # One more character on both sides, since a safe split depends on both.
        near = text[max(0, start - 1) : end + 1]
        found = _LAST_SAFE_SPLIT.match(near)
        if found:
            return max(0, start - 1) + found.end()
        end = start
    return None
