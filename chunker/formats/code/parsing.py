"""Parse any text in linear time: tree-sitter with a budget of steps, without lines that it would read too often."""

from __future__ import annotations

import re
import time

from tree_sitter import Language, Parser, Tree

from chunker.formats.text.lines import LineTable

# The parser reports progress every hundred steps: for valid code one report per 200 bytes, for broken code one per 20.
_BYTES_PER_PROGRESS = 10
_MIN_PROGRESS = 500
_READ_SIZE = 1 << 16

# A step takes two microseconds, but after an error it may take milliseconds, because it compares ever more of the
# parser's state. Parsing takes a quarter of a microsecond per byte of valid code, and a microsecond per byte of broken
# code.
_SECONDS = 2.0
_SECONDS_PER_BYTE = 5e-6

_LONGEST_RUN = 48  # lines of comments, not counting blank ones


def parse(language: Language, source: bytes) -> Tree | None:
    """Return the syntax tree of `source`; None if parsing takes too long.

    The parser's error recovery can be quadratic and worse: 20 KB of "<!--" lines in a function take 18 seconds. So
    parsing has a budget of steps. Steps and not seconds, because the same text must always be cut in the same way. Only
    if steps become a thousand times as slow does a time limit apply, which is measured in processor time, independent
    of the load of the machine.
    """
    deadline = time.thread_time() + _SECONDS + _SECONDS_PER_BYTE * len(source)
    budget = _MIN_PROGRESS + len(source) // _BYTES_PER_PROGRESS
    calls = 0

    def read(offset: int, _point: object) -> bytes:
        return source[offset : offset + _READ_SIZE]

    def over_budget(_offset: int, _has_error: bool) -> bool:  # noqa: FBT001  # the parser's signature
        nonlocal calls
        calls += 1
        # Reading the clock costs as much as the parser's steps between two calls, so read it at every 16th.
        return calls > budget or (calls % 16 == 0 and time.thread_time() > deadline)

    try:
        return Parser(language).parse(read, progress_callback=over_budget)
    except ValueError:
        if calls > budget or time.thread_time() > deadline:
            return None
        raise


def hidden_rows(lines: LineTable, source: bytes, skimmed: str) -> list[int]:
    """Return the lines to hide from a grammar whose scanner is quadratic in them, in order: all but the last ones of a
    long run.

    The scanner of Python looks ahead over blank lines and comments for the next indentation, and does so again at each
    of these comments: 4,000 lines of comments at the end of a function take six seconds. Most lines of a long run are
    not needed. If the run is inside a string after all, only a quotation mark that ends the string there is lost.
    `skimmed`: the first characters of such lines; a backslash counts only if nothing follows it on the line.
    """
    if not skimmed:
        return []
    hidden: list[int] = []
    # The first byte of each line excludes most lines.
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
