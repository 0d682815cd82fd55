"""The files of a repository, read once and again when they change."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from operator import attrgetter
from pathlib import Path

from chunker.arguments import require_all, require_path
from chunker.errors import FileError
from chunker.files.discovery import FoundFile, Problem, portable, printable
from chunker.files.intake import LARGE_FILE
from chunker.files.progress import with_progress
from chunker.files.secrets import LEFT_OUT_BY_NAME, named_as_secret
from chunker.mapping.listing import Listing
from chunker.mapping.mapped_files import MappedFile, mapped_file
from chunker.mapping.sheets import Sheet

# Larger files are left out: a program wrote them.
_MOST_BYTES = 1 << 20
# With fewer files than this, threads are not worth it.
_MANY = 32


class Repository:
    """The source files and documents below some paths. `refresh` reads those that have changed.

    Args:
        paths: Files and folders; hidden files, and what .gitignore names, are left out.
        root: Files are named from here; by default the only folder of `paths`, or else the current one.

    Raises:
        FileError: A path does not exist, or the root is no folder.
        OptionError: No file can be called so.
        WrongTypeError: `paths` is neither a path nor a collection of paths.
    """

    def __init__(
        self,
        paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        root: str | os.PathLike[str] | None = None,
    ) -> None:
        if not isinstance(paths, str | os.PathLike):
            require_all(paths, (str, os.PathLike), "paths", "str and paths")
        listed = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
        for path in listed:
            require_path(path, "paths")
            if not os.path.lexists(path):
                raise FileError(f"{printable(os.fspath(path)) or 'an empty path'} does not exist")
        if root is not None:
            require_path(root, "root")
            if not os.path.isdir(root):  # noqa: PTH112  # as the other paths
                raise FileError(f"root: {printable(os.fspath(root)) or 'an empty path'} is no folder")
        real = [os.path.realpath(path) for path in listed]
        alone = len(real) == 1 and Path(real[0]).is_dir()
        self._root = os.path.realpath(root) if root is not None else real[0] if alone else os.path.realpath(".")
        self._listing = Listing(real)
        # Real path -> the first path that was given for it.
        self._given: dict[str, str] = {}
        for path, one in zip(real, listed, strict=True):
            self._given.setdefault(path.replace(os.sep, "/"), os.fspath(one))
        self._states: dict[str, tuple[int, int, int]] = {}
        self._sheets: dict[str, Sheet] = {}  # by path
        self._problems: dict[str, Problem] = {}  # likewise
        self._numbers: dict[str, int] = {}

    def refresh(self, *, progress: bool | None = False) -> int:
        """Read what is new or has changed and forget what is gone.

        Args:
            progress: Show a bar on standard error; None shows it if that is a terminal, and else a line every few
                seconds.

        Returns:
            The number of files that are new, have changed or are gone.
        """
        seen: set[str] = set()
        changed: dict[str, int] = {}
        for path, state in self._listing.files():
            seen.add(path)
            # The last also tells that permissions have changed.
            now = (state.st_size, state.st_mtime_ns, state.st_ctime_ns)
            if self._states.get(path) != now:
                self._states[path] = now
                changed[path] = state.st_size
        gone = self._states.keys() - seen
        for path in gone:
            del self._states[path]
        for path in (*gone, *changed):
            self._sheets.pop(path, None)
            self._problems.pop(path, None)
        # In the order of the files: names are numbered as they are met, and the numbers must not depend on threads.
        read = zip(changed, self._mapped(changed), strict=True)
        lines = progress is None
        with with_progress(read, "Reading", len(changed), streaming=False, shown=progress, lines=lines) as counted:
            for path, mapped in counted:
                if isinstance(mapped, Problem):
                    self._problems[path] = mapped
                elif mapped is not None:
                    self._sheets[path] = Sheet(mapped, self._numbers)
        return len(changed) + len(gone)

    def _mapped(self, sizes: dict[str, int]) -> Iterator[MappedFile | Problem | None]:
        """The symbols of each file, given with its size. Parsing releases the GIL, so many files are read by several threads."""
        if len(sizes) < _MANY:
            yield from map(self._read, sizes, sizes.values())
            return
        with ThreadPoolExecutor(os.cpu_count()) as threads:
            yield from threads.map(self._read, sizes, sizes.values())

    def _read(self, path: str, size: int) -> MappedFile | Problem | None:
        named = path in self._given
        if named_as_secret(path):
            return Problem(path, LEFT_OUT_BY_NAME, failed=named)
        if named and not Path(path).is_file():
            return Problem(path, "not a regular file")
        if size > _MOST_BYTES:
            return Problem(path, f"left out: {LARGE_FILE}", failed=False, rule=LARGE_FILE)
        name = portable(os.path.relpath(path, self._root)).replace(os.sep, "/")
        return mapped_file(name, FoundFile(path, size, named=named))

    def _as_given(self, path: str) -> str:
        """A path as it follows from the paths that were given."""
        for above in (Path(path), *Path(path).parents):
            given = self._given.get(above.as_posix())
            if given is not None:
                below = os.path.relpath(path, above)
                return given if below == os.curdir else below if given == os.curdir else f"{given.rstrip('/')}/{below}"
        return path

    @property
    def root(self) -> str:
        """The folder that names of files begin in."""
        return self._root

    @property
    def files(self) -> list[MappedFile]:
        """The files that have symbols or headings, by name."""
        return [sheet.file for sheet in self.sheets]

    @property
    def problems(self) -> list[Problem]:
        """Files and folders that were not read, with the reasons, by path: each path as it was given to the repository,
        or below such a path.
        """
        found = [*self._listing.problems, *self._problems.values()]
        return sorted((replace(one, path=self._as_given(one.path)) for one in found), key=attrgetter("path"))

    @property
    def found(self) -> int:
        """The number of files that were found, those of `problems` included."""
        return len(self._states) + len(self._listing.problems)

    @property
    def sheets(self) -> list[Sheet]:
        """The lines of these files."""
        return sorted(self._sheets.values(), key=attrgetter("file.name"))

    @property
    def name_numbers(self) -> dict[str, int]:
        """Name -> its number, for all names that are or were in a file."""
        return self._numbers
