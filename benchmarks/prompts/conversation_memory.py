"""Bytes of memory per token that a conversation keeps, by the length of its messages.

    python benchmarks/run.py conversation_memory              writes benchmarks/results/conversation_memory.md
    python benchmarks/run.py conversation_memory 2000 10000   for conversations of so many tokens, a line of JSON each

All memory has to come from glibc's malloc, which tells what is in use: the table is made by a process of its own, with
`ENVIRONMENT`. All that a conversation has allocated counts, on average over some of the same size. The strings of the
messages are the caller's.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from measuring import conditions, versions
from plain_turns import turns

from bpe_engine import Tokenizer
from chunker.prompt import ChatTemplate, Conversation

TEMPLATE = (
    "{% for m in messages %}<|endoftext|>{{ m.role }}: {{ m.content }}{{ m.tool_calls }}<|endofprompt|>{% endfor %}"
)
# Without a cache for each thread, in which malloc counts what was freed as in use.
ENVIRONMENT = {"PYTHONMALLOC": "malloc", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}
SIZES = (2_000, 10_000, 50_000, 200_000)
LENGTHS = (400, 2000)  # characters
RESULT = Path(__file__).parents[1] / "results" / "conversation_memory.md"
_CHARACTERS_A_TOKEN = 5.3
_TOKENS_IN_ALL = 100_000


class _Malloc(ctypes.Structure):
    """The result of glibc's `mallinfo2`."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    )


def held() -> int:
    """Bytes that are allocated, after a garbage collection."""
    gc.collect()
    told = ctypes.CDLL(None).mallinfo2
    told.restype = _Malloc
    made = told()
    return int(made.uordblks + made.hblkhd)


def with_calls(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages, with the call of a tool in each second one."""
    call = {"type": "function", "function": {"name": "search", "arguments": {"query": "the harbour", "limit": 5}}}
    return [{**message, "tool_calls": [call]} if number % 2 else message for number, message in enumerate(messages)]


def made(
    tokenizer: Tokenizer, template: ChatTemplate, messages: list[dict[str, Any]], *, at_once: bool
) -> Conversation:
    """A conversation of these messages."""
    conversation = Conversation(tokenizer, template)
    if at_once:
        conversation.sync(messages)
    else:
        for message in messages:
            conversation.append(message)
    return conversation


def measured(tokenizer: Tokenizer, template: ChatTemplate, messages: list[dict[str, Any]]) -> dict[str, float]:
    """Bytes per token: of conversations that are made at once, of those that grow, and of forks."""
    tokens = made(tokenizer, template, messages, at_once=True).count  # and what all conversations share
    number = max(1, _TOKENS_IN_ALL // tokens)
    found: dict[str, float] = {"tokens": tokens}
    whole = made(tokenizer, template, messages, at_once=True)
    for name in ("at once", "turn by turn", "fork"):
        held_here: list[Conversation | None] = [None] * number
        start = held()
        for place in range(number):
            held_here[place] = (
                whole.fork() if name == "fork" else made(tokenizer, template, messages, at_once=name == "at once")
            )
        found[name] = (held() - start) / number / tokens
    return found


def rows(sizes: Sequence[int]) -> Iterator[dict[str, Any]]:
    """A row for each size and length, and one for messages with calls of tools."""
    tokenizer, template = Tokenizer.load("o200k_base"), ChatTemplate(TEMPLATE)
    for size in sizes:
        for length in LENGTHS:
            messages: list[dict[str, Any]] = [*turns(max(1, round(size * _CHARACTERS_A_TOKEN / length)), length)]
            yield {"characters": length, **measured(tokenizer, template, messages)}
            if length == LENGTHS[0]:
                yield {"characters": length, "calls": True, **measured(tokenizer, template, with_calls(messages))}


def main() -> None:
    """Print rows, or write the table."""
    if sys.argv[1:]:
        for row in rows([int(size) for size in sys.argv[1:]]):
            print(json.dumps(row), flush=True)
        return
    command = [sys.executable, "-P", __file__, *map(str, SIZES)]
    made = subprocess.run(command, env={**os.environ, **ENVIRONMENT}, check=True, capture_output=True)  # noqa: S603 - this file
    lines = [
        "# Memory of a conversation",
        "",
        (
            "Bytes a token of all that a conversation allocates, as malloc tells: o200k, two special tokens a message. "
            "5.6 of them are the text, 4 the ids. The strings of the messages are the caller's."
        ),
        "Of lists and dicts in a message, such as calls of tools, the values are kept, at 8 bytes each: the call here takes 72.",
        f"`python benchmarks/run.py conversation_memory`; {versions(['bpe-chunker'])}; {conditions()}.",
        "",
        "| tokens | characters of a message | grown turn by turn | made at once | a fork |",
        "|---:|---|---:|---:|---:|",
    ]
    for row in map(json.loads, made.stdout.splitlines()):
        each = f"{row['characters']:,}" + (", and the call of a tool in each second one" if "calls" in row else "")
        lines.append(
            f"| {row['tokens']:,} | {each} | {row['turn by turn']:.1f} | {row['at once']:.1f} | {row['fork']:.1f} |"
        )
    RESULT.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
