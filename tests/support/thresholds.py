"""Thresholds of the engine in Python so small that short texts take the ways that only long ones take.

The compiled engine has its own: the tests of the core are compiled with BPE_SMALL_THRESHOLDS.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import bpe_engine
import bpe_engine.fallback.appending_encoder
import bpe_engine.fallback.engine
import bpe_engine.fallback.interval_encoder
import bpe_engine.fallback.open_pieces
import bpe_engine.fallback.pipeline_encoders
import bpe_engine.fallback.pipeline_intervals
import bpe_engine.fallback.prepending_encoder
import bpe_engine.reference.interval
import bpe_engine.text.truncation

# For tests of whichever engine runs: the compiled one knows nothing of these, and would do the same twice.
THRESHOLDS = ["ordinary", "small"] if bpe_engine.implementation() == "python" else ["ordinary"]


@contextmanager
def thresholds_set_to(which: str) -> Iterator[None]:
    """`ordinary`, or `small`."""
    appending, prepending = bpe_engine.fallback.appending_encoder, bpe_engine.fallback.prepending_encoder
    intervals = bpe_engine.fallback.interval_encoder
    with pytest.MonkeyPatch.context() as patch:
        if which == "small":
            for module in (appending, prepending, intervals):
                patch.setattr(module, "LONG_TAIL", 5)
            for module in (appending, prepending):
                patch.setattr(module, "SHORT_PIECE", 2)
            patch.setattr(intervals, "WINDOW", 3)
            patch.setattr(bpe_engine.fallback.open_pieces.OpenPieces, "KEPT_LENGTH", 3)
            patch.setattr(bpe_engine.fallback.engine, "BLOCK", 7)
            patch.setattr(bpe_engine.fallback.pipeline_encoders, "TAIL", 1)
            patch.setattr(bpe_engine.fallback.pipeline_intervals, "STRIDE", 3)
            patch.setattr(bpe_engine.reference.interval, "STRIDE", 2)
            patch.setattr(bpe_engine.text.truncation, "BLOCK", 3)
        yield
