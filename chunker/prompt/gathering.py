"""Gather the items of a spec: the files of its entries, and the items made of each.

    root/                           {file: src/a.py}          src/a.py, and no glob takes it again
      src/a.py   src/b.py           {glob: "src/*.py"}        src/b.py
      src/.env   build/c.py         {glob: "**/*"}            neither of the two: .gitignore names build/, .env is a secret

Patterns are those of .gitignore, for the path from the root: `*` and `?` stay within a name, `**` crosses folders. What
a walk leaves out (`files`: hidden files, what .gitignore names, links, the spec itself) no glob takes; each file goes
to the first entry that matches it. Nothing outside the root is read. A file with a `heading`, and one that is cut into
chunks, becomes a section with its path for a name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chunker.by_name import chunker_for
from chunker.counting import TokenCounter
from chunker.errors import ChunkerError
from chunker.files.discovery import STANDARD_INPUT, FoundFile, Problem, find_files, portable, printable, reason_of
from chunker.files.documents import Document, read_document
from chunker.files.gitignore import translate
from chunker.files.secrets import begins_with_key, named_as_secret
from chunker.prompt.items import Item, Section
from chunker.prompt.spec import Entry, FileEntry, GlobEntry, LoadedSpec, Location, SearchEntry, SectionEntry, TextEntry

_MARK = "\ufeff"
# No prompt holds as much; a larger file is not even read.
MAX_FILE_BYTES = 64 << 20
# Fields of an entry that `Item` does not have, or that are passed to it separately.
_NOT_OF_ITEMS = {
    "text", "id", "tool_calls", "tool_call_id", "file", "glob", "exclude", "hidden", "heading", "secrets", "chunks",
}  # fmt: skip


@dataclass(slots=True)
class Gathered:
    """Items for `assemble`, and what to report: files that failed or were passed over, secrets, patterns without files,
    searches without hits.
    """

    items: list[Item | Section] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    secrets: list[str] = field(default_factory=list)
    unmatched: list[str] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)  # questions to which an index has nothing
    lacking: list[str] = field(default_factory=list)  # paths whose text is required and cannot be had


def gather(loaded: LoadedSpec, root: Path, tokenizer: TokenCounter, leave_out: Sequence[str] = ()) -> Gathered:
    """Read the files and searches of a spec below `root`. `leave_out`: absolute paths that no glob takes. Raises `SpecError` if a file may not be read."""
    return _Gatherer(loaded, root, tokenizer, leave_out).gather()


class _Gatherer:
    def __init__(self, loaded: LoadedSpec, root: Path, tokenizer: TokenCounter, leave_out: Sequence[str]) -> None:
        self._loaded = loaded
        self._root = root.resolve()
        self._shown_root = root
        self._tokenizer = tokenizer
        self._leave_out = [*leave_out, str(loaded.path.absolute())]
        self._walks: dict[bool, list[str]] = {}
        self._taken: set[str] = set()
        self._gathered = Gathered()

    def gather(self) -> Gathered:
        entries = self._loaded.spec.items
        self._claim(entries, ("items",))
        self._gathered.items = self._of_entries(entries, ("items",), speaks=False)
        return self._gathered

    def _claim(self, entries: Sequence[Entry], location: Location) -> None:
        """Reserve the files that entries name, so that no glob takes them, not even an earlier one."""
        # Recursion as deep as the spec, whose depth `load_spec` limits; the same in `_of_entries`.
        for index, entry in enumerate(entries):
            place = (*location, index)
            if isinstance(entry, SectionEntry):
                self._claim(entry.items, (*place, "items"))
            elif isinstance(entry, FileEntry):
                path = entry.file if entry.file == STANDARD_INPUT else self._inside(entry.file, (*place, "file"))
                if path in self._taken:
                    raise self._loaded.error((*place, "file"), f"{printable(path)} is already taken by another entry")
                self._taken.add(path)

    def _of_entries(self, entries: Sequence[Entry], location: Location, *, speaks: bool) -> list[Item | Section]:
        """The items of some entries; `speaks`: a section around them has a role."""
        made: list[Item | Section] = []
        for index, entry in enumerate(entries):
            place = (*location, index)
            if isinstance(entry, TextEntry):
                calls = tuple(entry.tool_calls)
                made.append(
                    Item(entry.text, id=entry.id, tool_calls=calls, tool_call_id=entry.tool_call_id, **_fields(entry))
                )
            elif isinstance(entry, FileEntry):
                made += self._of_file(entry, place, speaks=speaks)
            elif isinstance(entry, GlobEntry):
                made += self._of_glob(entry, place, speaks=speaks)
            elif isinstance(entry, SearchEntry):
                made += self._of_search(entry, place, speaks=speaks)
            else:
                options = entry.model_dump(exclude={"section", "items"})
                speaking = speaks or entry.role is not None
                inside = self._of_entries(entry.items, (*place, "items"), speaks=speaking)
                made.append(Section(entry.section, inside, **options))
        return made

    def _of_file(self, entry: FileEntry, location: Location, *, speaks: bool) -> list[Item | Section]:
        if entry.file == STANDARD_INPUT:
            return self._items(entry, STANDARD_INPUT, FoundFile(STANDARD_INPUT, 0, named=True), speaks=speaks)
        path = self._inside(entry.file, (*location, "file"))
        if named_as_secret(path) and not entry.secrets:
            message = f"{printable(path)} looks like a secret: `secrets: true` includes it"
            raise self._loaded.error((*location, "file"), message)
        if not (self._root / path).is_file():
            raise self._loaded.error((*location, "file"), f"there is no file {printable(path)} in {self._shown_root}")
        return self._items(entry, path, self._file(path, named=True), speaks=speaks)

    def _of_glob(self, entry: GlobEntry, location: Location, *, speaks: bool) -> list[Item | Section]:
        wanted = [self._pattern(pattern, (*location, "glob")) for pattern in entry.glob]
        unwanted = [self._pattern(pattern, (*location, "exclude")) for pattern in entry.exclude]
        made: list[Item | Section] = []
        matched = False
        for path in self._walk(hidden=entry.hidden):
            encoded = os.fsencode(path)
            if not any(one.fullmatch(encoded) for one in wanted) or any(one.fullmatch(encoded) for one in unwanted):
                continue
            matched = True
            if path in self._taken:
                continue
            self._taken.add(path)
            if named_as_secret(path) and not entry.secrets:
                self._gathered.secrets.append(path)
            else:
                made += self._items(entry, path, self._file(path, named=False), speaks=speaks)
        if not matched:
            self._gathered.unmatched += entry.glob
        return made

    def _of_search(self, entry: SearchEntry, location: Location, *, speaks: bool) -> list[Item | Section]:
        """Return the results of a search in an index, as many as the section may hold."""
        spec = self._loaded.spec
        folder = self._root / self._inside(entry.index, (*location, "index"))
        try:
            from chunker.index import Filter, Index  # noqa: PLC0415  # needs numpy, which is an extra

            index = Index.open(folder, create=False)
            only = Filter(sources=tuple(entry.sources), languages=tuple(entry.languages))
            room = spec.budget - spec.reserve
            limits = [limit for limit in (entry.tokens, entry.max_tokens) if limit is not None]
            if entry.share is not None:
                limits.append(max(int(entry.share * room), entry.min_tokens))
            most = min([room, *limits])
            pack = index.pack(entry.search, max(most, 1), only, by=entry.by, tokenizer=self._tokenizer)
        except ChunkerError as error:
            raise self._loaded.error((*location, "search"), str(error)) from None
        if not pack.parts:
            self._gathered.unanswered.append(entry.search)
            return []
        options = entry.model_dump(
            include={"tokens", "share", "min_tokens", "max_tokens", "header", "footer", "fill", "role"}
        )
        if entry.role is None and spec.chat_format is not None and not speaks:
            options["role"] = "user"
        return [pack.section(entry.id or entry.search, priority=entry.priority, **options)]

    def _items(self, entry: FileEntry | GlobEntry, path: str, file: FoundFile, *, speaks: bool) -> list[Item | Section]:
        """The items of one file: none, some, or a section with them."""
        document = self._read(path, file)
        if isinstance(document, Problem):
            self._gathered.problems.append(document)
            if entry.required and document.failed:
                self._gathered.lacking.append(path)
            return []
        text = document.text.removeprefix(_MARK)
        if begins_with_key(text) and not entry.secrets:
            self._gathered.secrets.append(path)
            return []
        required = entry.required
        if required and not text:
            if isinstance(entry, FileEntry):
                self._gathered.problems.append(Problem(file.path, "it is required, but has no text"))
                self._gathered.lacking.append(path)
                return []
            required = False  # of many files some may be empty, such as __init__.py
        name = portable(path) if not isinstance(entry, FileEntry) or entry.id is None else entry.id
        # With a heading all of a file is one message, and it is the section that has the role.
        in_section = entry.heading != "" and self._loaded.spec.chat_format is not None and not speaks
        fields = _fields(entry) | {"required": required} | ({"role": None} if in_section else {})
        if entry.chunks is None:
            items = [Item(text, id=name, **fields)]
            if not entry.heading:
                return [*items]
        else:
            chunks = chunker_for(path, tokenizer=self._tokenizer, **entry.chunks.model_dump()).chunk(text, source=name)
            items = [Item(chunk, id=f"{name}#{number}", **fields) for number, chunk in enumerate(chunks, 1)]
        header = entry.heading.replace("{path}", portable(path))
        return [Section(name, items, header=header, role=(entry.role or "user") if in_section else None)]

    def _read(self, path: str, file: FoundFile) -> Document | Problem:
        if file.path == STANDARD_INPUT:
            return read_document(file)
        try:
            size = (self._root / path).stat().st_size
        except OSError as error:
            return Problem(file.path, reason_of(error))
        if size > MAX_FILE_BYTES:
            return Problem(file.path, f"left out: {size:,} bytes are more than {MAX_FILE_BYTES:,}")
        return read_document(file)

    def _inside(self, path: str, location: Location) -> str:
        """The path from the root, with `/` between names. Raises `SpecError` for one that leads out of it, through links too."""
        try:
            resolved = (self._root / path).resolve()
        except (OSError, ValueError, RuntimeError) as error:  # a NUL in it, or links in a circle
            raise self._loaded.error(location, f"{printable(path)} is not a valid path: {error}") from None
        if not resolved.is_relative_to(self._root):
            message = f"{printable(path)} is outside of {self._shown_root}: --root names another folder"
            raise self._loaded.error(location, message)
        return resolved.relative_to(self._root).as_posix()

    def _pattern(self, pattern: str, location: Location) -> re.Pattern[bytes]:
        if pattern.startswith("/") or ".." in pattern.split("/"):
            raise self._loaded.error(
                location, f"{printable(pattern)} leads out of {self._shown_root}, where globs begin"
            )
        return re.compile(translate(os.fsencode(pattern.removeprefix("./"))), re.DOTALL)

    def _walk(self, *, hidden: bool) -> list[str]:
        """The paths of all files below the root, in their order."""
        if hidden not in self._walks:
            top = str(self._root)
            paths = self._walks[hidden] = []
            for found in find_files([top], hidden=hidden, leave_out=self._leave_out):
                if isinstance(found, Problem):
                    self._gathered.problems.append(found)
                else:
                    paths.append(Path(found.path).relative_to(top).as_posix())
        return self._walks[hidden]

    def _file(self, path: str, *, named: bool) -> FoundFile:
        # Named by the root as it was given, because users look for this path when an error names the file.
        return FoundFile((self._shown_root / path).as_posix(), 0, named)


def _fields(entry: TextEntry | FileEntry | GlobEntry) -> dict[str, Any]:
    return entry.model_dump(exclude=_NOT_OF_ITEMS)
