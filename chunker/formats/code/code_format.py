"""Source code: one walk over the syntax tree. A table defines the meaning of the nodes of each language.

    class Stack:                    definition, depth 1
        size = 0                    first part of a body: weak, so that it stays with its header
        # Put on top.               definition, depth 2
        @traced                     weaker than the comments above it
        def push(self, item):       and this is weaker still
            if item:                weak, as above
                self.put(item)      weak
            else:                   clause, depth 4
                pass                weak
            # So much for that.     split off first if the whole definition is too long

Every boundary is at the start of a non-blank line. A part at depth d is stronger than every part at depth d + 1, so a
definition is never weaker than its contents. A line where no part begins is a LINE boundary, after a blank line
PARAGRAPH.
"""

from __future__ import annotations

from tree_sitter import Language

from chunker.formats.code.compiled_walk import compiled_walk
from chunker.formats.code.generic import generic_grammar
from chunker.formats.code.grammar import Grammar, compiled
from chunker.formats.code.parsing import hidden_rows, parse
from chunker.formats.code.tables import grammar_named
from chunker.formats.code.walking import Closed, Walk, WalkResult
from chunker.formats.line_placement import place, sketch
from chunker.formats.outline import Outline, Strength
from chunker.formats.sketches import Sketch
from chunker.formats.text.lines import LineTable


class CodeFormat:
    """Source code in the language of a table (`chunker.formats.code.tables`), given by its name, of a `Grammar`, or of
    a tree-sitter grammar without a table.

    Raises `UnknownLanguageError` for a name without a table, and `MissingGrammarError` if the package with the grammar
    is not installed.
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
        """The meaning of the nodes of its trees."""
        return self._grammar

    def outline(self, text: str) -> Outline:
        """Return the parts of `text` by depth, and its lines. The scopes are the definitions: "class Stack", "def
        push".

        If the parser meets syntax errors (another version of the language, half a file, no code at all), the notes say
        {"parse": "had errors"}: the parts that it recovers are used, the rest is cut by lines. If it does not finish in
        time linear in the text, the notes say {"parse": "given up"}, and the whole text is cut by lines. Lone
        surrogates and NULs are allowed.
        """
        quick = compiled_walk(self._grammar)
        return (
            quick.sketch(text, 0).opened()
            if quick is not None and quick.reads(text)
            else outline_in_python(self._grammar, text)
        )

    def sketch(self, text: str, size: int) -> Sketch:
        """Return the outline with units of at most `size` bytes closed: functions, statements of several lines."""
        quick = compiled_walk(self._grammar)
        if quick is not None and quick.reads(text):
            return quick.sketch(text, size)
        return sketch_in_python(self._grammar, text, size)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.language!r})"

    def __reduce__(self) -> tuple[object, ...]:
        # A grammar of a table is pickled as its name, which the other process can find; any other grammar is pickled
        # itself.
        return type(self), (self._grammar.table or self._grammar,)


def outline_in_python(grammar: Grammar, text: str) -> Outline:
    """Return the outline of `text` by the walk in Python: the twin of the compiled walk."""
    return _Reading(grammar, text).outline()


def sketch_in_python(grammar: Grammar, text: str, size: int) -> Sketch:
    """Return the sketch of `text` by the walk in Python: the twin of the compiled walk."""
    return _Reading(grammar, text).sketch(size)


class _Reading:
    """A parsed text. `tree`: None if the parser has given up, or the text is empty."""

    def __init__(self, grammar: Grammar, text: str) -> None:
        self._grammar = grammar
        self._size = len(text)
        self._source = text.encode("utf-8", "surrogatepass")
        self.lines = LineTable(text, self._source)
        self.hidden = hidden_rows(self.lines, self._source, grammar.skimmed)
        source = self.lines.without(self.hidden, self._source) if self.hidden else self._source
        if grammar.spaced and not source[-1:].isspace():
            source += b" "
        self.tree = parse(compiled(grammar).language, source) if text else None
        self.notes = {}
        if self.tree is None:
            self.notes = {"parse": "given up"} if text else {}
        elif self.tree.root_node.has_error:
            self.notes = {"parse": "had errors"}

    def outline(self) -> Outline:
        """Return all boundaries."""
        if not self._size:
            return Outline([], finest=Strength.SENTENCE)
        found = WalkResult(self.hidden) if self.tree is None else self._walk(0).run(self.tree.root_node)
        return place(found, self.lines, self._size, self._grammar, self.notes)

    def sketch(self, small: int) -> Sketch:
        """Return the boundaries outside nodes of at most `small` bytes."""
        if self.tree is None:
            return Sketch.of_outline(self.outline())
        walk = self._walk(small)
        found = walk.run(self.tree.root_node)
        return sketch(
            found, walk.closed, self._enter, self.lines, size=self._size, grammar=self._grammar, notes=self.notes
        )

    def _walk(self, small: int) -> Walk:
        """Return a walk over the tree that does not enter nodes of at most `small` bytes."""
        return Walk(self._grammar, self._source, self.lines, self.hidden, small)

    def _enter(self, nodes: list[Closed], comments: list[int]) -> WalkResult:
        """Walk inside some nodes; `comments` are lines with comments."""
        walk = Walk(self._grammar, self._source, self.lines, comments)
        return walk.enter([(one.node, one.depth) for one in nodes])
