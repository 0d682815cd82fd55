"""Find the message, tool call and generation block that wrote each part of a rendered text.

    {% for message in messages %}        a mark, if `message` is one of the messages
    {% for i in range(n) %}              the same, of the message with this number
      {% for call in message.tool_calls %}   another, if `call` is one of its calls
    {% endfor %}                         a mark

The template is rendered a second time, with marks that loops write around each item; without them its text must be the
same, else it is rendered with fewer marks. A message that no loop writes, a system prompt say, is found by its edges
and letters (edges.py, letters.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from chunker.prompt.errors import ChatTemplateError, MessageError
from chunker.prompt.templates.edges import Asked, edges_of
from chunker.prompt.templates.letters import letters_of, shown
from chunker.prompt.templates.recording import Event, Recording, events_of
from chunker.prompt.templates.spelled import beginning
from chunker.prompt.templates.template import ChatTemplate, Request
from chunker.prompt.templates.values import Message


class MarkedSpan(NamedTuple):
    """A part of the text, in characters. `kind`: "message", "tool_call" or "generation"; `number`: of the call in its message."""

    kind: str
    message: int
    number: int
    start: int
    end: int


def marked_spans(template: ChatTemplate, wanted: Request, text: str) -> list[MarkedSpan]:
    """The spans of all messages, tool calls and generation blocks, in the order of the text."""
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
    made = [] if found is None else _between(found, len(text))
    if all(span.kind != "message" for span in made):
        made = _by_numbers(template, wanted, text, calls) or made
    told = {span.message for span in made if span.kind == "message"}
    untold = [number for number in range(len(wanted.messages)) if number not in told]
    edges = edges_of(Asked(template, wanted, text, ("content",)), untold)
    letters = letters_of(template, wanted, text, untold)
    alone = []
    for number in untold:
        content = wanted.messages[number].get("content")
        places = [place for side in edges[number] for place in side]
        if number in letters:
            places += shown(text, content.strip() if isinstance(content, str) else None, letters[number])
        if places and min(places) < max(places):
            alone.append(MarkedSpan("message", number, 0, min(places), max(places)))
        elif _is_blank(content) and (place := _changed(template, wanted, text, number)) is not None:
            alone.append(MarkedSpan("message", number, 0, *place))
    made += [one for one in _widened(template, wanted, text, alone, made) if one.start < one.end]
    speaking = _speaking(template, wanted, text, made)
    if len(speaking) == len(wanted.messages):
        return sorted(made, key=lambda span: (span.start, -span.end))
    fewer = wanted._replace(messages=[wanted.messages[number] for number in speaking])
    return [
        one if one.message < 0 else one._replace(message=speaking[one.message])
        for one in marked_spans(template, fewer, text)
    ]


def _speaking(template: ChatTemplate, wanted: Request, text: str, made: Sequence[MarkedSpan]) -> list[int]:
    """Return the numbers of the messages without those that write nothing: blank ones without which the text is the same.

    |user|<model>Hello<end>     a blank message goes on with the turn, and the loop writes the end at that message; but it ends what was said before
    """
    own = [
        one
        for one in sorted(made, key=lambda span: span.start)
        if one.kind == "message" and not _says(wanted.messages[one.message])
    ]
    # Of several in one turn the first one writes what there is. Two that stand side by side are never asked about
    # together.
    blank = sorted({one.message for one in own}, reverse=True)
    mute: set[int] = set()
    parts = [part for part in (blank[1::2], blank[::2]) if part]
    while parts:
        part = parts.pop()
        left = [number for number in range(len(wanted.messages)) if number not in mute and number not in part]
        rendered = _rendered(template, wanted._replace(messages=[wanted.messages[number] for number in left]))
        if rendered == text:
            mute.update(part)
        elif len(part) > 1 and rendered != _without(text, [one for one in own if one.message in part]):
            middle = len(part) // 2
            parts += [part[middle:], part[:middle]]
    return [number for number in range(len(wanted.messages)) if number not in mute]


def _without(text: str, spans: Sequence[MarkedSpan]) -> str:
    """Return a text without these spans of it, in their order."""
    parts, place = [], 0
    for one in spans:
        parts.append(text[place : max(place, one.start)])
        place = max(place, one.end)
    return "".join([*parts, text[place:]])


def _rendered(template: ChatTemplate, wanted: Request) -> str | None:
    try:
        return template.rendered(wanted) if wanted.messages else None
    except (ChatTemplateError, MessageError):
        return None


def _says(message: Message) -> bool:
    """Whether a message has anything but its role and white space."""
    return any(not _is_blank(value) for name, value in message.items() if name != "role")


def _is_blank(value: object) -> bool:
    return not (value.strip() if isinstance(value, str) else value)


def _changed(template: ChatTemplate, wanted: Request, text: str, number: int) -> tuple[int, int] | None:
    """Return the span that changes if a message without content, or a blank one, is given one; None if nothing changes."""
    asked = Asked(template, wanted, text, ("content",))
    made = asked.again({number: {**wanted.messages[number], "content": asked.mark()}})
    if made is None or made == text:
        return None
    start = len(beginning((text, made)))
    return start, len(text) - len(beginning((text[start:][::-1], made[start:][::-1])))


def _widened(
    template: ChatTemplate, wanted: Request, text: str, found: Sequence[MarkedSpan], others: Sequence[MarkedSpan]
) -> list[MarkedSpan]:
    """Return messages whose contents were found, each widened to its frame if it lies inside another message and a loop there goes through numbers of
    messages: for example, the answer of a tool that is written with the call.
    """
    inside = [one for one in found if any(_holds(other, one) for other in others if other.kind == "message")]
    counted: list[MarkedSpan] = []
    for before in (0, 1) if inside else ():
        numbers = {one.message - before: ("message", one.message, 0) for one in inside}
        counted += _between(_events(template, wanted, text, {}, numbers) or (), len(text))
    made = []
    for one in found:
        framed = [span for span in counted if span.message == one.message and _holds(span, one)]
        made.append(min(framed, key=lambda span: span.end - span.start, default=one))
    return made


def _holds(span: MarkedSpan, other: MarkedSpan) -> bool:
    return span.start <= other.start and other.end <= span.end


def _by_numbers(
    template: ChatTemplate, wanted: Request, text: str, calls: dict[int, tuple[str, int, int]]
) -> list[MarkedSpan]:
    """Return the spans of a loop over the numbers of messages, counted from the first message or from the second: whichever puts all contents into
    the spans of their messages; empty if neither does.
    """
    numbers = range(len(wanted.messages))
    edges = edges_of(Asked(template, wanted, text, ("content",)), numbers)
    for before in (0, 1):
        counted = {number - before: ("message", number, 0) for number in numbers[before:]}
        found = _events(template, wanted, text, calls, counted)
        made = [] if found is None else _between(found, len(text))
        own = [span for span in made if span.kind == "message"]
        if own and all(
            any(span.message == number and span.start <= place <= span.end for span in own)
            for number in numbers[before:]
            for side in edges[number]
            for place in side
        ):
            return made
    return []


def _calls(calls: object) -> Sequence[object]:
    """The items of a loop over tool calls: the calls themselves; templates mostly take their "function" inside of it."""
    return calls if isinstance(calls, list | tuple) else ()


def _events(
    template: ChatTemplate,
    wanted: Request,
    text: str,
    watched: dict[int, tuple[str, int, int]],
    numbers: dict[int, tuple[str, int, int]] | None = None,
) -> list[Event] | None:
    recording = Recording(dict(watched), dict(numbers or {}), text)
    try:
        marked = template.rendered(wanted, recording)
    except ChatTemplateError:
        return None  # the template reads its own output
    return events_of(recording, marked)


def _between(events: Sequence[Event], length: int) -> list[MarkedSpan]:
    """Return the spans between one mark of a loop and its next; the last one ends with the text if the text ends inside a continued message."""
    made: list[MarkedSpan] = []
    running: dict[int, tuple[tuple[str, int, int], int]] = {}
    opened: list[int] = []

    def close(loop: int, place: int) -> None:
        if loop in running:
            (kind, message, number), start = running.pop(loop)
            if start < place:
                made.append(MarkedSpan(kind, message, number, start, place))

    for event in events:
        if event.kind == "generation":
            if event.what == "start":
                opened.append(event.place)
            elif opened:
                message = next((what[1] for what, _ in reversed(running.values()) if what[0] == "message"), -1)
                start = opened.pop()
                if start < event.place:
                    made.append(MarkedSpan("generation", message, 0, start, event.place))
        elif event.kind == "end" and isinstance(event.what, int):
            close(event.what, event.place)
        elif isinstance(event.what, tuple):
            loop, what = event.what
            close(loop, event.place)
            running[loop] = what, event.place
    message = next((what[1] for what, _ in reversed(running.values()) if what[0] == "message"), -1)
    made += [MarkedSpan("generation", message, 0, start, length) for start in opened if start < length]
    for loop in list(running):
        close(loop, length)
    return made
