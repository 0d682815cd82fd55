"""Write what UAX #29 has to know of each character, for the compiled part of the chunkers, or check what is there.

    python scripts/build_break_tables.py            write chunker/cpp/src/break_classes.inc; needs regex
    python scripts/build_break_tables.py --check    compare it with what would be made

The properties are those of the installed `regex` package, by which `chunker.formats.segmentation` has its expressions:
so both say the same. Exit code 0 if all is well, 1 if the file differs, 2 for a wrong call.
"""

from __future__ import annotations

import argparse
import re
import sys
from itertools import groupby
from pathlib import Path

import regex

ROOT = Path(__file__).resolve().parent.parent
TABLE = ROOT / "chunker" / "cpp" / "src" / "break_classes.inc"
NAMES = ROOT / "chunker" / "cpp" / "include" / "chunker" / "break_classes.hpp"
# An enumeration of the header -> the property, and its values where they are called otherwise there.
ENUMERATIONS = {"ClusterBreak": "GCB", "WordBreak": "WB", "SentenceBreak": "SB", "ConjunctBreak": "InCB"}
FLAGS = {"pictographic": r"\p{ExtPict}", "unspaced": r"\p{LB=SA}", "opener": r"[\p{Ps}\p{Pi}]"}
_EVERYTHING = "".join(map(chr, range(0x110000)))
_ROW = 6


def values() -> list[str]:
    """For each code point the fields of `BreakClass`, as C++ writes them."""
    header = NAMES.read_text("utf-8")
    fields = []
    for enumeration, name in ENUMERATIONS.items():
        found = re.search(rf"enum class {enumeration}[^{{]*{{([^}}]*)}}", header)
        if found is None:
            raise SystemExit(f"{NAMES} has no {enumeration}")
        column = ["0"] * 0x110000
        for number, value in enumerate(found[1].replace(" ", "").replace("\n", "").strip(",").split(",")):
            if number:
                for match in regex.finditer(rf"\p{{{name}={value}}}", _EVERYTHING, regex.V0):
                    column[match.start()] = str(number)
        fields.append(column)
    for expression in FLAGS.values():
        column = ["0"] * 0x110000
        for match in regex.finditer(expression, _EVERYTHING, regex.V0):
            column[match.start()] = "1"
        fields.append(column)
    return [",".join(row) for row in zip(*fields, strict=True)]


def table() -> str:
    """The file: the first character of each run of equals, and its class."""
    runs = []
    start = 0
    for value, same in groupby(values()):
        runs.append(f"{{0x{start:X},{{{value}}}}},")
        start += sum(1 for _ in same)
    rows = [" ".join(runs[at : at + _ROW]) for at in range(0, len(runs), _ROW)]
    head = "// What UAX #29 has to know of each character, from the first of each run on; made by scripts/build_break_tables.py. Do not edit."
    return "\n".join([head, "constexpr Run runs[] = {", *rows, "};", ""])


def main() -> int:
    """Write the file, or compare it; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare, and write nothing")
    if not parser.parse_args().check:
        TABLE.write_text(table(), "utf-8")
    elif table() != TABLE.read_text("utf-8"):
        print(f"{TABLE.relative_to(ROOT)} is not what the installed regex says", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
