"""Maps of repositories: random budgets counted by tiktoken, value against the bound, time cold and after an edit, stability, and aider's repo map beside it.

    python benchmarks/run.py maps --repositories FOLDER [FOLDER]... --maps 10000
    python benchmarks/run.py maps --repositories FOLDER... --aider OTHER/bin/python     with aider-chat in that environment

Each FOLDER is a repository. Edits are made in a copy.
"""

from __future__ import annotations

import json
import pickle
import random
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from measuring import Report, parser
from oracles import tiktoken_encoding

from bpe_engine import Tokenizer
from chunker.files.discovery import FoundFile, find_files
from chunker.mapping import MappedFile, Repository, map_repository
from chunker.mapping.mapped_files import mapped_file

PACKAGES = ["bpe-chunker", "tiktoken"]
BUDGETS = (500, 1000, 2000, 4000, 8000)
# Files of this many copies of one repository are the large one.
LARGE_FILES = 5000
_LARGEST_BUDGET = 10_000
_LARGEST_FILE = 1 << 20


class Drawn(NamedTuple):
    """A map of one repository: over its budget by how much, and its value as a share of the bound."""

    budget: int
    over: int
    unused: int
    ratio: float
    seconds: float


def main() -> None:
    """Measure, and report."""
    arguments = parser(__doc__)
    arguments.add_argument("--repositories", type=Path, required=True, nargs="+", metavar="FOLDER")
    arguments.add_argument("--maps", type=int, default=1000, help="maps in all, with random budgets and focus")
    arguments.add_argument("--edits", type=int, default=200, help="edits, each followed by a map")
    arguments.add_argument(
        "--large", type=Path, metavar="FOLDER", help="source files for the repository of 5,000 files"
    )
    arguments.add_argument("--aider", type=Path, metavar="PYTHON", help="the Python of an environment with aider-chat")
    arguments.add_argument(
        "--aider-files", type=int, default=500, help="draw aider's maps of repositories of at most so many mapped files"
    )
    arguments.add_argument("--remark", action="append", default=[], help="a line for the head of the report")
    given = arguments.parse_args()
    report = Report("Maps of repositories", given.output)
    named = {folder.name: folder for folder in given.repositories}
    report.add_provenance(
        PACKAGES,
        "seconds are those of the processor",
        f"{len(named)} repositories: {', '.join(named)}",
        *given.remark,
    )
    if given.maps:
        _random_budgets(report, named, given.maps)
    if given.large is not None:
        _large(report, given.large, given.edits)
    if given.aider is not None:
        small = {name: folder for name, folder in named.items() if len(_files(folder)) <= given.aider_files}
        _beside_aider(report, small, given.aider)


def _files(folder: Path) -> list[MappedFile]:
    repository = Repository(folder)
    repository.refresh()
    return repository.files


def _mapped_files(folder: Path) -> Iterator[Path]:
    """The files of a folder that are mapped, one after the other."""
    for found in find_files([str(folder)]):
        if isinstance(found, FoundFile) and found.size <= _LARGEST_FILE:
            path = Path(found.path)
            if isinstance(mapped_file(path.relative_to(folder).as_posix(), found), MappedFile):
                yield path


def timed(work: Callable[[], object]) -> float:
    """Seconds of processor time."""
    began = time.process_time()
    work()
    return time.process_time() - began


