"""Default options from `[tool.chunker]` in pyproject.toml, for all runs in a project.

    [tool.chunker]                  for all commands that have the option
    tokenizer = "gpt-4o"
    exclude = ["docs/img"]

    [tool.chunker.index]            for one command
    max-tokens = 256

The file is that of the current folder, else the nearest above it that has such a table, and none outside of the
repository. The command line takes precedence over the environment, the environment over the file, and the table of a
command over the common table. An unknown table or option is an error, because a typing mistake would otherwise go
unnoticed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from chunker.errors import OptionError
from chunker.files.discovery import printable, reason_of

FILE = "pyproject.toml"
_WITHOUT = frozenset(
    """paths help version output terminal open_page dry_run watch query target stdin_filename""".split()  # noqa: SIM905  # words are easier to read than strings
)

# Options that share the name of another command's option, but mean something else: here the tokens of a file.
_OWN = frozenset({("check", "max_tokens")})


class CommandSettings(NamedTuple):
    """The options of one command in a settings file, by the names of its parameters, and the folder of the file."""

    folder: Path | None
    options: dict[str, Any]


def find_settings(
    start: Path, command: str, options_of: Callable[[str], Mapping[str, Sequence[str]]], commands: Sequence[str]
) -> CommandSettings:
    """Find the settings of a command that hold in a folder.

    Args:
        start: The folder.
        command: The name of the command.
        options_of: For the name of a command its parameters, each with its names on the command line; empty for any
            other name.
        commands: The names of all commands.

    Raises:
        OptionError: The file cannot be read, or has a table or an option that no command has.
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
    options_of: Callable[[str], Mapping[str, Sequence[str]]]
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
                found[parameter] = value
        own = table.get(self.command)
        for key, value in own.items() if isinstance(own, dict) else ():
            parameter = _parameter(key, known)
            if parameter is None:
                told = ", ".join(sorted(_told(known)))
                raise self._error(
                    f"[tool.chunker.{self.command}] has {key!r}, which this command does not have; it has {told}"
                )
            found[parameter] = value
        return found

    def _require_known(self, key: str) -> None:
        everywhere = [self.options_of(name) for name in self.commands]
        if not any(_parameter(key, options) for options in everywhere):
            told = ", ".join(sorted(name for name in set().union(*map(_told, everywhere))))
            raise self._error(f"[tool.chunker] has {key!r}, which no command has; there are {told}")

    def _error(self, message: str) -> OptionError:
        return OptionError(f"{printable(str(self.path))}: {message}")


def _parameter(key: str, options: Mapping[str, Sequence[str]]) -> str | None:
    """Return the parameter for a key: the name of an option without its dashes, with either - or _ between words."""
    wanted = key.replace("_", "-")
    return next((name for name, spelled in options.items() if name not in _WITHOUT and wanted in _names(spelled)), None)


def _names(spelled: Iterable[str]) -> set[str]:
    return {name.removeprefix("--") for name in spelled if name.startswith("--")}


def _told(options: Mapping[str, Sequence[str]]) -> set[str]:
    return {min(names) for name, spelled in options.items() if name not in _WITHOUT and (names := _names(spelled))}
