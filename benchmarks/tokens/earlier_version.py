"""Compare the installed version with an earlier one, task by task in turns: is anything slower?

    python -m venv earlier && earlier/bin/pip install ./checkout-of-an-earlier-version
    python benchmarks/run.py earlier_version --earlier earlier/bin/python --revision 154ea7a
    python benchmarks/run.py earlier_version ... --output FILE      the table written there as well

Each version has a process of its own, both pinned to one core; a cell is the least processor time of some turns. Both
get the same length of text: as much as the slower one reads in about two seconds. A ratio above 1 says how many times
as fast the installed version is. "Equal" says whether the answers are: sums of counts, and numbers of chunks, which may
differ where the rules of cutting have changed. A text of 400 kB is counted again and again; the documents are those of
eight megabytes.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from family_files import FAMILIES, PATTERNS_OF, family_files
from language_texts import default_folder, prepare
from measuring import Report, parser
from timing import in_units, pin_to_one_core

LANGUAGES = ("english", "python", "chinese", "japanese", "german", "hindi")
SIZE, CORPUS_SIZE = 400_000, 8_000_000  # bytes of a text, and of one that is counted as documents
TURNS = 4
WORK = Path(__file__).with_name("earlier_work.py")
# Chunking: the format, the text and its options.
SETTINGS: dict[str, dict[str, Any]] = {
    "512": {"max_tokens": 512},
    "256": {"max_tokens": 256},
    "64": {"max_tokens": 64},
    "256, overlap 32": {"max_tokens": 256, "overlap": 32},
    "256, context": {"max_tokens": 256, "context": True},
    "256, `optimal`": {"max_tokens": 256, "strategy": "optimal"},
}


@dataclass
class Task:
    """A row of the table: its name, the request to a process, and whether the text may be shortened."""

    name: str
    asked: dict[str, Any]


class Version:
    """A process with one version installed."""

    def __init__(self, python: str) -> None:
        self._process = subprocess.Popen(  # noqa: S603  # the interpreter that the caller names
            [python, "-P", str(WORK)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def ask(self, task: dict[str, Any]) -> dict[str, Any]:
        """The answer to one task."""
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the process has no pipes")
        self._process.stdin.write(json.dumps(task) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the process of one version has ended")
        answer: dict[str, Any] = json.loads(line)
        return answer


def tasks() -> Iterator[Task]:
    """All rows."""
    files, missing = prepare(default_folder(), LANGUAGES)
    for language, reason in missing.items():
        print(f"{language}: {reason}", file=sys.stderr)
    texts = {name: path.read_bytes()[:SIZE].decode("utf-8", "ignore") for name, path in files.items()}
    for encoding in ("o200k_base", "cl100k_base"):
        for work in ("count", "encode", "append", "slice"):
            for language, text in texts.items():
                yield Task(f"{encoding}, {work}, {language}", _asked(work, encoding, text))
        for language, path in files.items():
            corpus = path.read_bytes()[:CORPUS_SIZE].decode("utf-8", "ignore")
            yield Task(
                f"{encoding}, count documents of 4,000 characters, {language}", _asked("documents", encoding, corpus)
            )
    for name, (path, pattern) in family_files().items():
        # The earlier version takes a pattern of its own kind: files that need one are left out.
        if pattern is None and name in FAMILIES and name not in PATTERNS_OF:
            yield Task(f"{name}, load", {"work": "load", "tokenizer": str(path)})
            for work in ("count", "append", "slice"):
                text = texts["english"] if work != "slice" else texts["english"][:20_000]
                yield Task(f"{name}, {work}, english", _asked(work, str(path), text))
    for form, language in (("text", "english"), ("text", "chinese"), ("markdown", "english"), ("python", "python")):
        for setting, options in SETTINGS.items():
            named = {"format": form, **options}
            if form == "text" and "context" in options:
                continue
            yield Task(
                f"chunks of {form}, {language}, {setting}", _asked("chunk", "o200k_base", texts[language], named)
            )


def _asked(work: str, tokenizer: str, text: str, options: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"work": work, "tokenizer": tokenizer, "text": text, "options": options or {}}


def row(task: Task, earlier: Version, installed: Version) -> list[str]:
    """Both versions on one task."""
    first = earlier.ask(task.asked), installed.ask(task.asked)
    for told in first:
        if "error" in told:
            return [task.name, *(_told(one) for one in first), "", told["error"].partition(":")[0]]
    asked = task.asked
    if first[0]["characters"]:
        asked = {**asked, "characters": min(told["characters"] for told in first)}
        first = earlier.ask(asked), installed.ask(asked)
    best = [told["seconds"] for told in first]
    for _ in range(TURNS - 1):
        for place, version in enumerate((earlier, installed)):
            best[place] = min(best[place], version.ask(asked)["seconds"])
    cells = [_cell(asked, seconds) for seconds in best]
    equal = "" if task.asked["work"] == "load" else "yes" if first[0]["answer"] == first[1]["answer"] else "no"
    return [task.name, *cells, f"{best[0] / max(best[1], 1e-9):.2f}", equal]


def _cell(asked: dict[str, Any], seconds: float) -> str:
    if "characters" not in asked:
        return in_units(seconds)
    size = len(asked["text"][: asked["characters"]].encode())
    return f"{size / max(seconds, 1e-9) / 1e6:.3g} MB/s"


def _told(answer: dict[str, Any]) -> str:
    return "-" if "error" in answer else "did it"


def main() -> None:
    """Print the table, the worst rows first, and write it where that is asked for."""
    arguments = parser(__doc__)
    arguments.add_argument("--earlier", required=True, metavar="PYTHON", help="a Python with the earlier version")
    arguments.add_argument("--revision", required=True, help="the name of the earlier version, for the report")
    arguments.add_argument("--only", default="", metavar="WORD", help="rows with this word in their name alone")
    chosen = arguments.parse_args()
    pinned = pin_to_one_core()
    earlier, installed = Version(chosen.earlier), Version(sys.executable)
    made = []
    for task in tasks():
        if chosen.only in task.name:
            made.append(row(task, earlier, installed))
            print(*made[-1], sep="  ", file=sys.stderr, flush=True)
    made.sort(key=lambda cells: float(cells[3] or 0))
    report = Report(f"This version beside {chosen.revision}", chosen.output)
    report.add_provenance(["bpe-chunker"], pinned, "processor time")
    report.add((__doc__ or "").split("\n\n")[2].replace("\n", " ").strip())
    report.add_table(["work", chosen.revision, "installed", "times as fast", "equal"], made)


if __name__ == "__main__":
    main()
