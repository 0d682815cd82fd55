"""Drift: spans whose pinned ids differ from the ids that encoding their text would give."""

from __future__ import annotations

from collections.abc import Sequence

from chunker.prompt.conversation.offsets import Encoded, ids_between, offsets_of
from chunker.prompt.conversation.pins import Drift, Pin


def drifts(conversation: Encoded, anew: Encoded, pins: Sequence[Pin]) -> list[Drift]:
    """Return the pins whose ids differ from those of encoding the whole text again, each with both. Linear time.

    Args:
        conversation: The conversation with the pins.
        anew: The same text without pins.
        pins: The pins.
    """
    text = conversation.text
    offsets, ids = offsets_of(conversation, text), conversation.ids
    canonical_offsets, canonical = offsets_of(anew, text), anew.ids
    made = []
    for pin in pins:
        first, last = ids_between(offsets, pin.start, pin.end)
        start, end = ids_between(canonical_offsets, pin.start, pin.end)
        other = canonical[start:end].tolist()
        if other != ids[first:last].tolist():
            made.append(Drift(first, tuple(pin.ids), tuple(other), pin.start, pin.end))
    return made
