"""Default options from `[tool.chunker]` in pyproject.toml, for all runs in a project.

    [tool.chunker]                  for all commands that have the option
    tokenizer = "gpt-4o"
    exclude = ["docs/img"]

    [tool.chunker.index]            for one command
    max-tokens = 256

The file is that of the current folder, else the nearest above it that has such a table, and none outside of the
repository. The command line takes precedence over the environment, the environment over the file, and the table of a
command over the common table. An unknown table or option is an error, because a typing mistake would otherwise go
unnoticed, and so is a value of a wrong type. An option of the common table that has another type in some of the
commands, such as the `format` of each, holds for those that can take its value.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

from chunker.cli.coercion import number_within
from chunker.errors import OptionError
from chunker.files.discovery import printable, reason_of

FILE = "pyproject.toml"
_WITHOUT = frozenset(
    """paths help version output terminal open_page dry_run watch query target stdin_filename""".split()  # noqa: SIM905  # words are easier to read than strings
)

# Options that share the name of another command's option, but mean something else: the tokens of a file, of a map, of
# the answer of a model.
_OWN = frozenset(
    {("check", "max_tokens"), ("map", "max_tokens"), ("skeleton", "max_tokens"), ("prompt simulate", "reserve")}
)


class Parameter(NamedTuple):
    """A parameter of a command.

    `names`: those on the command line. `kind`: the type of its value; None if unknown. `least` and `most`: the limits of
    a number. `multiple`: it may be repeated.
    """

    names: Sequence[str]
    kind: Any = None
    least: float | None = None
    most: float | None = None
    multiple: bool = False

    def value(self, given: object) -> object:
        """Return the value of the command for a value of TOML; a single value becomes a list for an option that may be
        repeated. Raises `ValueError` with what it must be.
        """
        value = [given] if self.multiple and not isinstance(given, list) else given
        must, right = self._required(value)
        if not right:
            raise ValueError(must)
        return value

    def _required(self, given: object) -> tuple[str, bool]:
        """Return what a value must be, and whether this one is."""
        if self.kind == list[str]:
            return "a string or an array of strings", all(isinstance(one, str) for one in cast("list[object]", given))
        if self.kind is bool:
            return "true or false", isinstance(given, bool)
        if self.kind in {int, float}:
            whole = self.kind is int
            number = isinstance(given, int if whole else int | float) and not isinstance(given, bool)
            return number_within(self.least, self.most, whole=whole), number and self._within(given)
        if isinstance(self.kind, type) and issubclass(self.kind, enum.Enum):
            choices = [str(one.value) for one in self.kind]
            return f"one of {', '.join(choices)}", given in choices
        return "a string", isinstance(given, str) or self.kind not in {str, Path}

    def _within(self, given: Any) -> bool:  # noqa: ANN401  # a number
        return (self.least is None or given >= self.least) and (self.most is None or given <= self.most)


class CommandSettings(NamedTuple):
    """The options of one command in a settings file, by the names of its parameters, and the folder of the file."""

    folder: Path | None
    options: dict[str, Any]


def find_settings(
    start: Path, command: str, options_of: Callable[[str], Mapping[str, Parameter]], commands: Sequence[str]
) -> CommandSettings:
    """Find the settings of a command that hold in a folder.

    Args:
        start: The folder.
        command: The name of the command.
        options_of: For the name of a command its parameters; empty for any other name.
        commands: The names of all commands.

    Raises:
        OptionError: The file cannot be read, has a table or an option that no command has, or a value that its option
            cannot have.
    """
    start = start.resolve()
    for folder in (start, *start.parents):
        table = _table(folder / FILE)
        if table is not None:
            return CommandSettings(folder, _Reading(folder / FILE, command, options_of, commands).options(table))
        if Path(folder, ".git").exists():
            break
    return CommandSettings(None, {})


def _table(path: Path) -> dict[str, Any] | None:
    try:
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise OptionError(f"{printable(str(path))}: {reason_of(error)}") from None
    if b"chunker" not in content:
        return None
    import tomllib  # noqa: PLC0415  # most folders have no such table

    try:
        tool = tomllib.loads(content.decode("utf-8")).get("tool", {})
    except ValueError as error:
        raise OptionError(f"{printable(str(path))}: {error}") from None
    table = tool.get("chunker") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise OptionError(f"{printable(str(path))}: [tool.chunker] must be a table")
    return table


class _Reading(NamedTuple):
    """Reads a table of settings for one command. Other commands are imported only for options that this one does not have."""

    path: Path
    command: str
    options_of: Callable[[str], Mapping[str, Parameter]]
    commands: Sequence[str]

    def options(self, table: Mapping[str, Any]) -> dict[str, Any]:
        known = self.options_of(self.command)
        found: dict[str, Any] = {}
        for key, value in table.items():
            if isinstance(value, dict):
                if not self.options_of(key):
                    raise self._error(f"[tool.chunker.{key}]: no command has this name")
                continue
            parameter = _parameter(key, known)
            if parameter is None:
                self._require_known(key)
            elif (self.command, parameter) not in _OWN:
                try:
                    found[parameter] = known[parameter].value(value)
                except ValueError as error:
                    self._require_taken(key, value, str(error))
        own = table.get(self.command)
        for key, value in own.items() if isinstance(own, dict) else ():
            parameter = _parameter(key, known)
            if parameter is None:
                told = ", ".join(sorted(_told(known)))
                raise self._error(
                    f"[tool.chunker.{self.command}] has {key!r}, which this command does not have; it has {told}"
                )
            try:
                found[parameter] = known[parameter].value(value)
            except ValueError as error:
                raise self._error(f"[tool.chunker.{self.command}] {key} must be {error}, got {_shown(value)}") from None
        return found

    def _require_taken(self, key: str, value: object, must: str) -> None:
        """Raise if no other command can take a value of the common table, which this one cannot."""
        for name in self.commands:
            options = self.options_of(name)
            parameter = _parameter(key, options)
            if parameter is None or (name, parameter) in _OWN:
                continue
            try:
                options[parameter].value(value)
            except ValueError:
                continue
            return
        raise self._error(f"[tool.chunker] {key} must be {must}, got {_shown(value)}")

    def _require_known(self, key: str) -> None:
        everywhere = [self.options_of(name) for name in self.commands]
        if not any(_parameter(key, options) for options in everywhere):
            told = ", ".join(sorted(name for name in set().union(*map(_told, everywhere))))
            raise self._error(f"[tool.chunker] has {key!r}, which no command has; there are {told}")

    def _error(self, message: str) -> OptionError:
        return OptionError(f"{printable(str(self.path))}: {message}")


def _shown(value: object) -> str:
    """Return a value for messages, as TOML has it if it is short.

    >>> _shown(True), _shown("many"), _shown([1])
    ('true', "'many'", '[1]')
    """
    return str(value).lower() if isinstance(value, bool) else f"{value!r:.60}"


def _parameter(key: str, options: Mapping[str, Parameter]) -> str | None:
    """Return the parameter for a key: the name of an option without its dashes, with either - or _ between words."""
    wanted = key.replace("_", "-")
    return next((name for name, one in options.items() if name not in _WITHOUT and wanted in _names(one.names)), None)


def _names(spelled: Iterable[str]) -> set[str]:
    return {name.removeprefix("--") for name in spelled if name.startswith("--")}


def _told(options: Mapping[str, Parameter]) -> set[str]:
    return {min(names) for name, one in options.items() if name not in _WITHOUT and (names := _names(one.names))}
