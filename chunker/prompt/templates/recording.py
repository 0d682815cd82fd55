"""Marks that a template writes into its text while it is rendered for a listener; nothing else changes.

    loops       a mark where an item of a list that is watched begins, or a number, and one where the loop ends
    generation  a mark at both ends of a `{% generation %}` block

A mark is a number between two characters of a private plane that the text does not have.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import Any

# Characters of a private plane, of which no text has all.
_CANDIDATES = [chr(code) for code in range(0xF1A00, 0xF1A40)]


@dataclass
class Recording:
    """One watched rendering: the events whose numbers are written into the text."""

    watched: dict[int, object]  # `id()` of an item of a list -> the message or call that it is
    numbers: dict[int, object] = field(
        default_factory=dict
    )  # a number that a loop goes through -> the message with this number
    text: str = ""  # the rendered text, without marks
    events: list[tuple[str, object]] = field(default_factory=list)
    active: set[int] = field(default_factory=set)  # loops that have written a mark

    def __post_init__(self) -> None:
        free = (character for character in _CANDIDATES if character not in self.text)
        self.opening, self.closing = next(free), next(free)

    def write(self, kind: str, what: object) -> str:
        """Record an event and return its mark."""
        self.events.append((kind, what))
        return f"{self.opening}{len(self.events) - 1}{self.closing}"


class _Listening(threading.local):
    recording: Recording | None = None


LISTENING = _Listening()


def mark(loop: int, item: Any) -> str:  # noqa: ANN401 - whatever a template goes through
    """Return the mark of an item that a loop has reached; "" if the item is not watched."""
    recording = LISTENING.recording
    if recording is None:
        return ""
    what = recording.numbers.get(item) if type(item) is int else recording.watched.get(id(item))
    if what is None:
        return ""
    recording.active.add(loop)
    return recording.write("item", (loop, what))


def mark_end(loop: int) -> str:
    """Return the mark of the end of a loop; "" if the loop has written no mark."""
    recording = LISTENING.recording
    if recording is None or loop not in recording.active:
        return ""
    recording.active.discard(loop)
    return recording.write("end", loop)


def generated(text: str) -> str:
    """The text of a generation block, between its marks."""
    recording = LISTENING.recording
    if recording is None:
        return text
    return recording.write("generation", "start") + text + recording.write("generation", "end")


@dataclass(frozen=True)
class Event:
    """A mark, and its offset in the text without marks."""

    place: int
    kind: str
    what: object


def events_of(recording: Recording, marked: str) -> list[Event] | None:
    """Return the events of a text with marks, in order; None if the text without the marks is not the rendered text."""
    pieces = []
    found = []
    place = 0
    for number, piece in enumerate(marked.split(recording.opening)):
        if number:
            digits, closing, piece = piece.partition(recording.closing)  # noqa: PLW2901
            if not closing or not digits.isdigit() or int(digits) >= len(recording.events):
                return None
            found.append(Event(place, *recording.events[int(digits)]))
        pieces.append(piece)
        place += len(piece)
    # A message that goes on may be stripped at its end: then white space before a mark is still there.
    text, made = recording.text, "".join(pieces)
    if text not in (made, made.rstrip()):
        return None
    return [replace(event, place=min(event.place, len(text))) for event in found] if len(made) > len(text) else found
