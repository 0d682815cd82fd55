"""Texts on which encoders and splitters tend to be quadratic, of any length."""

from __future__ import annotations

import random
from collections.abc import Callable

# A text of about so many bytes in UTF-8.
Input = Callable[[int], str]


def repeated(unit: str) -> Input:
    """The text that repeats `unit`."""
    return lambda size: unit * (size // len(unit.encode()))


def drawn_from(alphabet: str) -> Input:
    """Random characters of `alphabet`, the same ones in each run."""

    def text(size: int) -> str:
        count = size // len(alphabet[0].encode())
        return "".join(random.Random(count).choices(alphabet, k=count))  # noqa: S311 - nothing secret

    return text


INPUTS: dict[str, Input] = {
    "one letter": repeated("a"),
    "spaces": repeated(" "),
    "newlines": repeated("\n"),
    "CR LF": repeated("\r\n"),
    "space, newline": repeated(" \n"),
    "random letters": drawn_from("abcdefghijklmnopqrstuvwxyz"),
    "CJK": drawn_from("".join(map(chr, range(0x4E00, 0x9FA0)))),
    "combining marks": drawn_from("".join(map(chr, range(0x300, 0x370)))),
    "digits": drawn_from("0123456789"),
    "apostrophes": repeated("'"),
    # How SentencePiece writes a space, and WordPiece what goes on.
    "▁": repeated("▁"),
    "##": repeated("##"),
    # o200k cuts words by case, and more text may move such a cut far back.
    "upper-case letters": drawn_from("ABCDEFGHIJKLMNOPQRSTUVWXYZ"),
    "upper case, one CJK in 300": repeated("ABCDEFGHIJ" * 30 + "中"),
    "letters, then many 'l": lambda size: "a" * (size // 2) + "'l" * (size // 4),
    # White space is one pre-token up to its last line break, and one more after it: both grow.
    "blank lines of 100 spaces": repeated(" " * 100 + "\n"),
    "blank lines of 1,000 spaces": repeated(" " * 1000 + "\n"),
    # One pre-token, of which a mark and the character before it are another where the text begins with them.
    "punctuation and marks": repeated("####\u0301\u0301\u0301"),
    "a letter, then spaces": lambda size: "a\n" + " " * (size - 2),
    # Nothing special, to compare with.
    "prose": repeated("The quick brown fox doesn't jump over 12,345 lazy dogs; it walks around them. "),
}

# What parsers of markup and code tend to be quadratic on, or to fail on; for chunkers alone.
PARSER_INPUTS: dict[str, Input] = {
    "opening brackets": repeated("("),
    "opening brackets, one a line": repeated("[\n"),
    "objects in objects": lambda size: '{"a":' * (size // 6) + "}" * (size // 6),
    "quotes": repeated('"'),
    "fences": repeated("```\n~~~\n"),
    "block quotes": repeated("> "),
    "list marks": repeated("- "),
    "indented more and more": lambda size: "".join(
        " " * depth + "if x:\n" for depth in range(int((2 * size) ** 0.5) - 6)
    ),
    "a table of one row": repeated("| a "),
    "headings": repeated("# a\n"),
    "one huge class": lambda size: (
        "class A:\n" + "    @staticmethod\n    def f(x):\n        return x + 1\n\n" * (size // 62)
    ),
}
