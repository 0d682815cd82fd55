"""Find the message, tool call and generation block that wrote each part of a rendered text.

    {% for message in messages %}        a mark, if `message` is one of the messages
      {% for call in message.tool_calls %}   another, if `call` is one of its calls
    {% endfor %}                         a mark

The template is rendered a second time, with marks that loops write around each item; without them its text must be the same, else it is rendered
with fewer marks. A message that no loop writes, a system prompt say, is found by its letters (letters.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from chunker.prompt.errors import ChatTemplateError
from chunker.prompt.templates.letters import letters_of, shown
from chunker.prompt.templates.recording import Event, Recording, events_of
from chunker.prompt.templates.template import ChatTemplate, Request


class Stretch(NamedTuple):
    """A part of the text, in characters. `kind`: "message", "tool_call" or "generation"; `number`: of the call in its message."""

    kind: str
    message: int
    number: int
    start: int
    end: int


def stretches(template: ChatTemplate, wanted: Request, text: str) -> list[Stretch]:
    """The stretches of all messages, tool calls and generation blocks, in the order of the text."""
    messages = {id(message): ("message", number, 0) for number, message in enumerate(wanted.messages)}
    calls = {
        id(call): ("tool_call", number, place)
        for number, message in enumerate(wanted.messages)
        for place, call in enumerate(_calls(message.get("tool_calls")))
    }
    found = None
    for watched in ({**calls, **messages}, messages, {}):
        found = _events(template, wanted, text, watched)
        if found is not None:
            break
    made = [] if found is None else _between(found)
    told = {stretch.message for stretch in made if stretch.kind == "message"}
    untold = [number for number in range(len(wanted.messages)) if number not in told]
    for number, places in letters_of(template, wanted, text, untold).items():
        content = wanted.messages[number].get("content")
        made.append(
            Stretch("message", number, 0, *shown(text, content.strip() if isinstance(content, str) else None, places))
        )
    return sorted(made, key=lambda stretch: (stretch.start, -stretch.end))


def _calls(calls: object) -> Sequence[object]:
    """The items of a loop over tool calls: the calls themselves; templates mostly take their "function" inside of it."""
    return calls if isinstance(calls, list | tuple) else ()


def _events(
    template: ChatTemplate, wanted: Request, text: str, watched: dict[int, tuple[str, int, int]]
) -> list[Event] | None:
    recording = Recording(dict(watched), text)
    try:
        marked = template.rendered(wanted, recording)
    except ChatTemplateError:
        return None  # it looks at what it has written
    return events_of(recording, marked)


def _between(events: Sequence[Event]) -> list[Stretch]:
    """The text from one mark of a loop to its next."""
    made: list[Stretch] = []
    running: dict[int, tuple[tuple[str, int, int], int]] = {}
    opened: list[int] = []

    def close(loop: int, place: int) -> None:
        if loop in running:
            (kind, message, number), start = running.pop(loop)
            if start < place:
                made.append(Stretch(kind, message, number, start, place))

    for event in events:
        if event.kind == "generation":
            if event.what == "start":
                opened.append(event.place)
            elif opened:
                message = next((what[1] for what, _ in reversed(running.values()) if what[0] == "message"), -1)
                made.append(Stretch("generation", message, 0, opened.pop(), event.place))
        elif event.kind == "end" and isinstance(event.what, int):
            close(event.what, event.place)
        elif isinstance(event.what, tuple):
            loop, what = event.what
            close(loop, event.place)
            running[loop] = what, event.place
    return made
