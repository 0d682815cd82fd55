"""Write the classes of characters that make grapheme clusters, of Unicode 17, or check those that are there.

    python scripts/build_cluster_tables.py            write both files; needs unicodedata2 17 and regex
    python scripts/build_cluster_tables.py --check    compare the second with what would be made of the first

`bpe_engine/pipeline/clusters.txt` has the characters of each class, `bpe_engine/cpp/src/pipeline/clusters.inc` the same
for the core. The version is that of Hugging Face `tokenizers` 0.23, which a test asks. A class never changes once a
character is assigned, so a later `regex` says the same of those that `unicodedata2` knows. Exit code 0 if all is well,
1 if the file differs or a source is of another version, 2 for a wrong call.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLASSES = ROOT / "bpe_engine" / "pipeline" / "clusters.txt"
TABLE = ROOT / "bpe_engine" / "cpp" / "src" / "pipeline" / "clusters.inc"
VERSION = "17.0.0"
PROPERTIES = {
    "control": r"\p{GCB=Control}",
    "extend": r"\p{GCB=Extend}",
    "spacing": r"\p{GCB=SpacingMark}",
    "prepend": r"\p{GCB=Prepend}",
    "leading": r"\p{GCB=L}",
    "vowel": r"\p{GCB=V}",
    "trailing": r"\p{GCB=T}",
    "pictographic": r"\p{ExtPict}",
    "consonant": r"\p{InCB=Consonant}",
    "linker": r"\p{InCB=Linker}",
    "conjunct_extend": r"\p{InCB=Extend}",
}
_WIDTH = 10


def ranges(points: Iterable[int]) -> list[tuple[int, int]]:
    """The first and the last of each run.

    >>> ranges([1, 2, 3, 7])
    [(1, 3), (7, 7)]
    """
    found: list[tuple[int, int]] = []
    for point in points:
        if found and found[-1][1] == point - 1:
            found[-1] = found[-1][0], point
        else:
            found.append((point, point))
    return found


def classes() -> str:
    """The first file."""
    unicode, regex = importlib.import_module("unicodedata2"), importlib.import_module("regex")
    if unicode.unidata_version != VERSION:
        raise SystemExit(f"unicodedata2 is of Unicode {unicode.unidata_version}, not of {VERSION}")
    ignorable = regex.compile(r"[\p{DI}\p{ExtPict}]").match
    known = [
        character
        for character in map(chr, range(0x110000))
        if unicode.category(character) not in ("Cn", "Cs") or ignorable(character)
    ]
    lines = []
    for name, source in PROPERTIES.items():
        has = regex.compile(source).match
        runs = ranges(ord(character) for character in known if has(character))
        lines.append(" ".join([name, *(f"{first:X}-{last:X}" for first, last in runs)]))
    return "\n".join(lines) + "\n"


def table(text: str) -> str:
    """The second file, from the contents of the first."""
    lines = [
        "// Classes of characters that make grapheme clusters, made by scripts/build_cluster_tables.py. Do not edit."
    ]
    for line in text.splitlines():
        name, *fields = line.split()
        entries = [f"{{0x{field.replace('-', ', 0x')}}}," for field in fields]
        lines.append(f"constexpr Range {name}_characters[] = {{")
        lines += [" ".join(entries[start : start + _WIDTH]) for start in range(0, len(entries), _WIDTH)]
        lines.append("};")
    return "\n".join(lines) + "\n"


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if the table is not up to date")
    if not parser.parse_args(arguments).check:
        CLASSES.write_text(classes(), encoding="ascii", newline="\n")
        TABLE.write_text(table(CLASSES.read_text("ascii")), encoding="ascii", newline="\n")
        return 0
    if TABLE.read_text("ascii") == table(CLASSES.read_text("ascii")):
        return 0
    print(f"{TABLE.relative_to(ROOT)} is not up to date: run python scripts/build_cluster_tables.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
