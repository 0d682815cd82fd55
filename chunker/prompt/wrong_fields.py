"""Report wrong fields of items and sections in one line, as errors of the package.

Item(None)                    WrongTypeError: text of Item must be a str, Chunk, Hit or Path, not None
Item("a", truncate="tale")    PromptConfigurationError: truncate of Item must be 'tail', 'head' or 'middle', got 'tale'
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import wraps
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from chunker.arguments import told
from chunker.errors import OptionError, WrongTypeError
from chunker.prompt.errors import PromptConfigurationError

Kind = TypeVar("Kind", bound=type[Any])

# By the beginning of the type of an error: what the value should be.
_WANTED = {
    "string": "a str",
    "bool": "True or False",
    "int": "a whole number",
    "float": "a number",
}


def told_plainly(wanted: Mapping[str, str]) -> Callable[[Kind], Kind]:
    """A decorator of a dataclass of pydantic: it raises our errors in place of a `ValidationError`.

    Args:
        wanted: For fields of several types, the name of the field and what it should be; with "[]" after the name,
            what each part of it should be.
    """

    def decorate(kind: Kind) -> Kind:
        made = kind.__init__

        @wraps(made)
        def __init__(self: Any, *given: Any, **named: Any) -> None:  # noqa: ANN401, N807  # takes the place of that of pydantic
            try:
                made(self, *given, **named)
            except ValidationError as error:
                raise _error_of(kind, error.errors(include_url=False)[0], wanted) from None

        kind.__init__ = __init__
        return kind

    return decorate


def _error_of(kind: type[Any], wrong: ErrorDetails, wanted: Mapping[str, str]) -> OptionError:
    """The error for the first wrong field."""
    names = [field.name for field in fields(kind)]
    # Arguments by place are told by their number.
    first, *inner = wrong["loc"]
    name = names[first] if isinstance(first, int) and first < len(names) else str(first)
    own, error = f"{name} of {kind.__name__}", wrong["type"]
    if error == "missing":
        return WrongTypeError(f"{kind.__name__} needs {name}")
    if error == "unexpected_positional_argument":
        return WrongTypeError(f"{kind.__name__} takes {name} only as a keyword: {name}=...")
    if error == "multiple_argument_values":
        return WrongTypeError(f"{kind.__name__} is given {name} twice")
    if error == "unexpected_keyword_argument":
        close = difflib.get_close_matches(name, names, 1)
        return WrongTypeError(f"{kind.__name__} has no argument {name}{f'; did you mean {close[0]}?' if close else ''}")
    if inner and isinstance(inner[0], int):
        own, name = f"{name}[{inner[0]}] of {kind.__name__}", f"{name}[]"
    value, right = wrong["input"], wanted.get(name)
    if error == "literal_error":
        return PromptConfigurationError(f"{own} must be {right or wrong['ctx']['expected']}, got {value!r:.60}")
    return WrongTypeError(
        f"{own} must be {right or _WANTED.get(error.split('_')[0], 'of another type')}, not {told(value)}"
    )
