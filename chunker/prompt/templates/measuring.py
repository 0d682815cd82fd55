"""The size of the values that a template makes: containers that hold others many times, and texts that are joined of many.

    {% set x = [x, x] %} in a loop      few values in memory, and billions where they are written or compared one by one
    {{ (['a' * 10 ** 6] * 10 ** 4) | tojson }}

Writing, comparing and sorting such a value is one step of Python's, which no clock can end. So it is measured before,
in a time that is bounded itself.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from string import Formatter
from typing import Any

from chunker.prompt.templates import limits

# Values in a container, with those inside of it. A conversation of 10,000 messages has some 50,000.
VALUES = 1_000_000
_WIDE = re.compile(r"\d{6}|\{")
_NUMBER = re.compile(r"\d+")
_CONTAINERS = (list, tuple, dict)


def measured(value: Any) -> Any:  # noqa: ANN401 - whatever a template computes
    """Return a value if it is short enough to be written. Raises LimitExceededError."""
    if type(value) is not str and isinstance(value, _CONTAINERS):
        size(value)
    return value


def size(value: Any) -> tuple[int, int]:  # noqa: ANN401 - whatever a template computes
    """The characters of all texts in a value, and how many values there are. Raises LimitExceededError."""
    characters, values = 0, 1
    left = [value]
    while left:
        one = left.pop()
        if isinstance(one, str):
            characters += len(one)
            continue
        if not isinstance(one, _CONTAINERS):
            continue
        values += len(one) * (2 if isinstance(one, dict) else 1)
        if values > VALUES:
            raise limits.LimitExceededError(f"a value of more than {VALUES:,} parts")
        left.extend(one)
        if isinstance(one, dict):
            left.extend(one.values())
    limits.sized_length(characters)
    return characters, values


def joined(*parts: Any) -> str:  # noqa: ANN401 - whatever a template computes
    """The text of `a ~ b ~ c`."""
    texts = [part if type(part) is str else str(measured(part)) for part in parts]
    limits.sized_length(sum(map(len, texts)))
    return "".join(texts)


def measuring(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a filter of Jinja so that its values are measured."""

    def wrapper(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401 - as that filter
        for value in arguments:
            measured(value)
        return function(*arguments, **named)

    return limits.named_like(function, wrapper)


def check_percent(text: str, values: Any) -> None:  # noqa: ANN401 - whatever a template computes
    """Refuse `text % values` that would be too long. Raises LimitExceededError."""
    given = values if isinstance(values, tuple) else values.values() if isinstance(values, Mapping) else (values,)
    _check_filled(text, re.findall(r"%[^a-zA-Z%]*", text), given)


def check_format(text: str, values: Iterable[Any]) -> None:
    """Refuse `text.format(values)` that would be too long. Raises LimitExceededError."""
    with suppress(ValueError):  # it is not a format, as will be said
        _check_filled(
            text,
            [form for _, name, form, _ in Formatter().parse(text) if name is not None for form in [form or ""]],
            values,
        )


def _check_filled(text: str, forms: Sequence[str], values: Iterable[Any]) -> None:
    if any(_WIDE.search(form) for form in forms):
        raise limits.LimitExceededError("a format with a width of six digits")
    longest = max((len(value) if isinstance(value, str) else sum(size(value)) for value in values), default=0)
    widths = sum(int(width) for form in forms for width in _NUMBER.findall(form))
    limits.sized_length(len(text) + len(forms) * longest + widths)


def check_translated(text: str, table: Any) -> None:  # noqa: ANN401 - whatever a template computes
    """Refuse a translation whose result would be too long. Raises LimitExceededError."""
    values = table.values() if isinstance(table, Mapping) else ()
    limits.sized_length(len(text) * max((len(value) for value in values if isinstance(value, str)), default=1))


def check_summed(values: Any, start: Any) -> None:  # noqa: ANN401 - whatever a template computes
    """Refuse a sum of lists that copies more than it may. Raises LimitExceededError."""
    if isinstance(values, _CONTAINERS) and not isinstance(start, int | float):
        limits.sized_length(len(values) * sum(size(values)))


def tojson(
    value: Any,  # noqa: ANN401 - whatever a template computes
    ensure_ascii: bool = False,  # noqa: FBT001, FBT002 - as templates write it
    indent: int | str | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,  # noqa: FBT001, FBT002
) -> str:
    """The filter `tojson` of `transformers`. Raises LimitExceededError."""
    limits.check_widths("tojson", (indent,), {})
    size(value)
    if indent is None and separators is None:
        return json.dumps(value, ensure_ascii=ensure_ascii, sort_keys=sort_keys)
    made = json.JSONEncoder(ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
    return limits.written(made.iterencode(value))
