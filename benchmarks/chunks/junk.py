"""The share of junk chunks and tokens in repositories: with every file taken as it is, and by default.

    python benchmarks/run.py junk FOLDER ... > benchmarks/results/junk.md

A chunk is junk if its file is one of JUNK, which was written down by hand before the rules were, or if more than half
of its characters stand in runs of 80 and more without a space. Each folder is an unpacked repository, named owner+name.
"""

from __future__ import annotations

import random
import re
import sys
import time
from fnmatch import fnmatch
from importlib.metadata import version
from pathlib import Path

from chunker.files.chunk_files import FileChunks, chunk_files
from chunker.files.discovery import Problem

JUNK = (
    "*.svg",
    "*.lock",
    "*-lock.json",
    "*-lock.yaml",
    "go.sum",
    "*.min.js",
    "*.min.css",
    "*.map",
    "*.pb.go",
    "*.snap",
)
JUNK_FOLDERS = ("vendor", "node_modules")
RUN = re.compile(r"\S{80,}")
SHOWN = 15
MAX_TOKENS = 512


def is_junk(name: str, text: str) -> bool:
    """Whether a chunk is junk by the rules of this module. `name`: its file, relative to the repository."""
    parts = name.split("/")
    if any(fnmatch(parts[-1], pattern) for pattern in JUNK) or set(parts) & set(JUNK_FOLDERS):
        return True
    return sum(map(len, RUN.findall(text))) * 2 > len(text)


def measured(folder: Path, *, everything: bool) -> tuple[list[int], list[Problem], float]:
    """The numbers of chunks, junk chunks, tokens and junk tokens; the files that were left out; seconds of this process."""
    began = time.process_time()
    results = list(chunk_files([folder], MAX_TOKENS, generated=everything, verbatim=everything))
    seconds = time.process_time() - began
    numbers = [0, 0, 0, 0]
    for result in results:
        if isinstance(result, FileChunks):
            name = result.path.removeprefix(f"{folder}/")
            for chunk in result.chunks:
                # The words of a drawing are what people wrote in it.
                junk = result.encoding != "drawing" and is_junk(name, chunk.text)
                numbers = [*map(sum, zip(numbers, (1, junk, chunk.token_count, junk * chunk.token_count), strict=True))]
    return numbers, [one for one in results if isinstance(one, Problem) and one.rule], seconds


def share(part: int, whole: int) -> str:
    """A share as a text: both numbers and the percentage."""
    return f"{part:,} of {whole:,} ({part / max(whole, 1):.1%})"


def main(folders: list[str]) -> None:
    """Print the results as a page."""
    print("# Junk among the chunks of repositories\n")
    print(
        f"`python benchmarks/run.py junk FOLDER ...`, {time.strftime('%Y-%m-%d')}, bpe-chunker {version('bpe-chunker')},",
        end=" ",
    )
    print(
        f"Python {sys.version.split()[0]}, chunks of {MAX_TOKENS} tokens of o200k_base. Seconds are of a busy machine.\n"
    )
    print((__doc__ or "").split("\n\n")[2].replace("\n", " ").strip() + "\n")
    print("| repository | junk chunks, as it is | by default | junk tokens, as it is | by default | seconds |")
    print("|---|---|---|---|---|---|")
    lists: list[str] = []
    for folder in map(Path, folders):
        (chunks, junk, tokens, lost), _, slow = measured(folder, everything=True)
        (after, left, after_tokens, left_tokens), out, fast = measured(folder, everything=False)
        name = folder.name.replace("+", "/")
        cells = (share(junk, chunks), share(left, after), share(lost, tokens), share(left_tokens, after_tokens))
        print(f"| {name} | {' | '.join(cells)} | {slow:.1f}, {fast:.1f} |")
        sample = sorted(random.Random(18).sample(out, min(SHOWN, len(out))), key=lambda one: one.path)  # noqa: S311
        lists += (
            f"## {name}: {len(out)} left out\n",
            *(f"- `{one.path.removeprefix(f'{folder}/')}` {one.reason.removeprefix('left out: ')}" for one in sample),
            "",
        )
    print("\nA sample of what was left out, to be read one by one.\n")
    print("\n".join(lists).rstrip())


if __name__ == "__main__":
    main(sys.argv[1:])
