"""A YAML document as plain values, and the line of each of them.

    1  budget: 8000
    2  items:                       line_of(("items",)) == 2
    3    - text: Be brief.          line_of(("items", 0, "text")) == 3
    4    - glob: "*.py"             line_of(("items", 1, "priority")) == 4: there is none, so that of what it would be in

Values are those of YAML's safe schema. Two equal keys in one mapping are an error, as one of them would be lost; so are
merge keys (`<<`), which can make gigabytes of a few lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

_MERGE = "tag:yaml.org,2002:merge"


class YamlText:
    """One YAML document. Raises ValueError, with the line, if the text is not one; RecursionError if it is nested deeper than Python's stack."""

    def __init__(self, text: str) -> None:
        try:
            loader = yaml.SafeLoader(text)
            self._node = loader.get_single_node()
            for node in _nodes(self._node):
                _check_keys(node)
            self.data: Any = None if self._node is None else loader.construct_document(self._node)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            where = "" if mark is None else f"line {mark.line + 1}: "
            raise ValueError(f"{where}{' '.join(filter(None, (error.context, error.problem)))}") from None
        except yaml.YAMLError as error:
            raise ValueError(" ".join(str(error).split())) from None

    def line_of(self, location: tuple[str | int, ...]) -> int | None:
        """Return the line, from 1, of the value at a location, or of the nearest value around it; None if the document is empty."""
        node = self._node
        line = None if node is None else node.start_mark.line + 1
        for step in location:
            found = _inside(node, step)
            if found is None:
                break
            marked, node = found
            line = marked.start_mark.line + 1
        return line


def _inside(node: yaml.Node | None, step: str | int) -> tuple[yaml.Node, yaml.Node] | None:
    """The node at a key or an index, which tells the line, and its value."""
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == step), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        return node.value[step], node.value[step]
    return None


def _nodes(top: yaml.Node | None) -> Iterator[yaml.Node]:
    """Yield each node once, even if several aliases lead to it."""
    pending = [] if top is None else [top]
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if isinstance(node, yaml.MappingNode):
            pending += [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            pending += node.value


def _check_keys(node: yaml.Node) -> None:
    if not isinstance(node, yaml.MappingNode):
        return
    seen: set[tuple[str, str]] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise yaml.MarkedYAMLError(problem="a key must be a word", problem_mark=key.start_mark)
        if key.tag == _MERGE:
            raise yaml.MarkedYAMLError(problem="merge keys (<<) are not supported", problem_mark=key.start_mark)
        name = (key.tag, key.value)
        if name in seen:
            raise yaml.MarkedYAMLError(
                problem=f"the key {key.value!r} occurs twice in one mapping", problem_mark=key.start_mark
            )
        seen.add(name)
