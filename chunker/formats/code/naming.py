"""Names of definitions in breadcrumbs: a template, filled with the text of nodes.

    template   impl[ {trait} for] {type}
    Rust       impl<T> fmt::Display for Stack<T> {...}
    name       impl fmt::Display for Stack<T>

A placeholder is the name of a field of the node, or else the type of one of its children: `{name}`, `{selectors}`.
`{class|interface}` takes the first of the two that exists, and `{declarator*}` follows nested fields of this name to
the innermost, for the declarators of C: from `*(*table[3])(int)` to `table`. Text in square brackets is left out if a
placeholder in it finds nothing.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tree_sitter import Node

_LONGEST = 100  # in characters; a name is part of a line that is repeated with every chunk
_MOST_BYTES = 8 * _LONGEST  # of what a placeholder finds; a name is truncated before them
_DEEPEST = 32  # nested declarators
_PIECE = re.compile(r"\{([^{}]+)\}")
_SEGMENT = re.compile(r"\[([^\]]*)\]|([^\[\]]+)")


class _Segment(NamedTuple):
    """Literal texts and placeholders in alternation; a literal comes first."""

    pieces: list[str]
    optional: bool


class NameTemplate:
    """A parsed template. Raises ValueError if it has no placeholder."""

    __slots__ = ("_segments", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._segments = [
            _Segment(_PIECE.split(optional or needed), bool(optional)) for optional, needed in _SEGMENT.findall(text)
        ]
        if not any(len(segment.pieces) > 1 for segment in self._segments):
            raise ValueError(f"a name has at least one placeholder in braces; got {text!r}")

    def name(self, node: Node, source: bytes) -> str:
        """Return the name of a node of the tree of `source`, on one line and with at most a hundred characters; "" if
        it has none.
        """
        return in_one_line(self.as_written(node, source).decode("utf-8", "replace"))

    def as_written(self, node: Node, source: bytes) -> bytes:
        """Return the name in bytes of `source`, with the white space that stands there."""
        parts = []
        for segment in self._segments:
            filled = _filled(segment.pieces, node, source)
            if filled is None and not segment.optional:
                return b""
            parts.append(filled or b"")
        return b"".join(parts)

    @property
    def table(self) -> list[tuple[bool, str, list[tuple[list[tuple[str, bool]], str]]]]:
        """The segments in the form that `chunker._native.Grammar` takes."""
        return [
            (
                segment.optional,
                segment.pieces[0],
                [
                    ([(way.removesuffix("*"), way.endswith("*")) for way in placeholder.split("|")], literal)
                    for placeholder, literal in zip(segment.pieces[1::2], segment.pieces[2::2], strict=True)
                ],
            )
            for segment in self._segments
        ]

    def __repr__(self) -> str:
        return f"NameTemplate({self._text!r})"


def in_one_line(text: str) -> str:
    """Format a name for a breadcrumb: without line ends, at most a hundred characters.

    >>> in_one_line("def  f(a,\\n  b)")
    'def f(a, b)'
    """
    name = " ".join(text.split())
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _filled(pieces: list[str], node: Node, source: bytes) -> bytes | None:
    parts = [pieces[0].encode()]
    for placeholder, literal in zip(pieces[1::2], pieces[2::2], strict=True):
        found = next((child for way in placeholder.split("|") if (child := _found(node, way)) is not None), None)
        if found is None or found.start_byte == found.end_byte:
            return None
        text = source[found.start_byte : min(found.end_byte, found.start_byte + _MOST_BYTES)]
        parts += [text, literal.encode()]
    return b"".join(parts)


def _found(node: Node, way: str) -> Node | None:
    field = way.removesuffix("*")
    child = child_named(node, field)
    if field != way:
        for _ in range(_DEEPEST):
            inner = None if child is None else _inner_declarator(child, field)
            if inner is None:
                break
            child = inner
    return child


def child_named(node: Node, name: str) -> Node | None:
    """Return the child in this field, else the first child of this type; None if there is neither."""
    found = node.child_by_field_name(name)
    if found is None:
        found = next((child for child in node.children if child.type == name), None)
    return found


def _inner_declarator(node: Node, field: str) -> Node | None:
    """Return the child in the field. For a node type named after the field but without that field, the last named
    child: `(*name)`, `&name`.
    """
    found = node.child_by_field_name(field)
    if found is None and node.type.endswith(f"_{field}") and node.named_child_count:
        found = node.named_child(node.named_child_count - 1)
    return found
