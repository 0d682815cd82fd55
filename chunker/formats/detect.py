"""Detect the language of a file and the format for cutting it: by its name, then by its content.

    detect("src/shop.ts")                           TypeScript, typescript
    detect("include/box.h", "class Box {};")        C++, cpp
    detect("bin/run", "#!/bin/sh")                  Shell, bash
    detect("main.dart")                             Dart, no format: cut by lines

`chunker count --by language` and `chunker_for` both use this module, so they agree. Each format declares what its
languages and their files are called (`chunker.formats.declarations`). A suffix that several languages use (`.m`, `.pl`,
`.v`) means the most frequent of them.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from chunker.formats.content import interpreter_of, language_of_content, language_of_header
from chunker.formats.format_index import format_index
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


def detect(path: str, text: str = "") -> FormatGuess:
    """Return the language of the file at `path`, and its format; the beginning of `text` is enough. Without a path, the
    language is guessed from the text if that is clear.

    >>> detect("a/page.tsx"), detect("x.zzz")
    (FormatGuess(language='TypeScript', format='tsx'), FormatGuess(language='other', format=None))
    """
    index = format_index()
    suffix = _suffix(path)
    language = language_of(path, text)
    if language == UNKNOWN and path in NAMELESS and text:
        language = guess(text) or UNKNOWN
        if language == "JSON Lines":
            return FormatGuess("JSON", "jsonl")
    return FormatGuess(language, index.formats_of_suffixes.get(suffix, index.formats.get(language)))


def language_of(path: str, text: str = "") -> str:
    """Return the language of the file at `path`, "other" if unknown; the beginning of `text` is enough.

    >>> language_of("src/a.PY"), language_of("Makefile"), language_of("run", "#!/usr/bin/env bash"), language_of("x.zzz")
    ('Python', 'Make', 'Shell', 'other')
    """
    index = format_index()
    name = path.rpartition("/")[2]
    if name in index.file_names:
        return index.file_names[name]
    suffix = _suffix(path)
    language = index.suffixes.get(suffix)
    if suffix == ".h":
        return language_of_header(text)
    # Translation files of Qt have the suffix of TypeScript.
    if suffix == ".ts" and language_of_content(text) == "XML":
        return "XML"
    if language is None:
        language = index.interpreters.get(interpreter_of(text) or "") or language_of_content(text)
    return language or UNKNOWN


@functools.lru_cache(maxsize=256)  # markup names the same languages again and again
def format_called(name: str) -> str | None:
    """Return the format of a language by any of its names: its own, that of its format, or an alias, in any case; or a
    file suffix.

    >>> format_called("C++"), format_called("js"), format_called("python"), format_called("Klingon")
    ('cpp', 'javascript', 'python', None)
    """
    index = format_index()
    wanted = name.lower()
    if wanted in index.classes or wanted in index.tables:
        return wanted
    called = {language.lower(): kind for language, kind in index.formats.items()} | index.aliases
    return called[wanted] if wanted in called else detect(f"x.{wanted}").format


@functools.lru_cache(maxsize=256)
def file_name_for(name: str) -> str:
    """Return a file name by which `detect` finds the format of this name; the name is the suffix if no format has it.

    >>> file_name_for("markdown"), file_name_for("jsonl"), file_name_for("zzz")
    ('text.md', 'text.jsonl', 'text.zzz')
    """
    index = format_index()
    formats = {suffix: index.formats.get(language) for suffix, language in index.suffixes.items()}
    formats.update(index.formats_of_suffixes)
    return "text" + next((suffix for suffix, kind in formats.items() if kind == name), f".{name}")


def _suffix(path: str) -> str:
    """Return the suffix of a file name with its dot, in lower case; "" for a name without one, such as `.profile`."""
    stem, dot, suffix = path.rpartition("/")[2].rpartition(".")
    return dot + suffix.lower() if stem else ""
