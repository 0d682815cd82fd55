"""Offsets of the ids of a conversation in its text.

The bytes of ids, one after the other, are those of the text for tokenizers that change nothing. Where a normalizer has
changed a span, the tokenizer says the offsets of that span, if it has the same ids there.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple, Protocol

from bpe_engine import Tokenizer
from bpe_engine.special_tokens import Part
from bpe_engine.text.input import received, to_bytes
from chunker.prompt.errors import ConversationError


class Encoded(Protocol):
    """Protocol of a conversation, as far as it is used here."""

    @property
    def tokenizer(self) -> Tokenizer: ...  # noqa: D102
    @property
    def ids(self) -> memoryview: ...  # noqa: D102
    @property
    def text(self) -> str: ...  # noqa: D102
    def parts(self) -> list[Part]: ...  # noqa: D102


class Offsets(NamedTuple):
    """The characters of each id. Both ascend; an id that begins or ends inside of a character has all of it."""

    starts: array[int]
    ends: array[int]


def offsets_of(conversation: Encoded, text: str) -> Offsets:
    """Return the characters of all ids of a conversation with this text. Linear time. Raises ConversationError if the tokenizer does not say which they are."""
    ids, data = conversation.ids.tolist(), to_bytes(received(text))
    starts, ends = array("Q"), array("Q")  # in bytes: a token as such may be a part of a character
    place = 0
    for plain, token, written in conversation.parts():
        encoded = to_bytes(received(plain))
        if encoded:
            begins, stops = _offsets(conversation, encoded, ids, len(starts))
            starts.extend(place + start for start in begins)
            ends.extend(place + end for end in stops)
            place += len(encoded)
        if token is not None:
            starts.append(place)
            place += len(to_bytes(received(written)))
            ends.append(place)
    if len(starts) != len(ids) or place != len(data):
        raise ConversationError(
            f"{conversation.tokenizer.name or 'the tokenizer'} does not say which characters its ids have"
        )
    if len(text) == len(data):
        return Offsets(starts, ends)
    return Offsets(_in_characters(data, starts, up=False), _in_characters(data, ends, up=True))


def ids_between(offsets: Offsets, start: int, end: int) -> tuple[int, int]:
    """The range of ids that have a character in [start, end): the first one and the one after the last. An empty range begins at the next id."""
    first = bisect_left(offsets.starts, start) if start >= end else bisect_right(offsets.ends, start)
    return first, first if start >= end else max(first, bisect_left(offsets.starts, end))


def _offsets(
    conversation: Encoded, data: bytes, ids: Sequence[int], number: int
) -> tuple[Sequence[int], Sequence[int]]:
    """The offsets in bytes of the ids from `number` on, as far as they are those of a span of plain text."""
    tokenizer = conversation.tokenizer
    joined = bytearray()
    ends: list[int] = []
    extra: int | None = None
    while len(joined) - (extra or 0) < len(data) and number + len(ends) < len(ids):
        joined += tokenizer.decode_single_token_bytes(ids[number + len(ends)])
        if extra is None:
            # The space that some tokenizers put before the first word.
            extra = 1 if joined[:1] == b" " and data[:1] != b" " else 0
        ends.append(max(0, len(joined) - extra))
    if joined[extra or 0 :] == data:
        # Tokens before the first word share its first character.
        return [0, *ends[:-1]], [end or 1 for end in ends]
    found, starts = tokenizer.encode_with_offsets(data)
    if list(ids[number : number + len(found)]) != found:
        raise ConversationError(
            f"{tokenizer.name or 'the tokenizer'} does not say which characters the ids of {data[:60].decode(errors='replace')!r} have"
        )
    return starts, _ends(tokenizer, data, found, starts)


def _ends(tokenizer: Tokenizer, data: bytes, ids: Sequence[int], starts: Sequence[int]) -> list[int]:
    """The ends of ids, where a tokenizer changes a text: an id has no white space at its end that is not in the token."""
    made = []
    for number, token in enumerate(ids):
        start, end = starts[number], starts[number + 1] if number + 1 < len(starts) else len(data)
        if not tokenizer.decode_single_token_bytes(token)[-1:].isspace():
            end = start + len(data[start:end].decode(errors="replace").rstrip().encode())
        made.append(max(end, start + 1))  # several tokens may share a character
    return made


def _in_characters(data: bytes, places: array[int], *, up: bool) -> array[int]:
    """Ascending offsets in bytes as offsets in characters; of one inside of a character that of its start, or with `up` of its end.

    >>> _in_characters("aé".encode(), array("Q", [0, 1, 2]), up=False).tolist(), _in_characters("aé".encode(), array("Q", [1, 2, 3]), up=True).tolist()
    ([0, 1, 1], [1, 2, 2])
    """
    made = array("Q")
    at = characters = 0
    for place in places:
        if place > at:
            characters += sum(byte & 0xC0 != 0x80 for byte in data[at:place])
            at = place
        is_inside = place < len(data) and data[place] & 0xC0 == 0x80
        made.append(characters - (is_inside and not up))
    return made
