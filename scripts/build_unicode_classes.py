"""Write `bpe_engine/text/unicode_classes_16.0.txt`: the character classes that the named patterns ask for, in Unicode 16.0.

tiktoken 0.14 and Hugging Face tokenizers 0.23 classify characters by Unicode 16.0, whatever Unicode version the
installed `regex` package follows, so the classes are data of ours. The sources are the `unicodedata2` package for the
categories and `fonttools` for the scripts: `pip install unicodedata2==16.0.0 fonttools==4.55.0`.

A line is `<first code point in hexadecimal> <class>`, and ` Han` after it where the script is Han; it lasts until the
next line. The classes are the general categories Lu Ll Lt Lm Lo, the groups M N P S, White_Space, and `-` for
everything else.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

VERSION = "16.0"
TARGET = Path(__file__).resolve().parent.parent / "bpe_engine" / f"unicode_classes_{VERSION}.txt"
# The property White_Space, which is not that of str.isspace(). Unchanged since Unicode 6.3.
WHITE_SPACE = {
    *range(0x09, 0x0E),
    0x20,
    0x85,
    0xA0,
    0x1680,
    *range(0x2000, 0x200B),
    0x2028,
    0x2029,
    0x202F,
    0x205F,
    0x3000,
}


def class_of(category: str, *, white_space: bool = False) -> str:
    """The class of a general category.

    >>> class_of("Lu"), class_of("Mn"), class_of("Nd"), class_of("Sm"), class_of("Pd"), class_of("Cf")
    ('Lu', 'M', 'N', 'S', 'P', '-')
    >>> class_of("Zs", white_space=True)
    'White_Space'
    """
    if white_space:
        return "White_Space"
    if category[0] == "L":
        return category
    return category[0] if category[0] in "MNPS" else "-"


def main() -> int:
    """Write the table; 1 where an installed source is of another version."""
    import unicodedata2

    scripts = importlib.import_module("fontTools.unicodedata")  # has no types

    if not unicodedata2.unidata_version.startswith(f"{VERSION}."):
        print(f"unicodedata2 has Unicode {unicodedata2.unidata_version}, this table needs {VERSION}", file=sys.stderr)
        return 1
    if f"# Scripts-{VERSION}." not in Path(scripts.Scripts.__file__).read_text(encoding="utf-8"):
        print(f"fonttools has the scripts of another Unicode version, this table needs {VERSION}", file=sys.stderr)
        return 1
    lines = []
    previous = ""
    for code_point in range(0x110000):
        character = chr(code_point)
        current = class_of(unicodedata2.category(character), white_space=code_point in WHITE_SPACE)
        if scripts.script(character) == "Hani":
            current += " Han"
        if current != previous:
            lines.append(f"{code_point:X} {current}\n")
            previous = current
    TARGET.write_text("".join(lines), encoding="ascii")
    print(f"{TARGET.name}: {len(lines)} runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
