"""A compact form of a list of tokens: small on disk, and unpacked by two calls that run in C.

The tokens of o200k_base and cl100k_base use few of the 256 byte values; the value 255, for one, occurs in one token only, which is
that byte alone. So the tokens are joined by such a byte, that one token is left empty, and the whole is compressed:

    tokens      b"a"  b"\\xff"  b"b"  b"ab"
    joined      b"\\xff" + b"a" b"\\xff" b"" b"\\xff" b"b" b"\\xff" b"ab"       the first byte says which value separates
    packed      zlib of it

What was tried, as kilobytes on disk for o200k_base + cl100k_base and milliseconds from bytes to the finished
`dict[bytes, int]` of o200k_base (one core of a 2-core machine, Python 3.11, best of five):

    the published base64 lines              3,614 + 1,681 kB   306 ms
    pickle of the dictionary, zlib          1,638 +   738       49    rejected: size; a pickle as package data runs code
    joined, zlib                              946 +   406       64    chosen
    joined, lzma                              747 +   343       76    rejected: some Python builds have no lzma module
    joined, bz2                               700 +   326       98    rejected: time, and the same lack
    lengths, then bytes, zlib                 994 +   429       76    rejected: larger and slower
    each token as a pair of earlier ones,
      six byte planes, zlib                   729 +   342       82    rejected: a loop in Python over all tokens, four times the code
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from bpe_engine.errors import VocabularyError


def pack(tokens: Sequence[bytes]) -> bytes:
    """The packed form of tokens in the order of their ids, which run from 0 without a gap.

    Raises `VocabularyError` if a token is empty, if one stands twice, or if no byte value can serve as separator.
    """
    if b"" in tokens or len(set(tokens)) != len(tokens):
        raise VocabularyError("tokens to pack are distinct and not empty")
    used = set().union(*(token for token in tokens if len(token) > 1))
    separators = [value for value in range(256) if value not in used and bytes([value]) in tokens]
    if not separators:
        raise VocabularyError("no byte value can separate these tokens: each occurs inside a longer token or in none")
    separator = bytes([separators[-1]])
    joined = separator.join(b"" if token == separator else token for token in tokens)
    return zlib.compress(separator + joined, level=9)


def unpack(packed: bytes) -> list[bytes]:
    """The tokens that `pack` packed, in the same order.

    Raises `VocabularyError` for bytes that `pack` did not make, or that were cut or altered since (zlib keeps a checksum).

    >>> unpack(pack([b"a", b"\\xff", b"b", b"ab"]))
    [b'a', b'\\xff', b'b', b'ab']
    """
    try:
        plain = zlib.decompress(packed)
    except zlib.error as error:
        raise VocabularyError(f"the packed tokens are damaged: {error}") from error
    separator = plain[:1]
    tokens = plain[1:].split(separator) if separator else []
    if tokens.count(b"") != 1:
        raise VocabularyError("the packed tokens are damaged: exactly one token is the separator")
    tokens[tokens.index(b"")] = separator
    return tokens
