"""Cases: a document, a chunker with its options, and the parts in which a stream has the document. One number makes one case."""

from __future__ import annotations

import functools
import random
from dataclasses import dataclass, field
from typing import Any

from chunker import TextChunker
from chunker.errors import ChunkerError, MissingGrammarError
from chunker.formats.registry import code_names, format_named, format_names
from fuzz_chunkers.countings import Counting, counter, random_counting
from fuzz_chunkers.documents import document

# Those whose streams are chunked as they come.
STREAMABLE = ("text", "markdown", "jsonl", "csv")
# In a process of its own: as slow as a hundred others.
_SLOW = ("bash",)
_BUDGETS = (1, 2, 3, 4, 5, 6, 7, 8, 8, 9, 10, 12, 16, 24, 32, 48, 64, 128, 200, 512)
_SHOWN = 2_000  # characters of a text that are worth to be read
_PARTS = ("breadcrumb", "imports", "summary")


@dataclass(frozen=True)
class Case:
    """`options` are those of `TextChunker` that are not as by default; `parts`: the sizes of the parts of the stream, in turns."""

    text: str
    format: str
    counting: Counting = "o200k_base"
    options: dict[str, Any] = field(default_factory=dict)
    source: str | None = None
    parts: tuple[int, ...] = ()

    def chunker(self) -> TextChunker:
        """A chunker of this case. Raises `OptionError` where options do not go together."""
        return TextChunker(tokenizer=counter(self.counting), format=self.format, **self.options)

    def __str__(self) -> str:
        """A program that chunks the text of the case."""
        tokenizer, imports = repr(self.counting), ["from chunker import TextChunker"]
        if not isinstance(self.counting, str) or self.counting.startswith("function "):
            imports.append("from fuzz_chunkers.countings import counter")
            tokenizer = f"counter({self.counting!r})"
        arguments = [f"{name}={value!r}" for name, value in self.options.items()]
        made = f"TextChunker({', '.join([*arguments, f'tokenizer={tokenizer}', f'format={self.format!r}'])})"
        text = repr(self.text) if len(self.text) <= _SHOWN else f"...  # {len(self.text)} characters"
        lines = [
            *imports,
            f"text = {text}",
            f"chunker = {made}",
            f"chunks = chunker.chunk(text, source={self.source!r})",
        ]
        if self.parts:
            lines.append(f"# as a stream, in parts of {', '.join(map(str, self.parts))} characters in turns")
        return "\n".join(lines)


@functools.cache
def _formats() -> tuple[str, ...]:
    """The names of the formats that can be used here."""
    found = []
    for name in format_names():
        try:
            format_named(name)
        except MissingGrammarError:
            continue
        found.append(name)
    return tuple(found)


def random_case(seed: int, number: int) -> Case:
    """The case with this number of a run with this seed."""
    dice = random.Random(f"{seed} {number}")
    while True:
        case = _drawn(dice)
        try:
            if counter(case.counting) is None:
                continue
            case.chunker()
        except ChunkerError:  # options that do not go together
            continue
        return case


def _drawn(dice: random.Random) -> Case:
    names = _formats()
    code = code_names()
    name = dice.choices(
        names, [0.02 if each in _SLOW else 0.5 if each in code else 3 if each in STREAMABLE else 1 for each in names]
    )[0]
    max_tokens = dice.choice(_BUDGETS)
    options: dict[str, Any] = {"max_tokens": max_tokens}
    if dice.random() < 0.4:
        options["min_tokens"] = dice.choice([0, 1, max_tokens // 2, max_tokens, dice.randrange(max_tokens + 1)])
    if dice.random() < 0.4:
        options["overlap"] = dice.choice([max_tokens // 4, max_tokens - 1, dice.randrange(max_tokens)])
        options["overlap_by"] = dice.choice(["unit", "sentence", "token"])
    if dice.random() < 0.5:
        options["context"] = dice.choice([True, True, frozenset(dice.sample(_PARTS, dice.randrange(1, 4)))])
    if dice.random() < 0.15:
        options["desired_tokens"] = dice.randrange(1, max_tokens + 1)
    if dice.random() < 0.1:
        options["reserve"] = dice.randrange(max_tokens)
    if dice.random() < 0.2:
        options["strategy"] = "optimal"
    streams = name in STREAMABLE and dice.random() < 0.4 and options.get("strategy") is None
    counting = random_counting(dice)
    size = 300 if "strategy" in options else 1_500
    if isinstance(counting, str) and counting.startswith("function"):
        size = 500  # it reads each chunk once for each unit in it
    elif streams and max_tokens > 16 and options.get("overlap", 0) < max_tokens // 2 and dice.random() < 0.1:
        size = 30_000  # long enough for chunks that come before the end
    text = document(dice, name, size)
    parts = tuple(dice.choice([0, 1, 7, 100, 3_000, 20_000]) for _ in range(4)) if streams else ()
    return Case(
        text, name, counting, options, dice.choice([None, None, "folder/name.txt"]), parts if any(parts) else ()
    )
