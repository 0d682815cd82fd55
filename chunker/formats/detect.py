"""The language of a file, and the format that it is cut by: by the name of the file, then by what is in it.

    detect("src/shop.ts")                           TypeScript, typescript
    detect("include/box.h", "class Box {};")        C++, cpp
    detect("bin/run", "#!/bin/sh")                  Shell, bash
    detect("main.dart")                             Dart, no format: cut by lines

The statistics of `chunker count --by language` and `chunker_for` ask the same question here, so they agree. The tables are data, in
`languages.json`; a suffix that several languages use (`.m`, `.pl`, `.v`) goes to the one that it is most often met with.
"""

from __future__ import annotations

import functools
import json
import pkgutil
from typing import NamedTuple

from chunker.formats.content import interpreter_of, language_of_content, language_of_header
from chunker.formats.guessing import guess

UNKNOWN = "other"
# The paths of texts that have no name: pasted, or read from standard input.
NAMELESS = ("", "-")


class FormatGuess(NamedTuple):
    """`language`: as people write it, "C++"; "other" if nothing tells. `format`: the name of its format, None if it has none."""

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
    """The language of the file at `path`, and its format; `text` need be no more than the beginning. Without a path the text alone tells, where it is clear.

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
    """The language of the file at `path`, "other" if nothing tells; `text` need be no more than the beginning.

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
    # Translations of Qt programs have the suffix of TypeScript.
    if suffix == ".ts" and language_of_content(text) == "XML":
        return "XML"
    if language is None:
        language = tables.interpreters.get(interpreter_of(text) or "") or language_of_content(text)
    return language or UNKNOWN


@functools.lru_cache(maxsize=256)  # texts of markup have the names of languages in them, the same ones again and again
def format_called(name: str) -> str | None:
    """The format of a language by any of its names: that of its format, its own or an alias, in any case, or a suffix of its files.

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
    """The suffix of a file name with its dot, in small letters; "" for a name that has none, such as `.profile`."""
    stem, dot, suffix = path.rpartition("/")[2].rpartition(".")
    return dot + suffix.lower() if stem else ""


@functools.cache
def _tables() -> _Tables:
    data: dict[str, dict[str, list[str]]] = json.loads(
        # Not importlib.resources, which takes longer to import than all formats do.
        (pkgutil.get_data("chunker.formats", "languages.json") or b"").decode()
    )
    return _Tables(**{kind: _turned_round(table) for kind, table in data.items()})


def _turned_round(table: dict[str, list[str]]) -> dict[str, str]:
    return {key: language for language, keys in table.items() for key in keys}
