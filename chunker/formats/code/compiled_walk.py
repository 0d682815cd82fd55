"""The compiled twin of the walk: parse, walk and place in C++, without a Python object for each node.

    CodeFormat.sketch(text, size)
        compiled    text -> chunker._native.Grammar.read -> columns         closed nodes are entered in C++, too
        in Python   text -> tree_sitter.Parser -> Walk -> place -> columns

Both give the same sketch. The compiled walk parses with the tree-sitter runtime that is linked into `chunker._native`,
because the package `tree-sitter` does not expose its own. It needs the capsule of the grammar, which the function
`language` of a grammar's package returns. A `tree_sitter.Language` hides the capsule, and older packages return a
number: for these, the walk runs in Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sized
from typing import TYPE_CHECKING, Any

from bpe_engine.at_exit import cache_until_exit
from chunker.formats.code.grammar import ERROR, DefinitionRule, Grammar, compiled
from chunker.formats.code.read_sketch import ReadSketch
from chunker.native import native

if TYPE_CHECKING:  # the module does not exist without a compiled core
    from chunker._native import CodeReading
    from chunker._native import Grammar as NativeGrammar

_FIXED_LABELS = (
    "line",
    "paragraph",
    "statement",
    "clause",
    "comment",
)  # FixedLabel in chunker/cpp/include/chunker/walk_result.hpp
_LARGEST = 1 << 29  # in characters, of up to four bytes each


@cache_until_exit
def compiled_walk(grammar: Grammar) -> CompiledWalk | None:
    """Return the compiled walk for a grammar; None if the walk has to run in Python."""
    module = native()
    if module is None or not module.has_syntax():
        return None
    language = grammar.load()
    if type(language).__name__ != "PyCapsule" or not module.Grammar.reads(language):
        return None
    return CompiledWalk(module.Grammar(language, **_tables(grammar)))


class CompiledWalk:
    """Makes sketches. Created by `compiled_walk`, once per grammar."""

    def __init__(self, grammar: NativeGrammar) -> None:
        self._grammar = grammar

    def reads(self, text: Sized) -> bool:
        """Whether the compiled walk can read this text: the text is not empty, and its byte offsets fit into 32
        bits.
        """
        return 0 < len(text) < _LARGEST

    def sketch(self, text: str, size: int) -> ReadSketch:
        """Return the sketch of `text` with nodes of at most `size` bytes closed."""
        return ReadSketch(self.read(text, size))

    def read(self, text: str, size: int) -> CodeReading:
        """Parse `text` with nodes of at most `size` bytes closed."""
        return self._grammar.read(text, min(size, _LARGEST))


def _tables(grammar: Grammar) -> dict[str, Any]:
    """Convert `Compiled`, and the conditions of definitions, to the arguments of `chunker._native.Grammar`."""
    language, roles, inside, labels = compiled(grammar)
    numbers = {label: number for number, label in enumerate(_FIXED_LABELS)}

    def number_of(label: str) -> int:
        return numbers.setdefault(label, len(numbers))

    places = {name: place for place, name in enumerate(grammar.definitions)}
    kinds = [
        (roles[kind], inside[kind], number_of(labels[kind]), places.get(language.node_kind_for_id(kind) or "", -1))
        if kind in roles
        else (-1, -1, 0, -1)
        for kind in (*range(language.node_kind_count), ERROR)
    ]
    definitions = [
        (number_of(definition.label), _conditions(definition), definition.name.table, kind in grammar.joined)
        for kind, definition in grammar.definitions.items()
    ]
    return {
        "kinds": kinds,
        "definitions": definitions,
        "whole_text": number_of(grammar.label),
        "skimmed": grammar.skimmed.encode(),
        "spaced": grammar.spaced,
        "opening": grammar.opening.encode(),
        "labels": list(numbers),
    }


def _conditions(definition: DefinitionRule) -> list[tuple[list[list[str]], list[str]]]:
    condition: Mapping[str, frozenset[str]] = definition.condition
    return [([step.split("|") for step in path.split(".")], sorted(types)) for path, types in condition.items()]
