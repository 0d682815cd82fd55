"""Common parts of training from texts and from words: options, their checks, and the implementation that does the work."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from bpe_engine.errors import TrainingError
from bpe_engine.implementation import implementation

if TYPE_CHECKING or implementation() == "python":
    from bpe_engine.fallback.training import PretokenCounter, learn_merges
else:
    from bpe_engine._core import PretokenCounter, learn_merges

__all__ = ["Layout", "PretokenCounter", "Progress", "TieBreaking", "TrainingWarning", "learn_merges"]

TieBreaking = Literal["lowest", "first"]
"""Which of several pairs of the same count is merged: the one of the lowest ids, or the one that stands first in the texts."""

Layout = Literal["gpt2", "minbpe", "tokenizers"]
"""Which ids the tokens get; see `train`."""

Progress = Callable[[str, int, int | None], object]
"""Called now and then with a stage, how much is done, and of how much: ("counting", bytes, None), then ("merging", merges, all merges)."""


class TrainingWarning(UserWarning):
    """The texts have fewer pairs than the vocabulary has room for: it has become smaller than asked for."""


def check_options(tie_breaking: str, min_frequency: int) -> None:
    """Raises ValueError for what is none of the options."""
    if tie_breaking not in ("lowest", "first"):
        raise ValueError(f'tie_breaking is "lowest" or "first", not {tie_breaking!r}')
    if min_frequency < 1:
        raise ValueError(f"min_frequency is at least 1, not {min_frequency}")


def merging(progress: Progress | None, wanted: int) -> Callable[[int], object] | None:
    """The function that the core reports to: `progress` in the stage of merging."""
    if progress is None:
        return None
    return lambda done: progress("merging", done, wanted)


def warn_of_too_few(made: int, wanted: int, min_frequency: int) -> None:
    """Say that merging has come to an end before the vocabulary was full."""
    often = "" if min_frequency == 1 else f" that occur {min_frequency} times"
    # Past this function and `train`, to the line that calls it.
    message = f"the texts have no more pairs{often}: the vocabulary has {made} tokens, not {wanted}"
    warnings.warn(message, TrainingWarning, stacklevel=3)


MOST_BYTES = 1 << 26
"""All tokens together: the readers of vocabulary files take no more, either."""


def check_sum(length: int) -> None:
    """Raises TrainingError where all tokens together would be too long to be kept."""
    if length > MOST_BYTES:
        raise TrainingError(
            f"the tokens together have {length} bytes, and {MOST_BYTES} is the most: the texts hold long repetitions. "
            f"Use a pattern that cuts them, a smaller vocab_size or a higher min_frequency"
        )
