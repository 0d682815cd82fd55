"""Items and sections, the parts of a prompt.

    Section "context"  share 0.6                     Item "system"     required, stable
      Item "a.py"      priority 9, may be cut        Item "question"   required
      Item "b.py"      priority 4
    Section "history"  share 0.4

The order of a prompt is that of the list; priority decides only what stays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field, InstanceOf
from pydantic.dataclasses import dataclass

from chunker.files.discovery import FoundFile, Problem, portable
from chunker.files.documents import read_document
from chunker.hits import Hit
from chunker.models import Chunk
from chunker.prompt.errors import ItemFileError
from chunker.prompt.wrong_fields import told_plainly

# The part of an item that is cut off: its end, its beginning, or its middle.
Truncate = Literal["tail", "head", "middle"]
# Offsets at which an item may be cut: grapheme clusters, line starts, sentence starts, or those that a function
# returns.
TruncateAt = Literal["token", "line", "sentence"] | Callable[[str], Sequence[int]]
Fill = Literal["best_effort", "strict"]

_CONFIG = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


@told_plainly(
    {
        "text": "a str, Chunk, Hit or Path",
        "truncate_at": "'token', 'line', 'sentence' or a function",
        "tool_calls": "a tuple of dicts",
        "tool_calls[]": "a dict",
    }
)
@dataclass(frozen=True, config=_CONFIG)
class Item:
    """A text that may become part of a prompt.

    Args:
        text: The text; or a chunk or a hit of a search, whose `text` is taken; or the path of a file, which is read at
            once and is also the default of `id`.
        id: Its name in the report; by default its number.
        priority: A BIGGER number stays longer; of equal ones the first.
        required: Whether the prompt must contain it.
        stable: Its bytes never change from prompt to prompt, so it is kept whole or not at all, stands at the start,
            and goes in before all items that are not required.
        truncate: The part that goes if the item does not fit whole: "tail", "head" or "middle". None drops the item.
        truncate_at: Where it may be cut: "token" (between any characters), "line", "sentence", or a function from the
            text to offsets in it.
        ellipsis: Text in place of a part that was cut away.
        min_tokens: The smallest number of tokens worth keeping, without the ellipsis.
        max_tokens: The largest number of tokens to keep, without the ellipsis.
        grow: A weight. Items with a weight are filled last and together, each first to its `min_tokens`, then in
            proportion to the weights.
        group: Items of one group are all in the prompt, or none, except empty ones.
        role: The role of the message that the item is, with a chat format.
        name: The name of that message.
        tool_calls: Calls of tools that the message makes, each with an "id".
        tool_call_id: The call that the message answers. An answer and its call are a group.

    Raises:
        ItemFileError: The file cannot be read, or is not text.
        WrongTypeError: A field is of a wrong type, or there is no such field.
        PromptConfigurationError: `truncate` or `truncate_at` has a value that is not listed.
    """

    text: str | Chunk | Hit | Path
    id: str | None = Field(default=None, kw_only=True)
    priority: float = Field(default=0, kw_only=True)
    required: bool = Field(default=False, kw_only=True)
    stable: bool = Field(default=False, kw_only=True)
    truncate: Truncate | None = Field(default=None, kw_only=True)
    truncate_at: TruncateAt = Field(default="token", kw_only=True)
    ellipsis: str = Field(default="…", kw_only=True)
    min_tokens: int = Field(default=0, kw_only=True)
    max_tokens: int | None = Field(default=None, kw_only=True)
    grow: float = Field(default=0, kw_only=True)
    group: str | None = Field(default=None, kw_only=True)
    role: str | None = Field(default=None, kw_only=True)
    name: str | None = Field(default=None, kw_only=True)
    tool_calls: tuple[dict[str, Any], ...] = Field(default=(), kw_only=True)
    tool_call_id: str | None = Field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Read the file if the text is a path. Raises `ItemFileError` if the file cannot be read or is not text."""
        if isinstance(self.text, Path):
            path = str(self.text)
            found = read_document(FoundFile(path, 0, named=True))
            if isinstance(found, Problem):
                raise ItemFileError(f"the file of an item, {found}")
            object.__setattr__(self, "text", found.text.removeprefix("\ufeff"))
            if self.id is None:
                object.__setattr__(self, "id", portable(path))

    @property
    def content(self) -> str:
        """The text, also of a chunk or hit."""
        return self.text.text if isinstance(self.text, Chunk | Hit) else str(self.text)


@told_plainly(
    {
        "items": "a sequence of Item, Section, Chunk, Hit and Path",
        "items[]": "an Item, Section, Chunk, Hit or Path",
    }
)
@dataclass(frozen=True, config=_CONFIG)
class Section:
    """A part of a prompt with a budget of its own.

    Args:
        name: Its name in the report.
        items: The items in it, in the order of the prompt. A chunk, a hit or the path of a file is an item by itself.
        tokens: Its budget in tokens. With neither `tokens` nor `share` it has no budget of its own, and its items
            compete with those around it.
        share: Its budget as a part of what the section around it has left after required items.
        min_tokens: Tokens that it gets whatever others need, required items too.
        max_tokens: Tokens that it never exceeds, even if others leave some.
        separator: Text between its items.
        header: Text before it, if it keeps anything.
        footer: Text after it, if it keeps anything.
        fill: "best_effort" skips an item that does not fit; "strict" stops there. None does as the section around it.
        role: With a chat format, all of it is one message of this role.

    Raises:
        WrongTypeError: A field is of a wrong type, or there is no such field.
        PromptConfigurationError: `fill` has a value that is not listed.
    """

    name: str
    items: Sequence[Item | Section | Chunk | Hit | InstanceOf[Path]]
    tokens: int | None = Field(default=None, kw_only=True)
    share: float | None = Field(default=None, kw_only=True)
    min_tokens: int = Field(default=0, kw_only=True)
    max_tokens: int | None = Field(default=None, kw_only=True)
    separator: str = Field(default="\n", kw_only=True)
    header: str = Field(default="", kw_only=True)
    footer: str = Field(default="", kw_only=True)
    fill: Fill | None = Field(default=None, kw_only=True)
    role: str | None = Field(default=None, kw_only=True)

    @property
    def has_budget(self) -> bool:
        """Whether it is given tokens of its own."""
        return self.tokens is not None or self.share is not None


def item_of(entry: Chunk | Hit | Path, taken: set[str]) -> Item:
    """Return the item for a chunk, hit or file. Its id is the path, or the source and lines, unless these are unknown or the id is in `taken`; a new
    id is added to `taken`.
    """
    if isinstance(entry, Path):
        item = Item(entry)
    else:
        source, span = entry.source, entry.span
        item = Item(entry, id=None if source is None else f"{source}:{span.start_line}-{span.end_line}")
    if item.id in taken:
        return replace(item, id=None)
    if item.id is not None:
        taken.add(item.id)
    return item
