"""Runs a task of `tokenizer_tasks.py`, or of another script like it, in a process of its own, for no longer than it is allowed to take."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

_TASKS = Path(__file__).parents[1] / "tokens" / "tokenizer_tasks.py"


@dataclass(frozen=True)
class Outcome:
    """The figures of a task by name, or the reason why there are none."""

    figures: dict[str, float] = field(default_factory=dict)
    failure: str = ""


def run(task: str, limit: float, *, script: Path = _TASKS, **arguments: str | float | list[int]) -> Outcome:
    """Run a task for at most `limit` seconds. Returns its figures, or why it has none."""
    command = [sys.executable, str(script), task, json.dumps(arguments)]
    try:
        # This very interpreter and a file beside this one.
        done = subprocess.run(command, capture_output=True, check=True, timeout=limit, encoding="utf-8")  # noqa: S603
    except subprocess.TimeoutExpired:
        return Outcome(failure=f"> {limit:g} s")
    except subprocess.CalledProcessError as error:
        if error.returncode < 0:
            return Outcome(failure=f"killed by signal {-error.returncode}")
        last = (error.stderr.strip().splitlines() or ["no message"])[-1]
        return Outcome(failure=f"fails: {last[:100]}")
    return Outcome(json.loads(done.stdout.splitlines()[-1]))


def best_of(outcomes: Iterable[Outcome]) -> Outcome:
    """The least of each figure; a failure where there was one.

    >>> best_of([Outcome({"cold": 2.0, "tokens": 7}), Outcome({"cold": 1.5, "tokens": 7})]).figures
    {'cold': 1.5, 'tokens': 7}
    """
    best: dict[str, float] = {}
    for outcome in outcomes:
        if outcome.failure:
            return outcome
        for name, figure in outcome.figures.items():
            best[name] = min(figure, best.get(name, figure))
    return Outcome(best)
