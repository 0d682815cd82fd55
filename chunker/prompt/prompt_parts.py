"""The parts of a prompt, each of one item or between items.

"Be brief.\\n\\nWho won?"       "Be brief." of item 0     "\\n\\n" of none      "Who won?" of item 1
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from chunker.prompt.assembling import Prompt
from chunker.prompt.chat import CHAT_FORMATS, Break, ChatFormat, Part
from chunker.prompt.items import Item, Section
from chunker.prompt.layout import Layout, Leaf
from chunker.prompt.report_fields import ItemReport


class PromptPart(NamedTuple):
    """A part of a prompt's text; `item`: its number in the report, None for separators, headers, footers and frames."""

    item: int | None
    text: str


def prompt_parts(
    prompt: Prompt,
    items: Sequence[Item | Section],
    *,
    chat_format: str | ChatFormat | None = None,
    separator: str = "\n\n",
) -> list[PromptPart]:
    """The text of `assemble(items, ...)` in parts, with the `chat_format` and `separator` given there. Linear time; nothing is counted.

    >>> from chunker.prompt import assemble
    >>> items = [Item("Be brief."), Item("Who won?")]
    >>> [tuple(part) for part in prompt_parts(assemble(items, budget=20), items)]
    [(0, 'Be brief.'), (None, '\\n\\n'), (1, 'Who won?')]
    """
    frames = CHAT_FORMATS[chat_format] if isinstance(chat_format, str) else chat_format
    layout = Layout(items, separator, "best_effort", frames)
    found: list[PromptPart] = []
    before = -1
    for leaf, report in zip(layout.leaves, prompt.report.items, strict=True):
        if report.status != "dropped":
            found += _between(layout.glue(before, leaf.place))
            found.append(PromptPart(leaf.place, kept_text(leaf, report)))
            before = leaf.place
    found += _between(layout.glue(before, len(layout.leaves)))
    if "".join(part.text for part in found) != prompt.text:
        raise ValueError("the prompt was not made from these items: pass those that `assemble` was called with")
    return found


def kept_text(leaf: Leaf, report: ItemReport) -> str:
    """The kept part of an item, with the ellipsis where something was cut away."""
    text, kept = leaf.content, report.kept
    if kept == ((0, len(text)),):
        return text
    start = kept[0][1] if kept[0][0] == 0 else 0
    end = kept[-1][0] if kept[-1][1] == len(text) else len(text)
    return f"{text[:start]}{leaf.item.ellipsis}{text[end:]}"


def _between(parts: Sequence[Part]) -> list[PromptPart]:
    text = "".join(part.text if isinstance(part, Break) else part for part in parts)
    return [PromptPart(None, text)] if text else []
