"""The files that a client may read: those that a walk of the roots finds, without those that hold secrets.

    roots = Roots(["project", "notes.md"])
    roots.listed(1000).names             ["project/src/a.py", ..., "notes.md"]; with a single folder, names begin in it: "src/a.py"
    roots.listed(1000).refused           {".env": "by its name it holds secrets", "logo.png": "binary: a NUL byte at byte 4"}
    roots.read("project/src/a.py")       its text
    roots.read("project/../x")           RefusedError, also for /etc/passwd, a link out of the roots, .env, a device, ignored files

A name is checked, resolved, and checked again after resolving. The file is opened folder by folder without following
links, so that the file read is the file checked, even if something is renamed meanwhile (on Windows, which cannot do
that, the path is resolved once more).
"""

# Paths are handed to os.open, which wants strings.

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import NamedTuple

from chunker.files.discovery import FoundFile, Problem, portable, printable, reason_of
from chunker.files.documents import Document, read_stream
from chunker.files.gitignore import enclosing_rules, is_repository, repository_rules
from chunker.files.intake import Intake
from chunker.files.patterns import Wanted
from chunker.files.readers.table import ending_of
from chunker.files.secrets import LEFT_OUT, LEFT_OUT_BY_NAME, LEFT_OUT_BY_TEXT, begins_with_key, named_as_secret
from chunker.index.sources import Limits, Source, Sources
from chunker.integrations.service.errors import NoSuchFileError, RefusedError, TooMuchError

MAX_FILE_BYTES = 4 << 20
_LONGEST_NAME = 4096
# The number of bytes of each file that a listing reads: enough for the tests for keys and for binary files, in any
# encoding.
_HEAD_BYTES = 65_536
# There is no index to leave out: an index in a root is hidden anyway, because of its name.
_NO_INDEX = Path(os.devnull)
# A client that asks for a file by name gets it, even if a program wrote it.
_ALL_TEXTS = Intake(generated=True, verbatim=True)
_CAN_WALK = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW") and hasattr(os, "O_DIRECTORY")


@dataclass(frozen=True, slots=True)
class _Root:
    """A root. `label`: the prefix of the names of its files, "" for a single folder; `path`: its resolved path;
    `is_folder`: False for a single file.
    """

    label: str
    path: Path
    is_folder: bool


class Listed(NamedTuple):
    """Names of files: those that may be read, and those that a walk found but that are refused, with the reasons,
    secrets first.
    """

    names: list[str]
    refused: dict[str, str]


