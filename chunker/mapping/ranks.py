"""Rank files by the references between them, and definitions by the rank of the files that use them.

    a.py uses Stack, push        a.py -> stack.py       Stack is worth what a.py gives for it, push too
    b.py uses Stack              b.py -> stack.py

Files are ranked by a random walk along the names (PageRank: Brin and Page, 1998); with a focus the walk begins there.
Values are rounded to powers of 1.2: an edit changes all of them a little, and this way few of them change their order.

The walk is the specification of chunker/cpp/include/chunker/name_graph.hpp, to the last bit.
"""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from chunker.mapping.focus import Focus
from chunker.mapping.mapped_files import MappedFile
from chunker.native import native
from chunker.symbols.lowered import lowered_as, lowered_kinds
from chunker.symbols.reading import MOST_LINES

_FOCUS = 20.0
_PRIVATE = 0.5
_PROSE = 0.3
_DAMPING = 0.85
# A name that more than `_COMMON` files define tells little about any of them, and with more than `_MOST_DEFINERS`
# nothing.
_COMMON = 5
_COMMON_SHARE = 0.2
_MOST_DEFINERS = 40
# The weight of a use in the file that defines the name.
_OWN_SHARE = 0.1
# The weight of a use of a name that is in focus.
_FOCUSED = 10.0
# The value of a definition that nothing uses, as a share of the rank of its file.
_UNUSED = 0.1
_STEP_RATIO = 1.2
# The walk ends after `_STEPS` steps, or after one that moved less than the share `_SETTLED` of all rank.
_STEPS = 24
_SETTLED = 0.002

_ROOTS = [math.sqrt(lines) for lines in range(MOST_LINES + 1)]

_compiled = native()


@dataclass(frozen=True, slots=True)
class NameColumns:
    """A file of the graph; a name is a number.

    Args:
        used: The names it uses.
        weights: The weight of each use.
        defined: The name of each definition; -1 for a heading of prose, which nothing uses.
        factors: The factor of the value of each definition.
    """

    used: array[int]
    weights: array[float]
    defined: array[int]
    factors: array[float]

    def packed(self) -> tuple[bytes, bytes, bytes, bytes]:
        """The columns as bytes."""
        return self.used.tobytes(), self.weights.tobytes(), self.defined.tobytes(), self.factors.tobytes()


def name_columns(file: MappedFile, numbers: dict[str, int]) -> NameColumns:
    """The columns of a file. `numbers`: those of the names so far, to which new ones are added."""
    used = array("q", [numbers.setdefault(name, len(numbers)) for name in file.symbols.uses])
    weights = array(
        "d",
        [_ROOTS[len(lines)] * (_PRIVATE if name.startswith("_") else 1.0) for name, lines in file.symbols.uses.items()],
    )
    defined, factors = array("q"), array("d")
    lowered = math.prod(lowered_kinds()[kind].factor for kind in lowered_as(file.name))
    for order, definition in enumerate(file.symbols.definitions):
        of_prose = definition.kind == "section"
        defined.append(-1 if of_prose else numbers.setdefault(definition.name, len(numbers)))
        factor = lowered * (_PRIVATE if definition.name.startswith("_") else 1.0) * (_PROSE if of_prose else 1.0)
        # The first definitions of a file say most about it.
        factors.append(factor / (1 + 0.02 * order))
    return NameColumns(used, weights, defined, factors)


def starts_of(files: Sequence[MappedFile], focus: Focus) -> list[float]:
    """The weight with which walks begin at each file."""
    if not focus.files and not focus.symbols:
        return [1.0] * len(files)
    named = frozenset(number for numbers in focus.files for number in numbers)
    symbols = frozenset(focus.symbols)
    starts = []
    for number, file in enumerate(files):
        if number in named:
            starts.append(_FOCUS)
        elif any(definition.name in symbols for definition in file.symbols.definitions):
            starts.append(_FOCUS / 2)
        else:
            starts.append(0.05)
    return starts


def definition_values(
    columns: Sequence[tuple[bytes, bytes, bytes, bytes]], names: int, starts: list[float], focused: list[int]
) -> array[float]:
    """For each file 0, the value of the row with its name, and the value of each of its definitions.

    Args:
        columns: Of each file those of `NameColumns`, packed.
        names: How many names there are.
        starts: Of each file the share of walks that begin there.
        focused: The names whose uses weigh more.
    """
    if _compiled is not None:
        return array("d", _compiled.definition_values(list(columns), names, starts, focused))
    return array("d", values_in_python(columns, names, starts, focused))


