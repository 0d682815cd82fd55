"""Limits of a chat template: steps of loops and macros, lengths of texts and lists, sizes of numbers.

    {% for i in range(10 ** 12) %}          refused: at most 100,000 numbers a range
    {% for i in range(99999) %}{% for ...   refused after STEPS steps, of all loops together
    {{ "a" * 10 ** 12 }}                    refused: longer than LONGEST
    {% set x = x ~ x %} in a loop           refused when x is longer than LONGEST
    {{ "a" * 10 ** 7 }} in a loop           refused when all that is written is

    {% if 'b' in x %} in a loop, x long     refused after SECONDS of the processor

A step takes well below a microsecond, so a template that never ends fails after some seconds; one whose steps are long
ones, by the clock of the processor. Counted per thread and rendering.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

# Steps of loops and calls of macros in one rendering. A conversation of 2,000 messages takes some ten thousand.
STEPS = 5_000_000
# Of the processor, for one rendering. Looked at once in so many steps.
SECONDS = 20.0
_STEPS_A_LOOK = 64
# Steps that the call of a macro counts as.
_MACRO = 10
# Characters of a text, items of a list.
LONGEST = 64_000_000
# Widths, counts and indents that filters and methods are given.
WIDEST = 100_000
# Bits of a whole number.
_BITS = 100_000
_WIDE = re.compile(r"%(?:\([^)]*\))?[-+ #0]*(?:\d{6}|\*|\d*\.(?:\d{6}|\*))")
_WIDENING = frozenset(
    {"center", "ljust", "rjust", "zfill", "expandtabs", "indent", "batch", "slice", "tojson", "lipsum", "wordwrap"}
)


class LimitExceededError(Exception):
    """A template goes beyond a limit. The caller makes a TemplateLimitError of it, which names the line."""


class Meter(threading.local):
    """Steps that are left in the rendering of this thread, and its deadlines by both clocks."""

    left = STEPS
    end = late = math.inf

    def begin(self) -> tuple[int, float, float]:
        """Begin a rendering; return the steps and the deadlines of the rendering around it, for `resume`."""
        before = self.left, self.end, self.late
        self.left, self.end, self.late = STEPS, time.thread_time() + SECONDS, time.monotonic() + SECONDS
        return before

    def resume(self, before: tuple[int, float, float]) -> None:
        """Restore the steps and the deadlines of the rendering around one that has ended."""
        self.left, self.end, self.late = before

    def spend(self, steps: int) -> None:
        """Count steps. Raises LimitExceededError."""
        self.left -= steps
        if self.left < 0:
            raise LimitExceededError(f"more than {STEPS:,} steps of loops and macros")
        # A thread has no more of the processor than time goes by. To ask for its share takes a call of the system, a
        # hundred microseconds on some machines.
        if time.monotonic() > self.late and time.thread_time() > self.end:
            raise LimitExceededError(f"steps that take more than {SECONDS:g} seconds")


METER = Meter()


def tick() -> None:
    """Count a step of a loop."""
    METER.left -= 1
    if METER.left < 0 or METER.left % _STEPS_A_LOOK == 0:
        METER.spend(0)


def enter() -> None:
    """Count the call of a macro, which takes as long as some steps."""
    METER.spend(_MACRO)


def sized(value: Any) -> Any:  # noqa: ANN401 - whatever a template computes
    """Return a value if it is not too long. Raises LimitExceededError."""
    if isinstance(value, str | list | tuple | dict) and len(value) > LONGEST:
        raise LimitExceededError(f"a {type(value).__name__} of more than {LONGEST:,} characters or items")
    return value


def operate(operator: str, left: Any, right: Any) -> None:  # noqa: ANN401 - whatever a template computes
    """Check an operation before it is done. Raises LimitExceededError."""
    if operator == "%":
        if isinstance(left, str) and _WIDE.search(left):
            raise LimitExceededError("a format with a width of six digits")
        return
    if operator == "**":
        if isinstance(left, int) and isinstance(right, int) and left.bit_length() * abs(right) > _BITS:
            raise LimitExceededError(f"a number of more than {_BITS:,} bits")
        return
    for one, other in ((left, right), (right, left)):
        if isinstance(one, int) and isinstance(other, str | list | tuple) and len(other) * one > LONGEST:
            raise LimitExceededError(f"a {type(other).__name__} of more than {LONGEST:,} characters or items")
    if isinstance(left, int) and isinstance(right, int) and left.bit_length() + right.bit_length() > _BITS:
        raise LimitExceededError(f"a number of more than {_BITS:,} bits")


def check_call(function: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:  # noqa: ANN401 - any callable
    """Check a call before it is made. Raises LimitExceededError."""
    function = getattr(function, "__wrapped__", function)  # as the sandbox wraps `str.format`
    name = getattr(function, "__name__", "")
    owner = getattr(function, "__self__", None)
    if name in _WIDENING:
        check_widths(name, arguments, named)
    if isinstance(owner, str) and name == "replace" and len(arguments) > 1:
        check_replacement(owner, *arguments[:2])
    elif isinstance(owner, str) and name == "expandtabs":
        sized_length(
            len(owner)
            + owner.count("\t")
            * max((abs(one) for one in (*arguments, *named.values()) if isinstance(one, int)), default=8)
        )


def check_widths(name: str, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Refuse to pad by more than WIDEST. Raises LimitExceededError."""
    for value in (*arguments, *named.values()):
        if isinstance(value, int) and abs(value) > WIDEST:
            raise LimitExceededError(f"{name} with {value}, which is more than {WIDEST:,}")


