"""Formats by name. A format is imported on first use, so that unused parsers cost nothing."""

from __future__ import annotations

import pickle
from importlib import import_module
from typing import TYPE_CHECKING

from bpe_engine.at_exit import cache_until_exit
from chunker.arguments import told
from chunker.errors import OptionError, UnknownLanguageError, WrongTypeError
from chunker.formats import Format
from chunker.formats.detect import format_called
from chunker.formats.format_index import format_index

if TYPE_CHECKING:  # the parsers are not loaded before they are used
    from tree_sitter import Language

    from chunker.formats.code.grammar import Grammar


def format_names() -> list[str]:
    """Return the names of all formats, sorted, including programming languages."""
    return sorted([*format_index().classes, *code_names()])


def is_plain(name: str) -> bool:
    """Whether the format of this name needs no tree-sitter grammar."""
    return name in format_index().classes


def code_names() -> tuple[str, ...]:
    """Return the names of the programming languages with a table, sorted, whether or not their grammars are
    installed.
    """
    return tuple(format_index().tables)


@cache_until_exit
def format_named(name: str) -> Format:
    """Return the format of this name.

    Raises `UnknownLanguageError` for an unknown name, and `MissingGrammarError` for a language whose grammar is not
    installed.
    """
    if not is_plain(name) and name not in code_names():
        raise UnknownLanguageError(f"no format is called {name!r}; there are {', '.join(format_names())}")
    made: Format
    if is_plain(name):
        module, _, kind = format_index().classes[name].rpartition(".")
        made = getattr(import_module(module), kind)()
    else:
        made = import_module("chunker.formats.code.code_format").CodeFormat(name)
        grammar = import_module("chunker.formats.code.tables").grammar_named(name)
        if grammar.isolated and import_module("chunker.formats.code.compiled_walk").compiled_walk(grammar) is None:
            made = _isolated(made)
    return made


def alike(ours: Format, theirs: Format) -> bool:
    """Whether two formats are the same object, or instances of the same class of ours with equal values, such as an
    unpickled copy.
    """
    if ours is theirs or ours == theirs:
        return True
    if type(ours) is not type(theirs) or not type(ours).__module__.startswith("chunker.formats."):
        return False
    try:
        return pickle.dumps(ours) == pickle.dumps(theirs)
    except (
        pickle.PicklingError,
        AttributeError,
        TypeError,
    ):  # made of what cannot be compared, such as a grammar of one's own
        return False


def name_of(made: Format) -> str | None:
    """Return the name by which `format_named` finds a format; None for a format that was made otherwise.

    >>> name_of(format_named("json")), name_of(format_named("text"))
    ('json', 'text')
    """
    name = getattr(type(made), "name", None)
    if not isinstance(name, str) or not is_plain(name):
        return None
    theirs = format_named(name)
    return name if type(made) is type(theirs) and alike(made, theirs) else None


def code_format(language: str | Grammar | Language, *, isolate: bool = False) -> Format:
    """Make the format of source code in a language, given by any of its names, by a table of your own, or by a grammar
    alone.

    `isolate`: parse in a separate process. Raises `UnknownLanguageError`, `MissingGrammarError`, and `OptionError` if a
    grammar without a name is to be isolated.
    """
    made: Format
    if isinstance(language, str):
        name = format_called(language)
        if name not in code_names():
            raise UnknownLanguageError(f"language must be one of {', '.join(code_names())}; got {language!r}")
        made = format_named(name)
    else:
        if not isinstance(language, _grammar()) and not hasattr(language, "node_kind_count"):
            raise WrongTypeError(
                'language must be the name of a programming language, such as CodeChunker("python", max_tokens=512), '
                f"a tree_sitter.Language, or a Grammar, not {told(language)}"
            )
        made = import_module("chunker.formats.code.code_format").CodeFormat(language)
    if not isolate:
        return made
    if not isinstance(language, str):
        raise OptionError("isolate needs a language with a name: a grammar cannot be handed to another process")
    return _isolated(made)


def _grammar() -> type:
    kind: type = import_module("chunker.formats.code.grammar").Grammar
    return kind


def _isolated(inner: Format) -> Format:
    isolation = import_module("chunker.formats.code.isolation")
    made: Format = inner if isinstance(inner, isolation.IsolatedFormat) else isolation.IsolatedFormat(inner)
    return made
