"""Chunks in chunks: each level has its budget, and each child lies in its parent."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_engine import Tokenizer
from chunker import CodeChunker, MarkdownChunker, OptionError, TextChunker, WrongTypeError
from chunker.hierarchy import Hierarchy, chunk_hierarchy

TOKENIZER = Tokenizer.load("o200k_base")
MARKDOWN = "\n".join(
    f"# Part {part}\n\n" + f"A paragraph of part {part}. It has sentences.\n\n" * 30 for part in range(4)
)
PIECES = ["# Head\n", "\n", "\n\n", "words of a line\n", "x" * 200, "é", "- item\n", "👍🏽", "\r\n", "One. Two! "]


def check(hierarchy: Hierarchy, text: str, budgets: list[int]) -> None:
    ids = [node.id for node in hierarchy.nodes()]
    assert len(set(ids)) == len(ids) == sum(map(len, hierarchy.levels))
    for number, (level, budget) in enumerate(zip(hierarchy.levels, budgets, strict=True)):
        for node in level:
            assert node.level == number
            assert node.token_count == TOKENIZER.count(node.text) <= budget
            assert text[node.span.start : node.span.end] == node.body
            assert text.encode()[node.span.start_byte : node.span.end_byte] == node.body.encode()
            children = [hierarchy.node(child) for child in node.children]
            assert all(child.parent == node.id for child in children)
            if number + 1 < len(budgets):
                assert "".join(child.body for child in children) == node.body
                assert children[0].span.start == node.span.start
            assert [around.level for around in hierarchy.ancestors(node)] == list(range(number))[::-1]
        assert "".join(node.body for node in level) == text
        assert all(one.next == other.id and other.previous == one.id for one, other in pairwise(level))
        if level:
            assert level[0].previous is None
            assert level[-1].next is None


@settings(max_examples=40)
@given(
    text=st.lists(st.sampled_from(PIECES), max_size=60).map("".join),
    kind=st.sampled_from([TextChunker, MarkdownChunker]),
    strategy=st.sampled_from(["grow", "optimal"]),
    context=st.booleans(),
)
def test_the_laws(text: str, kind: Callable[..., TextChunker], strategy: str, *, context: bool) -> None:
    budgets = [80, 30, 12]
    chunkers = [kind(budget, strategy=strategy, context=context) for budget in budgets]
    check(chunk_hierarchy(text, chunkers, source="a.md"), text, budgets)


def test_children_are_cut_along_the_structure_and_know_their_headings() -> None:
    chunkers = [MarkdownChunker(600, context=True), MarkdownChunker(64, context=True)]
    hierarchy = chunk_hierarchy(MARKDOWN, chunkers)
    check(hierarchy, MARKDOWN, [600, 64])
    assert [node.body.splitlines()[0] for node in hierarchy.levels[0]] == [f"# Part {part}" for part in range(4)]
    second = hierarchy.node(hierarchy.levels[0][2].children[1])
    assert second.context == "Part 2\n"
    assert hierarchy.ancestors(second) == [hierarchy.levels[0][2]]


def test_levels_of_their_own_formats_and_overlap() -> None:
    text = "\n\n\n".join(f"def f{number}(x):\n    y = x + {number}\n    return y" for number in range(60))
    chunkers = [CodeChunker("python", 300, overlap=40), CodeChunker("python", 60)]
    hierarchy = chunk_hierarchy(text, chunkers)
    for parent in hierarchy.levels[0]:
        children = [hierarchy.node(child) for child in parent.children]
        assert "".join(child.body for child in children) == parent.body
        assert all(text[child.span.start : child.span.end] == child.body for child in children)
        assert all(child.span.start_line == text.count("\n", 0, child.span.start) + 1 for child in children)


def test_it_goes_to_json_and_back_and_pickles() -> None:
    hierarchy = chunk_hierarchy(MARKDOWN, [MarkdownChunker(600), MarkdownChunker(64)])
    assert Hierarchy.model_validate_json(hierarchy.model_dump_json()) == hierarchy
    assert pickle.loads(pickle.dumps(hierarchy)).leaves == hierarchy.leaves
    with pytest.raises(KeyError, match="no chunk of this hierarchy has the id 'none'"):
        hierarchy.node("none")
    with pytest.raises(WrongTypeError, match="chunk_id must be the id of a chunk, not None"):
        hierarchy.node(None)  # type: ignore[arg-type]  # what is tested


def test_empty_text() -> None:
    assert chunk_hierarchy("", [TextChunker(64), TextChunker(16)]).levels == ((), ())


@pytest.mark.parametrize("budgets", [[], [64, 64], [16, 64]])
def test_budgets_fall(budgets: list[int]) -> None:
    with pytest.raises(OptionError, match="decreasing max_tokens"):
        chunk_hierarchy("text", [TextChunker(budget) for budget in budgets])


@pytest.mark.parametrize("larger", range(9, 60, 5))
def test_a_larger_chunk_that_ends_inside_a_head(larger: int) -> None:
    text = "".join(
        f"@decorator({n})\n# a comment\n@another(\n    {n},\n    {n},\n)\ndef f{n}():\n    return {n}\n\n\n"
        for n in range(4)
    )
    chunkers = [CodeChunker("python", max_tokens=larger), CodeChunker("python", max_tokens=8, strategy="optimal")]
    for level in chunk_hierarchy(text, chunkers).levels:
        assert "".join(chunk.text for chunk in level) == text


def test_wrong_levels_and_shares_are_told() -> None:
    hierarchy = chunk_hierarchy("One. Two. Three.", [TextChunker(8), TextChunker(2, min_tokens=0)])
    with pytest.raises(WrongTypeError, match=r"level must be a whole number, got '0'"):
        hierarchy.parents([], level="0")  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError, match=r"share must be a number, not 'x' \(str\)"):
        hierarchy.merged([], share="x")  # type: ignore[arg-type]


def test_what_two_parents_share_is_a_chunk_of_each() -> None:
    text = "".join(f"Sentence number {number} is here. " for number in range(12))
    hierarchy = chunk_hierarchy(text, [TextChunker(40, overlap=16), TextChunker(10)])
    leaves = hierarchy.leaves
    assert len({leaf.id for leaf in leaves}) == len(leaves) > len({(leaf.span.start, leaf.text) for leaf in leaves})
    for index, leaf in enumerate(leaves):
        assert hierarchy.node(leaf.id) is leaf
        (parent,) = hierarchy.parents([leaf])
        assert leaf.id in parent.children
        assert leaf.next == (leaves[index + 1].id if index + 1 < len(leaves) else None)
    first = hierarchy.levels[0][0]
    assert hierarchy.merged([hierarchy.node(child) for child in first.children]) == [first]
    assert Hierarchy.model_validate_json(hierarchy.model_dump_json()) == hierarchy
