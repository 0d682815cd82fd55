"""What a prompt is made of: items, and sections that hold items and sections.

    Section "context"  share 0.6                     Item "system"     required, stable
      Item "a.py"      priority 9, may be cut        Item "question"   required
      Item "b.py"      priority 4
    Section "history"  share 0.4

The order of a prompt is that of the list; priority decides what stays, and never where it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from chunker.files.discovery import FoundFile, Problem, portable
from chunker.files.documents import read_document
from chunker.hits import Hit
from chunker.models import Chunk
from chunker.prompt.errors import ItemFileError

# Which part of an item goes when it is cut: its end, its beginning, or what is between.
Truncate = Literal["tail", "head", "middle"]
# Where an item may be cut: between grapheme clusters, at line starts, at sentence starts; or at the offsets that a function finds in it.
TruncateAt = Literal["token", "line", "sentence"] | Callable[[str], Sequence[int]]
Fill = Literal["best_effort", "strict"]

_CONFIG = ConfigDict(extra="forbid", arbitrary_types_allowed=True)


@dataclass(frozen=True, config=_CONFIG)
class Item:
    """A text that may become part of a prompt.

    `text`: a str; or a chunk or a hit of a search, whose `text` it is; or the path of a file, which is read at once and gives the `id` too, if there is no other.
    `id`: its name in the report; its number if none is given.
    `priority`: a BIGGER number stays longer; of equal ones the first. `required`: without it there is no prompt.
    `stable`: its bytes never change from prompt to prompt, so it is kept whole or not at all, stands at the start, and goes in before all
    that is not required.
    `truncate`: the part that goes if the item does not fit whole: "tail", "head" or "middle"; None: nothing, it is dropped.
    `truncate_at`: "token" (anywhere between characters), "line", "sentence", or a function from the text to the offsets at which it may be cut.
    `ellipsis`: stands where something was cut away. `min_tokens`: less of it than this is worth nothing. `max_tokens`: more is never taken.
    Both are of what is kept of the item, by itself and without the ellipsis.
    `grow`: a weight; items that have one are filled last and together, each first to its `min_tokens`, then in proportion to the weights.
    `group`: items of one group are all in the prompt, or none, but for empty ones. `role`, `name`: of the message that the item is, with a chat format.
    `tool_calls`: calls of tools that the message makes, each with an "id"; `tool_call_id`: the call that the message answers. An answer and
    its call are a group.
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
        """Raises `ItemFileError` for a file that cannot be read or is no text."""
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
        """The text, whatever it was given as."""
        return self.text.text if isinstance(self.text, Chunk | Hit) else str(self.text)


@dataclass(frozen=True, config=_CONFIG)
class Section:
    """A part of a prompt with a budget of its own.

    `name`: in the report. `items`: what it holds, in the order of the prompt; a chunk, a hit or the path of a file is an item by itself. `tokens` or `share`: what it is given; a share is of what the
    section around it has left after required items. Neither: it has no budget of its own, and its items compete with those around it.
    `min_tokens`: so much is kept for it, whatever others would take, required items too; `max_tokens`: more it never gets, not from the surplus of others either.
    `separator`: between what it keeps. `header`, `footer`: around it, if it keeps anything. `fill`: "best_effort" skips what does not fit,
    "strict" stops at it; None: as the section around it. `role`: with a chat format, all of it is one message of this role.
    """

    name: str
    items: Sequence[Item | Section | Chunk | Hit | Path]
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
    """The item that a chunk, hit or file is by itself: named by where it stands, if it says so and nothing else in `taken` is called so, which it
    then is.
    """
    if isinstance(entry, Path):
        item = Item(entry)
    else:
        source, span = entry.source if isinstance(entry, Hit) else entry.metadata.get("source"), entry.span
        item = Item(entry, id=None if source is None else f"{source}:{span.start_line}-{span.end_line}")
    if item.id in taken:
        return replace(item, id=None)
    if item.id is not None:
        taken.add(item.id)
    return item
