"""The output of the command: where results go, and the exit codes of runs that end early.

Results go to standard output, or to a file that appears only when it is complete. Everything else (progress, errors)
goes to standard error, so a pipe carries only results. Results are UTF-8 in any locale.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NoReturn

import typer

from chunker.errors import ChunkerError

STANDARD_OUTPUT = "-"

EXIT_FAILED = 1
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as in shells
EXIT_BROKEN_PIPE = 141  # 128 + SIGPIPE: the exit code of a program that does not handle the signal


@contextlib.contextmanager
def open_output(path: str | None) -> Iterator[BinaryIO]:
    """Open standard output for None and "-"; otherwise a file that replaces `path` at the end, unless an exception is
    raised.
    """
    if path is None or path == STANDARD_OUTPUT:
        if sys.stdout is None:  # started with it closed
            raise OSError(errno.EBADF, "standard output is closed")
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    given = Path(path)
    # A device or a pipe cannot be replaced, only written to. Asked of the path as given: that of an anonymous pipe
    # (/dev/stdout, /dev/fd/63) resolves to a name that no file has.
    if given.exists() and not given.is_file():
        with given.open("wb") as stream:
            yield stream
        return
    with _replacing(given) as stream:
        yield stream


@contextlib.contextmanager
def _replacing(given: Path) -> Iterator[BinaryIO]:
    target = given.resolve()  # the target of a link is replaced, not the link
    # In the same folder, because a rename is atomic only inside one file system. Hidden, so that no other run chunks
    # it.
    with _naming(given):
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(handle)
        with _naming(given):
            temporary.chmod(_mode(target))
            temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def _naming(given: Path) -> Iterator[None]:
    """Name the file that the user asked for in errors, not the temporary one."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(given)) from error


def _mode(target: Path) -> int:
    """Return the permissions of the file, or of a new file; only the owner may read a temporary file."""
    with contextlib.suppress(FileNotFoundError):
        return stat.S_IMODE(target.stat().st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def fail(message: str) -> NoReturn:
    """End the run with a message."""
    typer.echo(f"Error: {message}", err=True)
    raise typer.Exit(EXIT_FAILED)


def code_of_output_error(error: OSError) -> int:
    """Return the exit code for output that cannot be written. Prints the reason, unless only the reader of a pipe has
    gone.
    """
    if sys.stdout is not None:
        # The rest of the buffer would be written at exit, and fail again: discard it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if error.errno == errno.EPIPE or (sys.platform == "win32" and error.errno == errno.EINVAL):
        return EXIT_BROKEN_PIPE
    typer.echo(f"Error: the results cannot be written: {error}", err=True)
    return EXIT_FAILED


@contextlib.contextmanager
def ending_quietly() -> Iterator[None]:
    """Convert interruptions of a run to exit codes: a closed pipe, Ctrl-C, a full disk, an error that a command has not
    handled itself.
    """
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("Interrupted.", err=True)
        raise typer.Exit(EXIT_INTERRUPTED) from None
    except ChunkerError as error:  # some are an OSError, too, but not one of the output
        typer.echo(f"Error: {error}", err=True)
        raise typer.Exit(EXIT_FAILED) from None
    except OSError as error:
        raise typer.Exit(code_of_output_error(error)) from None