class Roots:
    """A set of folders and files. Raises `RefusedError` at once if one does not exist. Threads may share it."""

    def __init__(
        self,
        paths: Sequence[str | os.PathLike[str]],
        *,
        max_bytes: int = MAX_FILE_BYTES,
        wanted: Wanted | None = None,
    ) -> None:
        self._max_bytes = max_bytes
        self._wanted = wanted or Wanted()
        self._roots = list(_rooted(paths))

    def __bool__(self) -> bool:
        return bool(self._roots)

    @property
    def folders(self) -> list[Path]:
        """The resolved paths of the roots that are folders."""
        return [root.path for root in self._roots if root.is_folder]

    def folder(self, label: str) -> Path:
        """Return the folder whose files' names begin with `label`; "" for a single folder. Raises `RefusedError`."""
        for root in self._roots:
            if root.is_folder and root.label == label:
                return root.path
        labels = ", ".join(printable(root.label) for root in self._roots if root.is_folder and root.label)
        raise RefusedError(
            f"there is no folder {printable(label)!r:.100}" + (f": name one of {labels}" if labels else "")
        )

    def listed(self, most: int, is_given_up: Callable[[], bool] = lambda: False) -> Listed:
        """List the files that may be read, in the order of a walk, and those that were refused up to there, because of
        their names or first bytes.

        Args:
            most: The largest number of readable files to list; the walk ends after them.
            is_given_up: Called before each file; the listing ends once it returns True.

        Returns:
            The names, and the refused ones with their reasons. A listed file may still be refused when it is read,
            because only its first bytes were checked.
        """
        names: list[str] = []
        secret: dict[str, str] = {}
        refused: dict[str, str] = {}
        for root, found in self._walked():
            if is_given_up() or len(names) == most:
                break
            below = found.name if isinstance(found, Source) else found.path
            name = "/".join(filter(None, (root.label, below if root.is_folder else "")))
            why = LEFT_OUT_BY_NAME if named_as_secret(below) else self._refusal(root, name, found)
            if why is None:
                names.append(name)
            else:
                (secret if why in LEFT_OUT else refused)[name] = why.removeprefix("left out: ")
        return Listed(names, {**secret, **refused})

    def _walked(self) -> Iterator[tuple[_Root, Source | Problem]]:
        for root in self._roots:
            top = root.path if root.is_folder else root.path.parent
            for found in Sources(
                [root.path],
                top,
                _NO_INDEX,
                Limits(max_file_bytes=self._max_bytes, intake=_ALL_TEXTS, wanted=self._wanted),
            ).found():
                yield root, found

    def _refusal(self, root: _Root, name: str, found: Source | Problem) -> str | None:
        """Return the reason to refuse a file that a walk found, because of its size, name or first bytes; None to list
        it.
        """
        if isinstance(found, Problem):
            return found.reason
        try:
            _, parts = self._found(name)
            if root.path.joinpath(*parts) != Path(found.file.path):
                return "its name is not UTF-8"
            handle = _open_below(*_below(root, parts or (root.path.name,)))
            try:
                head = os.read(handle, _HEAD_BYTES)
            finally:
                os.close(handle)
        except RefusedError as error:
            return str(error)
        except OSError as error:
            return reason_of(error)
        if ending_of(name) is not None:
            return None
        document = read_stream(io.BytesIO(head), FoundFile(name, len(head), named=False))
        if isinstance(document, Document):
            return LEFT_OUT_BY_TEXT if begins_with_key(document.text) else None
        # The last character of the head may be truncated, unless the head is the whole file.
        return document.reason if not document.failed or len(head) < _HEAD_BYTES else None

    def read(self, name: str) -> Document:
        """Return the text of a file. Raises `RefusedError`, also for a document such as a PDF, `NoSuchFileError`, and
        `TooMuchError` if the file is too large.
        """
        content = self.content(name)
        shown = printable(name)
        document = read_stream(io.BytesIO(content), FoundFile(portable(name), len(content), named=True))
        if isinstance(document, Problem):
            raise RefusedError(str(document))
        if begins_with_key(document.text):
            raise RefusedError(f"{shown} holds a private key: it is never served")
        return document

    def content(self, name: str) -> bytes:
        """Return the bytes of a file, without checks of its content. Raises as `read` does.

        A worker reads documents from them (`operations`), because a malicious file may take long.
        """
        root, parts = self._found(name)
        shown = printable(name)
        real = self._resolved(root, parts, shown)
        _check_name(real, shown)
        if root.is_folder:
            _check_rules(root.path, real, shown)
            self._check_wanted(root.path, real, shown)
        return self._content(root, real, shown)

    def gives(self, path: Path) -> bool:
        """Whether the file at a path could be read by some name."""
        plain = Path(os.path.normpath(path))
        for root in self._roots:
            if plain.is_relative_to(root.path):
                below = plain.relative_to(root.path).as_posix() if root.is_folder else ""
                name = "/".join(filter(None, (root.label, below)))
                try:
                    # The content of a document was checked when it was indexed.
                    self.read(name) if ending_of(name) is None else self.content(name)
                except (RefusedError, TooMuchError):
                    continue
                return True
        return False

    def _found(self, name: str) -> tuple[_Root, tuple[str, ...]]:
        """Return the root, and the parts of the name below it. Refuses names that no file can have."""
        shown = printable(name[:_LONGEST_NAME])
        if len(name) > _LONGEST_NAME or "\0" in name or not name:
            raise RefusedError(f"{shown!r:.100} is not a file name")
        windows = PureWindowsPath(name)
        if name.startswith("/") or windows.drive or windows.root or (os.sep == "\\" and ("\\" in name or ":" in name)):
            raise RefusedError(f"{shown} is an absolute path: paths are relative to the roots, such as src/main.py")
        parts = tuple(part for part in name.split("/") if part not in {"", "."})
        if ".." in parts:
            raise RefusedError(
                f"{shown} contains ..: paths are relative to the roots, and nothing outside of them is read"
            )
        for root in self._roots:
            label = tuple(root.label.split("/")) if root.label else ()
            below = parts[len(label) :]
            if parts[: len(label)] == label and bool(below) == root.is_folder:
                return root, below
        labels = ", ".join(printable(root.label) for root in self._roots if root.label)
        raise NoSuchFileError(f"{shown} is not in any of the roots" + (f", which are {labels}" if labels else ""))

    def _resolved(self, root: _Root, parts: tuple[str, ...], shown: str) -> tuple[str, ...]:
        """Return the names from the root to the real file, with links resolved."""
        try:
            real = Path(os.path.realpath(root.path.joinpath(*parts)))
        except (OSError, ValueError) as error:
            raise RefusedError(f"{shown} is not a valid path: {error}") from None
        if not real.is_relative_to(root.path):
            raise RefusedError(f"{shown} is a link that leads out of the roots: nothing outside of them is read")
        return real.relative_to(root.path).parts if root.is_folder else (root.path.name,)

    def _check_wanted(self, root: Path, parts: tuple[str, ...], shown: str) -> None:
        """Refuse a file that the patterns of `--include` and `--exclude` leave out."""
        included = self._wanted.includes_all_of(str(root))
        path = root
        for depth, part in enumerate(parts, 1):
            path /= part
            is_folder = depth < len(parts)
            if self._wanted.excludes(path.as_posix(), is_folder=is_folder):
                raise RefusedError(f"{shown} is left out: --exclude names it")
            included = included or self._wanted.includes(path.as_posix(), is_folder=is_folder)
        if not included:
            raise RefusedError(f"{shown} is left out: --include does not name it")

    def _content(self, root: _Root, parts: tuple[str, ...], shown: str) -> bytes:
        try:
            handle = _open_below(*_below(root, parts))
            try:
                return self._of_handle(handle, shown)
            finally:
                os.close(handle)
        except OSError as error:
            if error.errno in {errno.ELOOP, errno.EMLINK}:
                raise RefusedError(f"{shown} is a link that leads nowhere") from None
            is_missing = error.errno in {errno.ENOENT, errno.ENOTDIR}
            refused = NoSuchFileError if is_missing else RefusedError
            raise refused(f"{shown}: {reason_of(error)}") from None

    def _of_handle(self, handle: int, shown: str) -> bytes:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            raise RefusedError(f"{shown} is not a regular file")
        content = b""
        if state.st_size <= self._max_bytes:
            with open(handle, "rb", closefd=False) as stream:  # a handle, no path
                content = stream.read(self._max_bytes + 1)
        if max(state.st_size, len(content)) > self._max_bytes:
            raise TooMuchError(f"{shown} has more than {self._max_bytes:,} bytes, which is the limit")
        return content


