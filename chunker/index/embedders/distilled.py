"""A vector for each word piece of all-MiniLM-L6-v2, made once on this machine and kept in the cache folder of the user.

    "galaxy"  ->  [CLS] galaxy [SEP]  ->  all-MiniLM-L6-v2  ->  384 numbers, the mean of the three
                                      ->  the first 256 principal components of all pieces
                                      ->  times a / (a + p), p the frequency of the piece

This is how Model2Vec distills a model (Tulkens and van Dongen, 2024), with smooth inverse frequencies as weights (Arora
et al., 2017). As there, the frequency comes from the rank of the id by Zipf's law; but here ranks begin at the first
whole word, "the", and the single characters before it count as most frequent. Ranks of all ids and a = 0.0001, as
Model2Vec has them, leave "the" a weight of 0.7, and found less.

What is kept is checked by its hash whenever it is read: a file that is damaged is made again.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bpe_engine.published.files import own_cache_folder
from chunker.files.progress import with_progress
from chunker.index.embedders.minilm import MiniLMEmbedder
from chunker.index.vectors import Vectors

# To be raised with every change of the vectors: it is in the name of the file, and in the identity of the embedder.
RECIPE = 1
DIMENSIONS = 256
_FREQUENT = 1e-3
# The id of "the". Before it are special pieces, unused ones and single characters, most of them marks.
_FIRST_WORD = 1996
_AT_ONCE = 256
_HASH_BYTES = 32


def piece_vectors(pieces: int) -> Vectors:
    """The vectors of all word pieces, float32, a row for each of `pieces` ids: from the cache, or made.

    Raises `MissingExtraError` if they must be made and a package for it is not installed.
    """
    place = own_cache_folder() / f"all-minilm-l6-v2-static-{RECIPE}.f16"
    rows = _kept(place, pieces)
    if rows is None:
        from bpe_engine.published.download import keep  # noqa: PLC0415 - the modules of the network, which it imports too, take long

        rows = distill(MiniLMEmbedder())
        contents = rows.astype("<f2").tobytes()
        keep(_hash(contents) + contents, place)
    return rows.astype(np.float32)


def distill(model: MiniLMEmbedder) -> NDArray[np.float16]:
    """Make the vectors of all word pieces of the model; takes half a minute of one core. Standard error shows the progress."""
    tokenizer = model.model_tokenizer
    begin, end = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    ids = np.arange(tokenizer.get_vocab_size(), dtype=np.int64)
    texts = np.stack([np.full_like(ids, begin), ids, np.full_like(ids, end)], axis=1)
    runs = [texts[at : at + _AT_ONCE] for at in range(0, len(texts), _AT_ONCE)]
    with with_progress(runs, "Making static vectors, once", len(runs), streaming=False, lines=True) as counted:
        hidden = np.concatenate([model.embed_together(run) for run in counted])
    components = principal_components(hidden.astype(np.float64), DIMENSIONS)
    return (components * _weights(len(ids))[:, None]).astype(np.float16)


def principal_components(rows: NDArray[np.float64], number: int) -> NDArray[np.float64]:
    """The rows in their first principal components. A component has no sign of its own: its largest part is made positive, so that all machines agree.

    >>> principal_components(np.array([[3.0, 0.0], [0.0, 0.1], [-3.0, -0.1]]), 1).round(2).T.tolist()
    [[3.0, 0.0, -3.0]]
    """
    centred = rows - rows.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    directions = directions[:, ::-1][:, :number]
    largest = np.take_along_axis(directions, np.abs(directions).argmax(axis=0)[None], axis=0)
    found: NDArray[np.float64] = centred @ (directions * np.sign(largest))
    return found


def _weights(pieces: int) -> NDArray[np.float64]:
    """The weight of each piece: rare ones have nearly 1, the most frequent nearly 0."""
    ranks = np.maximum(np.arange(pieces) - _FIRST_WORD, 0) + 1.0
    frequencies = 1 / ranks / np.sum(1 / (1.0 + np.arange(pieces)))
    weights: NDArray[np.float64] = _FREQUENT / (_FREQUENT + frequencies)
    return weights


def _kept(place: Path, pieces: int) -> NDArray[np.float16] | None:
    """Read the vectors from a file. Returns None if the file is missing or damaged."""
    try:
        contents = place.read_bytes()
    except OSError:  # missing, or not readable: `keep` will tell if it cannot be written either
        return None
    whole = len(contents) == _HASH_BYTES + pieces * DIMENSIONS * 2
    if not whole or _hash(contents[_HASH_BYTES:]) != contents[:_HASH_BYTES]:
        return None
    return np.frombuffer(contents, "<f2", offset=_HASH_BYTES).reshape(pieces, DIMENSIONS)


def _hash(contents: bytes) -> bytes:
    return hashlib.blake2b(contents, digest_size=_HASH_BYTES).digest()
