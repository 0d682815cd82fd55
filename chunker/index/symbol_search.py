"""Symbols in an index: where a name is defined, and which lines of code use it."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass

from chunker.index.filters import Filter
from chunker.index.names import versions_that_use
from chunker.symbols import Definition, Reference

_STEP = re.compile(r"::|\.|#|->|\\")
_NAME = re.compile(r"\w+")
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
    condition, values = only.without_kinds().condition()
    where = f" AND {condition}" if condition else ""
    found = []
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
        found += [Reference(steps[-1], source, line) for (source,) in sources for line in lines if line not in own]
    return sorted(found, key=lambda one: (one.source, one.line))[:limit]
