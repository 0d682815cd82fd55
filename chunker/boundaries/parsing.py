"""Parsing in linear time, whatever the text: tree-sitter with a budget, spared the lines that it reads too often."""

from __future__ import annotations

import re

from tree_sitter import Language, Parser, Tree

from chunker.boundaries.lines import LineTable

# The parser reports progress every hundred steps. Good code gives one report for 200 bytes, bad code one for 20.
_BYTES_PER_PROGRESS = 10
_MIN_PROGRESS = 500
_READ_SIZE = 1 << 16

_LONGEST_RUN = 48  # lines of comments, blank ones not counted


def parse(language: Language, source: bytes) -> Tree | None:
    """The syntax tree of `source`, None if that takes too long.

    The parser's search for what the author of broken code may have meant can be quadratic and worse: 20 KB of "<!--"
    lines in a function take it 18 seconds. So it has a budget of steps. Steps and not seconds, for the same text must
    always be cut alike.
    """
    budget = _MIN_PROGRESS + len(source) // _BYTES_PER_PROGRESS
    calls = 0

    def read(offset: int, _point: object) -> bytes:
        return source[offset : offset + _READ_SIZE]

    def over_budget(_offset: int, _has_error: bool) -> bool:  # noqa: FBT001  # the parser's signature
        nonlocal calls
        calls += 1
        return calls > budget

    try:
        return Parser(language).parse(read, progress_callback=over_budget)
    except ValueError:
        if calls > budget:
            return None
        raise


def hidden_rows(lines: LineTable, source: bytes, skimmed: re.Pattern[bytes]) -> set[int]:
    """The lines that are hidden from a grammar whose scanner is quadratic in them: all but the last ones of a long run.

    That of Python looks ahead over blank lines and comments for the next indentation, and does so again at each of
    these comments: 4,000 lines of comments at the end of a function take it six seconds. A long run can do without
    most of them. Should it stand in a string after all, nothing is lost but a quotation mark that ends the string
    there.
    """
    hidden: set[int] = set()
    run: list[int] = []
    for row in range(len(lines) + 1):
        if row < len(lines) and lines.blank[row]:
            continue
        if row < len(lines) and skimmed.match(source, lines.indents[row], lines.ends[row]):
            run.append(row)
            continue
        if len(run) > _LONGEST_RUN:
            hidden.update(run[:-_LONGEST_RUN])
        run = []
    return hidden
