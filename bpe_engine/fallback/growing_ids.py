"""Explicit tokens in a text that grows to the right, and the ids of the whole text.

    text        "You are a helper.<|im_end|>\\nHi"
    plain texts  You are a helper.|          |\\nHi       each is encoded by itself
    ids          2610 525 264 ...  | 151645  | 198 13048

The ids of each plain text that an explicit token has ended are kept; the last plain text is encoded again for each
request.
"""

from __future__ import annotations

from abc import abstractmethod
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import takewhile
from operator import eq, index
from typing import Generic, NamedTuple, Self

from bpe_engine import encoders
from bpe_engine.errors import EncodingError
from bpe_engine.fallback.growing_encoder import GrowingText, State, StatefulEncoder
from bpe_engine.special_tokens import Part, Specials, parted
from bpe_engine.text.input import byte_places, cut_unfinished_end, received, require_int, to_bytes


class ExplicitToken(NamedTuple):
    """A token that was added by its id, and its span in the text, in characters."""

    start: int
    end: int
    id: int


class IdsEncoder(StatefulEncoder[State], encoders.AppendingEncoder, Generic[State]):
    """Base class of the appending encoders in Python. `_return_to` must call `_keep_explicit`."""

    _text: GrowingText

    def _begin(self) -> None:
        self._explicit: list[ExplicitToken] = []
        self._done = array("I")  # the ids of the text up to the end of the last explicit token that `_done_at` knows
        self._done_at: list[
            int
        ] = []  # for each explicit token whose ids are in `_done`, the number of ids up to its end
        self._told = array("I")

    @abstractmethod
    def _end_plain(self, token: int, characters: str) -> None:
        """Add an explicit token, written as `characters`, and start a new plain text after it."""

    @abstractmethod
    def _encode_plain(self, characters: str, before: int | None, after: tuple[int, str] | None) -> list[int]:
        """Return the ids of the plain text between two explicit tokens.

        Args:
            characters: The plain text.
            before: The id of the explicit token before it, or None.
            after: The id and the text of the explicit token after it, or None.
        """

    @property
    def _plain_start(self) -> int:
        return self._explicit[-1].end if self._explicit else 0

    def append(self, text: str | bytes, allowed_special: Specials = ()) -> None:
        """As `AppendingEncoder` says."""
        if not allowed_special:
            self._grow(text, cut_unfinished_end, before=False)
            return
        start = self._state(), self._unfinished
        try:
            self._append_parts(list(parted(self._engine, text, allowed_special)))
        except EncodingError:
            self._restore(start)
            raise

    def append_token(self, id: int) -> None:  # noqa: A002 - as there
        """As `AppendingEncoder` says."""
        require_int(id, "a token id")
        number = index(id)
        self._put_token(number, self._engine.table.written(number))

    def _put_token(self, token: int, written: str | bytes) -> None:
        start = len(self._text)
        self._unfinished = None
        self._end_plain(token, received(written))
        self._explicit.append(ExplicitToken(start, len(self._text), token))

    def _append_parts(self, parts: list[Part]) -> None:
        for plain, token, written in parts:
            self._grow(plain, cut_unfinished_end, before=False)
            if token is not None:
                self._put_token(token, written)

    def _keep_explicit(self, number: int) -> None:
        del self._explicit[number:]
        del self._done_at[number:]
        del self._done[self._done_at[-1] if self._done_at else 0 :]

    def tokens(self) -> list[int]:
        """As `GrowingEncoder` says."""
        return self._all_ids().tolist()

    def ids(self) -> memoryview:
        """As `AppendingEncoder` says."""
        return memoryview(self._all_ids()).toreadonly()

    def changes(self) -> tuple[int, memoryview]:
        """As `AppendingEncoder` says."""
        ids = self._all_ids()
        position = sum(1 for _ in takewhile(bool, map(eq, self._told, ids)))
        self._told = ids
        return position, memoryview(ids[position:]).toreadonly()

    def _all_ids(self) -> array[int]:
        for number in range(len(self._done_at), len(self._explicit)):
            self._done.extend([*self._plain_ids(number), self._explicit[number].id])
            self._done_at.append(len(self._done))
        return self._done + array("I", self._plain_ids(len(self._explicit)))

    def _plain_ids(self, number: int) -> list[int]:
        """Return the ids of the plain text after the first `number` explicit tokens."""
        start, before = (self._explicit[number - 1].end, self._explicit[number - 1].id) if number else (0, None)
        if number == len(self._explicit):
            return self._encode_plain(self._text.read(start, len(self._text)), before, None)
        token = self._explicit[number]
        written = self._text.read(token.start, token.end)
        return self._encode_plain(self._text.read(start, token.start), before, (token.id, written))

    def move_to(self, text: str | bytes, allowed_special: Specials = ()) -> None:
        """As `AppendingEncoder` says."""
        parts = list(parted(self._engine, text, allowed_special)) if allowed_special else [Part(text, None, b"")]
        for part in parts:
            self._engine.encode_ordinary(part.plain)  # if it raises, nothing has changed yet
        length, number = self._common(parts)
        self._go_on(length, number, parts)

    def common_prefix(self, text: str | bytes) -> tuple[int, int]:
        """As `AppendingEncoder` says."""
        ours, theirs = self._text.read(0, len(self._text)), received(text)
        if not isinstance(text, str):
            ours, theirs = to_bytes(ours).decode(errors="replace"), bytes(text).decode(errors="replace")
        length = sum(1 for _ in takewhile(bool, map(eq, ours, theirs)))
        return len(to_bytes(ours[:length])), length

    def common_prefix_of(self, parts: Iterable[str]) -> tuple[int, int, str]:
        """As `AppendingEncoder` says."""
        text = "".join(parts)
        if received(text) != text:
            return 0, 0, text
        size, length = self.common_prefix(text)
        return size, length, text[length:]

    def text_before(self, length: int, characters: int) -> str:
        """As `AppendingEncoder` says."""
        data = self.data
        if not (0 <= length <= len(data) and 0 <= characters <= len(data)):
            raise OverflowError(f"length and characters must be from 0 to {len(data)}, not {length} and {characters}")
        text = data[:length].decode(errors="replace")
        return text[max(0, len(text) - characters) :]

    def replace_tail(self, length: int, parts: Sequence[Part]) -> None:
        """As `AppendingEncoder` says."""
        size = len(self.data)
        if not 0 <= length <= size:
            raise IndexError(f"length must be from 0 to {size}, not {length}")
        # Two tokens that are halves of a character are two characters of this text.
        places = byte_places(self._text.read(0, len(self._text)))
        kept = bisect_left(places, length)
        number = sum(1 for token in self._explicit if token.end <= kept)
        in_token = number < len(self._explicit) and self._explicit[number].start < kept
        if in_token or length not in places[kept : kept + 1]:
            raise IndexError(f"length {length} is inside a character or a token that was appended as such")
        for part in parts:
            self._engine.encode_ordinary(part[0])  # if it raises, nothing has changed yet
        before = self._rest_after(type(self)(self._engine)._state())[:number]  # noqa: SLF001 - of the same class
        start = self._explicit[number - 1].end if number else 0
        plain, *rest = parts or [Part("", None, b"")]
        joined = self._text.read(start, kept) + received(plain[0])
        self._go_on(kept, number, [*before, Part(joined, plain[1], plain[2]), *(Part(*part) for part in rest)])

    def _go_on(self, length: int, number: int, parts: list[Part]) -> None:
        """Change to the text of `parts`, which shares the first `length` characters and `number` explicit tokens with this text."""
        extents = (self._extent(mark.state[0]) for mark in self._marks)
        kept = len(list(takewhile(lambda extent: extent[0] <= length and extent[1] <= number, extents)))
        while kept and self._marks[kept - 1].state[1] is not None:
            kept -= 1
        del self._marks[kept:]
        if kept:
            self._restore(self._marks[-1].state)
        else:
            empty = type(self)(self._engine)
            self._restore((empty._state(), None))  # noqa: SLF001 - of the same class
        self._append_parts(self._parts_after(parts))

    def _common(self, parts: list[Part]) -> tuple[int, int]:
        """Return the length of the common prefix of this text and `parts`, in characters and in explicit tokens."""
        characters, tokens = _joined(parts)
        ours = self._text.read(0, len(self._text))
        length = sum(1 for _ in takewhile(bool, map(eq, ours, characters)))
        pairs = zip(self._explicit, tokens, strict=False)
        number = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1] and pair[0].end <= length, pairs))
        starts = [one[number].start for one in (self._explicit, tokens) if number < len(one)]
        return min([length, *starts]), number

    @abstractmethod
    def _extent(self, state: State) -> tuple[int, int]:
        """Return the number of characters and of explicit tokens in a state."""

    def _rest_after(self, state: State) -> list[Part]:
        """Return the part of this text after `state`, without its unfinished end."""
        place, number = self._extent(state)
        end = len(self._text) if self._unfinished is None else self._extent(self._unfinished[1])[0]
        parts = []
        for token in self._explicit[number:]:
            written = to_bytes(self._text.read(token.start, token.end))
            parts.append(Part(to_bytes(self._text.read(place, token.start)), token.id, written))
            place = token.end
        return [*parts, Part(to_bytes(self._text.read(place, end)), None, b"")]

    def _parts_after(self, parts: list[Part]) -> list[Part]:
        """Return the rest of `parts` after this text, which is a prefix of them."""
        rest = parts[len(self._explicit) :]
        skipped = len(to_bytes(self._text.read(self._plain_start, len(self._text))))
        plain = rest[0].plain
        if isinstance(plain, str):
            finished, unfinished = cut_unfinished_end(plain)
            left = to_bytes(finished)[skipped:].decode() + str(unfinished)
            return [rest[0]._replace(plain=left), *rest[1:]]
        return [rest[0]._replace(plain=bytes(plain)[skipped:]), *rest[1:]]

    def fork(self) -> Self:
        """As `AppendingEncoder` says."""
        other = type(self)(self._engine)
        other._copy(self._rest_after(other._state()), self._unfinished[0] if self._unfinished else "")  # noqa: SLF001
        other._told = self._told  # noqa: SLF001 - of the same class
        return other

    def _copy(self, parts: list[Part], unfinished: str | bytes) -> None:
        self._append_parts(parts)
        self._grow(unfinished, cut_unfinished_end, before=False)


def _joined(parts: list[Part]) -> tuple[str, list[ExplicitToken]]:
    """Return the characters of parts as an encoder would store them, and the explicit tokens in them."""
    characters, tokens = "", []
    for plain, token, written in parts:
        finished, unfinished = cut_unfinished_end(plain)
        characters += finished + received(unfinished)
        if token is not None:
            start = len(characters)
            characters += received(written)
            tokens.append(ExplicitToken(start, len(characters), token))
    return characters, tokens
