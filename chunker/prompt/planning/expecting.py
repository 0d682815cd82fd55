"""The turns that a plan expects while the conversation goes on: a stated model of the unknown future.

The next turns have as many tokens and messages as those so far had on average. The cache outlives each pause before
them with one chance, which is that of the pauses so far, with two more that it outlived and one that it did not:
(outlived + 2) / (pauses + 3). After them nothing is paid.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import fmean
from typing import NamedTuple

from chunker.prompt.planning.billing import Exchange


class Expected(NamedTuple):
    """The turns so far, the one that asks now, and the expected ones; `chance`: the chance that the cache outlives the pause before each expected turn."""

    turns: list[Exchange]
    chance: float


def expected(turns: Sequence[Exchange], seconds: float, room: int, ahead: int) -> Expected:
    """Return the turns so far followed by the expected ones, and the chance that the cache outlives a pause.

    >>> expected([Exchange(10, 20), Exchange(30, 0, seconds=60)], seconds=300, room=1000, ahead=1)
    Expected(turns=[Exchange(asked=10, answered=20, seconds=0.0, messages=2, bound=False), Exchange(asked=30,
    answered=20, seconds=60, messages=2, bound=False), Exchange(asked=20, answered=20, seconds=0.0, messages=2,
    bound=False)], chance=0.75)

    Args:
        turns: The turns so far; the answer to the last one is unknown and ignored.
        seconds: How long a cache is kept.
        room: Tokens that a turn may have; if the average does not fit, no turns are expected.
        ahead: How many turns are expected.
    """
    answered = expected_answer(turns)
    mean = Exchange(
        round(fmean(turn.asked for turn in turns)), answered, 0.0, round(fmean(turn.messages for turn in turns))
    )
    last = replace(turns[-1], answered=answered)
    pauses = [turn.seconds for turn in turns[1:]]
    chance = (sum(pause <= seconds for pause in pauses) + 2) / (len(pauses) + 3)
    return Expected([*turns[:-1], last, *([mean] * ahead if mean.asked <= room else [])], chance)


def expected_answer(turns: Sequence[Exchange]) -> int:
    """The tokens that are expected of the answer to the last turn: as many as the answers so far had on average; of the first one, as many as its question."""
    known = [turn.answered for turn in turns[:-1]]
    return round(fmean(known)) if known else turns[-1].asked
