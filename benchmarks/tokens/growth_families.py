"""Is every operation linear on any input, for every family of tokenizers? Processor time at 1x, 2x and 4x of a length, and t(4x) / t(1x).

    python benchmarks/run.py growth_families --keep FOLDER                       all families that have no file in FOLDER yet
    python benchmarks/run.py growth_families --keep FOLDER --family "t5, trained"   this one again
    python benchmarks/run.py growth_families --keep FOLDER --output F            the table of what is there

Each family runs in a process of its own, which has a limit of time: what it has measured until then counts. A cell
begins with 4 KiB and goes on to twice the text each time, up to `--size`, and is stopped where a text takes longer than
`--seconds`; its row has the last three texts. About 4 is linear, 16 would be quadratic; the rows are sorted, the worst
first. What is suspicious is measured again, for the least of three. Families are those of `tests/support/exactness.py`:
published files where their packages are installed, and small ones that the tests train.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import NamedTuple

from exactness import tokenizers
from growth import SUSPICIOUS
from growth_operations import Operation, chunkings, engine_operations
from hostile_inputs import INPUTS, Input
from measuring import Report, parser
from timing import cpu_seconds, in_units

OPERATIONS = (
    "count",
    "encode",
    "append 40 bytes at a time",
    "append a character at a time",
    "prepend 40 bytes at a time",
    "append 40 bytes at a time, and ask for changed ids",
    "interval encoder: 20 slices",
    "count up to 100",
    "TextChunker, overlap",
    "TextChunker, optimal",
)
SHOWN = 40  # rows of the table of the worst
SMALLEST = 1 << 12  # bytes of the first text of a cell
NOISE = 0.004  # seconds; a shorter t(4x) proves nothing
REPEATS = 2  # of what is suspicious: noise goes away then, growth does not


class Cell(NamedTuple):
    """The times of one operation of one family on one input.

    `size` is the largest input in bytes, `seconds` are processor time at a quarter, a half and all of it.

    `is_stopped`: a longer one would have taken too long.
    """

    family: str
    input: str
    operation: str
    size: int
    seconds: tuple[float, float, float]
    is_stopped: bool

    @property
    def ratio(self) -> float:
        """t(4x) / t(1x)."""
        return self.seconds[2] / max(self.seconds[0], 1e-9)

    @property
    def is_suspicious(self) -> bool:
        """Whether this looks worse than linear, beyond noise."""
        return self.seconds[2] > NOISE and self.ratio > SUSPICIOUS


def main() -> int:
    """Run; 1 if a family was not measured to its end, else 0."""
    arguments = parser(__doc__)
    arguments.add_argument("--keep", type=Path, required=True, help="folder for a file of figures a family")
    arguments.add_argument("--family", action="append", help="this one, though it has figures already; may be repeated")
    arguments.add_argument("--size", type=int, default=1 << 20, help="bytes of a text at 4x, at most (default: 1 MiB)")
    arguments.add_argument(
        "--seconds", type=float, default=0.04, help="a text of a cell that takes longer is its last (default: 0.04)"
    )
    arguments.add_argument("--limit", type=float, default=60, help="seconds a family (default: 60)")
    arguments.add_argument("--operation", action="append", choices=OPERATIONS, help="this one alone; may be repeated")
    arguments.add_argument("--one", help="measure this family in this process, and write its cells to the output")
    options = arguments.parse_args()
    if options.one:
        measure_one(options.one, options.operation or OPERATIONS, options.size, options.seconds, options.limit)
        return 0

    known = tokenizers()
    if unknown := [name for name in options.family or () if name not in known]:
        arguments.error(f"--family {'; '.join(unknown)}: known are {'; '.join(known)}")
    options.keep.mkdir(parents=True, exist_ok=True)
    cut_short = 0
    for name in known:
        place = options.keep / f"{', '.join([name.replace('/', ' '), *(options.operation or ())])}.jsonl"
        if options.family and name not in options.family:
            continue
        if place.exists() and not options.family:
            continue
        command = [sys.executable, "-P", __file__, "--keep", str(options.keep), "--one", name]
        command += ["--size", str(options.size), "--seconds", str(options.seconds), "--limit", str(options.limit)]
        command += [part for operation in options.operation or () for part in ("--operation", operation)]
        print(name, file=sys.stderr, flush=True)
        done = subprocess.run(command, stdout=subprocess.PIPE, check=False)  # noqa: S603 - this file itself
        cut_short += done.returncode != 0
        place.write_bytes(done.stdout)
    if options.output:
        write_report(options.keep, options.output)
    return 1 if cut_short else 0


def measure_one(name: str, wanted: Collection[str], size: int, seconds: float, limit: float) -> None:
    """Print a line of JSON for each cell of a family, of the operations that are wanted, until `limit` seconds are over."""
    end = time.process_time() + limit
    tokenizer = tokenizers()[name]()
    operations = [one for one in (*engine_operations(tokenizer), *chunkings(tokenizer)) if one.name in wanted]
    # Objects made so far live to the end: the collections before each measurement need not visit them.
    gc.freeze()
    inputs = {name: cache(text_of) for name, text_of in INPUTS.items()}
    for operation in operations:
        for input_name, text_of in inputs.items():
            if time.process_time() > end:
                print(json.dumps(["cut short", operation.name, input_name]), flush=True)
                return
            cell = measure(name, (input_name, text_of), operation, size, seconds)
            print(json.dumps(cell), flush=True)


def measure(family: str, given: tuple[str, Input], operation: Operation, size: int, seconds: float) -> Cell:
    """Measure at lengths that double, up to `size` bytes or to the first that takes more than `seconds`; never fewer than three."""
    input_name, text_of = given
    operation.prepare(text_of(SMALLEST))()  # the first call also builds what the tokenizer keeps
    length, times = SMALLEST, [cpu_seconds(operation.prepare(text_of(SMALLEST)))]
    while length < size and (len(times) < 3 or times[-1] <= seconds):
        length *= 2
        times.append(cpu_seconds(operation.prepare(text_of(length))))
    cell = Cell(family, input_name, operation.name, length, (times[-3], times[-2], times[-1]), length < size)
    for _ in range(REPEATS if cell.is_suspicious else 0):
        again = [cpu_seconds(operation.prepare(text_of(length // part))) for part in (4, 2, 1)]
        first, second, third = (min(pair) for pair in zip(cell.seconds, again, strict=True))
        cell = cell._replace(seconds=(first, second, third))
    return cell


def write_report(folder: Path, output: Path) -> None:
    """The worst cells of all families first, then the worst ratio of each family in each operation."""
    cells: list[Cell] = []
    cut_short = []
    for place in sorted(folder.glob("*.jsonl")):
        for line in place.read_text().splitlines():
            found = json.loads(line)
            if found[0] == "cut short":
                cut_short.append(f'{place.stem}: from "{found[1]}" on "{found[2]}" on')
            else:
                family, text, operation, size, seconds, is_stopped = found
                cells.append(Cell(family, text, operation, size, tuple(seconds), is_stopped))
    families = sorted({cell.family for cell in cells})
    report = Report("Growth of time with the length of the input: families of tokenizers", output)
    report.add_provenance(["bpe-chunker"], "processor time; the load is that at the end")
    report.add(
        f"{len(cells):,} cells of {len(families)} families, {len(OPERATIONS)} operations and {len(INPUTS)} inputs; "
        f"{sum(cell.is_suspicious for cell in cells)} have a t(4x) / t(1x) above {SUSPICIOUS:.0f} where 4x takes more than {in_units(NOISE)}. "
        f"{sum(cell.is_stopped for cell in cells):,} were stopped before {max(cell.size for cell in cells) >> 10:,} KiB, "
        "because a text took too long; their size stands in the table."
    )
    if cut_short:
        report.add("Not measured to the end: " + "; ".join(cut_short) + ".")
    report.add("## The worst")
    report.add_table(
        ["family", "input", "operation", "4x is", "1x", "2x", "4x", "ratio"],
        (
            [
                cell.family,
                cell.input,
                cell.operation,
                f"{cell.size >> 10} KiB{', stopped' if cell.is_stopped else ''}",
                *map(in_units, cell.seconds),
                f"{cell.ratio:.1f}",
            ]
            for cell in sorted((cell for cell in cells if cell.seconds[2] > NOISE), key=lambda cell: -cell.ratio)[
                :SHOWN
            ]
        ),
    )
    report.add("## The worst ratio of each family")
    worst: dict[tuple[str, str], Cell] = {}
    for cell in (cell for cell in cells if cell.seconds[2] > NOISE):
        known = worst.get((cell.family, cell.operation))
        if known is None or cell.ratio > known.ratio:
            worst[cell.family, cell.operation] = cell
    report.add_table(
        ["family", *OPERATIONS],
        (
            [family, *(f"{one.ratio:.1f}" if (one := worst.get((family, name))) else "" for name in OPERATIONS)]
            for family in families
        ),
    )
    report.add("## The slowest byte of each family")
    report.add("Nanoseconds a byte at 4x on the input where that is the most, the input in brackets.")
    report.add_table(
        ["family", *OPERATIONS[:5]],
        ([family, *(_slowest(cells, family, name) for name in OPERATIONS[:5])] for family in families),
    )


def _slowest(cells: list[Cell], family: str, operation: str) -> str:
    mine = [cell for cell in cells if (cell.family, cell.operation) == (family, operation)]
    if not mine:
        return ""
    slowest = max(mine, key=lambda cell: cell.seconds[2] / cell.size)
    return f"{slowest.seconds[2] / slowest.size * 1e9:,.0f} ({slowest.input})"


if __name__ == "__main__":
    sys.exit(main())
