"""Pass option values through typer when Python has checked them already.

typer checks each value with a pydantic model of its parameter. Importing pydantic and building the models of `chunker
chunk` takes longer than chunking a file, but most values are defaults, words and whole numbers. Values that are not
clearly valid go to typer, which makes the error messages.
"""

# Commands and parameters are `Any`: typer has moved their classes from click into a private module of its own.
# ruff: noqa: ANN401

from __future__ import annotations

import enum
import os
from typing import Any, get_args, get_origin

import typer


def coerce_early(command: Any) -> Any:
    """Return the command with parameters that accept simple values directly, and so the commands of a group; unchanged if this version of typer has other
    internals.
    """
    for inner in getattr(command, "commands", {}).values():
        coerce_early(inner)
    listed = command.get_params

    def get_params(ctx: Any) -> Any:  # including --help, which is not in `command.params`
        parameters = listed(ctx)
        for parameter in parameters:
            annotation = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
            if getattr(parameter, "_runtime_param", ...) is None and _is_plain(annotation):
                parameter._runtime_param = _PlainFirst(parameter, annotation)  # noqa: SLF001  # there is no other door
        return parameters

    command.get_params = get_params
    return command


class _PlainFirst:
    """Takes the place of the object with which typer checks a parameter."""

    def __init__(self, parameter: Any, annotation: Any) -> None:
        self._parameter = parameter
        self._annotation = annotation

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return the value that the function gets."""
        if value is None:
            return () if param.multiple or param.nargs == -1 else None
        info = self._parameter.type_descriptor.parameter_info
        if getattr(info, "parser", None) is None:
            taken = _taken(value, self._annotation, getattr(info, "min", None), getattr(info, "max", None))
            if taken is not _UNSURE:
                return taken
        from typer._coercion import build_runtime_param  # noqa: PLC0415  # where it is needed, which is seldom

        try:
            return build_runtime_param(self._parameter.type_descriptor).coerce(value, param=param, ctx=ctx)
        except typer.BadParameter as error:
            told: typer.BadParameter = error
            told.message = told.message.removeprefix(
                "Value error, "
            )  # the prefix of pydantic before a message of typer
            if self._annotation in {int, float} and type(value) is str:
                least, most = getattr(info, "min", None), getattr(info, "max", None)
                told = typer.BadParameter(
                    _no_such_number(value, least, most, whole=self._annotation is int), ctx=ctx, param=param
                )
            origin = _origin(ctx, param.name)
            if origin is not None:
                told.param_hint = origin
            raise told from None


def _origin(ctx: Any, name: str) -> str | None:
    """Return the name, for messages, of the environment variable or the file that set a parameter; None if none did."""
    source = ctx.get_parameter_source(name)
    if source is not None and source.name == "DEFAULT_MAP":
        return f"[tool.chunker] {name.replace('_', '-')} of pyproject.toml"
    if source is None or source.name != "ENVIRONMENT":
        return None
    param = next(one for one in ctx.command.params if one.name == name)
    names = [param.envvar] if isinstance(param.envvar, str) else param.envvar
    return f"the environment variable {next((one for one in names if os.environ.get(one)), names[0])}"


_UNSURE = object()


def _is_plain(annotation: Any) -> bool:
    """Whether `_taken` supports values of this type."""
    if get_origin(annotation) is list:
        return get_args(annotation) == (str,)
    return isinstance(annotation, type) and (annotation in {str, int, float, bool} or issubclass(annotation, enum.Enum))


def _taken(value: Any, annotation: Any, least: float | None, most: float | None) -> Any:
    """Return a value of this type within these limits; `_UNSURE` if it is not clearly valid.

    >>> _taken("12", int, 1, None), _taken("0", int, 1, None) is _UNSURE, _taken(["a"], list[str], None, None)
    (12, True, ['a'])
    """
    if get_origin(annotation) is list:
        return list(value) if isinstance(value, list | tuple) and all(type(one) is str for one in value) else _UNSURE
    if annotation is int and type(value) is str and value.isascii() and value.isdecimal():
        value = int(value) if len(value) < 10 else value
    if issubclass(annotation, enum.Enum) and type(value) is str:
        value = next((one for one in annotation if one.value == value), value)
    if type(value) is not annotation or (annotation is int and not _between(value, least, most)):
        return _UNSURE
    return value


def _no_such_number(value: str, least: float | None, most: float | None, *, whole: bool = True) -> str:
    """Return the message for a text that is not a (whole) number within these limits.

    >>> _no_such_number("0", 1, None), _no_such_number("x", 1, 9)
    ("must be a whole number of at least 1, got '0'", "must be a whole number from 1 to 9, got 'x'")
    """
    return f"must be {number_within(least, most, whole=whole)}, got {value!r:.60}"


def number_within(least: float | None, most: float | None, *, whole: bool = True) -> str:
    """Return the words for a (whole) number within these limits."""
    limits = "" if least is None else f" of at least {least}" if most is None else f" from {least} to {most}"
    return f"a {'whole ' if whole else ''}number{limits}"


def _between(value: float, least: float | None, most: float | None) -> bool:
    return (least is None or value >= least) and (most is None or value <= most)
