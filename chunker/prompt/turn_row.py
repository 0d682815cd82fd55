"""The turns in a session's prompt, in a row: their text, messages and exact tokens."""

from __future__ import annotations

from typing import Any

from chunker.counting import TokenCounter
from chunker.prompt.assembling import Message
from chunker.prompt.chat import Break, ChatFormat, Part
from chunker.prompt.joining import Row
from chunker.prompt.pricing import Pricer
from chunker.prompt.truncating import Cutter, Version
from chunker.prompt.turns import Turn

# A place after all turns that can ever be added.
_END = 1 << 62


class TurnRow:
    """Turns by their places, ascending. A turn that was taken out can be put in again until it is forgotten.

    `tokens`: the sum of the tokens of each turn in the row by itself. Can be pickled if its tokenizer can.
    """

    def __init__(self, tokenizer: TokenCounter, chat_format: ChatFormat | None, separator: str) -> None:
        self._tokenizer = tokenizer
        self._chat_format = chat_format
        self._separator = separator
        self._turns: dict[
            int, Turn
        ] = {}  # by place, ascending; those that are in the row, and those that may come back
        self._kinds: dict[tuple[str, str | None], int] = {}
        self.tokens = 0
        self._new_row()

    def _new_row(self) -> None:
        self._known: dict[str, Any] = {}
        self._pricer = Pricer(self._tokenizer, self._known)
        self._row = Row(_END, self._pricer, self._glue, self._kind)

    def __getstate__(self) -> dict[str, Any]:
        # Known counts and joins are as large as the texts, and can be computed again in one pass.
        return {name: value for name, value in vars(self).items() if name not in ("_row", "_pricer", "_known")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._new_row()
        for turn in self._turns.values():
            self._row.put(turn.place, turn.text)

    @property
    def total(self) -> int:
        """Tokens of the text."""
        return self._row.total

    @property
    def turns(self) -> list[Turn]:
        """The turns in the row and those that may come back, in their order."""
        return list(self._turns.values())

    def count(self, text: str) -> int:
        """Tokens of a text by itself."""
        return self._pricer.priced(text).tokens

    def put(self, turn: Turn, version: Version) -> int:
        """Put a version of a turn into the row; return by how many tokens the row has grown."""
        self._turns[turn.place] = turn
        if turn.text != version.text:
            self._known.pop(turn.text, None)
            turn.text = version.text
        turn.tokens = version.tokens
        self.tokens += version.tokens
        return self._row.put(turn.place, version.priced or version.text)

    def put_back(self, turn: Turn) -> None:
        """Put a turn in again that has been taken out."""
        self.tokens += turn.tokens
        self._row.put(turn.place, turn.text)

    def take(self, turn: Turn) -> None:
        """Take a turn out."""
        self._row.take(turn.place)
        self.tokens -= turn.tokens

    def forget(self, turn: Turn) -> None:
        """Forget a turn that was taken out, so that it cannot be put in again."""
        del self._turns[turn.place]
        self._known.pop(turn.text, None)

    def cut(self, turn: Turn, text: str, most: int, room: int | None = None) -> Version | None:
        """Return a version of `text` with at most `most` tokens, and with `room`, for a turn that was taken out, by
        which the row grows by at most `room` tokens; None if there is none.
        """
        if turn.item.truncate is None or (room is not None and room <= 0):
            return None
        # A separate pricer: of all versions tried, at most one is worth remembering.
        cutter = Cutter(turn.item, text, self._tokenizer, pricer=Pricer(self._tokenizer), reach=most)
        if room is None:
            return cutter.fitting(most, most, lambda version: version.tokens)
        return cutter.fitting(room, most, lambda tried: self._row.price(turn.place, tried.priced or tried.text))

    # --- what it says

    def text(self) -> str:
        """Return the texts of the turns in the row, with the glue between them."""
        return self._row.text()

    def messages(self) -> tuple[Message, ...]:
        """The turns as messages; none without a chat format."""
        return tuple(message for turn in self._turns.values() if (message := turn.message) is not None)

    def stable_tokens(self) -> int:
        """Tokens of the text up to the end of the last turn."""
        return self._row.tokens_up_to(len(self._row.kept))

    def _kind(self, place: int) -> int:
        """The kind of a turn: the frame beside it depends on its role and name alone; 0 for the start and the end."""
        turn = self._turns.get(place)
        return 0 if turn is None else self._kinds.setdefault((turn.role, turn.item.name), len(self._kinds) + 1)

    def _glue(self, left: int, right: int) -> list[Part]:
        """The text between two turns with none between them, as `Layout.glue` has it."""
        one, other, chat = self._turns.get(left), self._turns.get(right), self._chat_format
        if chat is None:
            return [self._separator] if one is not None and other is not None and self._separator else []
        speakers = [None if turn is None else (turn.role, turn.item.name) for turn in (one, other)]
        return [part for part in chat.between(*speakers) if isinstance(part, Break) or part]