def values_in_python(
    columns: Sequence[tuple[bytes, bytes, bytes, bytes]], names: int, starts: Sequence[float], focused: Collection[int]
) -> list[float]:
    """The specification of `definition_values`."""
    files = [
        NameColumns(array("q", used), array("d", weights), array("q", defined), array("d", factors))
        for used, weights, defined, factors in columns
    ]
    return _Graph(files, names, starts, frozenset(focused)).values()


class _Graph:
    def __init__(
        self, files: Sequence[NameColumns], names: int, starts: Sequence[float], focused: Collection[int]
    ) -> None:
        self._files = files
        self._starts = starts
        self._flows = [0.0] * names
        self._targets: dict[int, list[int]] = defaultdict(list)  # name -> the files that define it
        for number, file in enumerate(files):
            for name in dict.fromkeys(file.defined):
                if name >= 0:
                    self._targets[name].append(number)
        # For each file its links: a name, its weight, and whether the file itself defines the name.
        self._edges: list[list[tuple[int, float, bool]]] = []
        self._whole: list[float] = []
        for file in files:
            own_names = frozenset(file.defined)
            edges, whole = [], 0.0
            for name, weight in zip(file.used, file.weights, strict=True):
                count = len(self._targets.get(name, ()))
                if not 0 < count <= _MOST_DEFINERS:
                    continue
                weight /= count  # noqa: PLW2901  # what one definer is given
                weight *= _COMMON_SHARE if count > _COMMON else 1.0  # noqa: PLW2901  # likewise
                weight *= _FOCUSED if name in focused else 1.0  # noqa: PLW2901  # likewise
                own = name in own_names
                edges.append((name, weight, own))
                whole += weight * (count - (1 - _OWN_SHARE if own else 0.0))
            self._edges.append(edges)
            self._whole.append(whole)

    def values(self) -> list[float]:
        """0 for each file, and the value of each of its definitions."""
        ranks = self._ranks()
        self._flow(ranks, 1.0, None)
        values = []
        for number, file in enumerate(self._files):
            shares: dict[int, int] = defaultdict(int)
            for name in file.defined:
                shares[name] += 1
            # The share that the file gives to itself through names that it defines and uses.
            own = {
                name: (1 - _OWN_SHARE) * (ranks[number] / self._whole[number]) * weight
                for name, weight, is_own in self._edges[number]
                if is_own and self._whole[number] > 0
            }
            values.append(0.0)
            for name, factor in zip(file.defined, file.factors, strict=True):
                value = ranks[number] * _UNUSED / math.sqrt(len(file.defined))
                if name >= 0:
                    value += (self._flows[name] - own.get(name, 0.0)) / shares[name]
                values.append(_stepped(value * factor))
        return values

    def _ranks(self) -> list[float]:
        """The rank of each file; the mean is 1."""
        count = len(self._files)
        total = _added(self._starts) or 1.0
        begin = [count * start / total for start in self._starts]
        ranks = begin
        for _ in range(_STEPS):
            later = [(1 - _DAMPING) * start for start in begin]
            self._flow(ranks, _DAMPING, later)
            for name, flow in enumerate(self._flows):
                if flow > 0:
                    for target in self._targets[name]:
                        later[target] += flow
            change = _added([abs(new - old) for new, old in zip(later, ranks, strict=True)])
            ranks = later
            if change < _SETTLED * count:
                break
        return ranks

    def _flow(self, ranks: Sequence[float], damping: float, later: list[float] | None) -> None:
        """Compute what each definer of a name gets from the files that use it.

        `later`, the ranks of the next step, is corrected: files without links keep what they have, and a file gives
        less to itself than to others.
        """
        self._flows = [0.0] * len(self._flows)
        for number, edges in enumerate(self._edges):
            if self._whole[number] <= 0:
                if later is not None:
                    later[number] += damping * ranks[number]
                continue
            gives = damping * ranks[number] / self._whole[number]
            for name, weight, own in edges:
                self._flows[name] += gives * weight
                if own and later is not None:
                    later[number] -= (1 - _OWN_SHARE) * gives * weight


def _added(values: Sequence[float]) -> float:
    """The sum, added up in order as the compiled code does; from Python 3.12 on, `sum` rounds differently."""
    total = 0.0
    for value in values:
        total += value
    return total


def _stepped(value: float) -> float:
    if value <= 0:
        return 0.0
    return float(_STEP_RATIO ** round(math.log(value, _STEP_RATIO)))
