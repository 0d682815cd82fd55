"""Common parts of training from texts and from words: options, their checks, and the choice of implementation."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from operator import index
from typing import TYPE_CHECKING, Literal

from bpe_engine.errors import TrainingError
from bpe_engine.implementation import implementation
from bpe_engine.text.input import require_int

if TYPE_CHECKING or implementation() == "python":
    from bpe_engine.fallback.training import PretokenCounter, learn_merges
else:
    from bpe_engine._core import PretokenCounter, learn_merges

__all__ = ["Layout", "PretokenCounter", "Progress", "TieBreaking", "TrainingWarning", "learn_merges"]

TieBreaking = Literal["lowest", "first"]
"""The pair to merge among pairs of equal count: the pair with the lowest ids, or the pair that occurs first in the texts."""

Layout = Literal["gpt2", "minbpe", "tokenizers"]
"""The order of the ids; see `train`."""

Progress = Callable[[str, int, int | None], object]
"""A function called from time to time with the stage, the work done and the total: ("counting", bytes, None), then ("merging", merges, all merges)."""


class TrainingWarning(UserWarning):
    """The texts have too few pairs, so the vocabulary is smaller than requested."""


def checked_options(vocab_size: int, tie_breaking: str, min_frequency: int) -> tuple[int, int]:
    """Return `vocab_size` and `min_frequency` as ints of Python. Raise TypeError if one is not a whole number, ValueError for an invalid option."""
    require_int(vocab_size, "vocab_size")
    require_int(min_frequency, "min_frequency")
    if tie_breaking not in ("lowest", "first"):
        raise ValueError(f'tie_breaking must be "lowest" or "first", not {tie_breaking!r}')
    if min_frequency < 1:
        raise ValueError(f"min_frequency must be at least 1, not {min_frequency}")
    return index(vocab_size), index(min_frequency)


def merging(progress: Progress | None, wanted: int) -> Callable[[int], object] | None:
    """Return a function that reports the number of merges to `progress`; None without `progress`."""
    if progress is None:
        return None
    return lambda done: progress("merging", done, wanted)


def warn_of_too_few(made: int, wanted: int, min_frequency: int) -> None:
    """Warn that merging ended before the vocabulary was full."""
    often = "" if min_frequency == 1 else f" that occur {min_frequency} times"
    # The stack level skips this function and `train`, to the line that calls `train`.
    message = f"the texts have no more pairs{often}: the vocabulary has {made} tokens, not {wanted}"
    warnings.warn(message, TrainingWarning, stacklevel=3)


MOST_BYTES = 1 << 26
"""The largest size of all tokens together, in bytes. The readers of vocabulary files have the same limit."""


def check_sum(length: int) -> None:
    """Raise TrainingError if all tokens together are longer than `MOST_BYTES`."""
    if length > MOST_BYTES:
        raise TrainingError(
            f"the tokens together have {length} bytes, and {MOST_BYTES} is the most: the texts hold long repetitions. "
            f"Use a pattern that cuts them, a smaller vocab_size or a higher min_frequency"
        )
