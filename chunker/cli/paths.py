"""Check the paths of a command before any work: a path that cannot be used is an error at once."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import typer

from chunker.cli.console import STANDARD_OUTPUT, fail
from chunker.files.discovery import STANDARD_INPUT, printable, reason_of


def check_paths(
    paths: list[str], output: str | None, stdin_filename: str | None = None, *, standard_input: bool = True
) -> None:
    """Raise for a path that does not exist, an output that cannot be written, and a name for standard input that is not read, before any work.
    `standard_input`: whether a path may be "-".
    """
    for path in paths:
        if path == STANDARD_INPUT and not standard_input:
            raise typer.BadParameter("standard input cannot be read here: pass files or folders", param_hint="PATH")
        if not path:
            raise typer.BadParameter("an empty path; the current folder is .", param_hint="PATH")
        try:
            if path != STANDARD_INPUT:
                Path(path).lstat()
        except (FileNotFoundError, NotADirectoryError):
            raise typer.BadParameter(f"{printable(path)} does not exist", param_hint="PATH") from None
        except OSError:
            continue  # it may exist: the problem is reported when it is read
    if stdin_filename is not None and STANDARD_INPUT not in paths:
        raise typer.BadParameter("no PATH is -, which reads standard input", param_hint="--stdin-filename")
    if output is None or output == STANDARD_OUTPUT:
        return
    if not output:
        raise typer.BadParameter("an empty path", param_hint="--output")
    if Path(output).is_dir():
        raise typer.BadParameter(f"{printable(output)} is a folder", param_hint="--output")
    if not Path(output).absolute().parent.is_dir():
        raise typer.BadParameter(f"the folder of {printable(output)} does not exist", param_hint="--output")


def check_file(path: str | Path, name: str) -> None:
    """Raise for the path of a file that does not exist or is a folder, before any work. `name`: the option or argument, for messages."""
    try:
        is_folder = stat.S_ISDIR(Path(path).stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        raise typer.BadParameter(f"{printable(str(path))} does not exist", param_hint=name) from None
    except OSError:
        return  # it may exist: the problem is reported when it is read
    if is_folder:
        raise typer.BadParameter(f"{printable(str(path))} is a folder", param_hint=name)


def read_input(path: str) -> bytes:
    """Return the bytes of a file, or of standard input for "-". A path that does not exist is wrong usage; a file that cannot be read ends the run."""
    check_paths([path], None)
    if path == STANDARD_INPUT and sys.stdin is None:  # started with it closed
        fail("standard input is closed")
    try:
        return sys.stdin.buffer.read() if path == STANDARD_INPUT else Path(path).read_bytes()
    except OSError as error:
        fail(f"{printable(path)}: {reason_of(error)}")
