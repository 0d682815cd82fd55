"""Ctrl-C in every command: exit code 130, no traceback."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import click
import pytest
import typer
from typer.testing import CliRunner

from chunker.cli.app import app

ROOT: Any = typer.main.get_command(app)


def commands(group: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The names and objects of all commands, those of groups too."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if hasattr(command, "list_commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


COMMANDS = dict(commands(ROOT))


def arguments_of(command: Any, folder: Path) -> list[str]:
    """A value for each argument that must be given, and for each option."""
    told: list[str] = []
    for parameter in command.params:
        if parameter.param_type_name == "argument" and (parameter.required or parameter.nargs == -1):
            told.append(str(folder / "a.txt"))
        elif parameter.required:
            told += [parameter.opts[0], "300" if parameter.name == "vocab_size" else str(folder / "out.json")]
    return told


def test_all_commands_are_known() -> None:
    names = {" ".join(path) for path in COMMANDS}
    assert {"chunk", "count", "view", "index", "search", "prompt", "train", "serve", "mcp", "agents install"} <= names


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_an_interrupt_is_no_traceback(path: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the first call, or import, that the function of a command makes."""
    (tmp_path / "a.txt").write_text("Some words.\n")
    monkeypatch.chdir(tmp_path)
    callback = COMMANDS[path].callback
    code = getattr(callback, "__wrapped__", callback).__code__
    interrupted: list[str] = []

    def calling(frame: FrameType, event: str, called: object) -> None:
        caller = frame if event == "c_call" else frame.f_back
        if event not in {"call", "c_call"} or caller is None or caller.f_code is not code or interrupted:
            return
        name = frame.f_code.co_filename if event == "call" else "builtin"
        if not name.endswith(("contextlib.py", "console.py")):
            interrupted.append(f"{name}: {called}")
            raise KeyboardInterrupt

    before = sys.getprofile()
    sys.setprofile(calling)
    try:
        done = CliRunner().invoke(app, [*path, *arguments_of(COMMANDS[path], tmp_path)])
    finally:
        sys.setprofile(before)
    assert interrupted, done.output
    assert (done.exit_code, type(done.exception)) == (130, SystemExit), done.output
    assert "Traceback" not in done.output
