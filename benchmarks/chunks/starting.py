"""The time to start: importing the package, and commands with next to nothing to do.

    python benchmarks/run.py starting                 the table
    python benchmarks/run.py starting --output FILE   written there as well

Each figure is the least processor time of some fresh processes, in turns, Python's own start included. `-X importtime`
tells where it goes.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from measuring import Report, parser

try:
    import resource
except ImportError:  # Windows
    raise SystemExit("the processor time of other processes is only told by POSIX systems") from None

COMMAND = str(Path(sys.executable).with_name("chunker"))
PYTHON = [sys.executable, "-P", "-c"]
TWO_WORDS = "two words"
# Each start: its name, the command, the text on standard input, and its limit in milliseconds.
TASKS = {
    "Python alone": ([*PYTHON, "pass"], "", ""),
    "`import chunker`": ([*PYTHON, "import chunker"], "", "80"),
    "`import bpe_engine`": ([*PYTHON, "import bpe_engine"], "", ""),
    "`chunker.chunk` of two words": ([*PYTHON, f"import chunker; chunker.chunk({TWO_WORDS!r})"], "", ""),
    "`chunker --version`": ([COMMAND, "--version"], "", "100"),
    "`chunker chunk --help`": ([COMMAND, "chunk", "--help"], "", ""),
    "`chunker chunk -` of two words": ([COMMAND, "chunk", "-"], TWO_WORDS, "200"),
}


def processor_seconds(command: list[str], given: str) -> float:
    """The processor time of a process, its own and that of the system for it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=given.encode(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)  # noqa: S603
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the table."""
    arguments = parser(__doc__)
    arguments.add_argument("--turns", type=int, default=20, help="processes of each kind")
    chosen = arguments.parse_args()
    report = Report("Starting", chosen.output)
    report.add_provenance(["bpe-chunker", "typer", "pydantic"])
    report.add((__doc__ or "").split("\n\n")[2].replace("\n", " ").strip())
    least = dict.fromkeys(TASKS, float("inf"))
    for _ in range(chosen.turns):
        for name, (command, given, _limit) in TASKS.items():
            least[name] = min(least[name], processor_seconds(command, given))
    rows = [[name, f"{seconds * 1000:.0f}", TASKS[name][2]] for name, seconds in least.items()]
    report.add_table(["started", "ms", "at most"], rows)


if __name__ == "__main__":
    main()
