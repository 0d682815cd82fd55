"""Write the Unicode tables of the regex compiler, or check the ones that are there.

    python scripts/build_regex_tables.py            write bpe_engine/cpp/src/regex/unicode_16.inc
    python scripts/build_regex_tables.py --check    compare it with what would be written

General categories come from `unicodedata2`, scripts from `fonttools`, case folding and three binary properties from
`regex`: `pip install unicodedata2==16.0.0 fonttools==4.55.0 regex`. Folding is simple folding without the Turkic pairs,
among the characters that Unicode 16 has; what a character folds to never changes once it is assigned, so a later
`regex` says the same. Exit code 0 if all is well, 1 if the table differs or a source is of another version, 2 for a
wrong call.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

VERSION = "16.0"
TARGET = Path(__file__).resolve().parent.parent / "bpe_engine" / "cpp" / "src" / "regex" / "unicode_16.inc"
LAST = 0x10FFFF
# U+0130 and U+0131 fold to "i" in Turkic languages alone.
TURKIC = {0x130, 0x131}
WIDTH = 150


def runs(values: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The first code point of each run of equal values, and the value.

    >>> list(runs("aabbba"))
    [(0, 'a'), (2, 'b'), (5, 'a')]
    """
    previous = None
    for code_point, value in enumerate(values):
        if value != previous:
            yield code_point, value
            previous = value


def packed(entries: Iterable[str]) -> str:
    """Entries, as many to a line as fit.

    >>> packed(["1", "2"])
    '1, 2,\\n'
    """
    lines = [""]
    for entry in entries:
        if len(lines[-1]) + len(entry) > WIDTH:
            lines.append("")
        lines[-1] += f" {entry}," if lines[-1] else f"{entry},"
    return "\n".join(lines) + "\n"


def binary_property(name: str, assigned: set[int]) -> str:
    """The ranges of a property as `regex` knows it, among the assigned characters."""
    has = importlib.import_module("regex").compile(rf"\p{{{name}}}").match
    switches = runs("1" if code_point in assigned and has(chr(code_point)) else "0" for code_point in range(LAST + 1))
    firsts = packed(f"0x{first:X}" for first, value in switches if first or value == "1")
    return f"// Where the property begins and ends, in turns.\nconstexpr char32_t {name.lower()}_switches[] = {{\n{firsts}}};\n\n"


def fold_groups(assigned: set[int]) -> list[list[int]]:
    """The groups of characters that are equal where case is ignored, each sorted."""
    core = importlib.import_module("regex._regex_core")
    cases = importlib.import_module("regex._regex").get_all_cases
    flags = core.IGNORECASE | core.UNICODE
    groups: dict[int, list[int]] = {}
    known = assigned - TURKIC
    for code_point in sorted(known):
        group = sorted(case for case in set(cases(flags, code_point)) if case in known)
        if len(group) > 1:
            groups.setdefault(group[0], group)
    return list(groups.values())


def table() -> str:
    """The file; raises RuntimeError where a source is of another version."""
    data = importlib.import_module("unicodedata2")
    scripts = importlib.import_module("fontTools.unicodedata")
    if not data.unidata_version.startswith(f"{VERSION}."):
        raise RuntimeError(f"unicodedata2 has Unicode {data.unidata_version}, this table needs {VERSION}")
    if f"# Scripts-{VERSION}." not in Path(scripts.Scripts.__file__).read_text(encoding="utf-8"):
        raise RuntimeError(f"fonttools has the scripts of another Unicode version, this table needs {VERSION}")
    characters = [chr(code_point) for code_point in range(LAST + 1)]
    categories = [data.category(character) for character in characters]
    of_script = [scripts.script(character) for character in characters]
    names = sorted(set(of_script))
    assigned = {code_point for code_point, category in enumerate(categories) if category not in ("Cn", "Cs")}
    entry = [f"{{0x{first:X}, category_{value}}}" for first, value in runs(categories)]
    of_scripts = [f"{{0x{first:X}, {names.index(value)}}}" for first, value in runs(of_script)]
    described = [f'{{"{name}", "{scripts.script_name(name)}"}}' for name in names]
    properties = "".join(binary_property(name, assigned) for name in ("Alphabetic", "Lowercase", "Uppercase"))
    groups = [", ".join(f"0x{code:X}" for code in group) + ", 0" for group in fold_groups(assigned)]
    return "".join(
        [
            f"// General categories, scripts and simple case folding of Unicode {VERSION}, made by scripts/build_regex_tables.py. Do not edit.\n\n",
            "// {first code point, category}: each range reaches up to the next.\n",
            "constexpr CategoryRange category_ranges[] = {\n" + packed(entry) + "};\n\n",
            "// {first code point, index of the script}: likewise.\n",
            "constexpr ScriptRange script_ranges[] = {\n" + packed(of_scripts) + "};\n\n",
            "// {code of four letters, name}\n",
            "constexpr ScriptName script_names[] = {\n" + packed(described) + "};\n\n",
            properties,
            "// Groups of characters that are equal where case is ignored; 0 ends each.\n",
            "constexpr char32_t fold_groups[] = {\n" + packed(groups) + "};\n",
        ]
    )


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 if the table is not up to date")
    checks = parser.parse_args(arguments).check
    try:
        made = table()
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    if not checks:
        TARGET.write_text(made, encoding="ascii", newline="\n")
        return 0
    if TARGET.read_text(encoding="ascii") == made:
        return 0
    print(f"{TARGET.name} is not up to date: run python scripts/build_regex_tables.py", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
