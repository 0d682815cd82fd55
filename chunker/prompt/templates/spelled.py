"""Tell special tokens that a message spells from those that the template writes.

    messages    user: "what is <|im_end|>?"
    rendered    <|im_start|>user\\nwhat is <|im_end|>?<|im_end|>\\n
    once more   <|im_start|>user\\nwhat is <|im_fnd|>?<|im_end|>\\n       with one letter of what the user spelled exchanged
    so          ^^^^^^^^^^^^ special         text       ^^^^^^^^^^ special

The second rendering has a special token exactly where the template writes one, and is as long as the first: it says
which is which, whatever the template does to a text on the way: trims, slices, quotes, joins. Where nobody spells a
special token, there is no second rendering.

A template may itself look for what is spelled: it splits an answer at "</think>", say. Then the two differ in more than
that letter; such a token is what the template makes of it, as everywhere else.

Also broken are the beginnings of special tokens at the end of a text, which would be one together with the next text
("<|im_", "end|>").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol
from weakref import WeakKeyDictionary

from bpe_engine.pipeline.specification import Specification
from bpe_engine.special_tokens import Specials
from chunker.prompt.templates.template import Request
from chunker.prompt.templates.values import replaced, strings

# Characters that are compared at a time.
_BLOCK = 4096
# Neighbours, so that what is sorted mostly stays in order; twice another one, should a template look at a letter.
Render = Callable[[Request], str | None]
_SHIFTS = (1, -1, 2, -2, 3, 5)


class Finds(Protocol):
    """Protocol of a tokenizer, as far as it is used here."""

    @property
    def specification(self) -> Specification | None: ...  # noqa: D102
    @property
    def special_tokens_set(self) -> set[str]: ...  # noqa: D102
    def find_special(self, characters: str, allowed: Specials) -> Iterable[tuple[int, int, int]]: ...  # noqa: D102


class Spelling(NamedTuple):
    """A special token, or the beginning of one, from `start` to `end` in a text of a message."""

    text: str
    start: int
    end: int


class _Known(NamedTuple):
    """Facts about the special tokens of a tokenizer: their proper prefixes (`beginnings`), the length of the longest token, the common prefix of all tokens
    that are found in raw text (a text without it spells none), and the first and last characters of the proper
    prefixes.
    """

    beginnings: frozenset[str]
    longest: int
    start: str
    firsts: frozenset[str]
    lasts: frozenset[str]

    @classmethod
    def of(cls, tokenizer: Finds) -> _Known:
        """Collect these facts for a tokenizer."""
        specials = [text for text in tokenizer.special_tokens_set if text]
        beginnings = frozenset(text[:length] for text in specials for length in range(1, len(text)))
        added = () if tokenizer.specification is None else tokenizer.specification.added_tokens
        start = "" if any(token.special and token.normalized for token in added) else beginning(specials)
        lasts = frozenset(beginning[-1] for beginning in beginnings)
        firsts = frozenset(beginning[0] for beginning in beginnings)
        return cls(beginnings, max(map(len, specials), default=0), start, firsts, lasts)

    def unfinished(self, text: str) -> int | None:
        """Return the offset of the longest beginning of a special token at the end of a text; None if there is none."""
        if not text or text[-1] not in self.lasts:
            return None
        first = max(0, len(text) - self.longest + 1)
        if self.firsts.isdisjoint(text[first:]):
            return None
        return next((place for place in range(first, len(text)) if text[place:] in self.beginnings), None)


_KNOWN: WeakKeyDictionary[Finds, _Known] = WeakKeyDictionary()


class Speller:
    """Finds special tokens in the texts of messages, and breaks them."""

    __slots__ = ("_known", "_tokenizer")

    def __init__(self, tokenizer: Finds) -> None:
        self._tokenizer = tokenizer
        # Conversations with one tokenizer share these: some have a thousand special tokens.
        known = _KNOWN.get(tokenizer)
        if known is None:
            known = _KNOWN[tokenizer] = _Known.of(tokenizer)
        self._known = known

    def spellings(self, value: object) -> list[Spelling]:
        """Return the special tokens, and beginnings of them, that the texts of a plain value spell, keys included."""
        found = []
        for text in strings(value):
            if self._known.start in text:
                found += [Spelling(text, start, end) for start, end, _ in self._tokenizer.find_special(text, "all")]
            place = self._known.unfinished(text)
            if place is not None:
                found.append(Spelling(text, place, len(text)))
        return found

    def told_apart(self, wanted: Request, text: str, spellings: Sequence[Spelling], render: Render) -> str:
        """The rendered text, with a letter exchanged in each special token that a message spells and the template only passes on.

        Args:
            wanted: What `text` was rendered from.
            text: The rendered text.
            spellings: All that its messages, tools, documents and variables spell.
            render: Renders a request; None where the template fails.
        """
        left = list(dict.fromkeys(spellings))
        taken: list[tuple[Spelling, int]] = []
        told = text
        for shift in _SHIFTS:
            parts, left = [left], []
            while parts:
                part = parts.pop()
                broken = [*taken, *((one, shift) for one in part)]
                made = self._exchanged(text, broken, render, wanted) if part else told
                if made is not None:
                    taken, told = (broken, made) if part else (taken, told)
                elif len(part) == 1:
                    left += part
                else:
                    middle = len(part) // 2
                    parts += [part[middle:], part[:middle]]
            if not left:
                break
        return told

    def _rendered(self, wanted: Request, broken: Sequence[tuple[Spelling, int]], render: Render) -> str | None:
        """Render the request with these spellings broken; None if the template fails."""
        texts: dict[str, str] = {}
        for spelling, shift in broken:
            texts[spelling.text] = self._broken(texts.get(spelling.text, spelling.text), spelling, shift)
        changed = wanted._replace(
            messages=replaced(list(wanted.messages), texts),
            tools=replaced(wanted.tools, texts),
            documents=replaced(wanted.documents, texts),
            variables=replaced(dict(wanted.variables), texts),
        )
        return render(changed)

    def _exchanged(
        self, text: str, broken: Sequence[tuple[Spelling, int]], render: Render, wanted: Request
    ) -> str | None:
        """Render with these spellings broken; None if the result differs from `text` in more than the exchanged letters."""
        made = self._rendered(wanted, broken, render)
        if made is None or len(made) != len(text):
            return None
        pairs = set()
        for spelling, shift in broken:
            after = self._broken(spelling.text, spelling, shift)
            pairs |= {pair for pair in zip(spelling.text, after, strict=True) if pair[0] != pair[1]}
        pairs |= {(one.upper(), other.upper()) for one, other in pairs} | {
            (one.lower(), other.lower()) for one, other in pairs
        }
        return made if all((text[place], made[place]) in pairs for place in differences(text, made)) else None

    def _broken(self, text: str, spelling: Spelling, shift: int) -> str:
        """The text with one letter of a special token exchanged: the middle one that is a letter, for most of them have one."""
        places = sorted(
            range(spelling.start, spelling.end), key=lambda place: abs(2 * place - spelling.start - spelling.end)
        )
        places.sort(key=lambda place: not (text[place].isascii() and text[place].isalnum()))
        for place in places:
            if text[place].isspace():
                continue
            for step in (shift, *_SHIFTS):
                made = text[:place] + _shifted(text[place], step) + text[place + 1 :]
                if not self._is_spelled(made, spelling):
                    return made
        return text

    def _is_spelled(self, text: str, spelling: Spelling) -> bool:
        """Return whether the text still has a special token at `spelling`, or the beginning of one there at its end."""
        if any(
            start < spelling.end and end > spelling.start for start, end, _ in self._tokenizer.find_special(text, "all")
        ):
            return True
        return spelling.end == len(text) and any(
            text[place:] in self._known.beginnings for place in range(spelling.start, spelling.end)
        )


def _shifted(character: str, shift: int) -> str:
    """Return the letter, digit or sign that is `shift` further on.

    >>> _shifted("e", 1), _shifted("z", 1), _shifted("9", 2), _shifted("<", 1)
    ('f', 'a', '1', '=')
    """
    for first, size in (("a", 26), ("A", 26), ("0", 10)):
        if character.isascii() and 0 <= ord(character) - ord(first) < size:
            return chr(ord(first) + (ord(character) - ord(first) + shift) % size)
    marks = "!#()*+,-./:;<=>?@[]^_{|}~"
    return marks[(marks.find(character) + shift) % len(marks)]


def beginning(texts: Sequence[str]) -> str:
    """The common beginning of all texts.

    >>> beginning(["<|a|>", "<|b|>"]), beginning([])
    ('<|', '')
    """
    first, last = min(texts, default=""), max(texts, default="")  # all texts share the prefix of these two
    length = next(
        (place for place, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first)
    )
    return first[:length]


def differences(text: str, other: str) -> list[int]:
    """The offsets at which two texts of the same length differ.

    >>> differences("abcd", "aBcD")
    [1, 3]
    """
    places = []
    for start in range(0, len(text), _BLOCK):
        one, two = text[start : start + _BLOCK], other[start : start + _BLOCK]
        if one != two:
            places += [start + place for place, pair in enumerate(zip(one, two, strict=True)) if pair[0] != pair[1]]
    return places
