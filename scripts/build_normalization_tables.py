"""Write the tables by which the C++ core normalizes, or check those that are there.

    python scripts/build_normalization_tables.py            write bpe_engine/cpp/src/pipeline/normalization.inc
    python scripts/build_normalization_tables.py --check    compare it with what would be written

Decompositions, compositions and combining classes of Unicode 9, marks, and lower case of Unicode 17: the versions of
`bpe_engine/pipeline/pinned_characters.txt`, for which Python 3.11 is taken as it is where that file says nothing. Exit
code 0 if all is well, 1 if the tables differ, 2 for a wrong call.
"""

from __future__ import annotations

import argparse
import sys
import unicodedata
from pathlib import Path

import regex

ROOT = Path(__file__).resolve().parent.parent
# The script works on the tree it stands in, also where another version of the package is installed.
sys.path.insert(0, str(ROOT))

from bpe_engine.fallback.normalizing import lower  # noqa: E402 - as above
from bpe_engine.pipeline.characters import members  # noqa: E402 - needs the path above

TARGET = ROOT / "bpe_engine" / "cpp" / "src" / "pipeline" / "normalization.inc"
_HANGUL = range(0xAC00, 0xD7A4)
_WIDTH = 12


def _in_lines(name: str, entries: list[str]) -> list[str]:
    lines = [f"// {name}: {len(entries)}", f"#ifdef BPE_{name}"]
    lines += [" ".join(entries[start : start + _WIDTH]) for start in range(0, len(entries), _WIDTH)]
    return [*lines, "#endif"]


def table() -> str:
    """The file."""
    inert = regex.compile(f"[{members('inert')}]").match
    mark = regex.compile(f"[{members('mark')}]").match
    decompositions, combining, compositions, lower_case, marks = [], [], [], [], []
    pool: list[str] = []
    for point in range(0x110000):
        character = chr(point)
        if 0xD800 <= point < 0xE000:
            continue
        lowered = lower(character)
        if lowered != character:
            lower_case.append(f"{{0x{point:X}, 0, {len(pool)}, {len(lowered)}}},")
            pool += [f"0x{ord(part):X}," for part in lowered]
        if mark(character):
            marks.append(f"0x{point:X},")
        if inert(character) or point in _HANGUL:
            continue
        rank = unicodedata.combining(character)
        if rank:
            combining.append(f"{{0x{point:X}, {rank}}},")
        for kind, form in enumerate(("NFD", "NFKD")):
            whole = unicodedata.normalize(form, character)  # type: ignore[arg-type]  # one of the four
            if whole != character and (kind == 0 or whole != unicodedata.normalize("NFD", character)):
                decompositions.append(f"{{0x{point:X}, {kind}, {len(pool)}, {len(whole)}}},")
                pool += [f"0x{ord(part):X}," for part in whole]
        direct = unicodedata.decomposition(character)
        if direct and not direct.startswith("<") and len(direct.split()) == 2:
            first, second = (int(part, 16) for part in direct.split())
            if unicodedata.normalize("NFC", chr(first) + chr(second)) == character:
                compositions.append(f"{{0x{first:X}, 0x{second:X}, 0x{point:X}}},")
    lines = [
        "// By what the core normalizes, made by scripts/build_normalization_tables.py. Do not edit.",
        "// Hangul is not in it: that is arithmetic. Decompositions are full, kind 1 is for compatibility, where it differs: where in POOL they are.",
    ]
    lines += _in_lines("DECOMPOSITIONS", decompositions)
    lines += _in_lines("COMBINING", combining)
    lines += _in_lines("COMPOSITIONS", compositions)
    lines += _in_lines("LOWER_CASE", lower_case)
    lines += _in_lines("MARKS", _ranges(marks))
    lines += _in_lines("POOL", pool)
    return "\n".join(lines) + "\n"


def _ranges(entries: list[str]) -> list[str]:
    """Runs of single code points as {first, last}."""
    found: list[list[int]] = []
    for point in (int(entry.rstrip(","), 16) for entry in entries):
        if found and found[-1][1] == point - 1:
            found[-1][1] = point
        else:
            found.append([point, point])
    return [f"{{0x{first:X}, 0x{last:X}}}," for first, last in found]


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if the tables are not up to date")
    if not parser.parse_args(arguments).check:
        TARGET.write_text(table(), encoding="ascii", newline="\n")
        return 0
    if TARGET.read_text(encoding="ascii") == table():
        return 0
    print(
        f"{TARGET.relative_to(ROOT)} is not up to date: run python scripts/build_normalization_tables.py",
        file=sys.stderr,
    )
    return 1


if __name__ == "__main__":
    sys.exit(main())
