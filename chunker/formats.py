"""The formats by name: where each is kept. A format is imported when it is asked for, so that its parser costs nobody else anything."""

from __future__ import annotations

import functools
from importlib import import_module

from chunker.boundaries import Format
from chunker.errors import UnknownLanguageError

# Name of the format: module and class, which takes no arguments.
_PLACES: dict[str, tuple[str, str]] = {
    "csv": ("chunker.boundaries.csv_text", "CsvFormat"),
    "html": ("chunker.boundaries.html", "HtmlFormat"),
    "json": ("chunker.boundaries.json_text", "JsonFormat"),
    "jsonl": ("chunker.boundaries.json_lines", "JsonLinesFormat"),
    "markdown": ("chunker.boundaries.markdown", "MarkdownFormat"),
    "notebook": ("chunker.boundaries.notebook", "NotebookFormat"),
    "text": ("chunker.boundaries.text", "TextFormat"),
    "toml": ("chunker.boundaries.toml_text", "TomlFormat"),
    "yaml": ("chunker.boundaries.yaml_text", "YamlFormat"),
}


def format_names() -> list[str]:
    """The names of all formats, sorted; those of programming languages too."""
    return sorted({*_PLACES, *code_names()})


def code_names() -> tuple[str, ...]:
    """The names of the programming languages that have a table, sorted; whether their grammars are installed or not."""
    names: tuple[str, ...] = import_module("chunker.boundaries.tables").table_names()
    return names


@functools.cache
def format_named(name: str) -> Format:
    """The format of this name.

    Raises `UnknownLanguageError` for a name that is none, and `MissingGrammarError` for a language whose grammar is not installed.
    """
    if name not in _PLACES and name not in code_names():
        raise UnknownLanguageError(f"no format is called {name!r}; there are {', '.join(format_names())}")
    made: Format
    if name in _PLACES:
        module, kind = _PLACES[name]
        made = getattr(import_module(module), kind)()
    else:
        made = import_module("chunker.boundaries.code").CodeFormat(name)
    return made
