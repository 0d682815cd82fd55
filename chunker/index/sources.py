"""Find the files of an index: their names in it, and which files are left out.

    root                  the folder around the index
    root/src/a.py   ->    "src/a.py"
    /etc/motd       ->    "/etc/motd"       out of the root: only if it was named

A name has no `..` and goes through no link: a file has one, however it was reached. Folders are walked as the command
walks them (`chunker.files.discovery`): links are not followed, so there are no circles.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from chunker.arguments import require_path
from chunker.errors import OptionError
from chunker.files.discovery import STANDARD_INPUT, FoundFile, Problem, find_files, portable
from chunker.files.intake import Intake
from chunker.files.patterns import Wanted
from chunker.files.secrets import LEFT_OUT_BY_NAME, named_as_secret
from chunker.index.writing import FileState

# Larger files are data or the output of programs: their chunks would drown what people wrote.
MAX_FILE_BYTES = 64 << 20
# A file that was written less than this many nanoseconds before it was read may change again without a new time stamp:
# coarse clocks tick every two seconds.
_TIMES_TELL_AFTER = 2_500_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """The choice of files: `hidden` files, files of at most `max_file_bytes` bytes, of folders those that are `wanted`,
    and the rules of `intake`.
    """

    hidden: bool = False
    max_file_bytes: int = MAX_FILE_BYTES
    intake: Intake = field(default_factory=Intake)
    wanted: Wanted = field(default_factory=Wanted)


@dataclass(frozen=True, slots=True)
class Source:
    """A file and its name in the index."""

    name: str
    file: FoundFile


class Sources:
    """The files that paths name, themselves or in folders. `folder`: that of the index, whose files are never sources."""

    def __init__(self, paths: Iterable[str | os.PathLike[str]], root: Path, folder: Path, limits: Limits) -> None:
        self._root = os.path.realpath(root)
        self._index = os.path.realpath(folder)
        self._limits = limits
        self._tops: list[str] = []
        for path in paths:
            given = os.fspath(path)
            if given == STANDARD_INPUT:
                raise OptionError("standard input cannot be indexed, because it cannot be read again")
            if not given:
                raise OptionError('a path is empty; the current folder is "."')
            if "\0" in given:
                raise OptionError(f"a path cannot contain a NUL character: {given!r}")
            require_path(given, "paths")
            self._tops.append(os.path.realpath(given))

    def scopes(self) -> list[str]:
        """The names of the paths that were asked for; "" for the root."""
        return [self._name(top) for top in self._tops]

    def missing(self) -> set[str]:
        """The names of the paths that were asked for and do not exist."""
        return {self._name(top) for top in self._tops if not os.path.lexists(top)}

    def found(self) -> Iterator[Source | Problem]:
        """The files, each once, and a Problem for each that cannot be read; its `failed` is false for what is left out on purpose."""
        folders: set[str] = set()
        limits = self._limits
        for item in find_files(
            self._tops, hidden=limits.hidden, wanted=limits.wanted, vendored=limits.intake.generated
        ):
            if isinstance(item, Problem):
                yield replace(item, path=self._name(item.path))
            elif not self._is_of_index(item.path):
                if not self._limits.hidden and not item.named:
                    yield from self._hidden_secrets(item.path.rpartition("/")[0], folders)
                yield self._judged(item)

    def _judged(self, file: FoundFile) -> Source | Problem:
        name = self._name(file.path)
        problem = self._limits.intake.judge_name(file)
        if problem is not None:
            return replace(problem, path=name, failed=False)
        if file.size > self._limits.max_file_bytes:
            limit = self._limits.max_file_bytes
            return Problem(name, f"left out: {file.size:,} bytes are more than {limit:,}", failed=False)
        return Source(name, file)

    def _hidden_secrets(self, folder: str, seen: set[str]) -> Iterator[Problem]:
        """Problems for hidden files of a folder that hold secrets: a walk passes over hidden files silently, but these are reported."""
        if folder in seen or self._limits.intake.secrets:
            return
        seen.add(folder)
        try:
            names = sorted(path.name for path in Path(folder or "/").iterdir())
        except OSError:
            return  # gone since it was walked; the files in it will be told of
        for name in names:
            if name.startswith(".") and named_as_secret(name):
                yield Problem(self._name(f"{folder}/{name}"), LEFT_OUT_BY_NAME, failed=False)

    def _is_of_index(self, path: str) -> bool:
        return os.path.normpath(path).startswith(self._index + os.sep)

    def _name(self, path: str) -> str:
        """The name of a real path: below the root without it, elsewhere the whole path."""
        native = os.path.normpath(path)
        if native == self._root:
            return ""
        below = native.removeprefix(self._root.rstrip(os.sep) + os.sep)
        return portable(below.replace(os.sep, "/"))


def is_in_scope(name: str, scope: str) -> bool:
    """Whether a file of this name is, or lies in, what `scope` names.

    >>> is_in_scope("src/a.py", "src"), is_in_scope("src2/a.py", "src"), is_in_scope("a.py", ""), is_in_scope("/etc/motd", "")
    (True, False, True, False)
    """
    if not scope:
        return not Path(name).is_absolute()
    return name == scope or name.startswith(scope.rstrip("/") + "/")


def state_of(file: FoundFile) -> FileState | None:
    """The size and times of a file; None if the times prove nothing, for it was just written to, or if it is gone."""
    try:
        found = Path(file.path).stat()
    except OSError:
        return None
    newest = max(found.st_mtime_ns, found.st_ctime_ns)
    if time.time_ns() - newest < _TIMES_TELL_AFTER:
        return None
    return FileState(found.st_size, found.st_mtime_ns, found.st_ctime_ns)