def _rooted(paths: Sequence[str | os.PathLike[str]]) -> Iterator[_Root]:
    real = [Path(os.path.realpath(path)) for path in paths]
    for path, given in zip(real, paths, strict=True):
        if not path.exists():
            raise RefusedError(f"{printable(os.fspath(given))} does not exist")
    only = len(real) == 1 and real[0].is_dir()
    labels: set[str] = set()
    for path in dict.fromkeys(real):
        label = "" if only else portable(path.name) or "root"
        number = 2
        while label in labels:
            label = f"{portable(path.name) or 'root'}~{number}"
            number += 1
        labels.add(label)
        yield _Root(label, path, path.is_dir())


def _below(root: _Root, parts: tuple[str, ...]) -> tuple[Path, tuple[str, ...]]:
    """Return the folder from which a file is opened, and the names from there."""
    return (root.path if root.is_folder else root.path.parent), parts


def _check_name(parts: tuple[str, ...], shown: str) -> None:
    if parts and named_as_secret(parts[-1]):
        raise RefusedError(f"{shown} holds secrets, by its name: it is never served")


def _check_rules(root: Path, parts: tuple[str, ...], shown: str) -> None:
    """Refuse a file that a walk from the root would not reach."""
    for part in parts:
        if part.startswith(".") or part in {"CVS", "_darcs"}:
            raise RefusedError(f"{shown} is hidden, or in a hidden folder: hidden files are left out")
    try:
        rules, below = enclosing_rules(str(root))
        folder = root
        for depth, part in enumerate(parts, 1):
            if below and is_repository(folder):
                rules, below = repository_rules(folder), ""
            rules = rules.entered(below)
            below = f"{below}/{part}" if below else part
            folder /= part
            if rules.ignores(below, is_folder=depth < len(parts)):
                raise RefusedError(f"{shown} is left out: .gitignore names it")
    except OSError as error:
        raise RefusedError(f"the ignore rules for {shown} cannot be read: {reason_of(error)}") from None


def _open_below(top: Path, parts: tuple[str, ...]) -> int:
    """Open a file for reading. Returns its handle. No link is followed below `top`; devices are not opened, and a pipe
    does not block.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    if not _CAN_WALK:
        path = top.joinpath(*parts)
        _require_regular(path.lstat().st_mode)
        handle = os.open(path, flags)
        if Path(os.path.realpath(path)) != path:
            os.close(handle)
            raise OSError(errno.ELOOP, "it was replaced by a link")
        return handle
    folder = os.open(top, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for part in parts[:-1]:
            following = os.open(part, flags | os.O_NOFOLLOW | os.O_DIRECTORY, dir_fd=folder)
            os.close(folder)
            folder = following
        _require_regular(os.stat(parts[-1], dir_fd=folder, follow_symlinks=False).st_mode)
        return os.open(parts[-1], flags | os.O_NOFOLLOW, dir_fd=folder)
    finally:
        os.close(folder)


def _require_regular(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise OSError(errno.EISDIR, "this is a folder: name one of its files")
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "this is not a regular file")
