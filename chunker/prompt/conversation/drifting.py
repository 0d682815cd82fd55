"""Where pinned ids are not those of their text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from chunker.prompt.conversation.pins import Drift, Pin

if TYPE_CHECKING:
    from chunker.prompt.conversation.conversation import Conversation


def drifts(conversation: Conversation, pins: Sequence[Pin]) -> list[Drift]:
    """The pins whose ids encoding the whole text anew would not give, each with the ids that it would. Linear time."""
    from chunker.prompt.conversation.offsets import starts_of  # noqa: PLC0415 - imports the conversation
    from chunker.prompt.conversation.spans import ids_between  # noqa: PLC0415 - likewise

    text = conversation.text
    starts = starts_of(conversation, text)
    ids = conversation.ids
    anew = conversation.canonical()
    canonical, canonical_starts = anew.ids, starts_of(anew, text)
    made = []
    for pin in pins:
        first, last = ids_between(starts, pin.start, pin.end)
        other = canonical[slice(*ids_between(canonical_starts, pin.start, pin.end))].tolist()
        if other != ids[first:last].tolist():
            made.append(Drift(first, tuple(pin.ids), tuple(other), pin.start, pin.end))
    return made
