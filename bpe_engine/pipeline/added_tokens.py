"""Find added tokens in a text before any other stage, in one pass of an automaton, with the flags of Hugging Face.

    "a <mask> b"   with <mask> and lstrip       "a" | " <mask>" | " b"

Of overlapping tokens the leftmost is found, then the longest. A token that is found but not wanted, because it is
special and not allowed, or is inside a word, is plain text; still, tokens that overlap it are not found.
`longest_first` is llama.cpp's way: the longest token is found, wherever it is, and an unwanted token hides nothing.

    "ab" and "bcd" in "abcd"        leftmost: "ab" | "cd"        longest first: "a" | "bcd"
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from bpe_engine.errors import DisallowedSpecialTokenError
from bpe_engine.pipeline.characters import WHITE_SPACE, compiled
from bpe_engine.pipeline.specification import AddedToken
from bpe_engine.pipeline.specification_table import written_text
from bpe_engine.special_tokens import Specials, check_specials


class FoundToken(NamedTuple):
    """An added token in a text: its span in characters, including the white space that the token strips."""

    token: AddedToken
    start: int
    end: int


class AddedTokenFinder:
    """Finds added tokens. Immutable; threads may share it; can be pickled.

    `written` returns the text to search for from the text of a token, normalized for example. Raises VocabularyError if
    that is empty. With `longest_first` the token with the most bytes in UTF-8 is searched for first; of equals, the
    first of `tokens`.
    """

    def __init__(
        self, tokens: Iterable[AddedToken], written: Callable[[str], str] = str, *, longest_first: bool = False
    ) -> None:
        self._longest_first = longest_first
        self.tokens: dict[str, AddedToken] = {}
        for token in tokens:
            self.tokens[written_text(token, written)] = token
        self.longest = max(map(len, self.tokens), default=0)
        """The length of the longest token, in characters."""
        self._firsts = tuple({text[0] for text in self.tokens})
        by_size = sorted(self.tokens, key=lambda text: -len(text.encode()))
        self._turns = {self.tokens[text]: turn for turn, text in enumerate(by_size)}
        # Imported late: the compiled engine does not need it, and on an interpreter without the GIL this import
        # switches the GIL on.
        import ahocorasick  # noqa: PLC0415

        self._automaton = ahocorasick.Automaton()
        for text, token in self.tokens.items():
            self._automaton.add_word(text, (len(text), token))
        if self.tokens:
            self._automaton.make_automaton()

    def __bool__(self) -> bool:
        return bool(self.tokens)

    def occurs(self, text: str) -> bool:
        """Whether the text of any token occurs in `text`."""
        if not any(first in text for first in self._firsts):
            return False
        return next(self._automaton.iter(text), None) is not None

    def spans(self, text: str) -> list[tuple[int, int, AddedToken]]:
        """Return all occurrences of tokens, overlapping ones included, as (start, end, token); the leftmost first, then the longest."""
        if not any(first in text for first in self._firsts):
            return []
        found = [(last + 1 - size, last + 1, token) for last, (size, token) in self._automaton.iter(text)]
        found.sort(key=lambda span: (span[0], -span[1]))
        return found

    def find(self, text: str, wanted: Callable[[AddedToken], bool]) -> Iterator[FoundToken]:
        """Yield the tokens in `text` for which `wanted` is true, from left to right.

        A token may consist of white space that the token before it strips. Then its span starts before the end of that
        token's span; if it ends there, too, the token is left out.
        """
        taken = 0
        for start, end, token in (self._longest if self._longest_first else self._leftmost)(text, wanted):
            if token.lstrip:
                start = max(len(text[:start].rstrip(WHITE_SPACE)), taken)  # noqa: PLW2901 - with the white space that it strips
            if token.rstrip:
                end += _leading_white_space(text, end)  # noqa: PLW2901 - as above
            taken = end
            if start < end:
                yield FoundToken(token, start, end)

    def _leftmost(self, text: str, wanted: Callable[[AddedToken], bool]) -> Iterator[tuple[int, int, AddedToken]]:
        last = 0
        for start, end, token in self.spans(text):
            if start >= last:
                last = end
                if wanted(token) and _may_stand(text, start, end, token):
                    yield start, end, token

    def _longest(self, text: str, wanted: Callable[[AddedToken], bool]) -> list[tuple[int, int, AddedToken]]:
        taken = bytearray(len(text))
        found = []
        for start, end, token in sorted(self.spans(text), key=lambda span: (self._turns[span[2]], span[0])):
            # Tokens found before have at least as many bytes, so any that overlaps this one covers its first or its
            # last character.
            if not taken[start] and not taken[end - 1] and wanted(token) and _may_stand(text, start, end, token):
                taken[start:end] = b"\1" * (end - start)
                found.append((start, end, token))
        return sorted(found, key=lambda span: span[0])


def _may_stand(text: str, start: int, end: int, token: AddedToken) -> bool:
    return not token.single_word or _stands_alone(text, start, end)


def _leading_white_space(text: str, start: int) -> int:
    found = compiled(r"\s*").match(text, start)
    return found.end() - start if found else 0


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether neither neighbouring character is a letter or another part of a word."""
    from bpe_engine.pipeline.matching import is_word  # noqa: PLC0415 - few files have such tokens

    return (start == 0 or not is_word(text[start - 1])) and (end == len(text) or not is_word(text[end]))


def always(token: AddedToken) -> bool:
    """Whether an added token is found without being allowed."""
    return not token.special


def wanted_tokens(
    tokens: Sequence[AddedToken], allowed: Specials, disallowed: Specials
) -> Callable[[AddedToken], bool]:
    """Return a function that reports whether an added token is wanted; it raises DisallowedSpecialTokenError for a disallowed token.

    Raises TypeError if `allowed` or `disallowed` is a str other than "all".
    """
    check_specials(allowed, disallowed)
    special = {token.text for token in tokens if token.special}
    allowed_texts = special if allowed == "all" else set(allowed)
    refused = special - allowed_texts if disallowed == "all" else set(disallowed)

    def wanted(token: AddedToken) -> bool:
        if token.text in refused:
            raise DisallowedSpecialTokenError(
                f"the text contains the disallowed special token {token.text!r}; add it to allowed_special, or remove it from "
                f"disallowed_special to encode it as plain text"
            )
        return not token.special or token.text in allowed_texts

    return wanted
