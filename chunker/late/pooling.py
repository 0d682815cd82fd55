"""Pooling: the vectors of tokens -> the vector of each chunk, the mean over its span, also across windows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from chunker.late.model_windows import ModelWindow
from chunker.late.tokens import TokenSpan

Array = NDArray[np.float32]


def pooled(spans: Sequence[TokenSpan], parts: Sequence[tuple[ModelWindow, Array]]) -> Array:
    """The mean of the token vectors of each span. Linear in the tokens of the spans.

    Args:
        spans: The token spans of chunks of one document.
        parts: Its windows in order, each with what the model made of it: float32, one row for each of `ids`.

    Returns:
        Float32, one row for each span. One without tokens has the mean of the whole document.
    """
    rows = np.concatenate(
        [vectors[window.at + keeps.start - reads.start :][: keeps.end - keeps.start] for window, vectors in parts
         for keeps, reads in [(window.keeps, window.reads)]]
    )  # fmt: skip
    first = parts[0][0].keeps.start
    # A document without any token of text has those around it.
    whole = (rows if len(rows) else parts[0][1]).mean(axis=0)
    found = np.empty((len(spans), len(whole)), np.float32)
    for number, (start, end) in enumerate(spans):
        found[number] = rows[start - first : end - first].mean(axis=0) if start < end else whole
    return found
