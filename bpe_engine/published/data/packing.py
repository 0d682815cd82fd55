"""Pack a list of tokens compactly: each token as the two earlier tokens that it is merged from, its halves.

    id                  0      1      2       3
    token              b"a"   b"b"   b"ab"   b"aba"
    left half           97     98     0       2         a single byte has its value as left half,
    right half          --     --     1       0         and 0xFFFFFF as right half

The halves are written as six planes of one byte a token: the low, middle and high bytes of all left halves, then of all
right halves. The planes are compressed. The compiled core builds its tables from the planes directly; the token bytes
are the last thing that it needs.

The forms that were tried, with kilobytes on disk for o200k_base + cl100k_base and milliseconds from bytes to the
finished `dict[bytes, int]` of o200k_base (one core of a 2-core machine, Python 3.11, best of fifteen):

    the published base64 lines              3,614 + 1,681 kB    79 ms
    pickle of the dictionary, zlib          1,638 +   738       36    rejected: size; a pickle as package data runs code
    joined by a byte that is rare, zlib       946 +   406       30    rejected: size; the core would have to find the halves
    joined, lzma                              747 +   343       54    rejected: some Python builds have no lzma module
    joined, bz2                               700 +   326       82    rejected: time, and some Python builds have no bz2 module
    lengths, then bytes, zlib                 994 +   429       44    rejected: larger and slower
    halves, six byte planes, zlib             729 +   342       53    chosen
      arithmetic on the six bytes of a token                    76    rejected: time
      the loop in C, as nested calls of map                     64    rejected: time, and harder to read
      the planes only, which the core needs                      4
"""

from __future__ import annotations

import sys
import zlib
from array import array
from collections.abc import Sequence

from bpe_engine.errors import VocabularyError

PLANES = 6
# The right half of a single byte. No token has this id, because `pack` accepts at most this many tokens.
NO_HALF = 0xFFFFFF


def pack(tokens: Sequence[bytes]) -> bytes:
    """Pack tokens in merge order: the n-th token, from 0, has the id n. About 15 microseconds a token.

    Raises VocabularyError if a token is empty or a duplicate, if it is not merged from two earlier tokens, or if there
    are more tokens than three bytes can number.
    """
    # Imported late: only making package data needs it, not loading.
    from bpe_engine.reference.dictionary import TokenDictionary  # noqa: PLC0415

    if len(tokens) > NO_HALF:
        raise VocabularyError(f"{len(tokens):,} tokens are too many to pack: the limit is {NO_HALF:,}")
    if b"" in tokens or len(set(tokens)) != len(tokens):
        raise VocabularyError("tokens to pack are distinct and not empty")
    dictionary = TokenDictionary({token: token_id for token_id, token in enumerate(tokens)})
    dictionary.check_merge_order()
    lefts, rights = [], []
    for token_id, token in enumerate(tokens):
        halves = dictionary.halves(token_id)
        if halves is None:
            raise VocabularyError(
                f"the token {token!r} (id {token_id}) has no halves: merging its bytes does not make it"
            )
        left, right = halves if len(token) > 1 else (token[0], NO_HALF)
        lefts.append(left)
        rights.append(right)
    planes = (bytes(half >> shift & 0xFF for half in halves) for halves in (lefts, rights) for shift in (0, 8, 16))
    return zlib.compress(b"".join(planes), level=9)


def unpack_planes(packed: bytes) -> bytes:
    """Return the six planes, one after the other: six bytes a token.

    Raises VocabularyError for bytes that were cut or altered since `pack` made them (zlib keeps a checksum), or that
    are not six planes. The contents of the planes are not checked.

    >>> unpack_planes(pack([b"a", b"b", b"ab"])).hex(" ", 3)
    '616200 000000 000000 ffff01 ffff00 ffff00'
    """
    try:
        planes = zlib.decompress(packed)
    except zlib.error as error:
        raise VocabularyError(f"the packed tokens are damaged: {error}") from error
    if not planes or len(planes) % PLANES:
        raise VocabularyError(f"the packed tokens are damaged: {len(planes)} bytes are not six planes")
    return planes


def unpack(packed: bytes) -> list[bytes]:
    """Return the tokens that `pack` packed, in the same order.

    Raises VocabularyError as `unpack_planes` does, and for a half that is not an earlier token. Does not check for
    duplicate tokens, because a caller that makes a dictionary sees them without cost.

    >>> unpack(pack([b"a", b"b", b"ab", b"aba"]))
    [b'a', b'b', b'ab', b'aba']
    """
    planes = unpack_planes(packed)
    tokens: list[bytes] = []
    append = tokens.append
    try:
        for left, right in zip(_halves(planes, 0), _halves(planes, 3), strict=True):
            append(tokens[left] + tokens[right] if right != NO_HALF else bytes((left,)))
    except (
        IndexError,
        ValueError,
    ) as error:  # IndexError: a half that is not a token yet; ValueError: a byte above 255
        raise VocabularyError(
            f"the packed tokens are damaged: token {len(tokens)} has a half that cannot be"
        ) from error
    return tokens


def _halves(planes: bytes, first: int) -> array[int]:
    """Return the numbers whose low, middle and high bytes are the planes `first`, `first + 1` and `first + 2`."""
    count = len(planes) // PLANES
    # Each plane is copied to every fourth byte of one buffer: three copies in C instead of arithmetic on each number.
    words = bytearray(4 * count)
    for place in range(3):
        words[place::4] = planes[(first + place) * count : (first + place + 1) * count]
    halves = array("I", bytes(words))
    if sys.byteorder == "big":
        halves.byteswap()
    return halves
