"""Walks until so many turns are done or the time is over; tells how many ids differ, and on which template."""

from __future__ import annotations

import argparse
import sys
import time
import traceback

from conversation_turns.walk import walk


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=40, help="turns of a conversation")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seconds", type=float, default=1e9)
    wanted = parser.parse_args()
    begin = time.monotonic()
    turns = refused = unequal = pinned = failed = 0
    seed = wanted.first
    while turns < wanted.turns and time.monotonic() - begin < wanted.seconds:
        try:
            done = walk(seed, wanted.steps)
        except Exception:  # noqa: BLE001 - whatever it is, it is what is looked for
            failed += 1
            if failed <= 5:
                print(f"seed {seed}")
                traceback.print_exc(limit=-4)
        else:
            turns += done.turns
            refused += done.refused
            unequal += done.unequal_worlds
            pinned += done.pinned
        seed += 1
    print(
        f"{turns:,} turns in {seed - wanted.first:,} conversations, {time.monotonic() - begin:.0f} s: {failed} conversations failed; "
        f"{refused:,} turns were refused by both, {unequal:,} had no oracle for ids (text equal), {pinned:,} pinned ids were checked"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
