"""Offsets of the ids of a conversation in its text.

The bytes of ids, one after the other, are those of the text for tokenizers that change nothing. Where a normalizer has changed a stretch, the tokenizer says
the offsets of that stretch, if it has the same ids there.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Protocol

from bpe_engine import Tokenizer
from bpe_engine.special_tokens import Part
from chunker.prompt.errors import ConversationError


class Encoded(Protocol):
    """A conversation, as far as it is asked here."""

    @property
    def tokenizer(self) -> Tokenizer: ...  # noqa: D102
    @property
    def ids(self) -> memoryview: ...  # noqa: D102
    @property
    def text(self) -> str: ...  # noqa: D102
    def parts(self) -> list[Part]: ...  # noqa: D102


def starts_of(conversation: Encoded, text: str) -> array[int]:
    """For each id the character where it begins, and at the end the length of the text. Linear time.

    An id that begins inside a character has the offset of that character. Raises ConversationError where that cannot be told.
    """
    ids = conversation.ids.tolist()
    starts = array("Q")
    place = 0
    for plain, token, written in conversation.parts():
        plain_text = plain if isinstance(plain, str) else bytes(plain).decode("utf-8", "replace")
        if plain_text:
            starts.extend(place + start for start in _starts(conversation, plain_text, ids, len(starts)))
            place += len(plain_text)
        if token is not None:
            starts.append(place)
            place += len(written.decode("utf-8", "replace") if isinstance(written, bytes) else written)
    if len(starts) != len(ids) or place != len(text):
        raise ConversationError(
            f"{conversation.tokenizer.name or 'the tokenizer'} does not say which characters its ids have"
        )
    starts.append(len(text))
    return starts


def ids_between(starts: array[int], start: int, end: int) -> tuple[int, int]:
    """The ids that have a character of [start, end): the first, and one behind the last. `starts`: of each id, and the end of the text."""
    if start >= end:
        place = bisect_left(starts, start, 0, len(starts) - 1)
        return place, place
    first = bisect_right(starts, start, 0, len(starts) - 1) - 1
    # Of a character that several ids share, all of them.
    while first > 0 and starts[first - 1] == starts[first]:
        first -= 1
    return max(first, 0), bisect_left(starts, end, 0, len(starts) - 1)


def _starts(conversation: Encoded, text: str, ids: Sequence[int], number: int) -> list[int]:
    """The offsets of the ids from `number` on, as far as they are those of a stretch of plain text."""
    tokenizer = conversation.tokenizer
    data = text.encode()
    joined = bytearray()
    ends: list[int] = []
    extra: int | None = None
    while len(joined) - (extra or 0) < len(data) and number + len(ends) < len(ids):
        joined += tokenizer.decode_single_token_bytes(ids[number + len(ends)])
        if extra is None:
            # What some tokenizers put before the first word.
            extra = 1 if joined[:1] == b" " and data[:1] != b" " else 0
        ends.append(max(0, len(joined) - extra))
    if joined[extra or 0 :] == data:
        return _in_characters(text, data, [0, *ends[:-1]])
    found, starts = tokenizer.encode_with_offsets(text)
    if list(ids[number : number + len(found)]) != found:
        raise ConversationError(
            f"{tokenizer.name or 'the tokenizer'} does not say which characters the ids of {text!r:.60} have"
        )
    return starts


def _in_characters(text: str, data: bytes, places: list[int]) -> list[int]:
    """Offsets in bytes as offsets in characters.

    >>> _in_characters("aé", "aé".encode(), [0, 1, 2])
    [0, 1, 1]
    """
    if len(text) == len(data):
        return places
    made, at, characters = [], 0, 0
    for place in places:
        while at < place:
            characters += data[at] & 0xC0 != 0x80
            at += 1
        made.append(characters - (data[place] & 0xC0 == 0x80 if place < len(data) else 0))
    return made
