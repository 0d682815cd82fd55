"""HashingEmbedder: vectors of hashed words and parts of words, without a model. It finds shared spelling, not shared
meaning.

    "Parsing headers"  ->  " pa" "par" "ars" ... " head" "heade" ...  and the words themselves
                       ->  each adds +1 or -1 to one of 512 numbers; the square root of each; length 1

Feature hashing (Weinberger et al., 2009): two texts have a large product if they have many words and beginnings of
words in common, be they inflected or misspelled. Nothing is downloaded and nothing learned; for search by meaning take
a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunker.arguments import whole_number
from chunker.index.vector_sketches import mixed
from chunker.index.vectors import Vectors, unit_rows
from chunker.index.words import further_words

_DIMENSIONS = 512
_LENGTHS = (3, 4, 5)
# A whole word counts as much as this many of its parts.
_WORD_WEIGHT = 3.0
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SPACE = 32


def _table() -> NDArray[np.uint8]:
    """A table that maps bytes to those that count as equal: capitals to small letters, ASCII that is in no word to a space."""
    table = np.arange(256, dtype=np.uint8)
    for byte in range(128):
        if not chr(byte).isalnum():
            table[byte] = _SPACE
        elif chr(byte).isupper():
            table[byte] = byte + 32
    return table


_SAME = _table()


class HashingEmbedder:
    """Vectors of hashed words and parts of words, without a model. Lexical: for search by meaning use a model.

    Args:
        dimensions: The length of a vector.
    """

    model_id = "hashed-ngrams"
    revision = "1"
    meaning_weight = 0.5
    prefix = ""
    tokenizer = "o200k_base"
    max_batch_texts = 1024
    max_batch_tokens = 262_144

    def __init__(self, dimensions: int = _DIMENSIONS) -> None:
        self.dimensions = whole_number(dimensions, "dimensions", least=1)

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """Embed texts. Linear time.

        Args:
            texts: The texts of chunks.

        Returns:
            The vectors, float32, a row for each text.
        """
        rows = np.stack([self._row(text) for text in texts]) if texts else np.zeros((0, self.dimensions), np.float32)
        return unit_rows(rows)

    def embed_query(self, text: str, /) -> Vectors:
        """Embed a question, as `embed` does a text.

        Args:
            text: The question.

        Returns:
            One vector, float32.
        """
        vector: Vectors = self.embed([text])[0]
        return vector

    def _row(self, text: str) -> Vectors:
        further = further_words(text)
        encoded = f" {text} {further} ".lower().encode("utf-8", "surrogatepass")
        letters = _SAME[np.frombuffer(encoded, np.uint8)]
        gap = letters == _SPACE
        row = np.zeros(self.dimensions)
        for length in _LENGTHS:
            hashes, inside = _ngrams(letters, gap, length)
            self._add(row, hashes[inside], 1.0)
        self._add(row, _words(letters, gap), _WORD_WEIGHT)
        return (np.sign(row) * np.sqrt(np.abs(row))).astype(np.float32)

    def _add(self, row: NDArray[Any], hashes: NDArray[np.uint64], weight: float) -> None:
        spread = mixed(hashes)
        places = (spread >> np.uint64(33)) % np.uint64(self.dimensions)
        signs = np.where(spread & np.uint64(1), weight, -weight)
        row += np.bincount(places.astype(np.int64), signs, self.dimensions)


def _ngrams(
    letters: NDArray[np.uint8], gap: NDArray[np.bool_], length: int
) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """A hash of the `length` bytes from each offset, and whether they belong to one word; they may begin with the gap before it."""
    count = max(len(letters) - length + 1, 0)
    hashes = np.full(count, length, np.uint64)
    inside = np.ones(count, np.bool_)
    for step in range(length):
        hashes = hashes * _MULTIPLIER + letters[step : step + count]
        if step:
            inside &= ~gap[step : step + count]
    return hashes, inside


def _words(letters: NDArray[np.uint8], gap: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """A hash of each word: the sum of its bytes, each times a factor for its offset in the word."""
    starts = np.flatnonzero(gap[:-1] & ~gap[1:]) + 1
    if not len(starts):
        return np.zeros(0, np.uint64)
    within = np.arange(len(letters)) - np.repeat(np.concatenate([[0], starts]), np.diff([0, *starts, len(letters)]))
    terms = mixed(within.astype(np.uint64) * np.uint64(257) + letters + np.uint64(1)) * ~gap
    sums: NDArray[np.uint64] = np.add.reduceat(terms, starts)
    return sums
