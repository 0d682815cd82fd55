"""Find the files that the paths of a user name.

A file that is named is taken, whatever the rules say; `-` is standard input. A folder is walked to the bottom:

- `.gitignore` and `.git/info/exclude` are honoured (see `gitignore.py`), as are the `.gitignore` files of parent
  folders up to the root of the repository; a nested repository has only its own rules. `.chunkerignore` files take
  precedence over all of these.
- Patterns (`patterns.py`) include files and exclude them.
- Unless `vendored=True`, folders of third-party packages (`machine_made.py`) are not entered, and files that
  `.gitattributes` marks as generated or vendored are skipped (`attributes.py`).
- Hidden files and folders, whose names begin with a dot, are left out unless `hidden=True`, as ripgrep does: secrets
  and caches are there. The folders of version control systems are always left out.
- Symbolic links are not followed: they lead to a file that is found at its own path, or out of the tree, or in a
  circle.
- Anything but a regular file (a socket, a device) is left out.

The order is that of `git ls-files`: by path, byte for byte. A bad path raises nothing: it becomes a `Problem`, so that
the other paths are still processed.
"""

# Paths stay strings: on a large tree the walk would spend most of its time making Path objects.
# ruff: noqa: PTH100, PTH112, PTH116

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from chunker.files.attributes import ATTRIBUTES_FILE, GENERATED, VENDORED, AttributeStack
from chunker.files.gitignore import RuleStack, enclosing_rules, is_repository, repository_rules
from chunker.files.patterns import Wanted

STANDARD_INPUT = "-"

