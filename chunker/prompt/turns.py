"""The turns of a session, and which of them leave together.

    user       What is the weather?            unit 1  leaves when it is the oldest
    assistant  calls weather("Oslo")           unit 2  a call and its answers, whenever they come
    tool       4 degrees                       unit 2
    assistant  4 degrees, take a coat.         unit 3  with pairs=True: all four are one unit

Units only grow: two units are merged when a turn belongs to both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypedDict

from chunker.prompt.assembling import Message
from chunker.prompt.errors import PromptConfigurationError
from chunker.prompt.items import Item, Truncate, TruncateAt


class TurnOptions(TypedDict, total=False):
    """The options of a turn: fields of `Item`."""

    name: str
    tool_calls: tuple[dict[str, Any], ...]
    tool_call_id: str
    group: str
    truncate: Truncate
    truncate_at: TruncateAt
    ellipsis: str
    min_tokens: int
    max_tokens: int


@dataclass(eq=False, slots=True)
class Unit:
    """Turns that stay or leave together. `merged_into`: the unit that this one was merged into."""

    turns: list[Turn] = field(default_factory=list)
    pinned: bool = False
    gone: bool = False
    merged_into: Unit | None = None

    def now(self) -> Unit:
        """The unit that this one has become."""
        unit = self
        while unit.merged_into is not None:
            if unit.merged_into.merged_into is not None:
                unit.merged_into = unit.merged_into.merged_into
            unit = unit.merged_into
        return unit


@dataclass(eq=False, slots=True)
class Turn:
    """A turn in the prompt. `text`: its kept text; `tokens`: the tokens of that text by itself; `message`: None without a chat format."""

    place: int
    item: Item
    id: str
    role: str
    text: str
    tokens: int = 0
    message: Message | None = None
    unit: Unit = field(default_factory=Unit)


class Ties:
    """The turns that belong together: by the calls that they make and answer, by their groups and, with `pairs`, by
    their exchange; with `requests` also several turns of a user that have one answer.
    """

    def __init__(self, *, pairs: bool, requests: bool = False) -> None:
        self._pairs = pairs or requests
        self._requests = requests
        self._asks = False  # whether the last turn was one of a user
        self._calls: dict[str, Unit] = {}  # by the id of the call; some models give the same id again: the newest
        self._groups: dict[str, Unit] = {}
        self._exchange: Unit | None = None  # the exchange of the last turn of a user

    def knows_call(self, call: str) -> bool:
        """Whether a turn has made this call, be it in the prompt or not."""
        return call in self._calls

    def units_of(self, item: Item) -> list[Unit]:
        """Return the units that a turn belongs to, each once. Raises `PromptConfigurationError` if it cannot be pinned because some of them have left."""
        units: list[Unit] = []
        if item.tool_call_id is not None:
            units.append(self._calls[item.tool_call_id].now())
        if item.group is not None and item.group in self._groups:
            units.append(self._groups[item.group].now())
        exchange = None if self._exchange is None else self._exchange.now()
        joins = item.role not in (None, "user") or (self._requests and self._asks)
        if not units and exchange is not None and not exchange.gone and joins:
            units.append(exchange)
        units = list(dict.fromkeys(units))
        if any(unit.gone for unit in units) and (item.required or any(unit.pinned for unit in units)):
            raise PromptConfigurationError(
                f"item {item.id!r}: by its call or group it belongs to turns that have left, "
                "so neither it nor what else it belongs to can be pinned"
            )
        return units

    def tie(self, turn: Turn, units: Sequence[Unit]) -> None:
        """Merge the units that a turn belongs to, and add the turn to the result."""
        turn.unit = unit = _merged(units)
        unit.turns.append(turn)
        unit.pinned = unit.pinned or turn.item.required
        self._calls |= {str(call["id"]): unit for call in turn.item.tool_calls}
        if turn.item.group is not None:
            self._groups[turn.item.group] = unit
        self._asks = turn.role == "user"
        if self._pairs and self._asks:
            self._exchange = unit


def _merged(units: Iterable[Unit]) -> Unit:
    """Merge units, none of which was merged before, and return the result; a new unit if there are none."""
    largest, *others = sorted(units, key=lambda unit: -len(unit.turns)) or [Unit()]
    for unit in others:
        largest.turns += unit.turns
        largest.pinned = largest.pinned or unit.pinned
        unit.turns = []
        unit.merged_into = largest
    return largest
