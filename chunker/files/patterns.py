"""Patterns that select the files of a walk: `--include` and `--exclude`, in the syntax of `.gitignore`.

    include *.md         only these files; of a folder that is named, all that is in it
    exclude drafts/      none of these, whatever is included

A pattern with a slash inside matches a path below `folder`; for the command that is the current folder, or the folder
of the pyproject.toml with the pattern. A pattern without a slash matches a name anywhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from chunker.arguments import require_all
from chunker.errors import OptionError
from chunker.files.gitignore import Rule, parse_rules


@dataclass(frozen=True, slots=True)
class Patterns:
    """The rules of some patterns, and the absolute path of the folder that they are relative to."""

    rules: tuple[Rule, ...]
    folder: str

    @classmethod
    def of(cls, patterns: Iterable[str], folder: str | os.PathLike[str] | None = None) -> Self:
        """Parse patterns. `folder`: None for the current one. Raises `OptionError` for lone surrogates that represent
        no byte, and for a pattern that is no rule, such as a comment: without it, all files would be selected.
        """
        rules: list[Rule] = []
        for pattern in patterns:
            try:
                parsed = parse_rules(os.fsencode(pattern.replace("\n", "?")))
            except UnicodeEncodeError:
                raise OptionError(f"no file can match the pattern {pattern!r:.60}: it has a lone surrogate") from None
            if pattern and not parsed:
                message = f"no file can match the pattern {pattern!r:.60}: it is blank, a comment, or incomplete"
                raise OptionError(message)
            rules.extend(parsed)
        return cls(tuple(rules), str(Path(folder or Path.cwd()).resolve()))

    def __bool__(self) -> bool:
        return bool(self.rules)

    def match(self, path: str, *, is_folder: bool) -> bool:
        """Whether the last matching rule selects the entry at this absolute path. The caller has to include the
        contents of a matching folder.
        """
        encoded = os.fsencode(path)
        name = encoded[encoded.rfind(b"/") + 1 :]
        below = encoded.removeprefix(os.fsencode(self.folder).rstrip(b"/") + b"/")
        for rule in reversed(self.rules):
            if rule.matches(name, below, is_folder=is_folder):
                return rule.ignores
        return False

    def match_enclosing(self, path: str) -> bool:
        """Whether this absolute path, or a folder around it below `folder`, matches."""
        below = os.path.relpath(path, self.folder)
        if below == os.curdir or below.startswith(os.pardir):
            return False
        parts = Path(below).parts
        tops = (f"{self.folder.rstrip('/')}/{'/'.join(parts[:end])}" for end in range(1, len(parts) + 1))
        return any(self.match(top, is_folder=True) for top in tops)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The files of a walk that the patterns select; without patterns, all files."""

    include: Patterns | None = None
    exclude: Patterns | None = None

    @classmethod
    def of(cls, include: str | Iterable[str] | Patterns = (), exclude: str | Iterable[str] | Patterns = ()) -> Self:
        """Make the selection from one or more patterns, relative to the current folder. Raises `WrongTypeError` for
        anything else.
        """
        made = []
        for given, name in ((include, "include"), (exclude, "exclude")):
            patterns = [given] if isinstance(given, str) else given
            if not isinstance(patterns, Patterns):
                require_all(patterns, str, name, "str")
                patterns = Patterns.of(patterns)
            made.append(patterns or None)
        return cls(*made)

    def excludes(self, path: str, *, is_folder: bool) -> bool:
        """Whether the entry at this absolute path is excluded, with everything in it."""
        return self.exclude is not None and self.exclude.match(path, is_folder=is_folder)

    def includes(self, path: str, *, is_folder: bool) -> bool:
        """Whether the entry at this absolute path is included."""
        return self.include is None or self.include.match(path, is_folder=is_folder)

    def includes_all_of(self, path: str) -> bool:
        """Whether everything in the folder at this absolute path is included."""
        return self.include is None or self.include.match_enclosing(path)
