"""The constants of growing, each defined once: how far to look ahead, and what cuts cost.

The compiled part has those that it needs from here: `scripts/build_constants.py` writes them down for it.
"""

from __future__ import annotations

# Counts of prefixes are not monotone: one more character can complete a long token and lower the count, so the first overflow does
# not prove that no longer prefix fits. By how much it can fall at once is not bounded by anything small, but falls of more than two tokens
# are hardly ever seen, and to miss one only makes a chunk shorter than it could be. So growing goes on while the count is at most this
# many tokens over the budget; and so does an overlap, which grows to the left.
LOOK_AHEAD = 4

# A text of more than this many characters a token of a limit is above it: published vocabularies have no longer token.
LONGEST_TOKEN = 128

# Characters at the end of a unit in which to look for blank lines, and more if they are all blank.
BLANKS = 64

# The prices of `optimal`, in emptiness: 1 is that of an empty chunk. A cut one level deeper is worth a chunk that is a third empty.
COST_OF_LEVEL = 0.1
COST_OF_BROKEN_UNIT = 10.0
COST_OF_CRUMB = 10_000.0
# A cut between a definition's first line and what stands before it. More than what a cut behind that line may break.
COST_OF_TORN_HEAD = 1_000.0
# Levels deeper than this cost no more: what is left to choose from there is a matter of layout.
DEEPEST_LEVEL = 20
# Counts of prefixes tell within so many tokens what a slice between them has: joins cost a few.
FARTHER = 16
# A chunk is cut at the best of so many steps of its budget, at most three places a step: a cut is at most one step from where it had best be, and
# a chunk of thousands of tiny units, each of them a place to cut, costs no more to find than one of a page.
STEPS_OF_CHUNK = 64
# The characters of a grapheme cluster that is too long are cut into parts of at most this fraction of what a unit may have that is never broken: chunks of
# some such parts are nearly full, and a cut at every character is no better than one at every tenth.
CHARACTERS_OF_ATOM = 4


def look(limit: int) -> int:
    """Characters that are appended before the count is looked at, as by `append_fitting`; `limit` is in tokens."""
    return max(limit, 16) * 2


def step(limit: int) -> int:
    """Tokens within which `optimal` looks at no more than three cuts; `limit` is in tokens, too."""
    return max(limit // STEPS_OF_CHUNK, 1)


def overlap_look(limit: int) -> int:
    """Characters that are prepended before the count is looked at; `limit` is in tokens."""
    return max(limit, 8) * 6
