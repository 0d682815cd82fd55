"""The names that a format declares: its own, and those of the languages that it reads.

    class HtmlFormat:
        name = "html"
        languages = {"HTML": {"suffixes": [".html", ".htm", ".xhtml"]}, "Vue": {"suffixes": [".vue"]}}

The table of a programming language declares the same, and its own name is the name of the format:

    languages.Go = { aliases = ["golang"], suffixes = [".go"], file_names = ["go.mod", "go.sum"] }

`scripts/build_format_index.py` collects the declarations in an index, so that no format is imported to find one.
"""

from __future__ import annotations

from typing import TypedDict


class LanguageNames(TypedDict, total=False):
    """How a language is called, and how its files are recognized; the key is its usual spelling, "C++".

    Attributes:
        aliases: What else it is called after a fence or by a user, in lower case.
        suffixes: The suffixes of its files in lower case, the usual one first.
        unread: Suffixes of its files that the format cannot read.
        file_names: Whole names of files, as they are written.
        interpreters: The programs that the first line of its scripts names, without a version.
        dialect: Only files with these suffixes have the format: another format is that of the language.
    """

    aliases: list[str]
    suffixes: list[str]
    unread: list[str]
    file_names: list[str]
    interpreters: list[str]
    dialect: bool
