"""Sources and tags of a filter that nothing in an index has, with the nearest ones that exist.

src/htpp/client.py     src/http/client.py      part by part, the nearest name in its folder
client.py              src/http/client.py      a file or folder of this name elsewhere
scr/*.py               src/*.py                a pattern: its folder
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal

from chunker.index.filters import Filter, patterns_of

# As many of the nearest names are told.
_MOST = 3
_WILDCARDS = frozenset("*?[")


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A condition that no file in the index meets.

    Args:
        field: The field of the `Filter`.
        value: The source or tag, as it was given.
        nearest: The nearest ones that exist, the best first; none if none is near.
    """

    field: Literal["sources", "tags"]
    value: str
    nearest: tuple[str, ...]


def unmatched_in(connection: sqlite3.Connection, only: Filter) -> list[Unmatched]:
    """The sources and tags of a filter that no file has."""
    found: list[Unmatched] = []
    if only.tags:
        tags = [str(tag) for (tag,) in connection.execute("SELECT DISTINCT tag FROM files ORDER BY tag")]
        found += [
            Unmatched("tags", tag, tuple(_close(tag, filter(None, tags)))) for tag in only.tags if tag not in tags
        ]
    missing = [source for source in only.sources if not _matches(connection, source)]
    if missing:
        names = [
            str(name) for (name,) in connection.execute("SELECT source FROM sources WHERE files > 0 ORDER BY source")
        ]
        found += [
            Unmatched("sources", source, near) for source, near in zip(missing, _nearest(missing, names), strict=True)
        ]
    return found


def _matches(connection: sqlite3.Connection, source: str) -> bool:
    patterns = patterns_of(source)
    either = " OR ".join(["source GLOB ?"] * len(patterns))
    query = f"SELECT 1 FROM sources WHERE files > 0 AND ({either}) LIMIT 1"  # noqa: S608  # a text of ours
    return connection.execute(query, patterns).fetchone() is not None


def _nearest(missing: Iterable[str], names: Iterable[str]) -> list[tuple[str, ...]]:
    """For each missing source the nearest files and folders.

    >>> _nearest(["src/htpp/client.py", "client.py", "scr/*.py", "README"], ["src/http/client.py", "src/main.py", "readme"])
    [('src/http/client.py',), ('src/http/client.py',), ('src/*.py',), ('readme',)]
    """
    folders: dict[str, set[str]] = defaultdict(
        set
    )  # folder -> what is in it; each ends with a slash, but the outermost, ""
    for name in names:
        path = name
        while path:
            parent = path.rstrip("/").rpartition("/")[0]
            parent = f"{parent}/" if parent else ""
            known = path in folders[parent]
            folders[parent].add(path)
            if known:
                break
            path = parent
    return [_nearest_of(source.removeprefix("./").strip("/"), folders) for source in missing]


def _nearest_of(source: str, folders: dict[str, set[str]]) -> tuple[str, ...]:
    tail = f"/{source}"
    elsewhere = {path.rstrip("/") for inside in folders.values() for path in inside if path.rstrip("/").endswith(tail)}
    if elsewhere:
        return tuple(sorted(elsewhere, key=lambda path: (path.count("/"), path))[:_MOST])
    parts = source.split("/")
    reached = [""]
    for number, part in enumerate(parts):
        if not _WILDCARDS.isdisjoint(part):
            rest = "/".join(parts[number:])
            return tuple(f"{folder}{rest}" for folder in reached if folder)
        further = [path for folder in reached for path in _inside(folder, part, folders)][:_MOST]
        if not further:
            break
        reached = further
    return tuple(path.rstrip("/") for path in reached if path)


def _inside(folder: str, part: str, folders: dict[str, set[str]]) -> list[str]:
    """The files and folders in a folder whose names are like `part`."""
    named = {path[len(folder) :].rstrip("/"): path for path in sorted(folders.get(folder, ()))}
    return [named[part]] if part in named else [named[name] for name in _close(part, named)]


def _close(name: str, names: Iterable[str]) -> list[str]:
    """The names that look like one, in whichever case, the best first."""
    lowered: dict[str, list[str]] = defaultdict(list)
    for one in names:
        lowered[one.lower()].append(one)
    return [one for close in get_close_matches(name.lower(), lowered, _MOST) for one in lowered[close]][:_MOST]
