"""Write the index of formats from what each of them declares, or check what is there.

    PYTHONPATH=. python scripts/build_format_index.py            write chunker/formats/format_index.json
    PYTHONPATH=. python scripts/build_format_index.py --check    compare it with what would be made

Exit code 0 if all is well, 1 if the file differs or two declarations contradict each other, 2 for a wrong call.
"""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from chunker.formats.code.tables import languages_of, table_names
from chunker.formats.declarations import LanguageNames
from chunker.formats.format_index import FormatIndex

FORMATS = Path(__file__).resolve().parent.parent / "chunker" / "formats"
INDEX = FORMATS / "format_index.json"
OTHERS = FORMATS / "other_languages.toml"
# The packages of the plain formats: a class in them that declares languages is one.
PACKAGES = ("text", "markup", "data")


def plain_formats() -> Iterator[Any]:
    """The classes of the plain formats."""
    for package in PACKAGES:
        for module in iter_modules([str(FORMATS / package)], f"chunker.formats.{package}."):
            loaded = import_module(module.name)
            for kind in vars(loaded).values():
                if isinstance(kind, type) and kind.__module__ == module.name and "languages" in vars(kind):
                    yield kind


def index() -> FormatIndex:
    """The index of all declarations. Raises `ValueError` if two of them contradict each other."""
    made = FormatIndex({}, [*table_names()], {}, {}, {}, {}, {}, {})
    for kind in plain_formats():
        put(made.classes, kind.name, f"{kind.__module__}.{kind.__qualname__}")
        add(made, kind.name, kind.languages)
    for name in table_names():
        add(made, name, languages_of(name))
    add(made, None, tomllib.loads(OTHERS.read_text("utf-8")))
    return made


def add(made: FormatIndex, name: str | None, languages: dict[str, LanguageNames]) -> None:
    """Add the languages that a format declares; `name` is None for languages without a format."""
    for language, names in languages.items():
        if unknown := names.keys() - LanguageNames.__annotations__:
            raise ValueError(f"{language} declares {', '.join(unknown)}, which means nothing")
        suffixes, unread = names.get("suffixes", []), names.get("unread", [])
        for suffix in [*suffixes, *unread]:
            put(made.suffixes, suffix, language)
        for file_name in names.get("file_names", []):
            put(made.file_names, file_name, language)
        for interpreter in names.get("interpreters", []):
            put(made.interpreters, interpreter, language)
        for suffix in unread:
            put(made.formats_of_suffixes, suffix, None)
        if name is None:
            continue
        for alias in names.get("aliases", []):
            put(made.aliases, alias, name)
        if not names.get("dialect"):
            put(made.formats, language, name)
            continue
        for suffix in suffixes:
            put(made.formats_of_suffixes, suffix, name)


def put(table: dict[str, Any], key: str, entry: str | None) -> None:
    """Enter what a key stands for, which has to be one thing."""
    if key in table:
        raise ValueError(f"{key!r} is declared twice: for {table[key]!r} and for {entry!r}")
    table[key] = entry


def main() -> int:
    """Write or compare."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, and change nothing")
    chosen = parser.parse_args()
    try:
        made = json.dumps(index()._asdict(), indent=2, ensure_ascii=False) + "\n"
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    if not chosen.check:
        INDEX.write_text(made, encoding="utf-8")
    elif not INDEX.exists() or INDEX.read_text("utf-8") != made:
        print(f"{INDEX.name} is not what scripts/build_format_index.py makes: run it", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
