"""Parse any text in linear time: tree-sitter with a budget, without the lines that it would read too often."""

from __future__ import annotations

import re
import time

from tree_sitter import Language, Parser, Tree

from chunker.formats.text.lines import LineTable

# The parser reports progress every hundred steps. Good code gives one report for 200 bytes, bad code one for 20.
_BYTES_PER_PROGRESS = 10
_MIN_PROGRESS = 500
_READ_SIZE = 1 << 16

# A step takes two microseconds, but after an error it may take milliseconds: it compares ever more of what the parser remembers. Parsing
# takes a quarter of a microsecond a byte of good code, and one of bad code.
_SECONDS = 2.0
_SECONDS_PER_BYTE = 5e-6

_LONGEST_RUN = 48  # lines of comments, blank ones not counted


def parse(language: Language, source: bytes) -> Tree | None:
    """The syntax tree of `source`, None if that takes too long.

    The parser's search for what the author of broken code may have meant can be quadratic and worse: 20 KB of "<!--"
    lines in a function take it 18 seconds. So it has a budget of steps. Steps and not seconds, for the same text must
    always be cut alike; only where steps become a thousand times as slow does it end after a time, which is measured on the
    processor, whatever else the machine does.
    """
    deadline = time.thread_time() + _SECONDS + _SECONDS_PER_BYTE * len(source)
    budget = _MIN_PROGRESS + len(source) // _BYTES_PER_PROGRESS
    calls = 0

    def read(offset: int, _point: object) -> bytes:
        return source[offset : offset + _READ_SIZE]

    def over_budget(_offset: int, _has_error: bool) -> bool:  # noqa: FBT001  # the parser's signature
        nonlocal calls
        calls += 1
        # Reading the clock costs as much as the parser's steps between two calls, so it is read at every 16th.
        return calls > budget or (calls % 16 == 0 and time.thread_time() > deadline)

    try:
        return Parser(language).parse(read, progress_callback=over_budget)
    except ValueError:
        if calls > budget or time.thread_time() > deadline:
            return None
        raise


def hidden_rows(lines: LineTable, source: bytes, skimmed: str) -> list[int]:
    """The lines that are hidden from a grammar whose scanner is quadratic in them, in order: all but the last ones of a long run.

    That of Python looks ahead over blank lines and comments for the next indentation, and does so again at each of
    these comments: 4,000 lines of comments at the end of a function take it six seconds. A long run can do without
    most of them. Should it stand in a string after all, nothing is lost but a quotation mark that ends the string
    there. `skimmed` are the characters with which such lines begin; after a backslash nothing else may stand on the line.
    """
    if not skimmed:
        return []
    hidden: list[int] = []
    # The first byte of each line rules most lines out.
    for found in re.finditer(rb"[\r\n%s]{%d,}" % (re.escape(skimmed.encode()), _LONGEST_RUN), lines.first_bytes):
        run: list[int] = []
        for row in (*range(*found.span()), None):
            if row is not None and lines.blank[row]:
                continue
            if row is not None and _is_skimmed(source[lines.indents[row] : lines.ends[row]]):
                run.append(row)
                continue
            hidden += run[:-_LONGEST_RUN]
            run = []
    return hidden


def _is_skimmed(line: bytes) -> bool:
    return not line.startswith(b"\\") or line.rstrip(b"\r\n") == b"\\"
