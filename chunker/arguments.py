"""Checks of arguments from callers without type checking: raise at once, naming the argument."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from contextlib import suppress
from operator import index
from typing import SupportsIndex

from chunker.errors import OptionError, WrongTypeError


def require(value: object, kinds: type | tuple[type, ...], name: str, wanted: str) -> None:
    """Raise `WrongTypeError` if a value has none of these types.

    Args:
        value: The value that was passed.
        kinds: The types that it may have.
        name: The name of the argument.
        wanted: A description of the right type for the message: "a str".
    """
    if not isinstance(value, kinds):
        hint = ": decode it first" if isinstance(value, bytes | bytearray) and kinds is str else ""
        raise WrongTypeError(f"{name} must be {wanted}, not {told(value)}{hint}")


def whole_number(value: object, name: str, unit: str = "", *, least: int | None = None) -> int:
    """Return a whole number of Python or numpy as an int.

    Args:
        value: The value that was passed.
        name: The name of the argument.
        unit: The unit of the number, for the message: " of tokens".
        least: The smallest number allowed; None for any.

    Raises:
        WrongTypeError: The value is not a whole number.
        OptionError: It is less than `least`.
    """
    wanted = f"a whole number{unit}" if least is None else f"a whole number{unit} from {least}"
    number = value if type(value) is int else None
    if number is None and isinstance(value, SupportsIndex) and not isinstance(value, bool):
        with suppress(TypeError):  # an array has the method, and is not a number unless it holds a single one
            number = index(value)
    if number is None:
        hint = (
            '; the language comes first in CodeChunker("python", 512)'
            if name == "max_tokens" and unit and isinstance(value, str) and not value.isdecimal()
            else ""
        )
        raise WrongTypeError(f"{name} must be {wanted}, got {value!r:.60}{hint}")
    if least is not None and number < least:
        raise OptionError(f"{name} must be {wanted}, got {number}")
    return number


def require_all(values: object, kinds: type | tuple[type, ...], name: str, wanted: str) -> None:
    """Raise `WrongTypeError` unless `values` is a collection, but not a string, of values of these types; `wanted`
    names the type of a value: "str".

    The items of an iterator cannot be checked, so only its own type is.
    """
    if isinstance(values, str | bytes | bytearray) or not isinstance(values, Iterable):
        raise WrongTypeError(f"{name} must be a collection of {wanted}, not {told(values)}")
    for value in values if isinstance(values, Collection) else ():
        if not isinstance(value, kinds):
            raise WrongTypeError(f"{name} must contain only {wanted}, not {told(value)}")


def require_text(text: object, name: str = "text") -> None:
    """Raise `WrongTypeError` if a text is not a str."""
    require(text, str, name, "a str")


def require_name(value: object, name: str) -> None:
    """Raise `WrongTypeError` if a value is not a str, `OptionError` if it has a lone surrogate, which UTF-8 cannot
    encode.
    """
    require_text(value, name)
    try:
        str(value).encode()
    except UnicodeEncodeError as error:
        raise OptionError(
            f"{name} must be text without lone surrogates, got {value!r:.60} (character {error.start})"
        ) from None


def require_names(values: object, name: str) -> None:
    """Raise `WrongTypeError` if `values` is not a collection of str, `OptionError` as `require_name` for each of
    them.
    """
    require_all(values, str, name, "str")
    for value in values if isinstance(values, Collection) else ():
        require_name(value, f"each of {name}")


def require_path(path: object, name: str) -> None:
    """Raise `WrongTypeError` if a value is not a path, `OptionError` if no file can have this name."""
    require(path, (str, os.PathLike), name, "a str or a path")
    try:
        if b"\0" not in os.fsencode(path):  # type: ignore[arg-type]  # it is one of these
            return
    except UnicodeEncodeError:
        pass
    raise OptionError(f"{name}: no file can be called {str(path)!r:.60}")


def require_source(source: object) -> None:
    """Raise `WrongTypeError` if the source of a text is neither a str nor None."""
    require(source, (str, type(None)), "source", "a str or None")


def told(value: object) -> str:
    """Describe a value and its type, for messages.

    >>> told(None), told(512), told(b"abc")
    ('None', '512 (int)', "b'abc' (bytes)")
    """
    return "None" if value is None else f"{value!r:.60} ({type(value).__name__})"
