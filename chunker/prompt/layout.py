"""The tree of sections and items, flattened: leaves in the order of the prompt, and what stands between any two that are kept.

Section "context", header "Files:"  separator "¶¶"        leaves     0     1     2     3
Item a        Item b                                    between 0 and 1: ¶¶
Section "history"  separator "¶"                          between 0 and 3: footer of context, separator around, header of history
Item c        Item d
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from chunker.prompt.chat import Break, ChatFormat, Part
from chunker.prompt.items import Fill, Item, Section

ROOT = "prompt"


@dataclass(eq=False)
class Region:
    """A section with its place in the tree; the whole prompt is one too. `first` and `behind` are its leaves."""

    section: Section
    parent: Region | None
    depth: int
    fill: Fill
    first: int = 0
    behind: int = 0
    children: list[Region] = field(default_factory=list)
    own: list[int] = field(default_factory=list)  # the leaves that stand in it and in no child

    @property
    def around(self) -> list[Region]:
        """The region and those around it, innermost first."""
        found: list[Region] = []
        region: Region | None = self
        while region is not None:
            found.append(region)
            region = region.parent
        return found


@dataclass(eq=False)
class Leaf:
    """An item with its place in the tree. `message` tells messages apart: leaves of one section with a role have the same."""

    place: int
    item: Item
    id: str
    region: Region
    message: int
    role: str
    content: str  # the text, and the calls of tools that go with it


class Layout:
    """A tree of items, flattened."""

    def __init__(
        self, items: Sequence[Item | Section], separator: str, fill: Fill, chat_format: ChatFormat | None
    ) -> None:
        self.chat_format = chat_format
        self.leaves: list[Leaf] = []
        self.root = Region(Section(ROOT, items, separator=separator), None, 0, fill)
        self.regions = [self.root]
        self._messages = 0
        self._flatten()

    def _flatten(self) -> None:
        # No recursion: nobody knows how deep the tree of a stranger is.
        stack: list[tuple[Region, int]] = [(self.root, 0)]
        messages: dict[int, int] = {}
        while stack:
            region, index = stack.pop()
            if index == 0:
                region.first = len(self.leaves)
            entries = region.section.items
            while index < len(entries):
                entry = entries[index]
                index += 1
                if isinstance(entry, Section):
                    child = Region(entry, region, region.depth + 1, entry.fill or region.fill)
                    region.children.append(child)
                    self.regions.append(child)
                    stack += [(region, index), (child, 0)]
                    break
                region.own.append(len(self.leaves))
                self.leaves.append(self._leaf(entry, region, messages))
            else:
                region.behind = len(self.leaves)

    def _leaf(self, item: Item, region: Region, messages: dict[int, int]) -> Leaf:
        place = len(self.leaves)
        speaking = next((around for around in region.around if around.section.role is not None), None)
        if speaking is None:
            self._messages += 1
            message, role = self._messages, item.role or "user"
        else:
            if id(speaking) not in messages:
                self._messages += 1
                messages[id(speaking)] = self._messages
            message, role = messages[id(speaking)], speaking.section.role or "user"
        identity = item.id if item.id is not None else f"item-{place}"
        return Leaf(place, item, identity, region, message, role, content_of(item))

    # --- what stands between

    def glue(self, left: int, right: int) -> list[Part]:
        """What stands between two leaves that are kept and none between them; -1 is the start of the prompt, the number of leaves its end."""
        one, other = self._leaf_at(left), self._leaf_at(right)
        footers, separator, headers = self.edges(left, right)
        chat = self.chat_format
        if chat is None or (one is not None and other is not None and one.message == other.message):
            parts: list[Part] = [footers, separator, headers]
        else:
            closing = [] if one is None else chat.closing(one.role, one.item.name)
            opening = chat.ending() if other is None else chat.opening(other.role, other.item.name)
            parts = [footers, *closing, *opening, headers]
        return [part for part in parts if isinstance(part, Break) or part]

    def edges(self, left: int, right: int) -> tuple[str, str, str]:
        """Of what stands between two leaves: the footers of the sections that end, the separator, the headers of those that begin."""
        one, other = self._leaf_at(left), self._leaf_at(right)
        ends, begins, common = _way(one.region if one else None, other.region if other else None, self.root)
        separator = common.section.separator if one is not None and other is not None else ""
        return (
            "".join(region.section.footer for region in ends),
            separator,
            "".join(region.section.header for region in begins),
        )

    def _leaf_at(self, place: int) -> Leaf | None:
        return self.leaves[place] if 0 <= place < len(self.leaves) else None


def content_of(item: Item) -> str:
    """The text of an item and, as JSON, the calls of tools that it makes: what a count of it counts."""
    if not item.tool_calls:
        return item.content
    import json  # noqa: PLC0415 - few prompts have tools

    calls = "\n".join(json.dumps(call, ensure_ascii=False, sort_keys=True) for call in item.tool_calls)
    return f"{item.content}\n{calls}" if item.content else calls


def _way(one: Region | None, other: Region | None, root: Region) -> tuple[list[Region], list[Region], Region]:
    """The regions that end between two leaves, innermost first, those that begin, outermost first, and the one that holds both."""
    ends: list[Region] = []
    begins: list[Region] = []
    # A prompt with nothing in it has no header either.
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
