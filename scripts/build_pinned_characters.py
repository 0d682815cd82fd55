"""Write `bpe_engine/pipeline/pinned_characters.txt` and `scripts.txt`.

These are where Hugging Face `tokenizers` follows other versions of Unicode than Python, and its scripts.

    python scripts/build_pinned_characters.py        needs tokenizers 0.23 and unicodedata2

The package decomposes and composes by Unicode 9, calls punctuation what was that in Unicode 8, and lower-cases by
Unicode 17; Python does all of it by the version that its release brings. The package itself is asked, one character at
a time, and unicodedata2 says of which characters to expect an answer. A test asks again, under the Python that runs it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from pathlib import Path

import unicodedata2
from tokenizers import normalizers, pre_tokenizers

TARGET = Path(__file__).resolve().parent.parent / "bpe_engine" / "stages" / "pinned_characters.txt"
CHARACTERS = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
# Python 3.11 has it; what is older is the same in every Python from there on.
OLDEST = "14.0.0"


def ranges(characters: Iterable[str]) -> str:
    """Code points in hexadecimal, runs of them as first-last."""
    found: list[list[int]] = []
    for point in map(ord, characters):
        if found and found[-1][1] == point - 1:
            found[-1][1] = point
        else:
            found.append([point, point])
    return " ".join(f"{first:X}" if first == last else f"{first:X}-{last:X}" for first, last in found)


def is_inert(character: str) -> bool:
    """Whether nothing ever happens to a character in a normalization form of Unicode 9, though something does in a later version."""
    decomposed = unicodedata2.normalize("NFKD", character) != character
    combines = unicodedata2.combining(character) != 0
    if not decomposed and not combines:
        return False
    forms = normalizers.NFKD(), normalizers.NFD()
    if any(form.normalize_str(character) != character for form in forms):
        return False
    # Marks of classes 240 and 1 change places with what combines and stands on the wrong side of them.
    moves = any(forms[1].normalize_str(text) != text for text in (f"a\u0345{character}", f"a{character}\u0334"))
    return not moves


def of_bert() -> list[str]:
    """What BertNormalizer does to single characters: leaves out, makes a space of, puts spaces around, takes for an accent."""
    options = {"clean_text": False, "handle_chinese_chars": False, "strip_accents": False, "lowercase": False}
    cleaned = normalizers.BertNormalizer(**{**options, "clean_text": True}).normalize_str
    surrounded = normalizers.BertNormalizer(**{**options, "handle_chinese_chars": True}).normalize_str
    stripped = normalizers.BertNormalizer(**{**options, "strip_accents": True}).normalize_str
    return [
        "control " + ranges(c for c in CHARACTERS if cleaned(c) == ""),
        "space " + ranges(c for c in CHARACTERS if c != " " and cleaned(c) == " "),
        "ideograph " + ranges(c for c in CHARACTERS if surrounded(c) == f" {c} "),
        "nonspacing " + ranges(c for c in CHARACTERS if stripped(c) == ""),
    ]


def scripts() -> str:
    """The characters of each script, a line each, as UnicodeScripts tells them apart; those of no script are left out."""
    pieces_of = pre_tokenizers.UnicodeScripts().pre_tokenize_str
    known = [character for character in CHARACTERS if pieces_of(character)]
    groups: list[str] = []
    for piece, _ in pieces_of("".join(known)):
        for number, group in enumerate(groups):
            if len(pieces_of(group[0] + piece[0])) == 1:
                groups[number] += piece
                break
        else:
            groups.append(piece)
    return (
        "\n".join(
            sorted((ranges(sorted(group)) for group in groups), key=lambda line: int(line.split("-")[0].split()[0], 16))
        )
        + "\n"
    )


def main() -> None:
    """Write the files."""
    if unicodedata.unidata_version != OLDEST:
        raise SystemExit(f"this Python has Unicode {unicodedata.unidata_version}; run it with one that has {OLDEST}")
    strip_accents, lowercase, punctuation = (
        normalizers.StripAccents(),
        normalizers.Lowercase(),
        pre_tokenizers.Punctuation(),
    )
    lines = [
        *of_bert(),
        "inert " + ranges(filter(is_inert, CHARACTERS)),
        "mark " + ranges(c for c in CHARACTERS if strip_accents.normalize_str(c) == ""),
        "punctuation " + ranges(c for c in CHARACTERS if len(punctuation.pre_tokenize_str(f"a{c}a")) == 3),
        "lower "
        + " ".join(
            f"{ord(c):X}:{ord(lowercase.normalize_str(c)):X}"
            for c in CHARACTERS
            if lowercase.normalize_str(c) != c.lower()
        ),
    ]
    TARGET.write_text("\n".join(lines) + "\n", "ascii")
    TARGET.with_name("scripts.txt").write_text(scripts(), "ascii")


if __name__ == "__main__":
    main()