# Attribute -> the rule that it stands for, in the words of `machine_made`.
_RULES = {GENERATED: "generated", VENDORED: "vendored file"}
_VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr", ".jj", ".pijul", "_darcs", "CVS"})


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file to read: `path` opens it and has `/` between the names; `size` is in bytes, 0 if unknown. `by_people`:
    `.gitattributes` says that people wrote the file, whatever it looks like.
    """

    path: str
    size: int
    named: bool
    by_people: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        # In less than half of the time that the class takes by itself, which asks for its fields.
        return FoundFile, (self.path, self.size, self.named, self.by_people)


@dataclass(frozen=True, slots=True)
class Problem:
    """The reason why the text of a path is not available.

    Attributes:
        path: The path.
        reason: A sentence that says why.
        offset: The offset of the problem in the file, in bytes from 0; or None.
        line: The line of the problem, from 1; or None.
        failed: False for a file that a walk skips on purpose, such as a picture among sources.
        rule: The rule that leaves the file out, such as "lock file"; or None.
    """

    path: str
    reason: str
    offset: int | None = None
    line: int | None = None
    failed: bool = True
    rule: str | None = None

    def __str__(self) -> str:
        line = "" if self.line is None else f" (line {self.line})"
        place = "" if self.offset is None else f" byte {self.offset}{line}:"
        return f"{printable(self.path)}:{place} {self.reason}"


@dataclass(frozen=True, slots=True)
class _Folder:
    """A folder still to be listed: its path, the rules of its parent folder, and its path below the root of these
    rules.
    """

    path: str
    rules: RuleStack
    attributes: AttributeStack | None
    below: str
    included: bool  # by a pattern, with everything in the folder


@dataclass(frozen=True, slots=True)
class _Walk:
    """The settings of a walk."""

    leave_out: Collection[str]
    wanted: Wanted
    hidden: bool
    vendored: bool
    folders: list[str] | None = None


def portable(path: str) -> str:
    r"""Make a path encodable as UTF-8, in any locale; bytes that are not UTF-8 become `\x..`.

    >>> portable("src/é.py"), portable("caf\udce9.py")
    ('src/é.py', 'caf\\xe9.py')
    """
    if path.isascii():
        return path
    try:
        return os.fsencode(path).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:  # a surrogate that represents no byte: no file has this name
        return path.encode("utf-8", "backslashreplace").decode("utf-8")


def printable(path: str) -> str:
    r"""Make a path safe for any terminal: line ends and escape codes are spelled out, too.

    >>> printable("a\nb.txt"), printable("caf\udce9")
    ('a\\nb.txt', 'caf\\xe9')
    """
    shown = portable(path)
    if shown.isprintable():
        return shown
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in shown)


def find_files(
    paths: Iterable[str],
    *,
    hidden: bool = False,
    leave_out: Collection[str] = (),
    wanted: Wanted | None = None,
    vendored: bool = True,
    folders: list[str] | None = None,
) -> Iterator[FoundFile | Problem]:
    """Find the files that paths name, each once: the paths in their order, the files of a folder by path.

    A path that does not exist and a folder that cannot be listed are Problems.

    Args:
        paths: Files, folders, and "-" for standard input.
        hidden: Include hidden files of folders.
        leave_out: Absolute paths that a walk skips, such as the output file.
        wanted: The files of folders that are wanted; None for all.
        vendored: Enter folders of third-party packages; otherwise each is a Problem with `failed` False.
        folders: A list to which each visited folder is appended.

    Yields:
        Files, and the problems with others.
    """
    walk = _Walk(leave_out, wanted or Wanted(), hidden, vendored, folders)
    seen: set[str] = set()
    for path in paths:
        for item in _find(path, walk):
            key = item.path if item.path == STANDARD_INPUT else os.path.abspath(item.path)
            if key not in seen:
                seen.add(key)
                yield item


def _find(path: str, walk: _Walk) -> Iterator[FoundFile | Problem]:
    if path == STANDARD_INPUT:
        yield FoundFile(path, 0, named=True)
    elif os.path.isdir(path):
        yield from _walked(_tidy(path), walk)
    else:
        try:
            yield FoundFile(_tidy(path), os.stat(path).st_size, named=True)
        except OSError as error:
            yield Problem(_tidy(path), reason_of(error))
        except ValueError:  # a NUL character, or half of a surrogate pair
            yield Problem(path, "no file can have this name")


def _walked(top: str, walk: _Walk) -> Iterator[FoundFile | Problem]:
    try:
        rules, below = enclosing_rules(top)
        attributes = None if walk.vendored else AttributeStack.down_to(rules.top, below)
    except OSError as error:
        yield Problem(top, f"the ignore rules that hold here cannot be read: {reason_of(error)}")
        return
    # A list, not recursion: a tree may be as deep as the disk allows. The next item is at the end.
    included = walk.wanted.includes_all_of(os.path.abspath(top))
    pending: list[FoundFile | Problem | _Folder] = [_Folder(top, rules, attributes, below, included)]
    while pending:
        item = pending.pop()
        if isinstance(item, _Folder):
            if walk.folders is not None:
                walk.folders.append(item.path)
            pending.extend(reversed(_list_folder(item, walk, is_top=item.path == top)))
        else:
            yield item


def _list_folder(folder: _Folder, walk: _Walk, *, is_top: bool) -> list[FoundFile | Problem | _Folder]:
    """Return the content of one folder, in order; subfolders are not listed yet."""
    rules, attributes, below = folder.rules, folder.attributes, folder.below
    try:
        if below and is_repository(folder.path):
            rules, below = repository_rules(Path(folder.path).resolve()), ""
            attributes = attributes and AttributeStack(rules.top)
        rules = rules.entered(below)
        attributes = attributes and attributes.entered(below)
        with os.scandir(folder.path) as listing:
            entries = sorted((_sorting_key(entry), entry) for entry in listing)
    except OSError as error:
        return [Problem(folder.path, f"this folder is left out: {_reason_with_file(error, folder.path)}")]
    if not (walk.vendored or is_top):
        from chunker.files.machine_made import vendored  # noqa: PLC0415  # its expressions take time to compile

        evidence = vendored(folder.path.rpartition("/")[2], {entry.name for _, entry in entries})
        if evidence is not None:
            return [Problem(folder.path, str(evidence), failed=False, rule=evidence.rule)]
    found: list[FoundFile | Problem | _Folder] = []
    for _, entry in entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name == ".git" or (is_folder and entry.name in _VERSION_CONTROL):
            continue
        if entry.name.startswith(".") and not walk.hidden:
            continue
        inner = f"{below}/{entry.name}" if below else entry.name
        if rules.ignores(inner, is_folder=is_folder):
            continue
        path = _tidy(f"{folder.path.rstrip('/')}/{entry.name}")
        absolute = os.path.abspath(path)
        if walk.wanted.excludes(absolute, is_folder=is_folder):
            continue
        included = folder.included or walk.wanted.includes(absolute, is_folder=is_folder)
        if is_folder:
            found.append(_Folder(path, rules, attributes, inner, included))
        elif included and entry.is_file(follow_symlinks=False) and absolute not in walk.leave_out:
            found.append(_sized(path, entry) if attributes is None else _attributed(path, entry, attributes, inner))
    return found


def _attributed(path: str, entry: os.DirEntry[str], attributes: AttributeStack, below: str) -> FoundFile | Problem:
    """Return a file, or a problem if `.gitattributes` says that people did not write it."""
    said = {attribute: attributes.holds(attribute, below) for attribute in (GENERATED, VENDORED)}
    rule = next((name for attribute, name in _RULES.items() if said[attribute]), None)
    if rule is not None:
        return Problem(path, f"left out: {rule} ({ATTRIBUTES_FILE})", failed=False, rule=rule)
    found = _sized(path, entry)
    if isinstance(found, FoundFile) and said[GENERATED] is False:
        return replace(found, by_people=True)
    return found


def _sorting_key(entry: os.DirEntry[str]) -> bytes:
    """Sort a folder as if its name ended with a slash, so that the whole walk is sorted by path."""
    name = os.fsencode(entry.name)
    return name + b"/" if entry.is_dir(follow_symlinks=False) else name


def _sized(path: str, entry: os.DirEntry[str]) -> FoundFile | Problem:
    try:
        return FoundFile(path, entry.stat(follow_symlinks=False).st_size, named=False)
    except OSError as error:  # removed since the folder was listed
        return Problem(path, reason_of(error))


def _tidy(path: str) -> str:
    """Return the path with `/` between names and without a leading `./`, unless it would then mean standard input.

    >>> _tidy("./src/a.py"), _tidy("./"), _tidy("./-")
    ('src/a.py', '.', './-')
    """
    path = path.replace(os.sep, "/")
    while path.startswith("./"):
        path = path[2:].lstrip("/") or "."
    return f"./{path}" if path == STANDARD_INPUT else path


def reason_of(error: OSError) -> str:
    """Return the system's message for an error, without the path, which callers put before it."""
    return error.strerror or type(error).__name__


def _reason_with_file(error: OSError, path: str) -> str:
    inside = error.filename
    return reason_of(error) if inside in (None, path) else f"{reason_of(error)} ({printable(os.fsdecode(inside))})"
