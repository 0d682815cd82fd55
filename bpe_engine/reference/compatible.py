"""Test whether token b may follow token a: it may if the bytes of both together encode to exactly a, b.

The test un-merges the pair from the outside in. At the join the right end of a meets the left end of b. If these two
make a token that is merged before the merges that included them in a and b, then a and b cannot occur side by side.
Otherwise un-merge the later of the two and test again, until both are single bytes.

Source: the `bpe` crate of github/rust-gems (`is_valid_token_pair`).
"""

from __future__ import annotations

from bpe_engine.reference.dictionary import TokenDictionary

# The largest number of cached pairs; a full cache is cleared. 100 MB of source code have about half as many pairs.
REMEMBERED_PAIRS = 2_000_000


def compatible(dictionary: TokenDictionary, left: int, right: int) -> bool:
    """True if the encoding of the bytes of `left` and `right` is [left, right].

    >>> dictionary = TokenDictionary.of("a b c ac bb ab acbb")
    >>> compatible(dictionary, 5, 6)     # ab acbb
    True
    >>> compatible(dictionary, 0, 6)     # a acbb
    True
    >>> compatible(dictionary, 3, 4)     # ac bb merge to acbb
    False
    """
    known = dictionary.compatible_pairs.get((left, right))
    if known is None:
        if len(dictionary.compatible_pairs) >= REMEMBERED_PAIRS:
            dictionary.compatible_pairs.clear()
        unmerge = _unmerge if dictionary.priorities is None else _by_merges
        known = dictionary.compatible_pairs[left, right] = unmerge(dictionary, left, right)
    return known


def _unmerge(dictionary: TokenDictionary, left: int, right: int) -> bool:
    halves, bytes_of, id_of = dictionary.halves, dictionary.bytes_of, dictionary.id_of
    if halves(left) is None or halves(right) is None:
        return False
    limit = None  # tokens below it are merged before the tokens now at the join are merged further
    while True:
        merged = id_of.get(bytes_of[left] + bytes_of[right])
        if merged is not None and (limit is None or merged < limit):
            return False
        left_half = (halves(left) or (left, left))[1]
        right_half = (halves(right) or (right, right))[0]
        if left_half == left and right_half == right:
            return True
        # The later merge is undone first, of equals the right one, because merging goes from left to right.
        if left_half != left and (left > right or right_half == right):
            limit, left = left, left_half
        else:
            limit, right = right + 1, right_half


def _by_merges(dictionary: TokenDictionary, left: int, right: int) -> bool:
    """Whether `right` may follow `left`, for any order of ids.

    Un-merge both towards the join. If the two tokens that meet there make a token, one of the merges that include them
    in `left` or `right` must come before that merge.
    """
    halves, bytes_of, id_of = dictionary.halves, dictionary.bytes_of, dictionary.id_of
    if halves(left) is None or halves(right) is None:
        return False
    near, near_parent = left, None
    while True:
        far, far_parent = right, None
        while True:
            merged = id_of.get(bytes_of[near] + bytes_of[far])
            if (
                merged is not None
                and halves(merged) == (near, far)
                and (near_parent is None or not dictionary.comes_first(near_parent, merged))
                and (far_parent is None or dictionary.comes_first(merged, far_parent))
            ):
                return False
            half = (halves(far) or (far, far))[0]
            if half == far:
                break
            far_parent, far = far, half
        half = (halves(near) or (near, near))[1]
        if half == near:
            return True
        near_parent, near = near, half
