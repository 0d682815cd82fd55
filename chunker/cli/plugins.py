"""The commands of `chunker`, each imported when it is run: our own, and those that other packages add through the entry point group
`bpe_chunker.commands`.

    [project.entry-points."bpe_chunker.commands"]
    serve = "package.module:app"        # a typer.Typer, or a function whose parameters typer can read

The name on the left becomes the command. Its module is imported when the command is run or the list of commands is
shown, never for a command of our own. One that cannot be loaded is listed with the reason, and does not affect the
others.
"""

# Contexts and commands are `Any`: typer has moved their classes from click into a private module of its own.
# ruff: noqa: ANN401

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import typer
import typer.core
import typer.main

from chunker.cli.coercion import coerce_early

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "bpe_chunker.commands"


class LazyCommand(NamedTuple):
    """A command of our own: its module, the function or `typer.Typer` there, and the text below its help."""

    module: str
    name: str
    epilog: str = "EPILOG"


class CommandGroup(typer.core.TyperGroup):
    """Lists the commands of the application, then those of plug-ins; a plug-in cannot replace one of ours."""

    own: ClassVar[Mapping[str, LazyCommand]] = {}

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        coerce_early(self)

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002  # as typer calls it
        """Return the names in the order in which they are shown."""
        return [*self.own, *(name for name in _plugins() if name not in self.own)]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the arguments begin with; it may have two words, such as `prompt simulate`."""
        both = " ".join(args[:2])
        return super().resolve_command(ctx, [both, *args[2:]] if both in self.own else args)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002  # as typer calls it
        """Return the command of this name; None if there is none."""
        if cmd_name in self.own:
            return _own(cmd_name, self.own[cmd_name])
        if cmd_name in _plugins():
            return _load(_plugins()[cmd_name])
        return None


@functools.cache
def _own(name: str, place: LazyCommand) -> Any:
    module = import_module(place.module)
    target = getattr(module, place.name)
    if isinstance(target, typer.Typer):  # a group, even of one command
        command: Any = typer.main.get_group(target)
    else:
        command = _command(name, target, getattr(module, place.epilog, None))
    command.name = name
    return coerce_early(command)


@functools.cache
def _plugins() -> dict[str, EntryPoint]:
    # Imported late: the import takes as long as that of typer, and our own commands do not need it.
    from importlib.metadata import entry_points  # noqa: PLC0415

    return {point.name: point for point in sorted(entry_points(group=GROUP), key=lambda point: point.name)}


@functools.cache
def _load(point: EntryPoint) -> Any:
    try:
        command = coerce_early(_command(point.name, point.load()))
    except Exception as error:  # noqa: BLE001 - whatever a foreign module raises while it is imported
        command = _command(point.name, _complaint(point, error))
    command.name = point.name
    return command


def _command(name: str, target: Any, epilog: str | None = None) -> Any:
    if inspect.isfunction(target):
        app = typer.Typer(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False)
        app.command(name, epilog=epilog)(target)
        target = app
    if not isinstance(target, typer.Typer):
        raise TypeError(f"a {type(target).__name__} is neither a typer.Typer nor a function")
    return typer.main.get_command(target)


def _complaint(point: EntryPoint, error: Exception) -> Any:
    """Return a command that only says why the real one is not available."""
    origin = point.dist.name if point.dist is not None else point.module
    reason = f"Cannot be loaded from {origin}: {type(error).__name__}: {error}"

    def complain() -> None:
        typer.echo(f"Error: the command {point.name!r} is not available. {reason}", err=True)
        raise typer.Exit(1)

    complain.__doc__ = reason
    return complain
