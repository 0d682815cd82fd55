"""BPE dropout: skip each possible merge with a given probability. NOT BPE-exact: for training on varied splits.

Source: Provilkov, Emelianenko, Voita, "BPE-Dropout: Simple and Effective Subword Regularization", ACL 2020. As there,
each step draws anew for all pairs; the encoding ends when no pair that makes a token is kept.
"""

from __future__ import annotations

from random import Random

from bpe_engine.reference.dictionary import TokenDictionary


def encode(dictionary: TokenDictionary, data: bytes, *, dropout: float, random: Random) -> list[int]:
    """Return token ids whose bytes make up `data`. `dropout` is the probability of skipping: 0 is BPE, 1 is single bytes.

    Raises EncodingError for a byte without a token, ValueError if `dropout` is outside [0, 1]. Quadratic in the length.

    >>> dictionary = TokenDictionary.of("a b c ac bb ab acbb")
    >>> encode(dictionary, b"abacbb", dropout=0, random=Random(0)), encode(dictionary, b"ab", dropout=1, random=Random(0))
    ([5, 6], [0, 1])
    """
    if not 0 <= dropout <= 1:
        raise ValueError(f"dropout must be between 0 and 1, not {dropout}")
    parts = [data[index : index + 1] for index in range(len(data))]
    for offset, part in enumerate(parts):
        if part not in dictionary.id_of:
            raise dictionary.no_token(data, offset)
    while True:
        candidates = [
            (rank, index)
            for index in range(len(parts) - 1)
            if (rank := dictionary.id_of.get(parts[index] + parts[index + 1])) is not None
            and random.random() >= dropout
        ]
        if not candidates:
            return [dictionary.id_of[part] for part in parts]
        _, index = min(candidates)
        parts[index : index + 2] = [parts[index] + parts[index + 1]]
