"""WordPiece: take the longest token at the start of a word, then repeat with the rest of the word.

    tokens  un  aff  ##aff  ##able  [UNK]        unaffable  ->  un ##aff ##able
                                                 unaffably  ->  [UNK]              if no token fits, the whole word is unknown

Tokens inside a word are written with a prefix. There is no backtracking, so a word can be unknown although tokens make
it up. Source: Schuster, Nakajima, "Japanese and Korean Voice Search", 2012, in the form of BERT and the package
`tokenizers`. Not here: splitting a text into words.
"""

from __future__ import annotations

from collections.abc import Mapping

from bpe_engine.errors import EncodingError


def encode(
    tokens: Mapping[bytes, int],
    word: bytes,
    *,
    unknown: int | None,
    prefix: bytes = b"##",
    most_characters: int = 100,
) -> list[int]:
    """Return the token ids of `word`.

    Args:
        tokens: Token as UTF-8 -> id.
        word: One pre-token, as UTF-8. A byte that is not UTF-8 is one character.
        unknown: The id of the unknown token; None if there is none.
        prefix: The prefix of tokens inside a word.
        most_characters: The largest length of a word, in characters; a longer word is unknown.

    Raises:
        EncodingError: The word is unknown, and there is no unknown token.

    >>> tokens = {b"un": 0, b"aff": 1, b"##aff": 2, b"##able": 3, b"[UNK]": 4}
    >>> encode(tokens, b"unaffable", unknown=4)
    [0, 2, 3]
    >>> encode(tokens, b"unaffably", unknown=4)
    [4]
    >>> encode(tokens, b"unaffable", unknown=4, most_characters=8)
    [4]
    """
    found = encode_with_lengths(tokens, word, unknown=unknown, prefix=prefix, most_characters=most_characters)
    return [token for token, _ in found]


def encode_with_lengths(
    tokens: Mapping[bytes, int],
    word: bytes,
    *,
    unknown: int | None,
    prefix: bytes = b"##",
    most_characters: int = 100,
) -> list[tuple[int, int]]:
    """Return the ids of `encode`, each with the number of bytes of `word` that it covers.

    >>> encode_with_lengths({b"un": 0, b"##able": 1}, b"unable", unknown=None)
    [(0, 2), (1, 4)]
    """
    if len(word.decode("utf-8", "surrogateescape")) > most_characters:
        return _unknown(word, unknown)
    longest = max(map(len, tokens), default=0)
    found = []
    start = 0
    while start < len(word):
        before = prefix if start else b""
        for end in range(min(len(word), start + longest), start, -1):
            token = tokens.get(before + word[start:end])
            if token is not None:
                found.append((token, end - start))
                start = end
                break
        else:
            return _unknown(word, unknown)
    return found


def _unknown(word: bytes, unknown: int | None) -> list[tuple[int, int]]:
    if not word:
        return []
    if unknown is None:
        raise EncodingError(f"the word {word[:80]!r} is not made of tokens, and the vocabulary has no unknown token")
    return [(unknown, len(word))]
