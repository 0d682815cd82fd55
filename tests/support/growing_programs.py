"""Programs of appends or prepends, snapshots and rollbacks, run on an encoder and on a plain text beside it."""

from __future__ import annotations

import pickle
from random import Random
from typing import Any

import pytest

from bpe_engine import AppendingEncoder, PrependingEncoder, StaleMarkError, Tokenizer

# What composes, what begins an added token, what is stripped, what is unknown.
EDGES = [
    "<",
    "<th",
    "ink>",
    "</think>",
    "<mask>",
    " ",
    "\n",
    "e",
    "\u0301",
    "\u0323",
    "é",
    "\u1161",
    "가",
    "a",
    "b",
    "1",
    "▁",
    "中",
    "\u1cf4",
    "x",
    "'s",
    "  ",
    "##",
    "``",
    "chunk,er",
    "\u00ad",
    "\u3000",
    "½",
]


# Engines that have been pickled whole, which takes a good part of a second each.
_PICKLED: dict[int, Any] = {}


def pickled(encoder: Any) -> Any:
    """The encoder, pickled and made anew: once together with its engine, then beside the same engine."""
    rebuild, (engine, *state) = encoder.__reduce__()
    if id(engine) in _PICKLED:
        return rebuild(engine, *pickle.loads(pickle.dumps(state)))
    _PICKLED[id(engine)] = engine
    return pickle.loads(pickle.dumps(encoder))


def run(ours: Tokenizer, program: list[tuple[str, Any]], *, appends: bool) -> None:
    """Run a program on an encoder and, beside it, on a plain text."""
    encoder = ours.appending_encoder() if appends else ours.prepending_encoder()
    text: Any = None
    marks: list[tuple[Any, Any]] = []
    for operation, argument in program:
        if operation == "grow":
            if isinstance(encoder, AppendingEncoder):
                encoder.append(argument)
                text = argument if text is None else text + argument
            elif isinstance(encoder, PrependingEncoder):
                encoder.prepend(argument)
                text = argument if text is None else argument + text
        elif operation == "snapshot":
            marks.append((encoder.snapshot(), text))
        elif marks:
            number = argument % len(marks)
            mark, text = marks[number]
            stale = marks[number + 1 :]
            del marks[number + 1 :]
            encoder.rollback(mark)
            for passed, _ in stale:
                with pytest.raises(StaleMarkError):
                    encoder.rollback(passed)
        expected = 0 if text is None else ours.count(text)
        assert encoder.fewest <= encoder.count == expected
    if text is not None:
        assert encoder.tokens() == ours.encode(text)
        again = pickled(encoder) if isinstance(text, str) and len(text) < 20 else encoder
        assert (again.count, again.data) == (encoder.count, encoder.data)


def run_at_random(ours: Tokenizer, random: Random, edges: list[str], rounds: int) -> None:
    """Run random programs to both sides, and price a slice of a random text, of these pieces."""
    for _ in range(rounds):
        program: list[tuple[str, Any]] = []
        for _ in range(random.randint(1, 12)):
            kind = random.choice(["grow", "grow", "grow", "snapshot", "rollback"])
            program.append((kind, random.choice(edges) if kind == "grow" else random.randrange(1 << 16)))
        run(ours, program, appends=True)
        run(ours, program, appends=False)
        text = "".join(random.choices(edges, k=12))
        start, end = sorted(random.choices(range(len(text) + 1), k=2))
        assert ours.interval_encoder(text).count(start, end) == ours.count(text[start:end])
