"""Turns of a conversation in plain English words, the same each time. Imports nothing that takes memory: what is measured may be that."""

from __future__ import annotations

from random import Random

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
ROLES = ("user", "assistant")


def turn_text(random: Random, size: int = 400) -> str:
    """A text of `size` characters: words in random order."""
    return " ".join(random.choices(WORDS, k=size))[:size]


def turns(count: int, size: int = 400) -> list[dict[str, str]]:
    """`count` messages of `size` characters each, the user's and the assistant's in turns."""
    random = Random(1)  # noqa: S311 - the same texts each time
    return [{"role": ROLES[number % 2], "content": turn_text(random, size)} for number in range(count)]
