"""Write `bpe_engine/unicode_classes_16.0.txt`: the character classes that the named patterns ask for, in Unicode 16.0.

tiktoken 0.14 classifies characters by Unicode 16.0, whatever Unicode version the installed `regex` package follows, so the
classes are data of ours. The source is the `unicodedata2` package, release 16.0.0: `pip install unicodedata2==16.0.0`.

A line is `<first code point in hexadecimal> <class>`; a class lasts until the next line. The classes are the general
categories Lu Ll Lt Lm Lo, the groups M and N, and `-` for everything else.
"""

from __future__ import annotations

import sys
from pathlib import Path

VERSION = "16.0"
TARGET = Path(__file__).resolve().parent.parent / "bpe_engine" / f"unicode_classes_{VERSION}.txt"


def class_of(category: str) -> str:
    """The class of a general category.

    >>> class_of("Lu"), class_of("Mn"), class_of("Nd"), class_of("Sm")
    ('Lu', 'M', 'N', '-')
    """
    if category[0] == "L":
        return category
    return category[0] if category[0] in "MN" else "-"


def main() -> int:
    """Write the table; 1 where the installed `unicodedata2` is of another version."""
    import unicodedata2

    if not unicodedata2.unidata_version.startswith(f"{VERSION}."):
        print(f"unicodedata2 has Unicode {unicodedata2.unidata_version}, this table needs {VERSION}", file=sys.stderr)
        return 1
    lines = []
    previous = ""
    for code_point in range(0x110000):
        current = class_of(unicodedata2.category(chr(code_point)))
        if current != previous:
            lines.append(f"{code_point:X} {current}\n")
            previous = current
    TARGET.write_text("".join(lines), encoding="ascii")
    print(f"{TARGET.name}: {len(lines)} runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