def _random_budgets(report: Report, named: dict[str, Path], maps: int) -> None:
    encoding = tiktoken_encoding("o200k_base")
    chance = random.Random(17)  # noqa: S311 - budgets
    rows, everything = [], []
    for name, folder in named.items():
        repository = Repository(folder)
        cold = timed(repository.refresh)
        names = [file.name for file in repository.files] or ["none"]
        drawn = []
        for number in range(-(-maps // len(named))):
            budget = round(2 ** chance.uniform(0, 13.3))
            # One of three is for a file.
            focus = [chance.choice(names)] if number % 3 == 0 else []
            began = time.process_time()
            made = map_repository(repository, budget, focus=focus)
            seconds = time.process_time() - began
            tokens = len(encoding.encode(made.text, disallowed_special=()))
            if tokens != made.token_count:
                raise AssertionError(f"{name}: {made.token_count} tokens told, {tokens} counted")
            ratio = made.value / made.bound if made.bound else 1.0
            drawn.append(Drawn(budget, max(0, tokens - budget), max(0, budget - tokens), ratio, seconds))
        everything += drawn
        rows.append([name, len(repository.files), f"{cold:.2f}", *_row(drawn)])
    report.add("## Random budgets")
    report.add(
        f"{-(-maps // len(named)):,} maps of each repository with budgets from 1 to 10,000 tokens, one of three for a file, each counted by tiktoken."
    )
    header = ["", "files", "cold, s", "maps", "over budget", "value / bound, least", "mean", "ms, median", "largest"]
    report.add_table(header, [["all", "", "", *_row(everything)], *rows])


def _row(drawn: Sequence[Drawn]) -> list[str]:
    ratios = [one.ratio for one in drawn]
    return [
        f"{len(drawn):,}",
        str(sum(one.over > 0 for one in drawn)),
        f"{min(ratios):.4f}",
        f"{statistics.mean(ratios):.4f}",
        f"{1000 * statistics.median(one.seconds for one in drawn):.0f}",
        f"{1000 * max(one.seconds for one in drawn):.0f}",
    ]


def _large(report: Report, source: Path, edits: int) -> None:
    """A repository of 5,000 files that is edited: functions are added, renamed and removed."""
    chance = random.Random(18)  # noqa: S311 - edits
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        # Only what is mapped, so that it is 5,000 files that are parsed; where the source has fewer, copies of them.
        files = list(islice(_mapped_files(source), LARGE_FILES))
        for number in range(LARGE_FILES):
            copy, place = divmod(number, len(files))
            target = root / f"part_{copy}" / files[place].relative_to(source)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(files[place], target)
        repository = Repository(root)
        size = sum(path.stat().st_size for path in root.rglob("*") if path.is_file())
        began = time.perf_counter()
        cold = timed(lambda: map_repository(repository, 2000))
        waited = time.perf_counter() - began
        steady = timed(lambda: map_repository(repository, 2000))
        before = map_repository(repository, 2000).text.splitlines()
        on_map = [line for line in before if (root / line).is_file()]
        seconds, changed = [], []
        for _ in range(edits):
            # Every fifth edit is of a file that is on the map.
            name = chance.choice(on_map) if chance.random() < 0.2 else chance.choice(repository.files).name
            _edit(root / name, chance)
            began = time.process_time()
            after = map_repository(repository, 2000).text.splitlines()
            seconds.append(time.process_time() - began)
            changed.append(len(set(before) ^ set(after)))
            before = after
    report.add("## 5,000 files, and edits")
    report.add_table(
        ["", ""],
        [
            ["files of source code", f"{LARGE_FILES:,}, {size / 1e6:.0f} MB"],
            ["cold map of 2,000 tokens (seconds that pass)", f"{cold:.1f} s ({waited:.1f})"],
            ["nothing changed", f"{1000 * steady:.0f} ms"],
            [f"after an edit, median of {edits}", f"{1000 * statistics.median(seconds):.0f} ms"],
            ["after an edit, largest", f"{1000 * max(seconds):.0f} ms"],
            [f"lines of {len(before)} that differ after an edit, median", f"{statistics.median(changed):.0f}"],
            ["mean", f"{statistics.mean(changed):.1f}"],
            ["edits after which no line differs", f"{sum(not one for one in changed)} of {edits}"],
            ["largest", str(max(changed))],
        ],
    )


def _edit(path: Path, chance: random.Random) -> None:
    """Add, rename or remove a function at the end of a file."""
    text = path.read_text("utf-8", "surrogateescape")
    marker = "\n\ndef edited_"
    number = chance.randrange(10**6)
    at = text.rfind(marker)
    if at < 0 or chance.random() < 0.5:
        text += f"{marker}{number}(value):\n    return value\n"
    elif chance.random() < 0.5:
        text = f"{text[:at]}{marker}{number}(value, other):\n    return other\n"
    else:
        text = text[:at]
    path.write_text(text, "utf-8", "surrogateescape")


def _beside_aider(report: Report, named: dict[str, Path], python: Path) -> None:
    side = Path(__file__).with_name("map_side.py")
    vocabulary = Tokenizer.load("o200k_base").vocabulary
    with tempfile.TemporaryDirectory() as folder:
        encoding = Path(folder) / "encoding"
        encoding.write_bytes(pickle.dumps((vocabulary.ranks, vocabulary.pattern.source if vocabulary.pattern else "")))
        request = {
            "repositories": {name: str(repository.resolve()) for name, repository in named.items()},
            "budgets": BUDGETS,
            "encoding": str(encoding),
        }
        command = [str(python), str(side), json.dumps(request)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)  # noqa: S603 - the interpreter that was named
    rows, over_theirs, total, theirs_seconds, ours_seconds = [], 0, 0, 0.0, 0.0
    worst = 0.0
    for line in done.stdout.splitlines():
        told = json.loads(line)
        repository = Repository(named[told["name"]])
        ours = [timed(partial(map_repository, repository, row["budget"])) for row in told["maps"]]
        over = [row for row in told["maps"] if row["tokens"] > row["budget"]]
        worst = max([worst, *(row["tokens"] / row["budget"] for row in over)])
        over_theirs += len(over)
        total += len(told["maps"])
        theirs = [row["seconds"] for row in told["maps"]]
        theirs_seconds += sum(theirs)
        ours_seconds += sum(ours)
        shown = " ".join(str(row["tokens"]) for row in told["maps"])
        rows.append([told["name"], f"{len(over)} of {len(ours)}", shown, f"{sum(theirs):.1f}", f"{sum(ours):.1f}"])
    report.add("## Beside aider's repo map")
    report.add(
        f"`RepoMap.get_repo_map` of aider, all files of the repository, no chat files, counted with o200k_base; {len(BUDGETS)} maps a repository, of "
        f"{', '.join(f'{budget:,}' for budget in BUDGETS)} tokens. The first of them reads the files. "
        f"It was over its budget in {over_theirs} of {total} maps, by "
        f"{100 * (worst - 1):.0f} % at most; ours never."
    )
    header = ["", "aider over", "tokens of its maps", "aider, s", "chunker, s"]
    report.add_table(
        header, [["all", f"{over_theirs} of {total}", "", f"{theirs_seconds:.1f}", f"{ours_seconds:.1f}"], *rows]
    )


if __name__ == "__main__":
    main()
