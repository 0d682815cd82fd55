"""Write the Unicode table of the C++ core, or check the one that is there.

    python scripts/build_core_tables.py            write bpe_engine/cpp/src/unicode_16.inc
    python scripts/build_core_tables.py --check    compare it with what would be written

The classes are those of `bpe_engine.text.unicode_classes`, so both implementations follow the same version of Unicode.
Exit code 0 if all is well, 1 if the table differs, 2 for a wrong call.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The script works on the tree it stands in, also where another version of the package is installed.
sys.path.insert(0, str(ROOT))

from bpe_engine.text.unicode_classes import UNICODE_VERSION, ranges  # noqa: E402 - needs the path above

TARGET = ROOT / "bpe_engine" / "cpp" / "src" / f"unicode_{UNICODE_VERSION.partition('.')[0]}.inc"

# As in bpe_engine/cpp/include/bpe/unicode.hpp. PUNCTUATION is in the table alone, which has more bits than the flags of
# the core.
UPPER, LOWER, LETTER, NUMBER, SPACE, MARK, HAN, SYMBOL, PUNCTUATION = (1 << bit for bit in range(9))
FLAGS_OF_CLASS = {
    "Lu": UPPER | LETTER,
    "Ll": LOWER | LETTER,
    "Lt": UPPER | LETTER,
    "Lm": UPPER | LOWER | LETTER,
    "Lo": UPPER | LOWER | LETTER,
    "M": UPPER | LOWER | MARK,
    "N": NUMBER,
    "P": SYMBOL | PUNCTUATION,
    "S": SYMBOL,
    "White_Space": SPACE,
    "-": 0,
}
ENTRIES_IN_A_LINE = 8


def entries() -> Iterator[tuple[int, int]]:
    """First code point and flags of each range; neighbours differ.

    >>> [(hex(first), flags) for first, flags in entries() if 0x2FD5 < first < 0x3006]
    [('0x2fd6', 0), ('0x2ff0', 128), ('0x3000', 16), ('0x3001', 384), ('0x3004', 128), ('0x3005', 71)]
    """
    last = None
    for first, category, han in ranges():
        flags = FLAGS_OF_CLASS[category] | (HAN if han else 0)
        if flags != last:
            yield first, flags
        last = flags


def table() -> str:
    """The file."""
    lines = [
        f"// The character classes of Unicode {UNICODE_VERSION}, made from bpe_engine/text/unicode_classes_{UNICODE_VERSION}.txt by",
        "// scripts/build_core_tables.py. Do not edit.",
        "// {first code point, flags}: each range reaches up to the next. For the flags see include/bpe/unicode.hpp.",
    ]
    made = [f"{{0x{first:X}, {flags}}}," for first, flags in entries()]
    lines += [" ".join(made[start : start + ENTRIES_IN_A_LINE]) for start in range(0, len(made), ENTRIES_IN_A_LINE)]
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if the table is not up to date")
    if not parser.parse_args(arguments).check:
        TARGET.write_text(table(), encoding="ascii", newline="\n")
        return 0
    if TARGET.read_text(encoding="ascii") == table():
        return 0
    print(f"{TARGET.relative_to(ROOT)} is not up to date: run python scripts/build_core_tables.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
