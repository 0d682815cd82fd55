"""Classes of characters, in the Unicode versions that Hugging Face `tokenizers` 0.23 follows, independent of the Python version.

Normalization forms and marks: Unicode 9 (also for BertNormalizer, which has its own list), controls: Unicode 9,
punctuation: Unicode 8, lower case: Unicode 17, from `pinned_characters.txt` (scripts/build_pinned_characters.py).
Letters, numbers and white space: Unicode 16, from `text/unicode_classes.py`. For numbers this differs in thirteen
characters: Digits of `tokenizers` takes those of Unicode 17 for numbers, its regular expressions do not.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING

from bpe_engine.text import package_text

if TYPE_CHECKING:
    import regex

WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
"""The characters with the property White_Space: 25, the same in all versions."""


# The characters that the normalizer Nmt removes, and those that it replaces by a space.
_NMT = {
    "nmt_control": ((1, 8), (0xB, 0xB), (0xE, 0x1F), (0x7F, 0x7F), (0x8F, 0x8F), (0x9F, 0x9F)),
    "nmt_space": (
        (0x9, 0xA), (0xC, 0xD), (0x1680, 0x1680), (0x200B, 0x200F), (0x2028, 0x2029), (0x2581, 0x2581), (0xFEFF, 0xFEFF), (0xFFFD, 0xFFFD),
    ),
}  # fmt: skip


@cache
def _lines() -> dict[str, list[str]]:
    text = package_text("pipeline/pinned_characters.txt")
    return {fields[0]: fields[1:] for fields in map(str.split, text.splitlines())}


@cache
def members(kind: str) -> str:
    """Return the characters of a kind, such as "mark" or "punctuation", as the inside of a set in a regular expression.

    >>> import regex
    >>> bool(regex.match(f"[{members('mark')}]", "\\u0301")), bool(regex.match(f"[{members('punctuation')}]", "$"))
    (True, True)
    """
    return "".join(rf"\U{first:08X}-\U{last:08X}" for first, last in code_points(kind))


@cache
def code_points(kind: str) -> tuple[tuple[int, int], ...]:
    """Return the characters of a kind, as the first and the last code point of each run.

    >>> code_points("ideograph")[:2]
    ((13312, 19903), (19968, 40959))
    """
    if kind in _NMT:
        return _NMT[kind]
    ends = (field.partition("-") for field in _lines()[kind])
    return tuple((int(first, 16), int(last or first, 16)) for first, _, last in ends)


@cache
def script_runs() -> tuple[tuple[int, int, int], ...]:
    """Return (first, last, number) of each run of characters of one script, ascending: code points, and the script's number from 1 on.

    Scripts are those of the pre-tokenizer UnicodeScripts (`scripts.txt`), which takes kana for Han, and unassigned
    characters and the space for no script.

    >>> script_runs()[1][:2]
    (33, 64)
    """
    text = package_text("pipeline/scripts.txt")
    runs = []
    for number, line in enumerate(text.splitlines(), 1):
        for first, _, last in (field.partition("-") for field in line.split()):
            runs.append((int(first, 16), int(last or first, 16), number))
    return tuple(sorted(runs))


def script_of(character: str) -> int:
    """Return the number of the script of a character; 0 for none.

    >>> script_of("a") == script_of("é") != script_of("1"), script_of(" ")
    (True, 0)
    """
    runs = script_runs()
    place = bisect_right(runs, (ord(character), 0x110000, 0)) - 1
    return runs[place][2] if place >= 0 and ord(character) <= runs[place][1] else 0


@cache
def numbers() -> str:
    """Return the characters that are numbers, as the inside of a set in a regular expression."""
    from bpe_engine.text.unicode_classes import ranges  # noqa: PLC0415 - few files split at numbers

    found = ranges()
    ends = [following.first - 1 for following in found[1:]] + [0x10FFFF]
    return "".join(rf"\U{r.first:08X}-\U{end:08X}" for r, end in zip(found, ends, strict=True) if r.category == "N")


@cache
def compiled(source: str) -> regex.Pattern[str]:
    """Compile a regular expression of this package, once."""
    import regex  # noqa: PLC0415 - 40 ms, and the compiled core never needs it

    return regex.compile(source)


@cache
def later_lower_case() -> dict[int, str]:
    """Return code point -> lower case, for upper-case characters that Python 3.11 does not know."""
    pairs = (field.split(":") for field in _lines()["lower"])
    return {int(upper, 16): chr(int(lower, 16)) for upper, lower in pairs}
