r"""Import statements of code: where they are, and which names each brings into its file.

import os.path                       os              Python binds the first part of a path, other languages the last
from typing import Any, List as L    Any, L
import { useState as state } from "react"    state
use std::io::{self, Read};           io, Read
#include <stdio.h>                   nothing that can be told: neither do wildcards
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from chunker.formats import Outline

_IMPORT = re.compile(r"\s*(?:import|from|use|using|#\s*include|require|package)\b")
_KEYWORDS = re.compile(
    r"^(?:(?:pub(?:\([^)]*\))?|export|static|type|typeof|import|from|use|using|function|const|qualified|package)\s+)+"
)
_ALIAS = re.compile(r"([\w$]+)\s+as\s+([\w$]+)|([\w$]+)\s*=>\s*([\w$]+)")
_WORD = re.compile(r"[\w$]+")
_INSIDE = " \t)]}"
# Lists that can be shortened to the names that are used: the text before, the list, the text after.
_LISTS = (
    re.compile(r"^(from\s+\S+\s+import\s+)\(?\s*([^()*]+?)\s*,?\s*\)?$()"),
    re.compile(r"""^((?:import|export)\s+(?:type\s+)?\{)([^{}]*)(\}\s*from\s*["'].*)$"""),
    re.compile(r"""^((?:const|let|var)\s+\{)([^{}]*)(\}\s*=\s*require\b.*)$"""),
)
_FROM = re.compile(r"""^import\s+(?:type\s+)?(.*?)\s*from\s*["']""")
_GO = re.compile(r"""(?:([\w.]+)\s+)?"([^"]+)"|(?:([\w.]+)\s+)?`([^`]+)`""")
_MAJOR = re.compile(r"/v\d+$")


class ImportStatement(NamedTuple):
    """`text[start:end]`, an import statement, and the same statement on one line."""

    start: int
    end: int
    line: str


def import_statements(text: str, outline: Outline) -> Iterator[ImportStatement]:
    """Yield the imports of a file, in order: boundaries with the label "import" outside all scopes."""
    strengths, offsets = outline.strengths, outline.offsets
    imports = [
        index
        for index, label in enumerate(outline.labels)
        if label == "import" and not outline.scopes_around(offsets[index] + 1)
    ]
    weakest = min((strengths[index] for index in imports), default=None)
    # The label at the start of a text describes the whole text, so look at the text itself.
    if offsets and _IMPORT.match(text):
        imports.insert(0, 0)
    for index in imports:
        # Weaker boundaries after an import belong to it; so do, after the last import, indented lines and closing
        # brackets.
        following = (
            place
            for place in range(index + 1, len(strengths))
            if (text[offsets[place]] not in _INSIDE if weakest is None else strengths[place] >= weakest)
        )
        place = next(following, None)
        end = len(text) if place is None else offsets[place]
        yield ImportStatement(offsets[index], end, " ".join(text[offsets[index] : end].split()))


def used_part(line: str, language: str, used: Collection[str]) -> str:
    """Shorten an import statement, given on one line, to the names in `used`; "" if it binds none of them, or if its
    names cannot be determined.

    >>> used_part("from typing import Any, List as L, Self", "python", {"L", "List"})
    'from typing import List as L'
    >>> used_part("import os.path", "python", {"path"}), used_part("import java.util.List;", "java", {"List"})
    ('', 'import java.util.List;')
    """
    for expression in _LISTS:
        parts = expression.match(line)
        if parts:
            kept = [clause.strip() for clause in parts[2].split(",") if _bound(clause) in used]
            return f"{parts[1]}{_spaced(parts[1], ', '.join(kept))}{parts[3]}" if kept else ""
    return line if any(name in used for name in names_of(line, language)) else ""


def names_of(line: str, language: str) -> list[str]:
    """The names that an import statement, on one line, brings into its file.

    >>> names_of('import ( "fmt" m "net/http" "x/y/v2" )', "go"), names_of("use std::io::{self, Read};", "rust")
    (['fmt', 'm', 'y'], ['io', 'Read'])
    """
    if language in {"c", "cpp", "ruby", "css", "bash"} or line.startswith("#"):
        return []
    if language == "go":
        return [
            alias or _MAJOR.sub("", path).rpartition("/")[2]
            for first, quoted, second, raw in _GO.findall(line)
            for alias, path in [(first or second, quoted or raw)]
        ]
    if re.match(r"import\s*[\"']", line):
        return []
    found = _FROM.match(line)
    if found:
        return [_bound(clause) for clause in re.split(r"[,{}]", found[1]) if _bound(clause)]
    rest = _KEYWORDS.sub("", line).rstrip("; ")
    if "{" in rest:
        head, _, inner = rest.partition("{")
        return list(_leaves(head, inner, language))
    if " = " in rest or language == "python":
        whole = rest.partition(" import ")[2] or rest
        clauses = [clause.partition(" = ")[0] for clause in whole.split(",")]
        return [bound for clause in clauses if (bound := _alias(clause) or _first_word(clause))]
    name = _last_part(rest, language)
    return [name] if name else []


def _leaves(head: str, inner: str, language: str) -> Iterator[str]:
    """Yield the names in a tree of paths: `std::{io::{self, Read}, fs}`. "self" is the name before its brace."""
    before = [head]
    clause = ""
    for part in re.split(r"([,{}])", inner + "}"):
        if part == "{":
            before.append(clause)
            clause = ""
        elif part in {",", "}"}:
            name = _last_part(clause, language)
            if name == "self":
                name = _last_part(before[-1], language)
            if name:
                yield name
            clause = ""
            if part == "}" and len(before) > 1:
                before.pop()
        else:
            clause = part


def _spaced(before: str, names: str) -> str:
    return f" {names} " if before.endswith("{") else names


def _alias(clause: str) -> str:
    found = _ALIAS.search(clause)
    return str(found[2] or found[4]) if found else ""


def _first_word(clause: str) -> str:
    found = _WORD.search(clause)
    return str(found[0]) if found else ""


def _bound(clause: str) -> str:
    """Return the name that a part of a list binds: after "as" or ":", else its last word."""
    words: list[str] = _WORD.findall(clause)
    return _alias(clause) or (words[-1] if words else "")


def _last_part(clause: str, language: str) -> str:
    """Return the last part of a path, or its alias; "" for a wildcard, and in languages where the last part is not a name
    (Swift, C#: whole modules).
    """
    alias = _alias(clause)
    if alias:
        return alias
    words: list[str] = _WORD.findall(clause)
    if not words or clause.rstrip("; ").endswith(("*", "._")) or (language in {"swift", "csharp"}):
        return ""
    return words[-1]
