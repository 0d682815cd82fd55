"""The tree of sections and items, flattened: leaves in the order of the prompt, and the text between any two that are
kept.

Section "context", header "Files:"  separator "¶¶"        leaves     0     1     2     3
Item a        Item b                                    between 0 and 1: ¶¶
Section "history"  separator "¶"                          between 0 and 3: footer of context, separator around, header of history
Item c        Item d
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from chunker.hits import Hit
from chunker.models import Chunk
from chunker.prompt.chat import Break, ChatFormat, Part
from chunker.prompt.items import Fill, Item, Section, item_of

ROOT = "prompt"
# Sections inside sections; a tree that goes deeper is not read to its end.
DEEPEST = 100


@dataclass(eq=False)
class Region:
    """A section with its position in the tree. The whole prompt is a region, too. Its leaves are numbered from `first` up to, not including, `stop`.

    `scope`: the region in whose budget its items compete: itself if it has a budget, else the nearest one around it
    that has, at last the prompt. `budgeted`: the nearest regions inside it that have a budget. `stopper`: the region
    that ends where an item of this one does not fit under "strict". `speaker`: the section whose message its text
    belongs to, or None.
    """

    number: int
    section: Section
    parent: Region | None
    depth: int
    fill: Fill
    first: int = 0
    stop: int = 0
    children: list[Region] = field(default_factory=list)
    budgeted: list[Region] = field(default_factory=list)

    def __post_init__(self) -> None:
        parent, section = self.parent, self.section
        own = parent is None or section.has_budget
        self.scope: Region = self if parent is None or own else parent.scope
        self.stopper: Region = self if parent is None or own or section.fill is not None else parent.stopper
        self.speaker: Region | None = self if section.role is not None else None if parent is None else parent.speaker
        if parent is None:
            return
        parent.children.append(self)
        around: Region | None = parent if section.has_budget else None
        while around is not None:
            around.budgeted.append(self)
            around = None if around is around.scope else around.parent

    @cached_property
    def around(self) -> tuple[Region, ...]:
        """The region and those around it, innermost first."""
        return (self,) if self.parent is None else (self, *self.parent.around)

    @cached_property
    def path(self) -> str:
        """The names of the section and of those around it, such as "context/files"; "" for the whole prompt."""
        return "/".join(region.section.name for region in reversed(self.around[:-1]))

    def holds(self, place: int) -> bool:
        """Whether the leaf with this number is in it."""
        return self.first <= place < self.stop


@dataclass(eq=False, slots=True)
class Leaf:
    """An item with its position in the tree. `message`: the number of its message; leaves of one section with a role share it.

    `kind`: leaves of one kind are in one region and open and close messages alike.
    """

    place: int
    item: Item
    id: str
    region: Region
    message: int
    role: str
    content: str  # the text, and the calls of tools that go with it
    kind: int


class Layout:
    """A tree of items, flattened. `too_deep`: the name of the first section that is nested too deeply to be read; `strangers`: entries of wrong types."""

    def __init__(
        self,
        items: Sequence[Item | Section | Chunk | Hit | Path],
        separator: str,
        fill: Fill,
        chat_format: ChatFormat | None,
    ) -> None:
        self.chat_format = chat_format
        self.leaves: list[Leaf] = []
        self.root = Region(0, Section(ROOT, [], separator=separator), None, 0, fill)
        self.regions = [self.root]
        self.too_deep: str | None = None
        self.strangers: list[object] = []
        self._messages = 0
        self._kinds: dict[tuple[int, str, str | None], int] = {}
        # The kind of each leaf, then of the start and the end of the prompt. The text between two of them depends on
        # their kinds alone.
        self.kinds: list[int] = []
        self._edges: dict[tuple[int, int], tuple[str, str, str]] = {}
        self._flatten(items)
        self.kinds = [*(leaf.kind for leaf in self.leaves), 0]

    def _flatten(self, items: Sequence[object]) -> None:
        # No recursion, because the tree may have any depth.
        stack: list[tuple[Region, Sequence[object], int]] = [(self.root, items, 0)]
        speakers: dict[int, int] = {}
        named: set[str] = set()
        while stack:
            region, entries, index = stack.pop()
            if index == 0:
                region.first = len(self.leaves)
            while index < len(entries):
                entry = entries[index]
                index += 1
                if isinstance(entry, Chunk | Hit | Path):
                    entry = item_of(entry, named)
                if isinstance(entry, Item):
                    self.leaves.append(self._leaf(entry, region, speakers))
                elif not isinstance(entry, Section):
                    self.strangers.append(entry)
                elif region.depth == DEEPEST:
                    self.too_deep = self.too_deep or entry.name
                else:
                    child = Region(len(self.regions), entry, region, region.depth + 1, entry.fill or region.fill)
                    self.regions.append(child)
                    stack += [(region, entries, index), (child, entry.items, 0)]
                    break
            else:
                region.stop = len(self.leaves)

    def _leaf(self, item: Item, region: Region, speakers: dict[int, int]) -> Leaf:
        place = len(self.leaves)
        speaker = region.speaker
        if speaker is None:
            self._messages += 1
            message, role = self._messages, item.role or "user"
        else:
            if speaker.number not in speakers:
                self._messages += 1
                speakers[speaker.number] = self._messages
            message, role = speakers[speaker.number], speaker.section.role or "user"
        identity = item.id if item.id is not None else f"item-{place}"
        key = (region.number, role, item.name)
        kind = self._kinds.setdefault(key, len(self._kinds) + 1)
        return Leaf(place, item, identity, region, message, role, content_of(item), kind)

    # --- what stands between

    def glue(self, left: int, right: int) -> list[Part]:
        """Return the text between two kept leaves with no kept leaf between them; -1 is the start of the prompt, the
        number of leaves its end.
        """
        one, other = self._leaf_at(left), self._leaf_at(right)
        footers, separator, headers = self.edges(left, right)
        chat = self.chat_format
        if chat is None or (one is not None and other is not None and one.message == other.message):
            parts: list[Part] = [footers, separator, headers]
        else:
            speakers = [None if leaf is None else (leaf.role, leaf.item.name) for leaf in (one, other)]
            parts = [footers, *chat.between(*speakers), headers]
        return [part for part in parts if isinstance(part, Break) or part]

    def edges(self, left: int, right: int) -> tuple[str, str, str]:
        """The parts of the text between two leaves: the footers of the sections that end, the separator, the headers of
        those that begin.
        """
        one, other = self._leaf_at(left), self._leaf_at(right)
        key = (-1 if one is None else one.region.number, -1 if other is None else other.region.number)
        known = self._edges.get(key)
        if known is None:
            ends, begins, common = _way(one.region if one else None, other.region if other else None, self.root)
            known = self._edges[key] = (
                "".join(region.section.footer for region in ends),
                common.section.separator if one is not None and other is not None else "",
                "".join(region.section.header for region in begins),
            )
        return known

    def _leaf_at(self, place: int) -> Leaf | None:
        return self.leaves[place] if 0 <= place < len(self.leaves) else None


def content_of(item: Item) -> str:
    """Return the text to count for an item: its own text and, as JSON, the tool calls that it makes."""
    if not item.tool_calls:
        return item.content
    calls = "\n".join(json.dumps(call, ensure_ascii=False, sort_keys=True) for call in item.tool_calls)
    return f"{item.content}\n{calls}" if item.content else calls


def _way(one: Region | None, other: Region | None, root: Region) -> tuple[list[Region], list[Region], Region]:
    """Return the regions that end between two leaves, innermost first, those that start, outermost first, and the innermost one that holds both."""
    ends: list[Region] = []
    begins: list[Region] = []
    # An empty prompt has no headers.
    if one is None and other is None:
        return [], [], root
    while one is not other:
        if one is not None and (other is None or one.depth >= other.depth):
            ends.append(one)
            one = one.parent
        elif other is not None:
            begins.append(other)
            other = other.parent
    return ends, begins[::-1], one or root
