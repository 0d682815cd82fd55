"""Rank the files of a repository by who uses whom, and definitions by the rank that reaches them.

    a.py uses Stack, push        a.py -> stack.py       Stack is worth what a.py gives for it, push too
    b.py uses Stack              b.py -> stack.py

Rank is that of a random walk (PageRank: Brin and Page, 1998) along the names; with a focus the walk begins there. Scores are rounded to steps of a
fifth, so that an edit elsewhere, which changes all of them a little, changes the order of few.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from chunker.mapping.reading import MappedFile
from chunker.symbols.lowered import lowered_as, lowered_kinds

_DAMPING = 0.85
_STEPS = 24
# A name that so many files define tells little about any of them.
_COMMON = 5
_MOST_DEFINERS = 40
_FOCUS = 20.0
_FOCUSED_NAME = 10.0
# What a definition is worth that nobody uses: a share of the rank of its file.
_UNUSED = 0.1
_PRIVATE = 0.5
_PROSE = 0.3
_STEP_RATIO = 1.2

Key = tuple[int, int]  # number of a file, number of a definition in it


def definition_values(files: Sequence[MappedFile], focus: Collection[str] = ()) -> dict[Key, float]:
    """The value of each definition. `focus`: names of files, of folders, or of symbols."""
    definers: dict[str, set[int]] = defaultdict(set)
    for number, file in enumerate(files):
        for definition in file.symbols.definitions:
            if definition.kind != "section":
                definers[definition.name].add(number)
    focused_names = {name.rpartition(".")[2] for name in focus}
    edges = _edges(files, definers, focused_names)
    starts = [_start(file, focus, focused_names) for file in files]
    ranks = _ranks(edges, starts)
    received = _received(edges, ranks)
    values: dict[Key, float] = {}
    for number, file in enumerate(files):
        definitions = file.symbols.definitions
        shares: dict[str, int] = defaultdict(int)
        for definition in definitions:
            shares[definition.name] += 1
        lowered = math.prod(lowered_kinds()[kind].factor for kind in lowered_as(file.name))
        for order, definition in enumerate(definitions):
            value = ranks[number] * _UNUSED / len(definitions) ** 0.5
            value += received.get((number, definition.name), 0.0) / shares[definition.name]
            value *= lowered * (_PRIVATE if definition.name.startswith("_") else 1.0)
            value *= _PROSE if definition.kind == "section" else 1.0
            # The first of a file, and what stands outermost, say most about it.
            value /= 1 + 0.02 * order
            values[number, order] = _stepped(value)
    return values


def _edges(
    files: Sequence[MappedFile], definers: Mapping[str, set[int]], focused: Collection[str]
) -> list[list[tuple[int, str, float]]]:
    """The links of each file to others: by which name, how strongly."""
    edges: list[list[tuple[int, str, float]]] = []
    for number, file in enumerate(files):
        own: list[tuple[int, str, float]] = []
        for name, lines in file.symbols.uses.items():
            targets = definers.get(name)
            if not targets or len(targets) > _MOST_DEFINERS:
                continue
            weight = math.sqrt(len(lines)) / len(targets)
            weight *= 0.2 if len(targets) > _COMMON else 1.0
            weight *= _PRIVATE if name.startswith("_") else 1.0
            weight *= _FOCUSED_NAME if name in focused else 1.0
            own += [(target, name, weight * (0.1 if target == number else 1.0)) for target in sorted(targets)]
        edges.append(own)
    return edges


def _start(file: MappedFile, focus: Collection[str], focused_names: Collection[str]) -> float:
    """The share of walks that begin at each file."""
    if any(file.name == name or file.name.startswith(f"{name.rstrip('/')}/") for name in focus):
        return _FOCUS
    if focused_names and any(definition.name in focused_names for definition in file.symbols.definitions):
        return _FOCUS / 2
    return 0.05 if focus else 1.0


def _ranks(edges: Sequence[Sequence[tuple[int, str, float]]], starts: Sequence[float]) -> list[float]:
    """The rank of each file; all of them together have as much as there are files."""
    total = sum(starts) or 1.0
    begin = [len(starts) * start / total for start in starts]
    # One weight for each pair of files, as a share of what the file gives in all.
    given: list[list[tuple[int, float]]] = []
    for own in edges:
        sums: dict[int, float] = defaultdict(float)
        for target, _, weight in own:
            sums[target] += weight
        whole = sum(sums.values())
        given.append([(target, weight / whole) for target, weight in sums.items()])
    ranks = begin
    for _ in range(_STEPS):
        later = [(1 - _DAMPING) * start for start in begin]
        for number, own_shares in enumerate(given):
            gives = _DAMPING * ranks[number]
            if not own_shares:
                later[number] += gives
            for target, share in own_shares:
                later[target] += gives * share
        ranks = later
    return ranks


def _received(
    edges: Sequence[Sequence[tuple[int, str, float]]], ranks: Sequence[float]
) -> dict[tuple[int, str], float]:
    """The rank that reaches each name in each file that defines it."""
    received: dict[tuple[int, str], float] = defaultdict(float)
    for number, own in enumerate(edges):
        whole = sum(weight for _, _, weight in own)
        for target, name, weight in own:
            received[target, name] += ranks[number] * weight / whole
    return received


def _stepped(value: float) -> float:
    if value <= 0:
        return 0.0
    return float(_STEP_RATIO ** round(math.log(value, _STEP_RATIO)))
