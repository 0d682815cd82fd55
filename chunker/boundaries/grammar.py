"""What the nodes of a language's syntax tree mean: the table that a language fills in."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from typing import NamedTuple

from tree_sitter import Language

ERROR = 65_535  # the kind of the node that tree-sitter makes of what it does not understand


class Definition(NamedTuple):
    """A kind of node that defines a name: `label` for the boundary, `keyword` for the breadcrumb ("def" in "def push")."""

    label: str
    keyword: str


@dataclass(frozen=True, eq=False)
class Grammar:
    """What the nodes of a tree-sitter grammar mean, by their type names.

    `label` is for the whole text ("module"). `load` returns the grammar, as `language()` of the `tree_sitter_...`
    packages does.
    `bodies`: their children are parts, one level deeper; the first one is not cut from the line that introduces it.
    `lists`: the same for the elements of a collection or call, which are weaker than the statements of a body at the
    same depth.
    `clauses`: parts of a statement that continue it, such as "else".
    `definitions`: what has a name and should stay whole. `wrappers`: nodes around a definition, such as decorators,
    and the field that holds it. `comments`: belong to the part below them. `opaque`: nothing inside is a part, such
    as strings.
    `labels`: of other parts; "statement" if not told.
    `skimmed`: what lines that the grammar reads again and again look like, behind their indentation; None if it does
    not.
    """

    language: str
    label: str
    load: Callable[[], object]
    bodies: frozenset[str]
    lists: frozenset[str]
    clauses: frozenset[str]
    definitions: Mapping[str, Definition]
    wrappers: Mapping[str, str]
    comments: frozenset[str]
    opaque: frozenset[str]
    labels: Mapping[str, str]
    skimmed: re.Pattern[bytes] | None = None


class Role(IntEnum):
    """What a kind of node is to the walk."""

    TOKEN = 0  # punctuation, keywords: never a part
    OTHER = 1  # a part if its parent is a body or a list
    BODY = 2
    LIST = 3
    CLAUSE = 4
    DEFINITION = 5
    WRAPPER = 6
    COMMENT = 7
    OPAQUE = 8  # as OTHER, but not worth entering


@cache
def compiled(grammar: Grammar) -> tuple[Language, tuple[Role, ...]]:
    """The parser's language, and the role of each of its node kinds by number."""
    language = Language(grammar.load())
    by_type: dict[str, Role] = {}
    for names, role in (
        (grammar.bodies, Role.BODY),
        (grammar.lists, Role.LIST),
        (grammar.clauses, Role.CLAUSE),
        (grammar.definitions, Role.DEFINITION),
        (grammar.wrappers, Role.WRAPPER),
        (grammar.comments, Role.COMMENT),
        (grammar.opaque, Role.OPAQUE),
    ):
        by_type.update(dict.fromkeys(names, role))

    def role_of(kind: int) -> Role:
        if not language.node_kind_is_named(kind):
            return Role.TOKEN
        return by_type.get(language.node_kind_for_id(kind) or "", Role.OTHER)

    return language, tuple(role_of(kind) for kind in range(language.node_kind_count))
