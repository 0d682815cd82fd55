"""Bytes that a conversation holds, a token: of itself, and with its dicts of messages.

    PYTHONMALLOC=malloc python benchmarks/prompts/conversation_memory.py 2000 200000

Writes a line of JSON a size. All memory has to come from glibc's malloc, which tells what is in use; so it is a process of its own, which conversation.py runs.
"""

from __future__ import annotations

import ctypes
import gc
import json
import sys
from random import Random

from bpe_engine import Tokenizer
from chunker.prompt import ChatTemplate, Conversation

TEMPLATE = "{% for m in messages %}<|endoftext|>{{ m.role }}: {{ m.content }}<|endofprompt|>{% endfor %}"
WORDS = [
    "the",
    "quick",
    "brown",
    "fox",
    "jumps",
    "over",
    "a",
    "lazy",
    "dog",
    "while",
    "engineers",
    "argue",
    "about",
    "caching",
    "prompts",
    "in",
    "servers",
    "of",
    "many",
    "kinds",
]


class _Malloc(ctypes.Structure):
    """`struct mallinfo2`."""

    _fields_ = tuple((name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"))  # fmt: skip


def held() -> int:
    """Bytes in use."""
    gc.collect()
    told = ctypes.CDLL(None).mallinfo2
    told.restype = _Malloc
    made = told()
    return int(made.uordblks + made.hblkhd)


def messages_of(tokens: int) -> list[dict[str, str]]:
    """Turns of 400 characters, of so many tokens in all or a few more."""
    random = Random(1)  # noqa: S311 - the same texts each time
    return [{"role": "user", "content": " ".join(random.choices(WORDS, k=72))[:400]} for _ in range(tokens // 75)]


def main() -> None:
    """A line for each size."""
    tokenizer, template = Tokenizer.load("o200k_base"), ChatTemplate(TEMPLATE)
    for size in map(int, sys.argv[1:]):
        messages = messages_of(size)
        Conversation(tokenizer, template).sync(messages)  # what all conversations share
        start = held()
        copies = [dict(message) for message in messages]
        dicts = held() - start
        del copies
        found = {"tokens": 0.0}
        for name in ("at once", "turn by turn"):
            start = held()
            conversation = Conversation(tokenizer, template)
            if name == "at once":
                conversation.sync(messages)
            else:
                for message in messages:
                    conversation.append(message)
            count = conversation.count
            found |= {"tokens": count, name: (held() - start - dicts) / count, "dicts": dicts / count}
            if name == "turn by turn":
                start = held()
                fork = conversation.fork()
                found["fork"] = (held() - start) / count
                del fork
            del conversation
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
