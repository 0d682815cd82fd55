"""Groups of items that stay or go together: those of one group, and a call of a tool with its answers.

item      a        b         c           d
group     "x"               "x"
calls              "call-1"  answers it              together: a, b, c      alone: d
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chunker.prompt.layout import Leaf, Region


@dataclass(eq=False, slots=True)
class Group:
    """Leaves that are all in the prompt or none, the most important first; `scope`: the section in which they compete, which holds them all."""

    leaves: tuple[Leaf, ...]
    scope: Region
    required: bool


def rank(leaf: Leaf) -> tuple[bool, float, int]:
    """Return the sort key of the order in which items are put in: stable ones first, then by priority, then by place."""
    return not leaf.item.stable, -leaf.item.priority, leaf.place


def groups_of(leaves: Sequence[Leaf]) -> list[Group]:
    """Return the group of each leaf, which may be the leaf alone."""
    groups = [Group((leaf,), leaf.region.scope, leaf.item.required) for leaf in leaves]
    leader: dict[int, int] = {}

    def find(place: int) -> int:
        while leader[place] != place:
            leader[place] = leader[leader[place]]
            place = leader[place]
        return place

    known: dict[tuple[str, str], int] = {}
    for leaf in leaves:
        for key in _keys(leaf):
            leader.setdefault(leaf.place, leaf.place)
            leader[find(leaf.place)] = find(known.setdefault(key, leaf.place))
    members: dict[int, list[Leaf]] = {}
    for place in leader:
        members.setdefault(find(place), []).append(leaves[place])
    for together in members.values():
        group = _group(together)
        for leaf in together:
            groups[leaf.place] = group
    return groups


def _keys(leaf: Leaf) -> list[tuple[str, str]]:
    """Return the keys of a leaf: leaves with a common key are in one group."""
    item = leaf.item
    if item.group is None and not item.tool_calls and item.tool_call_id is None:
        return []
    keys = [("call", str(call.get("id"))) for call in item.tool_calls]
    if item.group is not None:
        keys.append(("group", item.group))
    if item.tool_call_id is not None:
        keys.append(("call", item.tool_call_id))
    return keys


def _group(leaves: list[Leaf]) -> Group:
    leaves.sort(key=rank)
    scope = leaves[0].region.scope
    for leaf in leaves:
        while not scope.holds(leaf.place) and scope.parent is not None:
            scope = scope.parent.scope
    return Group(tuple(leaves), scope, any(leaf.item.required for leaf in leaves))
