"""The command: run cases until the time is over or one breaks a law; exit with 1 then, and say how to see it again."""

from __future__ import annotations

import argparse
import random
import signal
import sys
import time
import traceback
from types import FrameType

from fuzz_chunkers.cases import random_case
from fuzz_chunkers.laws import broken_law
from fuzz_chunkers.shrinking import shrunk

# Whatever takes longer, in seconds of work, hangs or is quadratic: a case is a few thousand characters.
_LONGEST = 60


def main(arguments: list[str] | None = None) -> int:
    """Run; 1 if a law is broken, else 0."""
    parser = argparse.ArgumentParser(prog="fuzz_chunkers", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="run for so long (default: 60)")
    parser.add_argument("--seed", type=int, help="of the cases (default: another in each run)")
    parser.add_argument("--case", type=int, help="run this case alone")
    parser.add_argument("--cases", type=int, help="run no more than so many")
    parser.add_argument(
        "--shrink", type=float, default=20, help="look for a smaller case for so many seconds (default: 20)"
    )
    given = parser.parse_args(arguments)
    seed = random.SystemRandom().randrange(1 << 32) if given.seed is None else given.seed
    deadline = time.monotonic() + given.seconds
    number = 0 if given.case is None else given.case
    first = number
    while given.case is None or number == given.case:
        if (number > first and time.monotonic() > deadline) or (given.cases is not None and number >= given.cases):
            break
        if not _try(seed, number, given.shrink):
            return 1
        number += 1
    print(f"chunkers: {number - first:,} cases of seed {seed}, no law broken")
    return 0


def _try(seed: int, number: int, seconds: float) -> bool:
    """Whether all laws hold of this case; if not, say what to do."""
    case = random_case(seed, number)
    with _Limit():
        broken = broken_law(case)
    if broken is None:
        return True
    print(f"{broken}\nseed {seed}, case {number}: python -m fuzz_chunkers --seed {seed} --case {number}", flush=True)
    if broken.__cause__ is not None:
        traceback.print_exception(broken.__cause__)
    if not isinstance(broken.__cause__, _TooLongError):
        case = shrunk(case, broken.law, seconds)
        print(f"smaller: {broken_law(case)}")
    print(case)
    return False


class _TooLongError(Exception):
    """A case did not come back."""


class _Limit:
    """Ends what works too long, where the system has a timer for it."""

    def __enter__(self) -> None:
        if hasattr(signal, "setitimer"):
            signal.signal(signal.SIGVTALRM, _stop)
            signal.setitimer(signal.ITIMER_VIRTUAL, _LONGEST)

    def __exit__(self, *_: object) -> None:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise _TooLongError(f"it worked for more than {_LONGEST} seconds")


if __name__ == "__main__":
    sys.exit(main())
