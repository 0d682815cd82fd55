"""The rules of items, sections and options, checked before anything is counted: a rule a row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple, SupportsIndex, get_args

from chunker.prompt.errors import PromptConfigurationError
from chunker.prompt.items import Fill
from chunker.prompt.layout import DEEPEST, Layout, Leaf, Region


class PromptOptions(NamedTuple):
    """The arguments of `assemble`, besides the items."""

    budget: int
    reserve: int
    fill: str


# Each yields what breaks it, as messages.
Rule = Callable[[Layout, PromptOptions], Iterator[str]]


def check(layout: Layout, options: PromptOptions) -> None:
    """Raise `PromptConfigurationError` if items or options are invalid; the message lists every fault."""
    # Faults in the shape of the tree would make the other messages wrong.
    broken = [message for rule in (_entries, _depth, _whole) for message in rule(layout, options)]
    broken = broken or [message for rule in RULES for message in rule(layout, options)]
    if broken:
        raise PromptConfigurationError("\n".join(broken))


def _each_item(says: Callable[[Leaf], str | None]) -> Rule:
    def rule(layout: Layout, _options: PromptOptions) -> Iterator[str]:
        for leaf in layout.leaves:
            message = says(leaf)
            if message:
                yield f"item {leaf.id!r}: {message}"

    return rule


def _each_section(says: Callable[[Region], str | None]) -> Rule:
    def rule(layout: Layout, _options: PromptOptions) -> Iterator[str]:
        for region in layout.regions[1:]:
            message = says(region)
            if message:
                yield f"section {region.section.name!r}: {message}"

    return rule


def _entries(layout: Layout, _options: PromptOptions) -> Iterator[str]:
    for stranger in layout.strangers:
        yield f"items must be Item, Section, Chunk, Hit or Path, got {stranger!r:.60}"


def _depth(layout: Layout, _options: PromptOptions) -> Iterator[str]:
    if layout.too_deep is not None:
        yield f"section {layout.too_deep!r} has {DEEPEST} sections around it: there must be fewer"


def _whole(_layout: Layout, options: PromptOptions) -> Iterator[str]:
    whole: dict[str, object] = {
        "budget": options.budget,
        "reserve": options.reserve,
    }  # untyped callers may pass anything
    for name, value in whole.items():
        if not isinstance(value, SupportsIndex) or isinstance(value, bool):
            yield f"{name} must be a whole number of tokens, got {value!r}"


def _budget(_layout: Layout, options: PromptOptions) -> Iterator[str]:
    if options.budget < 1:
        yield f"budget must be at least 1 token, got {options.budget}"
    elif not 0 <= options.reserve < options.budget:
        yield f"reserve must be from 0 to budget - 1 ({options.budget - 1}), got {options.reserve}"
    if options.fill not in get_args(Fill):
        yield f"fill must be one of {', '.join(get_args(Fill))}; got {options.fill!r}"


def _ids(layout: Layout, _options: PromptOptions) -> Iterator[str]:
    for name, number in Counter(leaf.id for leaf in layout.leaves).items():
        if number > 1:
            yield f"id {name!r} is used by {number} items: ids must be unique"


def _section_names(layout: Layout, _options: PromptOptions) -> Iterator[str]:
    for region in layout.regions:
        names = Counter(child.section.name for child in region.children)
        for name, number in names.items():
            if number > 1:
                yield f"section {name!r}: {number} sections side by side have this name"


def _shares(layout: Layout, _options: PromptOptions) -> Iterator[str]:
    for region in layout.regions:
        if region is not region.scope:
            continue
        total = sum(inner.section.share or 0 for inner in region.budgeted)
        if total > 1 + 1e-9:
            yield f"the shares of the sections in {region.section.name!r} add up to {total:g}: they must not exceed 1"


def _floors(layout: Layout, options: PromptOptions) -> Iterator[str]:
    # From the inside out: a section needs at least the sum of the `min_tokens` of the sections inside.
    floors: dict[Region, int] = {}
    for region in reversed(layout.regions):
        inner = sum(floors[one] for one in region.budgeted)
        most = region.section.max_tokens
        floors[region] = max(region.section.min_tokens, inner)
        if most is not None and inner > most:
            yield f"section {region.section.name!r}: min_tokens of the sections inside add up to {inner}, but its max_tokens is {most}"
    room = options.budget - options.reserve
    # `_budget` reports a budget without room.
    if 0 < room < floors[layout.root]:
        yield f"the min_tokens of the sections add up to {floors[layout.root]}, but there are only {room} tokens"


def _required(layout: Layout, _options: PromptOptions) -> Iterator[str]:
    for leaf in layout.leaves:
        # In a chat a message may be empty if it answers a call.
        if (
            leaf.item.required
            and not leaf.content
            and (leaf.item.tool_call_id is None or leaf.region.speaker is not None)
        ):
            yield f"item {leaf.id!r}: it is required, but has no text"


def _messages(layout: Layout, _options: PromptOptions) -> Iterator[str]:
    for region in layout.regions[1:]:
        section = region.section
        if layout.chat_format is None:
            if section.role is not None:
                yield f"section {section.name!r}: role needs a chat_format"
            continue
        if region.speaker is None and (section.header or section.footer):
            yield f"section {section.name!r}: header and footer are part of a message, and the section has no role"
        if section.role is not None and region.parent is not None and region.parent.speaker is not None:
            yield f"section {section.name!r}: a section around it has a role already"
    for leaf in layout.leaves:
        item = leaf.item
        if layout.chat_format is None and (item.role or item.name or item.tool_calls or item.tool_call_id):
            yield f"item {leaf.id!r}: role, name, tool_calls and tool_call_id need a chat_format"
        if leaf.region.speaker is not None and (item.role or item.name or item.tool_calls or item.tool_call_id):
            yield f"item {leaf.id!r}: role, name, tool_calls and tool_call_id belong to a message, but this item is part of the message of its section"


def _tools(layout: Layout, _options: PromptOptions) -> Iterator[str]:
    called: dict[str, int] = {}
    for leaf in layout.leaves:
        for call in leaf.item.tool_calls:
            if "id" not in call:
                yield f"item {leaf.id!r}: each of tool_calls needs an id"
            elif str(call["id"]) in called:
                yield f"item {leaf.id!r}: the tool call {call['id']!r} is made twice: ids must be unique"
            else:
                called[str(call["id"])] = leaf.place
    for leaf in layout.leaves:
        answered = leaf.item.tool_call_id
        if answered is None:
            continue
        if answered not in called:
            yield f"item {leaf.id!r}: no item makes the tool call {answered!r} that it answers"
        elif called[answered] > leaf.place:
            yield f"item {leaf.id!r}: the tool call {answered!r} that it answers is made after it"


def _stable_first(layout: Layout, _options: PromptOptions) -> Iterator[str]:
    changing: Leaf | None = None
    for leaf in layout.leaves:
        if not leaf.item.stable:
            changing = changing or leaf
        elif changing is not None:
            yield f"item {leaf.id!r}: stable items must come before all others, but {changing.id!r} is before it"


RULES: tuple[Rule, ...] = (
    _budget,
    _ids,
    _section_names,
    _shares,
    _floors,
    _required,
    _messages,
    _tools,
    _stable_first,
    _each_item(lambda leaf: "priority must be a finite number" if not abs(leaf.item.priority) < float("inf") else None),
    _each_item(
        lambda leaf: f"min_tokens must be at least 0, got {leaf.item.min_tokens}" if leaf.item.min_tokens < 0 else None
    ),
    _each_item(
        lambda leaf: (
            f"max_tokens must be at least 1 and min_tokens, got {leaf.item.max_tokens}"
            if leaf.item.max_tokens is not None and leaf.item.max_tokens < max(1, leaf.item.min_tokens)
            else None
        )
    ),
    _each_item(
        lambda leaf: "min_tokens needs truncate" if leaf.item.min_tokens and leaf.item.truncate is None else None
    ),
    _each_item(
        lambda leaf: (
            "a stable item cannot be truncated" if leaf.item.stable and leaf.item.truncate is not None else None
        )
    ),
    _each_item(
        lambda leaf: (
            "truncate would cut the JSON of its tool_calls"
            if leaf.item.tool_calls and leaf.item.truncate is not None
            else None
        )
    ),
    _each_item(
        lambda leaf: (
            f"grow must be at least 0 and finite, got {leaf.item.grow}"
            if not 0 <= leaf.item.grow < float("inf")
            else None
        )
    ),
    _each_item(lambda leaf: "grow needs truncate" if leaf.item.grow and leaf.item.truncate is None else None),
    _each_item(lambda leaf: "a required item cannot grow" if leaf.item.grow and leaf.item.required else None),
    _each_item(
        lambda leaf: (
            "an item of a group cannot grow"
            if leaf.item.grow and (leaf.item.group is not None or leaf.item.tool_calls or leaf.item.tool_call_id)
            else None
        )
    ),
    _each_section(
        lambda region: (
            "tokens or share, not both"
            if region.section.tokens is not None and region.section.share is not None
            else None
        )
    ),
    _each_section(
        lambda region: (
            f"share must be from 0 to 1, got {region.section.share:g}"
            if region.section.share is not None and not 0 <= region.section.share <= 1
            else None
        )
    ),
    _each_section(
        lambda region: (
            f"tokens must be at least 0, got {region.section.tokens}"
            if region.section.tokens is not None and region.section.tokens < 0
            else None
        )
    ),
    _each_section(
        lambda region: (
            f"min_tokens must be at least 0, got {region.section.min_tokens}" if region.section.min_tokens < 0 else None
        )
    ),
    _each_section(
        lambda region: (
            f"max_tokens ({region.section.max_tokens}) must be at least min_tokens ({region.section.min_tokens})"
            if region.section.max_tokens is not None and region.section.max_tokens < region.section.min_tokens
            else None
        )
    ),
    _each_section(
        lambda region: (
            "min_tokens needs tokens or share" if region.section.min_tokens and not region.section.has_budget else None
        )
    ),
)
