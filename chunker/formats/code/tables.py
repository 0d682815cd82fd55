"""Load the tables of languages, one TOML file each in the folder `languages`. No code depends on a particular language.

    languages.Go = { suffixes = [".go"] }        # what it is for: `chunker.formats.declarations`
    package = "tree_sitter_go"                   # the package with the grammar; on PyPI with hyphens
    bodies = ["source_file", "block"]            # the keys of `Grammar`
    [definitions]
    function_declaration = { label = "function", name = "func {name}" }

A definition may have a condition: `if = { value = ["arrow_function"] }` for one of these types in the field, `[]` for
any. `base` names a table to extend: lists are appended and tables merged, except `[reading]` (`chunker.symbols`), whose
entries replace those of the base, and `languages`, which each table declares for itself.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import fields
from functools import cache, partial
from importlib import import_module
from importlib.resources import files
from typing import Any

from chunker.errors import MissingGrammarError, UnknownLanguageError
from chunker.formats.code.grammar import DefinitionRule, Grammar
from chunker.formats.code.naming import NameTemplate
from chunker.formats.declarations import LanguageNames

_FOLDER = files("chunker.formats.code").joinpath("languages")
_SETS = frozenset(field.name for field in fields(Grammar) if field.type == "frozenset[str]")


@cache
def table_names() -> tuple[str, ...]:
    """Return the names of all tables, sorted, whether or not their grammars are installed."""
    return tuple(
        sorted(entry.name.removesuffix(".toml") for entry in _FOLDER.iterdir() if entry.name.endswith(".toml"))
    )


@cache
def grammar_named(name: str) -> Grammar:
    """Return the grammar of a table, without loading the tree-sitter grammar yet. Raises `UnknownLanguageError` for a
    name without a table.
    """
    if name not in table_names():
        raise UnknownLanguageError(f"language must be one of {', '.join(table_names())}; got {name!r}")
    entries = _entries(name)
    entries.pop("reading", None)
    definitions = {
        kind: DefinitionRule(
            entry["label"],
            NameTemplate(entry["name"]),
            {field: frozenset(types) for field, types in entry.get("if", {}).items()},
        )
        for kind, entry in entries.pop("definitions", {}).items()
    }
    load = partial(_load, name, entries.pop("package"), entries.pop("function", "language"))
    settings: dict[str, Any] = {key: frozenset(entry) if key in _SETS else entry for key, entry in entries.items()}
    return Grammar(language=name, load=load, definitions=definitions, table=name, **settings)


@cache
def reading_named(name: str) -> Mapping[str, list[str]]:
    """Return the rules of a language to separate words from comments and strings, and to find the imports of a file:
    `[reading]` of its table.
    """
    reading: dict[str, list[str]] = _entries(name).get("reading", {})
    return reading


def languages_of(name: str) -> dict[str, LanguageNames]:
    """Return the languages that a table declares."""
    languages: dict[str, LanguageNames] = _read(name)["languages"]
    return languages


def _entries(name: str) -> dict[str, Any]:
    """Return the grammar of a table, merged into its base."""
    entries = _read(name)
    del entries["languages"]
    base = entries.pop("base", None)
    return entries if base is None else _merged(_entries(base), entries)


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(_FOLDER.joinpath(f"{name}.toml").read_text("utf-8"))


def _merged(base: Mapping[str, Any], entries: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(base)
    for key, entry in entries.items():
        known = merged.get(key)
        if isinstance(known, dict) and isinstance(entry, dict):
            merged[key] = {**known, **entry}
        elif isinstance(known, list) and isinstance(entry, list):
            merged[key] = [*known, *entry]
        else:
            merged[key] = entry
    return merged


def _load(language: str, package: str, function: str) -> object:
    try:
        module = import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        distribution = package.replace("_", "-")
        raise MissingGrammarError(
            f"the grammar of {language} is not installed: pip install {distribution}, "
            f'or pip install "bpe-chunker[code]" for those of all languages'
        ) from error
    return getattr(module, function)()
