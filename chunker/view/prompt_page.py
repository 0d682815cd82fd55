"""One HTML page that shows a prompt: the use of the budget, the outcome for each item, and the item that each part of
the text.

    bar      ███████▒▒▒▒▒▒████████░░░░░░      the items in their order, what is free, the reserve
    items    1  system    kept        5 of 5
             2  a.py      truncated   512 of 900   budget
             3  b.py      dropped     0 of 2,000   minimum
    text     in the colours of the bar

Built like the page of chunks (`page`): a single file that needs no network, in which no text becomes HTML.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from chunker.prompt import ItemReport, Prompt
from chunker.prompt.prompt_parts import PromptPart
from chunker.view.page import block, escaped, frame

_STYLES = ("page.css", "prompt.css")
_SCRIPTS = ("text.js", "prompt.js")


def prompt_page(prompt: Prompt, parts: Sequence[PromptPart], title: str, tokenizer: str) -> Iterator[bytes]:
    """Yield the page in parts, as UTF-8. Equal prompts give equal pages.

    `parts`: those of the prompt, from `chunker.prompt.prompt_parts`; `title` and `tokenizer`: names, shown at the top.
    """
    head, body, tail = frame("prompt.html", _STYLES, _SCRIPTS)
    yield head.replace("{{title}}", escaped(title)).encode()
    yield body.encode()
    yield block("prompt", prompt_data(prompt, parts, title, tokenizer))
    yield tail.encode()


def prompt_data(prompt: Prompt, parts: Sequence[PromptPart], title: str, tokenizer: str) -> dict[str, Any]:
    """Return the data of the page. Its `parts` are pairs of the index of an item, or -1, and a text."""
    report = prompt.report
    return {
        "title": title,
        "tokenizer": tokenizer,
        "budget": report.budget,
        "reserve": report.reserve,
        "tokens": report.token_count,
        "stable": report.stable_tokens,
        "between": report.separator_tokens,
        "items": [_item_data(item) for item in report.items],
        "sections": [section.model_dump() for section in report.sections],
        "parts": [[-1 if item is None else item, text] for item, text in parts],
    }


def _item_data(item: ItemReport) -> dict[str, Any]:
    return {
        "id": item.id,
        "section": item.section,
        "status": item.status,
        "reason": item.reason or "",
        "tokens": item.tokens,
        "before": item.tokens_before,
        "kept": item.kept,
    }
