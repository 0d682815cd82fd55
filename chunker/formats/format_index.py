"""The index of all formats and languages, for finding a format without importing any.

`scripts/build_format_index.py` makes it from what the formats declare (`chunker.formats.declarations`) and from
`other_languages.toml`, which lists the languages without a format.
"""

from __future__ import annotations

import json
import pkgutil
from functools import cache
from typing import NamedTuple


class FormatIndex(NamedTuple):
    """Where formats are, and to which language and format each name belongs.

    Attributes:
        classes: Name of a plain format -> its class, with its module: "chunker.formats.markup.html.HtmlFormat".
        tables: The names of the programming languages with a table, sorted.
        formats: Language -> the name of its format.
        suffixes: Suffix of a file -> language.
        formats_of_suffixes: Suffix of a file -> the name of its format, None if no format reads it: only where it is not
            the format of the language.
        file_names: Name of a file -> language.
        interpreters: Interpreter in the first line -> language.
        aliases: Another name of a language -> the name of its format.
    """

    classes: dict[str, str]
    tables: list[str]
    formats: dict[str, str]
    suffixes: dict[str, str]
    formats_of_suffixes: dict[str, str | None]
    file_names: dict[str, str]
    interpreters: dict[str, str]
    aliases: dict[str, str]


@cache
def format_index() -> FormatIndex:
    """Read the index. Cached for the life of the process."""
    # Not importlib.resources: importing it takes longer than importing all formats.
    return FormatIndex(**json.loads(pkgutil.get_data("chunker.formats", "format_index.json") or b""))
