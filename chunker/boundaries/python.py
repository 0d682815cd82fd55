"""Python, as tree-sitter-python parses it."""

from __future__ import annotations

import re

import tree_sitter_python

from chunker.boundaries.code import CodeFormat
from chunker.boundaries.grammar import Definition, Grammar

PYTHON = Grammar(
    language="python",
    label="module",
    load=tree_sitter_python.language,
    bodies=frozenset({"module", "block"}),
    lists=frozenset({"argument_list", "dictionary", "import_from_statement", "list", "set", "tuple"}),
    clauses=frozenset({"elif_clause", "else_clause", "except_clause", "except_group_clause", "finally_clause"}),
    definitions={
        "class_definition": Definition("class", "class"),
        "function_definition": Definition("function", "def"),
    },
    wrappers={"decorated_definition": "definition"},
    comments=frozenset({"comment"}),
    opaque=frozenset({"string"}),
    labels={
        "comment": "comment",
        "future_import_statement": "import",
        "import_from_statement": "import",
        "import_statement": "import",
    },
    # A comment, or a line continuation that nothing precedes.
    skimmed=re.compile(rb"#|\\\r?\n?\Z"),
)


class PythonFormat(CodeFormat):
    """Python of any version: classes, functions, statements, elements of long collections, lines."""

    grammar = PYTHON
