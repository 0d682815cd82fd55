"""Special tokens: found in a text by one pass of an automaton, and separated from the plain text around them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from bpe_engine.errors import DisallowedSpecialTokenError
from bpe_engine.text.input import received, source_places, to_bytes

if TYPE_CHECKING:
    import ahocorasick

_NO_TEXTS: frozenset[str] = frozenset()
Specials = Literal["all"] | Collection[str]


class FindsSpecial(Protocol):
    """Protocol for the method of an engine that `parted` uses."""

    def find_special(self, characters: str, allowed: Specials, /) -> Iterable[tuple[int, int, int]]: ...  # noqa: D102


def check_specials(*named: Specials) -> None:
    """Raise TypeError for a str other than "all", whose characters would be taken for texts."""
    for specials in named:
        if isinstance(specials, str) and specials != "all":
            raise TypeError(f'special tokens must be "all" or a collection of str, not {specials!r}')


class SpecialTokens:
    """The special tokens of a vocabulary: text -> id. Two texts may share an id."""

    def __init__(self, id_of: Mapping[str, int]) -> None:
        self._id_of = dict(id_of)
        self._texts = frozenset(self._id_of)
        self.bytes_of: dict[int, bytes] = {}
        for text, token in id_of.items():
            self.bytes_of.setdefault(token, text.encode())

    def parts(self, text: str, allowed: Specials, disallowed: Specials) -> Iterator[tuple[str, int | None]]:
        """Split `text` into plain texts, each with the id of the special token after it; None after the last.

        "all" in `allowed` means all special tokens, in `disallowed` all that are not allowed. A disallowed text
        anywhere in `text` raises DisallowedSpecialTokenError, even if it is also allowed. Any other str raises
        TypeError. Of overlapping special tokens the leftmost is found, then the longest.

        >>> list(SpecialTokens({"<|end|>": 9}).parts("a<|end|>b", "all", ()))
        [('a', 9), ('b', None)]
        """
        position = 0
        for start, end, token in self.spans(text, allowed, disallowed):
            yield text[position:start], token
            position = end
        yield text[position:], None

    def spans(self, text: str, allowed: Specials, disallowed: Specials = ()) -> Iterable[tuple[int, int, int]]:
        """Yield the special tokens that `parts` finds: start and end in characters, and the id.

        >>> list(SpecialTokens({"<|end|>": 9}).spans("a<|end|>b", "all"))
        [(1, 8, 9)]
        """
        allowed_texts, disallowed_texts = self._named(allowed, disallowed)
        found = []
        # Without disallowed texts the set itself is passed, because a frozenset caches its hash.
        for start, special in _places(allowed_texts | disallowed_texts if disallowed_texts else allowed_texts, text):
            if special in disallowed_texts:
                raise _disallowed(special, start)
            found.append((start, -len(special), special))
        position = 0
        for start, _, special in sorted(found):
            if start >= position:
                position = start + len(special)
                yield start, position, self._id_of[special]

    def check(self, text: str | bytes, allowed: Specials, disallowed: Specials) -> None:
        """Raise DisallowedSpecialTokenError or TypeError if `parts` would."""
        _, disallowed_texts = self._named(allowed, disallowed)
        for start, special in _places(disallowed_texts, text if isinstance(text, str) else received(text)):
            raise _disallowed(special, start)

    def encode(
        self,
        text: str | bytes,
        allowed: Specials,
        disallowed: Specials,
        encode_ordinary: Callable[[str | bytes], list[int]],
    ) -> list[int]:
        """Return the ids of `text`: the special tokens in it, and the `encode_ordinary` of the plain texts between them. Raises as `parts`."""
        if not allowed:
            self.check(text, allowed, disallowed)
            return encode_ordinary(text)
        ids = []
        for plain, special in self.parts(received(text), allowed, disallowed):
            ids += encode_ordinary(to_bytes(plain))
            if special is not None:
                ids.append(special)
        return ids

    def _named(self, allowed: Specials, disallowed: Specials) -> tuple[frozenset[str], frozenset[str]]:
        if allowed == "all" and disallowed == ():
            return self._texts, _NO_TEXTS
        check_specials(allowed, disallowed)
        allowed_texts = self._texts if allowed == "all" else frozenset(allowed) & self._texts
        if disallowed != "all":
            return allowed_texts, frozenset(disallowed) - {""} if disallowed else frozenset()
        return allowed_texts, self._texts - allowed_texts if allowed_texts else self._texts


class Part(NamedTuple):
    """A part of a text without special tokens, with the id and the text of the special token after it; after the last part None and an empty text."""

    plain: str | bytes
    token: int | None
    written: str | bytes


def parted(engine: FindsSpecial, text: str | bytes, allowed: Specials) -> Iterator[Part]:
    """Split a text, including its lone surrogates, at the special tokens that an engine finds in it.

    >>> from bpe_engine import Tokenizer
    >>> list(parted(Tokenizer.load("o200k_base"), "a<|endoftext|>", "all"))
    [Part(plain='a', token=199999, written='<|endoftext|>'), Part(plain='', token=None, written='')]
    """
    characters = received(text)
    if not isinstance(text, str):
        text = bytes(text)
    place_of = source_places(text, characters) if isinstance(text, str) and len(text) != len(characters) else None
    position = place = 0
    at = 0  # the offset of `place` in the original text

    def ahead(target: int) -> int:
        if isinstance(text, str):
            return target if place_of is None else place_of[target]
        return at + len(to_bytes(characters[place:target]))

    for start, end, token in engine.find_special(characters, allowed):
        at, place = ahead(start), start
        begin = at
        at, place = ahead(end), end
        yield Part(text[position:begin], token, text[begin:at])
        position = at
    yield Part(text[position:], None, text[:0])


def _places(wanted: frozenset[str], text: str) -> Iterator[tuple[int, str]]:
    """Yield the occurrences of the wanted texts in `text`, ordered by their ends: start offset in characters, and the text."""
    if wanted and _shared_start(wanted) in text:
        for last, special in _automaton(wanted).iter(text):
            yield last + 1 - len(special), special


def _disallowed(special: str, start: int) -> DisallowedSpecialTokenError:
    return DisallowedSpecialTokenError(
        f"the text contains the disallowed special token {special!r} at character {start}; add it to "
        f"allowed_special, or remove it from disallowed_special to encode it as plain text"
    )


@lru_cache(maxsize=64)
def _shared_start(texts: frozenset[str]) -> str:
    """Return the common prefix of all texts, usually "<|". A text without it has no special tokens, and `in` is ten times as
    fast as the automaton.
    """
    first, last = min(texts), max(texts)  # all texts share the prefix of these two
    return "".join(
        character for character, _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    )


@lru_cache(maxsize=64)
def _automaton(texts: frozenset[str]) -> ahocorasick.Automaton:
    # Imported late: most texts hold no special token, and on an interpreter without the GIL this import switches the
    # GIL on.
    import ahocorasick  # noqa: PLC0415

    automaton = ahocorasick.Automaton()
    for text in texts:
        automaton.add_word(text, text)
    automaton.make_automaton()
    return automaton
