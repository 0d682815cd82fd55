"""Guess a table for a grammar without one from the names of its nodes.

    method_definition (name, body)     has a name and a body: a definition
    block, class_body, source_file     a body
    argument_list, array               a list
    else_clause, line_comment, ...     as their names say

Grammars have many authors but common naming conventions, so the guess is right for most nodes. A wrong guess leads to a
worse cut, never to an invalid one. A `Grammar` written for the language is better.
"""

from __future__ import annotations

import re
from typing import Any

from tree_sitter import Language

from chunker.formats.code.grammar import DefinitionRule, Grammar
from chunker.formats.code.naming import NameTemplate

_BODIES = re.compile(
    r"(?:\w+_)?(?:block|body|body_statement|suite|declarations|statements|compound_statement|declaration_list|statement_list"
    r"|source_file|program|module|translation_unit|compilation_unit|document|chunk)"
)
_GROUPS = re.compile(r"preproc_(?:if|ifdef|elif|else)")
_LISTS = re.compile(
    r"(?:\w+_)?(?:list|arguments|array|object|dictionary|hash|tuple|table_constructor|map|vector|record)(?:_literal)?"
)
_CLAUSES = re.compile(
    r"(?:else|elif|elsif|elseif|catch|except|finally|rescue|ensure|when|case)_?(?:clause|block|statement)?"
)
_COMMENTS = re.compile(r"(?:\w+_)?comment|haddock")
_OPAQUE = re.compile(r"(?:\w+_)?(?:string|heredoc|regex)(?:_literal|_body)?")
_WRAPPERS = re.compile(r"decorated_definition|export_statement|template_declaration")
_LEADING = re.compile(r"attribute_item|decorator")

_DEFINITION = DefinitionRule(
    "definition",
    NameTemplate("{name|declarator*}"),
    {"name|declarator": frozenset(), "body|block|class_body|function_body": frozenset()},
)


def generic_grammar(language: Language) -> Grammar:
    """Make the table for a grammar from the names of its nodes."""
    kinds = range(language.node_kind_count)
    names = {language.node_kind_for_id(kind) or "" for kind in kinds if language.node_kind_is_named(kind)} - {"ERROR"}
    taken: set[str] = set()

    def called(pattern: re.Pattern[str]) -> frozenset[str]:
        found = frozenset(name for name in names - taken if pattern.fullmatch(name))
        taken.update(found)
        return found

    # Each kind belongs to the first role whose pattern it matches.
    settings: dict[str, Any] = {
        "comments": called(_COMMENTS),
        "opaque": called(_OPAQUE),
        "wrappers": called(_WRAPPERS),
        "leading": called(_LEADING),
        "clauses": called(_CLAUSES),
        "bodies": called(_BODIES),
        "groups": called(_GROUPS),
        "lists": called(_LISTS),
    }
    return Grammar(
        language=language.name or "code",
        load=lambda: language,
        definitions=dict.fromkeys(names - taken, _DEFINITION),
        labels=dict.fromkeys(settings["comments"], "comment"),
        **settings,
    )
