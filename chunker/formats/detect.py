"""Detect the language of a file and the format for cutting it: by its name, then by its content.

    detect("src/shop.ts")                           TypeScript, typescript
    detect("include/box.h", "class Box {};")        C++, cpp
    detect("bin/run", "#!/bin/sh")                  Shell, bash
    detect("main.dart")                             Dart, no format: cut by lines

`chunker count --by language` and `chunker_for` both use this module, so they agree. The tables are data, in
`languages.json`. A suffix that several languages use (`.m`, `.pl`, `.v`) means the most frequent of them.
"""

from __future__ import annotations

import functools
import json
import pkgutil
from typing import NamedTuple

from chunker.formats.content import interpreter_of, language_of_content, language_of_header
from chunker.formats.guessing import guess

UNKNOWN = "other"
# The paths of texts without a name: pasted, or read from standard input.
NAMELESS = ("", "-")


class FormatGuess(NamedTuple):
    """`language`: its usual spelling, "C++"; "other" if unknown. `format`: the name of its format; None if it has
    none.
    """

    language: str
    format: str | None


class _Tables(NamedTuple):
    suffixes: dict[str, str]
    names: dict[str, str]
    interpreters: dict[str, str]
    formats: dict[str, str]
    formats_of_suffixes: dict[str, str]
    aliases: dict[str, str]


def detect(path: str, text: str = "") -> FormatGuess:
    """Return the language of the file at `path`, and its format; the beginning of `text` is enough. Without a path, the
    language is guessed from the text if that is clear.

    >>> detect("a/page.tsx"), detect("x.zzz")
    (FormatGuess(language='TypeScript', format='tsx'), FormatGuess(language='other', format=None))
    """
    tables = _tables()
    suffix = _suffix(path)
    language = language_of(path, text)
    if language == UNKNOWN and path in NAMELESS and text:
        language = guess(text) or UNKNOWN
        if language == "JSON Lines":
            return FormatGuess("JSON", "jsonl")
    if suffix in tables.formats_of_suffixes:
        # These suffixes name a dialect of the language, or a language that its grammar does not know.
        return FormatGuess(language, tables.formats_of_suffixes[suffix] or None)
    return FormatGuess(language, tables.formats.get(language))


def language_of(path: str, text: str = "") -> str:
    """Return the language of the file at `path`, "other" if unknown; the beginning of `text` is enough.

    >>> language_of("src/a.PY"), language_of("Makefile"), language_of("run", "#!/usr/bin/env bash"), language_of("x.zzz")
    ('Python', 'Make', 'Shell', 'other')
    """
    tables = _tables()
    name = path.rpartition("/")[2]
    if name in tables.names:
        return tables.names[name]
    suffix = _suffix(path)
    language = tables.suffixes.get(suffix)
    if suffix == ".h":
        return language_of_header(text)
    # Translation files of Qt have the suffix of TypeScript.
    if suffix == ".ts" and language_of_content(text) == "XML":
        return "XML"
    if language is None:
        language = tables.interpreters.get(interpreter_of(text) or "") or language_of_content(text)
    return language or UNKNOWN


@functools.lru_cache(maxsize=256)  # markup names the same languages again and again
def format_called(name: str) -> str | None:
    """Return the format of a language by any of its names: its own, that of its format, or an alias, in any case; or a
    file suffix.

    >>> format_called("C++"), format_called("js"), format_called("python"), format_called("Klingon")
    ('cpp', 'javascript', 'python', None)
    """
    tables = _tables()
    wanted = name.lower()
    called = {language.lower(): kind for language, kind in tables.formats.items()} | tables.aliases
    kinds = {*tables.formats.values(), *tables.formats_of_suffixes.values()} - {""}
    if wanted in kinds or wanted in called:
        return wanted if wanted in kinds else called[wanted]
    return detect(f"x.{wanted}").format


def _suffix(path: str) -> str:
    """Return the suffix of a file name with its dot, in lower case; "" for a name without one, such as `.profile`."""
    stem, dot, suffix = path.rpartition("/")[2].rpartition(".")
    return dot + suffix.lower() if stem else ""


@functools.cache
def _tables() -> _Tables:
    data: dict[str, dict[str, list[str]]] = json.loads(
        # Not importlib.resources: importing it takes longer than importing all formats.
        (pkgutil.get_data("chunker.formats", "languages.json") or b"").decode()
    )
    return _Tables(**{kind: _turned_round(table) for kind, table in data.items()})


def _turned_round(table: dict[str, list[str]]) -> dict[str, str]:
    return {key: language for language, keys in table.items() for key in keys}
