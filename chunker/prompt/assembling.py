"""`assemble`: items and a budget in, the best prompt that fits out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from chunker.arguments import require, require_text, told, whole_number
from chunker.counting import AnyTokenizer, resolve_tokenizer
from chunker.errors import WrongTypeError
from chunker.hits import Hit
from chunker.models import Chunk
from chunker.prompt.chat import CHAT_FORMATS, ChatFormat
from chunker.prompt.errors import PromptConfigurationError
from chunker.prompt.filling import Filler
from chunker.prompt.items import Fill, Item, Section
from chunker.prompt.layout import Layout, Leaf
from chunker.prompt.report import Report
from chunker.prompt.report_fields import ItemReport
from chunker.prompt.rules import PromptOptions, check


class Message(BaseModel):
    """A message as vendors' interfaces take it: `message.model_dump(exclude_none=True)`.

    Args:
        role: The role: "user", "assistant", "system", "tool" ...
        content: The text.
        name: The name of the author, or None.
        tool_calls: Calls of tools that the message makes, or None.
        tool_call_id: The call that the message answers, or None.
    """

    model_config = ConfigDict(frozen=True)

    role: str
    content: str
    name: str | None = None
    tool_calls: tuple[dict[str, Any], ...] | None = None
    tool_call_id: str | None = None

    @classmethod
    def of(cls, item: Item, role: str, content: str) -> Message:
        """The message of an item.

        Args:
            item: The item: its name, the calls that it makes, and the one that it answers.
            role: The role.
            content: The text, without the calls.

        Returns:
            A message with this role and content, and what the item says of its name and of tools.
        """
        calls = item.tool_calls or None
        return cls(role=role, content=content, name=item.name, tool_calls=calls, tool_call_id=item.tool_call_id)


class Prompt(BaseModel):
    """A prompt that fits, and the report of how it was assembled.

    Attributes:
        text: The whole prompt, frames included.
        token_count: Its exact number of tokens.
        messages: Its messages, with a chat format.
        report: The outcome for each item, and the use of the budget.
    """

    model_config = ConfigDict(frozen=True)

    text: str = Field(description="all of it, frames included")
    token_count: int = Field(description="its tokens, exactly")
    messages: tuple[Message, ...] = Field(default=(), description="with a chat format")
    report: Report


def assemble(
    items: Sequence[Item | Section | Chunk | Hit | Path],
    budget: int,
    *,
    reserve: int = 0,
    tokenizer: AnyTokenizer = "o200k_base",
    chat_format: str | ChatFormat | None = None,
    separator: str = "\n\n",
    fill: Fill = "best_effort",
    drop_duplicates: bool = False,
) -> Prompt:
    """Assemble the best prompt that fits a budget: required items first, then by priority, in the order of `items`.

    A pure function: the same arguments give the same prompt. For a plain text `token_count == tokenizer.count(text)`.
    With a chat format, special tokens and counted frames have the numbers that the format gives, and the text between
    them is counted as it stands.

    Args:
        items: Items and sections. A chunk, a hit of `Index.search` and the path of a file are items, too.
        budget: The largest number of tokens of prompt and answer together.
        reserve: The tokens of these that are for the answer and for tools.
        tokenizer: The tokenizer to count with: anything that `chunker.TextChunker` takes.
        chat_format: A name in `CHAT_FORMATS`, or a chat format of your own; each item (or section with a role) is a
            message then. None for plain text.
        separator: Text between the entries of `items`.
        fill: "best_effort" skips an item that does not fit; "strict" stops there.
        drop_duplicates: Of items with the same text keep only the most important.

    Returns:
        The prompt, its exact number of tokens, and the report.

    Raises:
        PromptConfigurationError: Arguments cannot be used together; the message names every fault.
        RequiredItemsError: The required items do not fit.

    Examples:
        >>> prompt = assemble([Item("Be brief.", required=True), Item("A very long story. " * 50), Item("Who won?", priority=1)], budget=12)
        >>> prompt.text, prompt.token_count
        ('Be brief.\\n\\nWho won?', 6)
    """
    if isinstance(chat_format, str) and chat_format not in CHAT_FORMATS:
        raise PromptConfigurationError(f"chat_format must be one of {', '.join(CHAT_FORMATS)}; got {chat_format!r}")
    require(chat_format, (str, ChatFormat, type(None)), "chat_format", "a name, a ChatFormat or None")
    require_text(separator, "separator")
    given: object = items  # untyped callers may pass anything
    if isinstance(given, str | bytes) or not isinstance(given, Sequence):
        raise WrongTypeError(f"items must be a sequence of Item, Section, Chunk, Hit or Path, not {told(given)}")
    frames = CHAT_FORMATS[chat_format] if isinstance(chat_format, str) else chat_format
    counter = resolve_tokenizer(tokenizer)
    layout = Layout(items, separator, fill, frames)
    check(layout, PromptOptions(budget, reserve, fill))
    budget, reserve = whole_number(budget, "budget"), whole_number(reserve, "reserve")  # numbers of numpy, too
    # A tokenizer may say that its model puts tokens of its own around each text.
    room = budget - reserve - getattr(counter, "reserve", 0)
    filler = Filler(layout, counter, room, drop_duplicates=drop_duplicates)
    filler.fill()
    return _prompt(layout, filler, budget, reserve)


def _prompt(layout: Layout, filler: Filler, budget: int, reserve: int) -> Prompt:
    row = filler.row
    reports = tuple(_report(leaf, filler) for leaf in layout.leaves)
    return Prompt(
        text=row.text(),
        token_count=row.total,
        messages=tuple(_messages(layout, filler)) if layout.chat_format is not None else (),
        report=Report(
            budget=budget,
            reserve=reserve,
            token_count=row.total,
            stable_tokens=row.tokens_up_to(_stable(layout, row.kept)),
            separator_tokens=row.total - sum(report.tokens for report in reports),
            items=reports,
            sections=filler.ledger.reports(),
        ),
    )


def _report(leaf: Leaf, filler: Filler) -> ItemReport:
    outcome = filler.outcomes[leaf.place]
    kept = outcome.step is not None
    whole = outcome.kept == ((0, len(leaf.content)),)
    return ItemReport(
        id=leaf.id,
        section=leaf.region.path,
        status="dropped" if not kept else "kept" if whole else "truncated",
        reason=None if whole else outcome.reason,
        tokens_before=filler.tokens_alone(leaf),
        tokens=outcome.tokens,
        kept=outcome.kept,
        step=outcome.step,
        added=outcome.added,
    )


def _stable(layout: Layout, kept: Sequence[int]) -> int:
    """How many stable items the prompt begins with."""
    return next((number for number, place in enumerate(kept) if not layout.leaves[place].item.stable), len(kept))


def _messages(layout: Layout, filler: Filler) -> list[Message]:
    messages: list[Message] = []
    content = ""
    kept = list(filler.row.kept)
    for before, place, after in zip([-1, *kept], kept, [*kept[1:], len(layout.leaves)], strict=False):
        leaf = layout.leaves[place]
        _, separator, headers = layout.edges(before, place)
        goes_on = before >= 0 and layout.leaves[before].message == leaf.message
        text = filler.row.text_at(place) if not leaf.item.tool_calls else leaf.item.content
        content = f"{content}{separator if goes_on else ''}{headers}{text}{layout.edges(place, after)[0]}"
        if after < len(layout.leaves) and layout.leaves[after].message == leaf.message:
            continue
        messages.append(Message.of(leaf.item, leaf.role, content))
        content = ""
    return messages
