"""The encoding with the fewest tokens. NOT BPE-exact: a lower bound for every encoding of the same bytes.

A shortest path over the offsets between bytes; of equals the path whose last token is the longest.
"""

from __future__ import annotations

from bpe_engine.reference.dictionary import TokenDictionary


def encode(dictionary: TokenDictionary, data: bytes) -> list[int]:
    """Return the fewest token ids whose bytes make up `data`. Raises EncodingError for a byte without a token.

    >>> dictionary = TokenDictionary.of("a b c ac bb ab acbb abacb")
    >>> [dictionary.bytes_of[token] for token in encode(dictionary, b"abacbb")]
    [b'ab', b'acbb']
    """
    last = [-1]
    count = [0]
    for end, (size, token) in dictionary.automaton.iter(data.decode("latin-1")):
        if end >= len(count):
            break  # no token ends at the byte before
        start = end + 1 - size
        if end + 1 == len(count):
            last.append(token)
            count.append(count[start] + 1)
        elif count[start] + 1 < count[end + 1]:
            last[end + 1] = token
            count[end + 1] = count[start] + 1
    if len(count) <= len(data):
        raise dictionary.no_token(data, len(count) - 1)
    ids = []
    end = len(data)
    while end:
        ids.append(last[end])
        end -= len(dictionary.bytes_of[last[end]])
    return ids[::-1]
