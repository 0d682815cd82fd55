"""Special tokens: found in a text by one pass of an automaton, and parted from the plain text around them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from typing import Literal

import ahocorasick

from bpe_engine.errors import DisallowedSpecialTokenError

Specials = Literal["all"] | Collection[str]


class SpecialTokens:
    """The special tokens of a vocabulary: text -> id. Two texts may share an id."""

    def __init__(self, id_of: Mapping[str, int]) -> None:
        self._id_of = dict(id_of)
        self.bytes_of: dict[int, bytes] = {}
        for text, token in id_of.items():
            self.bytes_of.setdefault(token, text.encode())

    def parts(self, text: str, allowed: Specials, disallowed: Specials) -> Iterator[tuple[str, int | None]]:
        """Part `text` into plain stretches, each with the id of the special token behind it, None behind the last.

        "all" in `allowed` is every special token, in `disallowed` every one that is not allowed. A disallowed text raises
        DisallowedSpecialTokenError wherever it stands, also if it is allowed as well. TypeError for any other str. Of special tokens that overlap the leftmost counts, then the longest.

        >>> list(SpecialTokens({"<|end|>": 9}).parts("a<|end|>b", "all", ()))
        [('a', 9), ('b', None)]
        """
        for specials in (allowed, disallowed):
            if isinstance(specials, str) and specials != "all":
                raise TypeError(f'special tokens are named by "all" or by a collection of texts, not by {specials!r}')
        allowed_texts = frozenset(self._id_of) if allowed == "all" else frozenset(allowed) & frozenset(self._id_of)
        disallowed_texts = (
            frozenset(self._id_of) - allowed_texts if disallowed == "all" else frozenset(disallowed) - {""}
        )
        found = []
        wanted = allowed_texts | disallowed_texts
        for last, special in _automaton(wanted).iter(text) if wanted else ():
            start = last + 1 - len(special)
            if special in disallowed_texts:
                raise DisallowedSpecialTokenError(
                    f"the text holds the disallowed special token {special!r} at character {start}; allow it by "
                    f"allowed_special, or take it out of disallowed_special to encode it as plain text"
                )
            found.append((start, -len(special), special))
        position = 0
        for start, _, special in sorted(found):
            if start >= position:
                yield text[position:start], self._id_of[special]
                position = start + len(special)
        yield text[position:], None


@lru_cache(maxsize=64)
def _automaton(texts: frozenset[str]) -> ahocorasick.Automaton:
    automaton = ahocorasick.Automaton()
    for text in texts:
        automaton.add_word(text, text)
    automaton.make_automaton()
    return automaton
