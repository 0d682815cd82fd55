"""Source code: one walk over the syntax tree; a table tells what the nodes of a language are.

    class Stack:                    definition, depth 1
        size = 0                    first part of a body: weak, a header keeps what it introduces
        # Put on top.               definition, depth 2
        @traced                     weaker than the comments above it
        def push(self, item):       and this is weaker still
            if item:                weak, as above
                self.put(item)      weak
            else:                   clause, depth 4
                pass                weak
            # So much for that.     what ends a definition goes first where all of it is too long

Every boundary stands at the start of a line that is not blank. A part at depth d is stronger than every part at depth
d + 1, so a definition is never weaker than what it holds. Lines where no part begins are LINE boundaries, after a
blank line PARAGRAPH.
"""

from __future__ import annotations

from tree_sitter import Language

from chunker.formats.code.compiled_walk import compiled_walk
from chunker.formats.code.generic import generic_grammar
from chunker.formats.code.grammar import Grammar, compiled
from chunker.formats.code.parsing import hidden_rows, parse
from chunker.formats.code.tables import grammar_named
from chunker.formats.code.walking import Closed, Walk, WalkResult
from chunker.formats.outline import Outline, Strength
from chunker.formats.placing import place, sketch
from chunker.formats.sketches import Sketch
from chunker.formats.text.lines import LineTable


class CodeFormat:
    """Source code in the language of a table that has this name (`chunker.formats.code.tables`), of a `Grammar`, or of a grammar without
    a table.

    Raises `UnknownLanguageError` for a name without a table, and `MissingGrammarError` where the package is not installed that
    brings the grammar.
    """

    def __init__(self, grammar: str | Grammar | Language) -> None:
        if isinstance(grammar, str):
            grammar = grammar_named(grammar)
        self._grammar = grammar if isinstance(grammar, Grammar) else generic_grammar(grammar)
        compiled(self._grammar)

    @property
    def language(self) -> str:
        """The name of the language."""
        return self._grammar.language

    @property
    def grammar(self) -> Grammar:
        """What the nodes of its trees mean."""
        return self._grammar

    def outline(self, text: str) -> Outline:
        """The parts of `text` by depth, and its lines. The scopes are the definitions: "class Stack", "def push".

        Where the parser meets what it does not understand (another version of the language, half a file, no code at
        all), the notes say {"parse": "had errors"}: the parts that it recovers count, the rest is lines. If it does
        not get done in a time linear in the text, they say {"parse": "given up"}, and all is lines. Lone surrogates
        and NULs are welcome.
        """
        quick = compiled_walk(self._grammar)
        return (
            quick.sketch(text, 0).opened()
            if quick is not None and quick.reads(text)
            else outline_in_python(self._grammar, text)
        )

    def sketch(self, text: str, size: int) -> Sketch:
        """The outline with units of at most `size` bytes closed: functions, statements of several lines."""
        quick = compiled_walk(self._grammar)
        if quick is not None and quick.reads(text):
            return quick.sketch(text, size)
        return sketch_in_python(self._grammar, text, size)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.language!r})"

    def __reduce__(self) -> tuple[object, ...]:
        # A grammar of a table is found by its name in the other process; any other is what pickle makes of it.
        return type(self), (self._grammar.table or self._grammar,)


def outline_in_python(grammar: Grammar, text: str) -> Outline:
    """The outline of `text`, by the walk in Python: the twin of the compiled one."""
    return _Reading(grammar, text).outline()


def sketch_in_python(grammar: Grammar, text: str, size: int) -> Sketch:
    """The sketch of `text`, by the walk in Python: the twin of the compiled one."""
    return _Reading(grammar, text).sketch(size)


class _Reading:
    """A text, parsed. `tree`: None where the parser has given up, or there is nothing to parse."""

    def __init__(self, grammar: Grammar, text: str) -> None:
        self._grammar = grammar
        self._size = len(text)
        self._source = text.encode("utf-8", "surrogatepass")
        self.lines = LineTable(text, self._source)
        self.hidden = hidden_rows(self.lines, self._source, grammar.skimmed)
        source = self.lines.without(self.hidden, self._source) if self.hidden else self._source
        self.tree = parse(compiled(grammar).language, source) if text else None
        self.notes = {}
        if self.tree is None:
            self.notes = {"parse": "given up"} if text else {}
        elif self.tree.root_node.has_error:
            self.notes = {"parse": "had errors"}

    def outline(self) -> Outline:
        """All of the boundaries."""
        if not self._size:
            return Outline([], finest=Strength.SENTENCE)
        found = WalkResult(self.hidden) if self.tree is None else self._walk(0).run(self.tree.root_node)
        return place(found, self.lines, self._size, self._grammar, self.notes)

    def sketch(self, small: int) -> Sketch:
        """The boundaries outside of nodes of at most `small` bytes."""
        if self.tree is None:
            return Sketch.of_outline(self.outline())
        walk = self._walk(small)
        found = walk.run(self.tree.root_node)
        return sketch(
            found, walk.closed, self._enter, self.lines, size=self._size, grammar=self._grammar, notes=self.notes
        )

    def _walk(self, small: int) -> Walk:
        """A walk over the tree, that does not enter what is of so many bytes at most."""
        return Walk(self._grammar, self._source, self.lines, self.hidden, small)

    def _enter(self, nodes: list[Closed], comments: list[int]) -> WalkResult:
        """Walk inside some nodes; `comments` are lines with comments."""
        walk = Walk(self._grammar, self._source, self.lines, comments)
        return walk.enter([(one.node, one.depth) for one in nodes])
