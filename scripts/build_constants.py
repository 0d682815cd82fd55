"""Write the constants that the compiled part of the chunkers shares with the Python modules which declare them, or check what is there.

    python scripts/build_constants.py            write chunker/cpp/include/chunker/constants.hpp
    python scripts/build_constants.py --check    compare it with what would be made

Exit code 0 if all is well, 1 if the file differs, 2 for a wrong call.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from enum import IntEnum
from importlib import import_module
from pathlib import Path

from chunker.formats import nesting
from chunker.formats.code import walking
from chunker.formats.outline import Strength

HEADER = Path(__file__).resolve().parent.parent / "chunker" / "cpp" / "include" / "chunker" / "constants.hpp"

# Namespace: the module that declares the constants, and their names there and here.
CONSTANTS: dict[str, tuple[str, dict[str, str]]] = {
    "strength": ("chunker.formats.code.walking", {"_MAX_DEPTH": "max_depth"}),
    "plain_text": ("chunker.formats.text.plain_text", {"_MOST_BLANK": "most_blank"}),
    "refining": (
        "chunker.formats.refining",
        {
            "_WINDOW": "window",
            "_LOOK_AHEAD": "look_ahead",
            "_BRANCHES": "branches",
            "_STEP": "least_step",
            "_FEW": "few",
        },
    ),
    "walking": (
        "chunker.formats.code.walking",
        {"_MOST_WRAPPERS": "most_wrappers", "_COMMENT_DEPTH": "comment_depth"},
    ),
    "parsing": (
        "chunker.formats.code.parsing",
        {
            "_BYTES_PER_PROGRESS": "bytes_per_progress",
            "_MIN_PROGRESS": "min_progress",
            "_SECONDS": "seconds",
            "_SECONDS_PER_BYTE": "seconds_per_byte",
            "_LONGEST_RUN": "longest_run",
        },
    ),
    "naming": (
        "chunker.formats.code.naming",
        {"_LONGEST": "longest", "_MOST_BYTES": "most_bytes", "_DEEPEST": "deepest"},
    ),
    "markdown": (
        "chunker.formats.markup.markdown_sketch",
        {
            "_SECTION": "section",
            "_BLOCK": "block",
            "_STEP": "depth_step",
            "_ITEM": "item_below",
            "_KEPT": "kept_below",
            "_DEEPEST": "deepest",
        },
    ),
    "markdown_headings": ("chunker.formats.markup.markdown", {"_DEEPEST_LEVEL": "deepest_level"}),
    "nesting": (
        "chunker.formats.nesting",
        {"MAX_DEPTH": "max_depth", "MAX_NAMED": "max_named", "LONG": "long_member"},
    ),
    "notebook": (
        "chunker.formats.data.notebook",
        {
            "_CELLS": "cells",
            "_MEMBERS": "members",
            "_LINES": "lines",
            "_HEADING_LINES": "heading_lines",
            "_ROOT_ABOVE": "root_above",
        },
    ),
    "columns": ("chunker.formats.columns", {"_SOFT_LINE": "soft_line"}),
    "embedded": ("chunker.formats.embedded", {"LONG_CODE": "long_code"}),
    "html": (
        "chunker.formats.markup.html_reader",
        {
            "_SECTION": "section",
            "_BLOCK": "block",
            "_STEP": "depth_step",
            "_DEEPEST": "deepest",
            "_KEPT": "kept_below",
            "_SHORT_COMMENT": "short_comment",
        },
    ),
    "html_restarts": ("chunker.formats.markup.html_restarts", {"_LONGEST": "longest"}),
    "latex": (
        "chunker.formats.markup.latex",
        {
            "_SECTION": "section",
            "_BLOCK": "block",
            "_STEP": "depth_step",
            "_DEEPEST": "deepest",
            "_KEPT": "kept_below",
            "_ITEM": "item_above",
        },
    ),
    "latex_commands": (
        "chunker.formats.markup.latex_commands",
        {"_LONGEST_ARGUMENT": "longest_argument", "_LONGEST_NAME": "longest_name", "_MOST_ARGUMENTS": "most_arguments"},
    ),
    "toml": (
        "chunker.formats.data.toml_text",
        {
            "_TABLES": "tables",
            "_DEEPEST": "deepest",
            "_GROUP": "group",
            "_KEYS": "keys",
            "_FIRST": "first",
            "_COMMENTED": "commented",
            "_ELEMENT": "element",
            "_FIRST_ELEMENT": "first_element",
        },
    ),
    "growing": ("chunker.growing.limits", {"LOOK_AHEAD": "look_ahead", "LONGEST_TOKEN": "longest_token"}),
    "cost": (
        "chunker.growing.limits",
        {
            "COST_OF_LEVEL": "of_level",
            "COST_OF_BROKEN_UNIT": "of_broken_unit",
            "COST_OF_UNDERSIZED": "of_undersized",
            "COST_OF_TORN_HEAD": "of_torn_head",
            "DEEPEST_LEVEL": "deepest_level",
            "FARTHER": "farther",
            "STEPS_OF_CHUNK": "steps_of_chunk",
            "CHARACTERS_OF_ATOM": "characters_of_atom",
        },
    ),
    "ranking": (
        "chunker.mapping.ranks",
        {
            "_DAMPING": "damping",
            "_COMMON": "common",
            "_COMMON_SHARE": "common_share",
            "_MOST_DEFINERS": "most_definers",
            "_OWN_SHARE": "own_share",
            "_FOCUSED": "focused",
            "_UNUSED": "unused",
            "_STEP_RATIO": "step_ratio",
            "_STEPS": "steps",
            "_SETTLED": "settled",
        },
    ),
    "choosing": (
        "chunker.mapping.choosing",
        {
            "_WINDOWS": "windows",
            "_NEAR": "near_enough",
            "_MOST_BUDGET": "most_budget",
            "_MOST_STATES": "most_states",
            "_STEPS": "steps",
        },
    ),
}

# Namespace: an enumeration of ranks that it has.
RANKS: dict[str, type[IntEnum]] = {"strength": walking.Rank, "nesting": nesting.NestingRank}


def lines() -> Iterator[str]:
    """The header."""
    yield "// Made by scripts/build_constants.py from the Python modules named below, which say what the constants mean. Not to be edited."
    yield "#pragma once\n"
    yield "#include <cstdint>\n"
    yield "namespace chunker {\n"
    for space, (module, names) in CONSTANTS.items():
        yield f"// {module}" + (" and chunker.formats.outline.Strength" if space == "strength" else "")
        yield f"namespace {space} {{"
        if space == "strength":
            for member in Strength:
                yield f"inline constexpr int {member.name.lower()} = {member.value};"
        if space in RANKS:
            yield f"enum Rank : int {{ {', '.join(_names(RANKS[space]))}, ranks }};"
        for name, own in names.items():
            yield _defined(own, getattr(import_module(module), name))
        yield f"}}  // namespace {space}\n"
    yield "}  // namespace chunker"


def _defined(name: str, value: float | tuple[float, ...]) -> str:
    """The definition of a constant: of a number, or of an array of floats."""
    if isinstance(value, tuple):
        return f"inline constexpr double {name}[] = {{{', '.join(map(repr, value))}}};"
    if isinstance(value, int):
        return f"inline constexpr {'int' if value < 1 << 31 else 'std::int64_t'} {name} = {int(value)};"
    return f"inline constexpr double {name} = {value!r};"


def _names(kind: type[IntEnum]) -> list[str]:
    """The names of an enumeration that counts from 0, in the order of their values."""
    names = [member.name.lower() for member in sorted(kind)]
    if [int(member) for member in sorted(kind)] != list(range(len(names))):
        raise SystemExit(f"{kind.__name__} does not count from 0")
    return names


def main() -> int:
    """Write or compare."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="compare, and change nothing")
    chosen = parser.parse_args()
    made = "\n".join(lines()) + "\n"
    if not chosen.check:
        HEADER.write_text(made, encoding="utf-8")
    elif not HEADER.exists() or HEADER.read_text("utf-8") != made:
        print(f"{HEADER.name} is not what scripts/build_constants.py makes: run it", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
