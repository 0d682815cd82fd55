"""The files below some paths, listed once, and again only when a folder or an ignore file has changed."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from chunker.files.discovery import FoundFile, Problem, find_files

_RULE_FILES = (".gitignore", ".chunkerignore")
_EXCLUDED = ".git/info/exclude"
# A folder that changed less than this before it was listed may have changed again with the same time stamp.
_COARSE_CLOCK = 2_000_000_000  # nanoseconds


@dataclass(slots=True)
class _Folder:
    """A listed folder: when it last changed, when it was listed (both in nanoseconds), and the names in it."""

    changed: int
    listed: int
    names: frozenset[str]


class Listing:
    """Lists files. While no folder and no ignore file changes, listing again costs one `stat` for each file and folder."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths
        self._found: list[str] | None = None
        self._problems: list[Problem] = []
        self._folders: dict[str, _Folder] = {}
        self._rules: dict[str, tuple[int, int] | None] = {}

    def files(self) -> Iterator[tuple[str, os.stat_result]]:
        """The path and the state of each file."""
        # A folder that cannot be listed may become readable without a change that could be seen.
        if self._found is None or self._problems or not self._is_unchanged():
            self._list()
        for path in self._found or ():
            try:
                yield path, os.stat(path)  # noqa: PTH116  # of thousands of files
            except OSError:
                continue  # gone since it was found

    @property
    def problems(self) -> list[Problem]:
        """The files that could not be read, and why."""
        return self._problems

    def _list(self) -> None:
        folders: list[str] = []
        self._folders, self._rules = {}, {}
        found = list(find_files(self._paths, folders=folders))
        self._found = [one.path for one in found if isinstance(one, FoundFile)]
        self._problems = [one for one in found if isinstance(one, Problem)]
        for path in folders:
            folder = _folder(path)
            if folder is not None:
                self._folders[path] = folder
                for name in folder.names.intersection(_RULE_FILES):
                    self._note_rules(f"{path}/{name}")
        for path in self._paths:
            for parent in Path(path).parents:
                for name in (*_RULE_FILES, _EXCLUDED):
                    self._note_rules(f"{parent}/{name}")
            self._note_rules(f"{path}/{_EXCLUDED}")

    def _note_rules(self, path: str) -> None:
        self._rules[path] = _state(path)

    def _is_unchanged(self) -> bool:
        if any(_state(path) != state for path, state in self._rules.items()):
            return False
        for path, known in self._folders.items():
            try:
                changed = os.stat(path).st_mtime_ns  # noqa: PTH116  # of thousands of folders
            except OSError:
                return False
            if changed == known.changed and known.listed - changed > _COARSE_CLOCK:
                continue
            folder = _folder(path)
            if folder is None or folder.names != known.names:
                return False
            self._folders[path] = folder
        return True


def _folder(path: str) -> _Folder | None:
    try:
        changed = os.stat(path).st_mtime_ns  # noqa: PTH116  # of thousands of folders
        return _Folder(changed, time.time_ns(), frozenset(os.listdir(path)))  # noqa: PTH208  # likewise
    except OSError:
        return None  # gone since it was listed


def _state(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116  # of hundreds of files
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
