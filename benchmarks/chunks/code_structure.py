"""The definitions of a source in any language as the grammar's own tags see them: the oracle for chunkers of code but Python.

The queries for tags come with the grammars, from their authors; none of our tables is used. What belongs to a
definition is read from the lines: the comments directly above it in its column, and the attributes, annotations or
template heads that it begins with.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import accumulate

from python_structure import Definition
from tree_sitter import Language, Node, Parser, Query, QueryCursor

_FUNCTIONS = {"definition.function", "definition.method"}
_TYPES = {"definition.class", "definition.interface", "definition.module"}
# What stands between the first line of a definition and the line that names it, or before it as a sibling.
_ATTRIBUTES = {
    "attribute_item",
    "decorator",
    "annotation",
    "marker_annotation",
    "attribute_list",
    "template_parameter_list",
    "attribute_declaration",
}


@dataclass(frozen=True)
class _Oracle:
    language: Language
    query: Query


@cache
def _oracle(name: str) -> _Oracle:
    package = import_module(f"tree_sitter_{name}")
    language = Language(package.language())
    return _Oracle(language, Query(language, package.TAGS_QUERY))


def definitions(source: str, language: str) -> list[Definition]:
    """All functions and types of `source` that span several lines, nested ones too; not those that the parser does not understand.

    >>> [found] = definitions("// why\\n#[test]\\nfn f() {\\n    1;\\n}\\n", "rust")
    >>> found.comment, found.decorator, found.keyword, found.header_end, found.end
    (0, 7, 15, 23, 32)
    """
    oracle = _oracle(language)
    data = source.encode()
    tree = Parser(oracle.language).parse(data)
    captures = QueryCursor(oracle.query).captures(tree.root_node)
    found: dict[tuple[int, int], Definition] = {}
    lines = _Lines(data)
    for label, nodes in captures.items():
        if label not in _FUNCTIONS | _TYPES:
            continue
        for node in nodes:
            name = _name(node, captures.get("name", []))
            if name is None or node.has_error or node.start_point.row == node.end_point.row:
                continue
            whole = _whole(node)
            key = whole.start_byte, whole.end_byte
            # A node that is tagged twice is a function if one of the tags says so.
            if key not in found or label in _FUNCTIONS:
                found[key] = _definition(whole, name, lines, is_function=label in _FUNCTIONS)
    return sorted(found.values(), key=lambda one: one.start)


class _Lines:
    """Bytes -> characters, and the lines."""

    def __init__(self, data: bytes) -> None:
        self.texts = data.split(b"\n")
        self._starts = list(accumulate((len(line) + 1 for line in self.texts), initial=0))
        self._data = data

    def characters(self, byte: int) -> int:
        return len(self._data[:byte].decode("utf-8", "ignore")) if not self._data.isascii() else byte

    def start(self, row: int) -> int:
        """The byte after the indentation."""
        return self._starts[row] + len(self.texts[row]) - len(self.texts[row].lstrip())

    def end(self, row: int) -> int:
        return self._starts[row] + len(self.texts[row].rstrip())


def _name(node: Node, names: list[Node]) -> Node | None:
    inside = [name for name in names if node.start_byte <= name.start_byte and name.end_byte <= node.end_byte]
    return min(inside, key=lambda name: name.start_byte, default=None)


def _whole(node: Node) -> Node:
    """The outermost node around a definition that begins on its line and holds nothing else: `export`, a wrapper, a declaration."""
    while (parent := node.parent) is not None and parent.parent is not None:
        same_line = parent.start_point.row == node.start_point.row
        head = parent.type == "template_declaration"
        if not (same_line or head) or abs(parent.end_point.row - node.end_point.row) > 0:
            break
        node = parent
    return node


def _definition(node: Node, name: Node, lines: _Lines, *, is_function: bool) -> Definition:
    first = node
    attributes = [
        child for child in _head(node) if child.type in _ATTRIBUTES and child.start_point.row < name.start_point.row
    ]
    while (before := first.prev_sibling) is not None and before.type in _ATTRIBUTES and _begins(before, lines):
        attributes.append(before)
        first = before
    decorator = min((one.start_byte for one in attributes), default=None)
    if decorator is not None:
        decorator = min(decorator, first.start_byte)
    comment = None
    row = first.start_point.row
    above = first.prev_sibling
    while above is not None and "comment" in above.type and _begins(above, lines):
        last = above.end_point.row - (above.end_point.column == 0)
        if last != row - 1 or above.start_point.column != first.start_point.column:
            break
        comment, row, above = above.start_byte, above.start_point.row, above.prev_sibling
    return Definition(
        is_function=is_function,
        comment=None if comment is None else lines.characters(comment),
        decorator=None if decorator is None else lines.characters(decorator),
        keyword=lines.characters(lines.start(name.start_point.row)),
        header_end=lines.characters(lines.end(name.start_point.row)),
        end=lines.characters(node.end_byte),
    )


def _head(node: Node) -> list[Node]:
    """The nodes that a definition may begin with, those in `modifiers` included."""
    found = []
    for child in node.children:
        found.append(child)
        found += (
            child.children
            if child.type in {"modifiers", "function_definition", "class_specifier", "struct_specifier"}
            else []
        )
    return found


def _begins(node: Node, lines: _Lines) -> bool:
    return node.start_byte == lines.start(node.start_point.row)
