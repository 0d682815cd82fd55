"""Greedy encoding: always take the longest token. NOT BPE-exact: fast and reversible, but not the encoding that BPE models were trained on."""

from __future__ import annotations

from bpe_engine.reference.dictionary import TokenDictionary


def encode(dictionary: TokenDictionary, data: bytes) -> list[int]:
    """Return token ids whose bytes make up `data`. Raises EncodingError for a byte without a token.

    >>> dictionary = TokenDictionary.of("a b c ab cb ac bb cbb acbb abac")
    >>> [dictionary.bytes_of[token] for token in encode(dictionary, b"abacbb")]
    [b'abac', b'bb']
    """
    ids = []
    place = 0
    while place < len(data):
        token = next(dictionary.tokens_at(data, place), None)
        if token is None:
            raise dictionary.no_token(data, place)
        ids.append(token)
        place += len(dictionary.bytes_of[token])
    return ids
