"""Walks until so many turns are done or the time is over; tells what differs, and on which template.

With `--state FILE` it goes on where it was the last time, and tries what failed again: so a long run is made of slices,
and of a share a process.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from conversation_turns.walk import all_templates, walk

_SHOWN = 5  # failures that are printed
_SAVED = 20  # conversations between two savings


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=1000, help="in all, with those of the state")
    parser.add_argument("--steps", type=int, default=40, help="turns of a conversation")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument(
        "--share", default="1/1", help="2/3: the second of three processes, each with a state of its own"
    )
    parser.add_argument("--seconds", type=float, default=1e9, help="of this slice")
    parser.add_argument("--state", type=Path, help="a JSON file")
    wanted = parser.parse_args()
    number, shares = map(int, wanted.share.split("/"))
    state = {"next": wanted.first + number - 1, "seconds": 0.0, "failed": [], "counts": {}}
    if wanted.state is not None and wanted.state.exists():
        state = json.loads(wanted.state.read_text("utf-8"))
    counts = Counter(state["counts"])
    before, begin = state["seconds"], time.monotonic()

    def save() -> None:
        state.update(counts=dict(counts), seconds=before + time.monotonic() - begin)
        if wanted.state is not None:
            wanted.state.write_text(json.dumps(state, indent=1) + "\n", "utf-8")

    again = state["failed"]
    state["failed"] = []
    while again or (counts["turns"] < wanted.turns and time.monotonic() - begin < wanted.seconds):
        seed = again.pop(0) if again else state["next"]
        try:
            done = walk(seed, wanted.steps)
        except Exception:  # noqa: BLE001 - whatever it is, it is what is looked for
            state["failed"].append(seed)
            if len(state["failed"]) <= _SHOWN:
                print(f"seed {seed}")
                traceback.print_exc(limit=-4)
        else:
            counts.update(turns=done.turns, refused=done.refused, unequal=done.unequal_worlds, pinned=done.pinned)
            counts.update({f"checked: {kind}": number for kind, number in done.places.checked.items()})
            counts["conversations"] += 1
        if seed == state["next"]:
            state["next"] += shares
        if counts["conversations"] % _SAVED == 0:
            save()
    save()
    print(
        f"{counts['turns']:,} turns in {counts['conversations']:,} conversations over {len(all_templates())} templates, {state['seconds']:,.0f} s: "
        f"{len(state['failed'])} more failed; {counts['refused']:,} turns were refused by both, "
        f"{counts['unequal']:,} had no oracle for ids (text equal), {counts['pinned']:,} pinned ids were checked"
    )
    print(", ".join(f"{kind}: {number:,}" for kind, number in sorted(counts.items()) if kind.startswith("checked")))
    return 1 if state["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
