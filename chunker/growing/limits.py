"""The constants of growing, each defined once: how far to look ahead, and the costs of cuts.

`scripts/build_constants.py` generates the constants of the compiled part from this module.
"""

from __future__ import annotations

# Counts of prefixes are not monotone: one more character can complete a long token and lower the count, so the first
# overflow does not prove that no longer prefix fits. There is no small bound on how far the count can fall at once, but
# falls of more than two tokens are very rare, and missing one only makes a chunk shorter than it could be. So growing
# goes on while the count is at most this many tokens over the budget. The same holds for an overlap, which grows to the
# left.
LOOK_AHEAD = 4

# A text longer than this many characters per token of a limit exceeds the limit: no published vocabulary has a longer
# token.
LONGEST_TOKEN = 128

# The number of characters at the end of a unit that are searched for blank lines; more if all of them are blank.
BLANKS = 64

# The costs in `optimal`; an empty chunk costs 1. A cut one level deeper costs as much as a chunk that is a third empty.
COST_OF_LEVEL = 0.1
COST_OF_BROKEN_UNIT = 10.0
COST_OF_UNDERSIZED = 10_000.0
# The cost of a cut between the first line of a definition and the comments or attributes before it. More than a cut
# after that line may cost by breaking units.
COST_OF_TORN_HEAD = 1_000.0
# Deeper levels than this cost no more: deeper down, boundaries differ only in layout.
DEEPEST_LEVEL = 20
# The difference of two prefix counts is within this many tokens of the count of the slice between them: joins cost a
# few.
FARTHER = 16
# A budget is divided into this many steps, with at most three candidate cuts per step. A cut is at most one step from
# its best position, and a chunk of thousands of tiny units costs no more to find than a chunk of one page.
STEPS_OF_CHUNK = 64
# A grapheme cluster that is too long is split into parts of at most this fraction of the size that an unbroken unit may
# have: chunks of a few such parts are nearly full, and a cut at every character is no better than one at every tenth.
CHARACTERS_OF_ATOM = 4


def look(limit: int) -> int:
    """Return the number of characters that are appended between two looks at the count, as in `append_fitting`; `limit`
    is in tokens.
    """
    return max(limit, 16) * 2


def step(limit: int) -> int:
    """Return the number of tokens within which `optimal` considers at most three cuts; `limit` is in tokens, too."""
    return max(limit // STEPS_OF_CHUNK, 1)


def overlap_look(limit: int) -> int:
    """Return the number of characters that are prepended between two looks at the count; `limit` is in tokens."""
    return max(limit, 8) * 6
