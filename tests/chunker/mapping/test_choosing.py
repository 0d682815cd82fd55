"""The choice of lines within a budget: the best there is, and the compiled one like that of the specification."""

from __future__ import annotations

from array import array
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chunker.mapping.choosing import Tree, choose, choose_in_python
from chunker.mapping.ranks import NameColumns, definition_values, values_in_python
from chunker.native import native

# For each file the depth of its rows below it, each at most one more than that before it.
SHAPES = st.lists(st.lists(st.integers(0, 3), max_size=9), min_size=1, max_size=6)


@st.composite
def trees(draw: st.DrawFn, shapes: st.SearchStrategy[list[list[int]]] = SHAPES) -> Tree:
    """Trees of some files."""
    deep: list[int] = []
    for shape in draw(shapes):
        deep.append(-1)
        for depth in shape:
            deep.append(min(depth, deep[-1] + 1))
    sizes = [
        next((later for later in range(row + 1, len(deep)) if deep[later] <= deep[row]), len(deep)) - row
        for row in range(len(deep))
    ]
    size = len(deep)
    values = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 1.2, 1.44, 7.5]), min_size=size, max_size=size))
    prices = draw(st.lists(st.integers(1, 12), min_size=size, max_size=size))
    marks = [-1 if depth < 0 else 1 + depth // 2 for depth in deep]
    worth = [0.0 if depth < 0 else value for depth, value in zip(deep, values, strict=True)]
    return Tree(array("d", worth), array("q", prices), array("q", sizes), array("q", marks))


def cost(tree: Tree, chosen: set[int]) -> int | None:
    """What a choice costs with its marks; None if it is none."""
    around: list[int] = []
    total, marked = 0, False
    for node in range(len(tree.values)):
        while around and around[-1] + tree.sizes[around[-1]] <= node:
            around.pop()
        if node in chosen:
            if any(outer not in chosen for outer in around):
                return None
            total += tree.prices[node]
            marked = False
        elif tree.marks[node] >= 0 and around[0] in chosen and not marked:
            total += tree.marks[node]
            marked = True
        around.append(node)
    return total


@settings(max_examples=60, deadline=None)
@given(trees(st.lists(st.lists(st.integers(0, 2), max_size=4), min_size=1, max_size=3)), st.integers(0, 60))
def test_it_is_the_best_choice(tree: Tree, budget: int) -> None:
    choice = choose(tree, budget)
    price = cost(tree, set(choice.nodes))
    assert price is not None
    assert price <= budget
    assert choice.value == pytest.approx(sum(tree.values[node] for node in choice.nodes))
    best = 0.0
    for kept in product((False, True), repeat=len(tree.values)):
        chosen = {node for node, keep in enumerate(kept) if keep}
        worth = sum(tree.values[node] for node in chosen)
        if worth > best and (of_it := cost(tree, chosen)) is not None and of_it <= budget:
            best = worth
    assert best <= choice.bound * (1 + 1e-9)
    assert choice.value >= 0.995 * best


@settings(max_examples=150, deadline=None)
@given(trees(), st.integers(0, 200), st.floats(0, 1000))
def test_the_compiled_choice_is_that_of_the_specification(tree: Tree, budget: int, raised: float) -> None:
    assert choose(tree, budget, raised) == choose_in_python(tree, budget, raised)


def test_values_that_become_equal_by_rounding_are_chosen_alike() -> None:
    tree = Tree(
        array("d", [0, 0, 0, 0, 0.5, 1, 0, 0, 1.2, 1.44, 7.5, 1.44, 0, 7.5, 0, 1.44, 0, 0, 0, 0, 7.5, 0, 0, 7.5]),
        array("q", [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 7, 1, 1, 1, 3, 2, 1, 1, 1]),
        array("q", [1, 5, 1, 1, 1, 1, 8, 1, 1, 1, 1, 1, 1, 1, 10, 1, 1, 1, 3, 2, 1, 3, 1, 1]),
        array("q", [-1, -1, 1, 1, 1, 1, -1, 1, 1, 1, 1, 1, 1, 1, -1, 1, 1, 1, 1, 1, 2, 1, 1, 1]),
    )
    assert choose(tree, 29) == choose_in_python(tree, 29)


@pytest.mark.skipif(native() is None, reason="needs the compiled part")
def test_wrong_trees_are_refused() -> None:
    compiled = native()
    assert compiled is not None
    one = array("q", [1]).tobytes()
    outermost = array("q", [-1]).tobytes()
    value = array("d", [1.0]).tobytes()
    assert compiled.choose(value, one, one, outermost, 5, 0.0) == ([0], 1.0, 1.0)
    for ends, marks in ((array("q", [2]).tobytes(), outermost), (array("q", [0]).tobytes(), outermost), (one, one)):
        with pytest.raises(ValueError, match="nodes end"):
            compiled.choose(value, one, ends, marks, 5, 0.0)
    with pytest.raises(ValueError, match="one length"):
        compiled.choose(value, one, one, outermost * 2, 5, 0.0)
    with pytest.raises(ValueError, match="eight bytes"):
        compiled.choose(value, b"abc", one, outermost, 5, 0.0)
    with pytest.raises(ValueError, match="number of names"):
        compiled.definition_values([(one, value, one, value)], 1, [1.0], [])


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[tuple[bytes, bytes, bytes, bytes]], int]:
    """Files that use and define some of so many names."""
    names = draw(st.integers(1, 12))
    number = st.integers(0, names - 1)
    files = []
    for _ in range(draw(st.integers(1, 50))):
        used = draw(st.lists(number, unique=True, max_size=6))
        defined = draw(st.lists(st.integers(-1, names - 1), min_size=1, max_size=4))
        weights = array("d", [1.0 + 0.5 * name for name in used])
        factors = array("d", [1 / (1 + 0.02 * place) for place in range(len(defined))])
        files.append(NameColumns(array("q", used), weights, array("q", defined), factors).packed())
    return files, names


@settings(max_examples=60, deadline=None)
@given(graphs(), st.booleans())
def test_compiled_values_are_those_of_the_specification(
    graph: tuple[list[tuple[bytes, bytes, bytes, bytes]], int], focused: bool
) -> None:
    files, names = graph
    starts = [20.0 if number == 0 and focused else 1.0 for number in range(len(files))]
    wanted = [0] if focused else []
    found = list(definition_values(files, names, starts, wanted))
    assert found == values_in_python(files, names, starts, wanted)
    assert all(value >= 0 for value in found)
