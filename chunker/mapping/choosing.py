"""Choose the lines of a tree with the highest value within a budget: a knapsack where a line needs its parents.

    node          value  price       the nodes in the order of the text; a node can only be chosen with those around it
    a.py              0      3       files are the outermost nodes
      class Stack     8      4
        def push      5      6       left out: a mark in its place, unless there is one just above
      def main        1      4

If each token costs a fixed value (the rate: a Lagrange multiplier), the best choice in a file is found in one pass from
its end. The rate at which the choices of all files just fill the budget gives a bound that no choice exceeds. If that
choice is not near enough to the bound, better ones are searched among combinations near the bound: at this rate nearly
all nodes are clearly in or out, so few combinations are left.

This is the specification of chunker/cpp/include/chunker/tree_choice.hpp, to the last bit.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from chunker.native import native

# The search looks for a choice within these shares below the bound, one after the other.
_WINDOWS = (0.001, 0.004, 0.016, 0.064, 0.256, 1.0)
# A choice that has this share of the bound is good enough.
_NEAR = 0.995
# No tree costs more.
_MOST_BUDGET = 1 << 40
# The most combinations that are kept at a node: the most promising ones. No two have one price, so within a budget of
# fewer tokens none is dropped.
_MOST_STATES = 300
_STEPS = 60


@dataclass(frozen=True, slots=True)
class Tree:
    """The nodes among which to choose, in the order of the text.

    Args:
        values: What each is worth, from 0.
        prices: What its line costs, from 1, in tokens.
        sizes: The number of nodes in it, itself included.
        marks: The price, in tokens, of the mark that stands for it if it is left out, and for those left out right
            after it; -1 for the outermost nodes, which leave no mark.
    """

    values: array[float]
    prices: array[int]
    sizes: array[int]
    marks: array[int]


@dataclass(frozen=True, slots=True)
class Choice:
    """The chosen nodes, ascending, their value, and an upper bound of the value of any choice within the budget."""

    nodes: list[int]
    value: float
    bound: float


_compiled = native()

# A combination: its price, its value, and the linked list of its nodes, last first.
_Chain = tuple[int, "_Chain"] | None
_State = tuple[int, float, _Chain]


def choose(tree: Tree, budget: int, raised: float = 0.0) -> Choice:
    """Choose the nodes of the largest value whose lines and marks cost `budget` tokens at most.

    Args:
        tree: The nodes.
        budget: The largest price of all that is chosen.
        raised: The sum of what was added to values to have their nodes chosen first. How near a choice must be to the
            bound is told without it.
    """
    if _compiled is not None:
        columns = (column.tobytes() for column in (tree.values, tree.prices, tree.sizes, tree.marks))
        return Choice(*_compiled.choose(*columns, min(budget, _MOST_BUDGET), raised))
    return choose_in_python(tree, budget, raised)


def choose_in_python(tree: Tree, budget: int, raised: float = 0.0) -> Choice:
    """The specification of `choose`."""
    search = _Search(tree, budget)
    rate, nodes = search.rate()
    value = 0.0
    for node in nodes:  # not sum(), which is rounded otherwise from Python 3.12 on
        value += tree.values[node]
    bound = search.priced(rate)
    if bound - value <= max(bound - raised, 0.0) * (1 - _NEAR):
        return Choice(nodes, value, max(value, bound))
    whole = True
    for window in _WINDOWS:
        found, whole = search.best(rate, bound * (1 - window))
        if found is not None:
            _, value, chain = found
            nodes = []
            while chain is not None:
                nodes.append(chain[0])
                chain = chain[1]
            return Choice(nodes[::-1], value, value if whole else max(value, bound))
    return Choice([], 0.0, 0.0 if whole else bound)


class _Search:
    """The search for the best choice. A rate is the value that each token has to bring."""

    def __init__(self, tree: Tree, budget: int) -> None:
        self._tree = tree
        self._budget = budget
        size = len(tree.values)
        # The number of the node after each and all that is in it.
        self._ends = [node + tree.sizes[node] for node in range(size)]
        self._roots = [node for node in range(size) if tree.marks[node] < 0]
        # For each node, the best value less price of what stands from it to the end of its file, below a line and below
        # a mark.
        self._after_line = [0.0] * (size + 1)
        self._after_mark = [0.0] * (size + 1)

    def rate(self) -> tuple[float, list[int]]:
        """The rate at which the best choice just fills the budget, and the best choice found that does not exceed it."""
        value_low, cost_low, nodes = self._best_at(0.0)
        if cost_low <= self._budget:
            return 0.0, nodes
        value_high, cost_high, nodes = 0.0, 0, []
        rate = 0.0
        for _ in range(_STEPS):
            rate = (value_low - value_high) / (cost_low - cost_high)
            value, cost, chosen = self._best_at(rate)
            if cost in {cost_low, cost_high}:
                break
            if cost > self._budget:
                value_low, cost_low = value, cost
            else:
                value_high, cost_high, nodes = value, cost, chosen
        return rate, nodes

    def priced(self, rate: float) -> float:
        """The bound at a rate. Leaves the tables that `best` reads."""
        total = rate * self._budget
        for root in self._roots:
            self._price(root, rate)
            total += max(0.0, self._opened(root, rate))
        return total

    def _opened(self, root: int, rate: float) -> float:
        return self._tree.values[root] - rate * self._tree.prices[root] + self._after_line[root + 1]

    def _price(self, root: int, rate: float) -> None:
        tree, after_line, after_mark = self._tree, self._after_line, self._after_mark
        end = self._ends[root]
        after_line[end] = after_mark[end] = 0.0
        for node in range(end - 1, root, -1):
            taken = tree.values[node] - rate * tree.prices[node] + after_line[node + 1]
            left = after_mark[self._ends[node]]
            after_line[node] = max(taken, left - rate * tree.marks[node])
            after_mark[node] = max(taken, left)

    def _best_at(self, rate: float) -> tuple[float, int, list[int]]:
        """Value, price and nodes of the best choice at a rate, whatever it costs."""
        tree = self._tree
        value, cost = 0.0, 0
        nodes: list[int] = []
        for root in self._roots:
            self._price(root, rate)
            if self._opened(root, rate) <= 0:
                continue
            nodes.append(root)
            cost += tree.prices[root]
            node, marked = root + 1, False
            while node < self._ends[root]:
                taken = tree.values[node] - rate * tree.prices[node] + self._after_line[node + 1]
                left = self._after_mark[self._ends[node]] - (0.0 if marked else rate * tree.marks[node])
                if taken > left:
                    nodes.append(node)
                    value += tree.values[node]
                    cost += tree.prices[node]
                    node, marked = node + 1, False
                else:
                    cost += 0 if marked else tree.marks[node]
                    node, marked = self._ends[node], True
        return value, cost, nodes

    def best(self, rate: float, least: float) -> tuple[_State | None, bool]:
        """The best choice of at least the value `least` (None if there is none), and whether no combination was dropped on the way."""
        tree = self._tree
        whole = True
        opened = [self._opened(root, rate) for root in self._roots]
        # The most that the files from each on may add.
        coming = [0.0] * (len(self._roots) + 1)
        for number in reversed(range(len(self._roots))):
            coming[number] = coming[number + 1] + max(0.0, opened[number])
        states: list[_State] = [(0, 0.0, None)]
        total = rate * self._budget + coming[0]
        for number, root in enumerate(self._roots):
            # A file that brings less than it costs lowers the bound by the difference: too far, and it is left out.
            if total + min(0.0, opened[number]) < least:
                continue
            end = self._ends[root]
            later = coming[number + 1]
            lines: dict[int, list[list[_State]]] = {}
            marked: dict[int, list[list[_State]]] = {}
            begun = self._taken(states, root, rate, least - later)
            lines[root + 1] = [begun]
            for node in range(root + 1, end):
                above_line = _merged(lines.pop(node, []))
                above_mark = _merged(marked.pop(node, []))
                if not above_line and not above_mark:
                    continue
                if len(above_line) > _MOST_STATES:
                    above_line, whole = self._cut(above_line, rate), False
                if len(above_mark) > _MOST_STATES:
                    above_mark, whole = self._cut(above_mark, rate), False
                taken = self._taken(_merged([above_line, above_mark]), node, rate, least - later)
                if taken:
                    lines.setdefault(node + 1, []).append(taken)
                left = marked.setdefault(self._ends[node], [])
                need = least - later - self._after_mark[self._ends[node]]
                left.append(self._promising(above_mark, 0, rate, need))
                left.append(self._promising(above_line, tree.marks[node], rate, need))
            closed = [*lines.pop(end, []), *marked.pop(end, [])]
            skipped = self._promising(states, 0, rate, least - later)
            states = _merged([skipped, *closed])
            if len(states) > _MOST_STATES:
                states, whole = self._cut(states, rate), False
        return (states[-1] if states and states[-1][1] >= least and states[-1][2] else None), whole

    def _taken(self, states: Sequence[_State], node: int, rate: float, least: float) -> list[_State]:
        """The combinations with `node` added, if they may still reach `least`."""
        value, price = self._tree.values[node], self._tree.prices[node]
        need = least - self._after_line[node + 1] - rate * self._budget
        most = self._budget - price
        return [
            (cost + price, worth + value, (node, chain))
            for cost, worth, chain in states
            if cost <= most and worth + value - rate * (cost + price) >= need
        ]

    def _promising(self, states: Sequence[_State], price: int, rate: float, least: float) -> list[_State]:
        """The combinations with `price` added, if they may still reach `least`."""
        need = least - rate * self._budget
        most = self._budget - price
        return [
            (cost + price, worth, chain)
            for cost, worth, chain in states
            if cost <= most and worth - rate * (cost + price) >= need
        ]

    def _cut(self, states: list[_State], rate: float) -> list[_State]:
        """The most promising combinations, by price."""
        best = sorted(states, key=lambda state: (rate * state[0] - state[1], state[0]))[:_MOST_STATES]
        return sorted(best, key=lambda state: state[0])


def _merged(parts: Sequence[list[_State]]) -> list[_State]:
    """The combinations of all parts that no other beats in both price and value, by price."""
    # A single part, too: two values may have become equal by rounding when a node was added to both.
    best: list[_State] = []
    for state in sorted((state for part in parts for state in part), key=lambda state: (state[0], -state[1])):
        if not best or state[1] > best[-1][1]:
            best.append(state)
    return best
