"""Symbols in an index: where a name is defined, and which lines of code use it."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass

from chunker.index.filters import Filter
from chunker.index.names import lines_of_version, versions_that_use
from chunker.symbols import Definition, Reference

_STEP = re.compile(r"::|\.|#|->|\\")
_NAME = re.compile(r"\w+")
_PATH = re.compile(r"[/.]")
# Names of the object itself, or of its class.
_OWN = frozenset({"Self"})
_FUNCTIONS = ("function", "macro", "property")


@dataclass(frozen=True, slots=True)
class FoundDefinition:
    """A definition in a file of the index.

    Attributes:
        source: The name of the file.
        language: The language of the file.
        tags: The tags under which the file is there.
        definition: Its name, kind, signature and span.
    """

    source: str
    language: str | None
    tags: tuple[str, ...]
    definition: Definition

    def __str__(self) -> str:
        one = self.definition
        return f"{self.source}:{one.line}: {one.kind} {one.qualified}: {one.signature}"


def definitions_named(
    connection: sqlite3.Connection, name: str, only: Filter, *, prefix: bool, limit: int
) -> list[FoundDefinition]:
    """See `Index.definitions`."""
    steps = [step for step in _STEP.split(name) if step]
    if not steps:
        return []
    condition, values = only.condition()
    where = f" AND {condition.replace('p.kind', 'd.kind')}" if condition else ""
    wanted = steps[-1].lower()
    matches = "d.folded >= ? AND d.folded < ?" if prefix else "d.folded = ?"
    asked = [wanted, wanted + "\U0010ffff"] if prefix else [wanted]
    rows = connection.execute(
        "SELECT f.source, v.language, group_concat(f.tag, char(0)), d.name, d.qualified, d.kind, d.signature, d.start, d.end, d.line, d.end_line "  # noqa: S608  # texts of ours
        "FROM definitions AS d JOIN versions AS v ON v.id = d.version JOIN files AS f ON f.version = d.version "
        f"WHERE {matches}{where} GROUP BY f.source, d.version, d.number",
        [*asked, *values],
    )
    tail = ".".join(steps)
    found = [
        FoundDefinition(source, language, tuple(sorted(tags.split("\0"))), Definition(*rest))
        for source, language, tags, *rest in rows
    ]
    if len(steps) > 1:
        found = [one for one in found if f".{one.definition.qualified}".endswith(f".{tail}")]

    def order(one: FoundDefinition) -> tuple[object, ...]:
        shown = one.definition
        exact = (shown.name != steps[-1], shown.name.lower() != wanted)
        return *exact, shown.kind in _FUNCTIONS, one.source, shown.line

    return sorted(found, key=order)[:limit]


def references_to(connection: sqlite3.Connection, name: str, only: Filter, *, limit: int) -> list[Reference]:
    """See `Index.references`."""
    steps = [step for step in _STEP.split(name) if step]
    if not steps or not _NAME.fullmatch(steps[-1]):
        return []
    owner = _Owner.of(connection, steps)
    condition, values = only.without_kinds().condition()
    where = f" AND {condition}" if condition else ""
    found: list[tuple[str, int, int]] = []
    texts: dict[int, dict[int, str]] = {}
    for version, lines in versions_that_use(connection, steps[-1]):
        own = {
            line
            for (line,) in connection.execute(
                "SELECT line FROM definitions WHERE version = ? AND folded = ? AND name = ?",
                (version, steps[-1].lower(), steps[-1]),
            )
        }
        sources = connection.execute(
            f"SELECT DISTINCT f.source FROM files AS f JOIN versions AS v ON v.id = f.version WHERE f.version = ?{where}",  # noqa: S608  # texts of ours
            [version, *values],
        ).fetchall()
        wanted = [line for line in lines if line not in own] if sources else []
        if not wanted:
            continue
        if owner is not None:
            texts[version] = lines_of_version(connection, version, wanted)
            wanted = [line for line in wanted if owner.may_mean(version, texts[version].get(line, ""))]
        found += [(source, line, version) for (source,) in sources for line in wanted]
    shown = sorted(found)[:limit]
    for version in {version for *_, version in shown} - texts.keys():
        texts[version] = lines_of_version(connection, version, [line for _, line, one in shown if one == version])
    return [Reference(steps[-1], source, line, texts[version].get(line, "").strip()) for source, line, version in shown]


@dataclass(frozen=True, slots=True)
class _Owner:
    """The class in "Stack.push". Types are not known, so lines are judged by the names on them.

    Args:
        name: Its name.
        use: Matches a use of the member, and captures the name that it is used on.
        is_defined: Whether the index has a definition of this member of the class.
        versions: The versions that define the class or use its name.
    """

    name: str
    use: re.Pattern[str]
    is_defined: bool
    versions: frozenset[int]

    @classmethod
    def of(cls, connection: sqlite3.Connection, steps: list[str]) -> _Owner | None:
        """The class in a path of names; None if there is none, or if the word before the name is the file or folder that defines it."""
        if len(steps) < 2:
            return None
        name, member = steps[-2:]
        rows = connection.execute(
            "SELECT d.qualified, f.source FROM definitions AS d JOIN files AS f ON f.version = d.version WHERE d.folded = ? AND d.name = ?",
            (member.lower(), member),
        ).fetchall()
        is_defined = any(f".{qualified}".endswith("." + ".".join(steps)) for qualified, _ in rows)
        if not is_defined and any(name in _PATH.split(source) for _, source in rows):
            return None
        using = {version for version, _ in versions_that_use(connection, name)}
        defining = connection.execute(
            "SELECT DISTINCT version FROM definitions WHERE folded = ? AND name = ?", (name.lower(), name)
        )
        versions = frozenset(using | {version for (version,) in defining})
        use = re.compile(
            rf"(?:(\w+)\s*(?:\([^()]*\)\s*)?(?:\?\.|\.|::|->|#)\s*|([\]\)]\s*(?:\?\.|\.|::|->)\s*))?\b{re.escape(member)}\b"
        )
        return cls(name, use, is_defined, versions)

    def may_mean(self, version: int, line: str) -> bool:
        """Whether a line of a file may use the member of this class."""
        return any(self._is_ours(version, *use.groups()) for use in self.use.finditer(line))

    def _is_ours(self, version: int, on: str | None, after: str | None) -> bool:
        if on == self.name:
            return True
        if not self.is_defined or version not in self.versions:
            return False
        if on is None:
            return after is not None  # a name by itself is another function
        return on[0].islower() or on in _OWN or on.isupper() or on[0] == "_"