def check_form(name: str, *texts: str) -> None:
    """Refuse texts that are too long for a function that takes more than one step per character. Raises LimitExceededError."""
    if sum(map(len, texts)) > WIDEST:
        raise LimitExceededError(f"{name} of more than {WIDEST:,} characters")


def check_replacement(text: Any, old: Any, new: Any) -> None:  # noqa: ANN401 - whatever a template computes
    """Refuse a replacement whose result is too long. Raises LimitExceededError."""
    if isinstance(text, str) and isinstance(old, str) and isinstance(new, str) and len(new) > len(old):
        sized_length(len(text) + text.count(old) * (len(new) - len(old)))


def written(parts: Iterable[str]) -> str:
    """The text that a template writes, part by part. Raises LimitExceededError at the part that makes it too long."""
    return "".join(bounded(parts))


def bounded(parts: Iterable[str]) -> Iterator[str]:
    """The parts of a text that is not too long. Raises LimitExceededError at the part that makes it so."""
    left = LONGEST
    for part in parts:
        left -= len(part)
        if left < 0:
            error = LimitExceededError(f"a text of more than {LONGEST:,} characters")
            # From the line that wrote the part, if the template is still running.
            if isinstance(parts, Generator):
                parts.throw(error)
            raise error
        yield part


class Buffer(list[str]):
    """The parts that a macro or a `set` block writes, bounded in their total length."""

    left = LONGEST

    def append(self, part: str) -> None:
        """Add a part. Raises LimitExceededError."""
        self.extend((part,))

    def extend(self, parts: Iterable[str]) -> None:
        """Add parts. Raises LimitExceededError."""
        before = len(self)
        super().extend(parts)
        self.left -= sum(map(len, self[before:]))
        if self.left < 0:
            sized_length(LONGEST + 1)


def joined(parts: Iterable[Any], between: str) -> Iterator[Any]:
    """The parts of a text that is joined, as long as it is not too long. Raises LimitExceededError."""
    length = 0
    for part in parts:
        length += len(between) + len(part if isinstance(part, str) else str(part))
        sized_length(length)
        yield part


def sized_length(length: int) -> None:
    """Refuse a text of too many characters. Raises LimitExceededError."""
    if length > LONGEST:
        raise LimitExceededError(f"a text of more than {LONGEST:,} characters")


def guarded(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a filter or function of Jinja so that its widths are checked."""

    def wrapper(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - as that filter
        # The first ones are the environment or context, and the value.
        if name in _WIDENING:
            check_widths(name, arguments, named)
        if name == "wordwrap":
            # It copies the rest of a long word for each line.
            texts = [value for value in (*arguments, *named.values()) if isinstance(value, str)]
            check_form(name, *texts)
            sized_length(math.prod(map(len, texts)))
        elif name == "replace":
            given = dict(zip(("s", "old", "new"), arguments[1:], strict=False)) | named
            check_replacement(*(str(given.get(one, "")) for one in ("s", "old", "new")))
        elif name == "indent":
            sizes = [one for one in (*arguments[1:], *named.values()) if isinstance(one, str | int)]
            width = max((len(one) if isinstance(one, str) else one for one in sizes), default=0)
            sized_length((str(arguments[0]).count("\n") + 1) * width)
        return sized(function(*arguments, **named))

    return named_like(function, wrapper)


def named_like(function: Callable[..., Any], wrapper: Callable[..., Any]) -> Callable[..., Any]:
    """Return the wrapper of a Jinja function with the attributes by which Jinja passes it the same arguments."""
    for attribute in ("jinja_pass_arg", "__name__"):
        if hasattr(function, attribute):
            setattr(wrapper, attribute, getattr(function, attribute))
    return wrapper
