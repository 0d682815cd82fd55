"""Grammar: the meaning of the nodes of a language's syntax tree. A language fills in the table; the walk reads a
compiled form.

class Stack:          class_definition   a definition, "class {name}"
    size = 0          block              a body: its children are parts, a level deeper
    @traced           decorated_...      a wrapper: it counts as the definition inside it
    def push(self):
        if self:
            ...
        else:         else_clause        a clause: continues a statement
            x = [     list               a list: its children are weaker parts
                1,
            ]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from typing import NamedTuple

from tree_sitter import Language

from chunker.formats.code.naming import NameTemplate

__all__ = ["DefinitionRule", "Grammar"]

ERROR = 65_535  # the kind of the node that tree-sitter creates for a syntax error


@dataclass(frozen=True, eq=False)
class DefinitionRule:
    """A kind of node that defines something.

    Args:
        label: The label of its boundary.
        name: The template of its name in a breadcrumb.
        condition: Fields (or types of children) that a node must have to count as a definition, each with the types
            allowed for the field, or none for any type; "type.body" for a field of a field, "body|block" for either
            field. Nodes with a condition count only if they span several lines.
    """

    label: str
    name: NameTemplate
    condition: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Grammar:
    """The meaning of the nodes of a tree-sitter grammar, by their type names.

    Args:
        language: The name of the language.
        load: Returns the grammar, as `language()` of the `tree_sitter_...` packages does, or a `tree_sitter.Language`.
        label: The label of the text as a whole.
        bodies: Nodes whose children are parts, one level deeper; the first child is not cut from the line that
            introduces it.
        groups: Like bodies, but they are parts themselves: `#if`, the cases of a switch.
        lists: Like bodies, for the elements of a collection or call, which are weaker than the statements of a body at
            the same depth.
        clauses: Parts of a statement that continue it, such as "else".
        definitions: Nodes with a name that should stay whole.
        wrappers: Nodes around one definition, such as `export`.
        leading: Nodes that belong to the sibling after them, such as an attribute.
        joined: Definitions that continue the one before if it has the same name, such as the equations of a function.
        comments: Nodes that belong to the part after them.
        opaque: Nodes without parts inside, such as strings.
        labels: The labels of other parts; by default "statement".
        skimmed: The first characters of lines that the scanner of the grammar reads again and again; "" if there are
            none.
        spaced: A text that does not end in white space gets a space for the parser: the scanner of the grammar would look
            beyond the end of the text for one, for ever.
        opening: A line that has to precede code that begins in the middle of a text, such as `<?php`, or "".
        isolated: Parse in a separate process where the compiled walk does not, because single steps of the grammar may
            take seconds and gigabytes, and cannot be interrupted.
        table: The name of the table that it was read from, or "".
    """

    language: str
    load: Callable[[], object]
    label: str = "module"
    bodies: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    lists: frozenset[str] = frozenset()
    clauses: frozenset[str] = frozenset()
    definitions: Mapping[str, DefinitionRule] = field(default_factory=dict)
    wrappers: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset()
    joined: frozenset[str] = frozenset()
    comments: frozenset[str] = frozenset()
    opaque: frozenset[str] = frozenset()
    labels: Mapping[str, str] = field(default_factory=dict)
    skimmed: str = ""
    spaced: bool = False
    opening: str = ""
    isolated: bool = False
    table: str = ""


class Role(IntEnum):
    """The role of a kind of named node among its siblings. Unnamed nodes (punctuation, keywords) are never parts."""

    OTHER = 0  # a part if its parent holds parts
    CLAUSE = 1
    HIDDEN = 2  # a body: its children are parts, not it
    COMMENT = 3
    LEADING = 4
    DEFINITION = 5
    WRAPPER = 6


class InsideNode(IntEnum):
    """The content of a kind of node: by how many levels its children are deeper, if they are parts."""

    NOTHING = -1  # not worth entering
    SENTENCE = 0  # clauses, and bodies further down
    PARTS = 1
    ELEMENTS = 2


class Compiled(NamedTuple):
    """A grammar by the numbers of its named node kinds: role, depth of children, and label of each.

    A kind that is a definition only under a condition has here the label for nodes that do not fulfil it.
    """

    language: Language
    roles: dict[int, int]
    inside: dict[int, int]
    labels: dict[int, str]


@cache
def compiled(grammar: Grammar) -> Compiled:
    """Compile a grammar: the parser's language, and the role, depth and label of each node kind. Cached for the life of
    the process.
    """
    loaded = grammar.load()
    language = loaded if isinstance(loaded, Language) else Language(loaded)
    roles: dict[str, Role] = {}
    for types, role in (
        (grammar.bodies, Role.HIDDEN),
        (grammar.groups | grammar.lists, Role.OTHER),
        (grammar.clauses, Role.CLAUSE),
        (frozenset(grammar.definitions), Role.DEFINITION),
        (grammar.wrappers, Role.WRAPPER),
        (grammar.comments, Role.COMMENT),
        (grammar.leading, Role.LEADING),
    ):
        roles.update(dict.fromkeys(types, role))
    inside = dict.fromkeys(grammar.opaque | grammar.comments, InsideNode.NOTHING)
    inside.update(dict.fromkeys(grammar.bodies | grammar.groups, InsideNode.PARTS))
    inside.update(dict.fromkeys(grammar.lists, InsideNode.ELEMENTS))
    always = {kind: definition.label for kind, definition in grammar.definitions.items() if not definition.condition}
    labels = {**grammar.labels, **always}

    result = Compiled(language, {ERROR: int(Role.OTHER)}, {ERROR: int(InsideNode.PARTS)}, {ERROR: "statement"})
    for kind in range(language.node_kind_count):
        if language.node_kind_is_named(kind):
            name = language.node_kind_for_id(kind) or ""
            result.roles[kind] = int(roles.get(name, Role.OTHER))
            result.inside[kind] = int(inside.get(name, InsideNode.SENTENCE))
            result.labels[kind] = labels.get(name, "statement")
    return result
