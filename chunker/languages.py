"""The language of a file, for the statistics of `chunker count --by language`: by its name, else by its first line.

The tables are data, in `languages.json`; a suffix that several languages use (`.m`, `.h`, `.pl`, `.v`) goes to the one
that it is most often met with. What a file is *cut* by is not decided here: that is what `chunker_for` says.
"""

from __future__ import annotations

import functools
import json
import re
from importlib.resources import files
from typing import NamedTuple

UNKNOWN = "other"

# "#!/usr/bin/env -S python3.11 -u" and "#!/bin/sh" alike; a version at the end of the name does not count.
_FIRST_LINE = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+|\w+=\S*\s+)*(?:\S*/)?)?([A-Za-z]+)")


class _Tables(NamedTuple):
    suffixes: dict[str, str]
    names: dict[str, str]
    interpreters: dict[str, str]


def language_of(path: str, text: str = "") -> str:
    """The language of the file at `path`, "other" if nothing tells; `text` need be no more than the first line.

    >>> language_of("src/a.PY"), language_of("Makefile"), language_of("run", "#!/usr/bin/env bash"), language_of("x.zzz")
    ('Python', 'Make', 'Shell', 'other')
    """
    tables = _tables()
    name = path.rpartition("/")[2]
    if name in tables.names:
        return tables.names[name]
    stem, dot, suffix = name.rpartition(".")
    language = tables.suffixes.get(dot + suffix.lower()) if stem else None
    if language is None and (line := _FIRST_LINE.match(text)):
        language = tables.interpreters.get(line[1])
    return language or UNKNOWN


@functools.cache
def _tables() -> _Tables:
    data: dict[str, dict[str, list[str]]] = json.loads(files("chunker").joinpath("languages.json").read_text("utf-8"))
    return _Tables(**{kind: _turned_round(table) for kind, table in data.items()})


def _turned_round(table: dict[str, list[str]]) -> dict[str, str]:
    return {key: language for language, keys in table.items() for key in keys}
