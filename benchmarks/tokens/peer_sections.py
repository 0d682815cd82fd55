"""The sections that compare whole texts, small calls, worst cases, loading and batches with the peers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fresh_process import Outcome, best_of, run
from hostile_inputs import INPUTS, Input, drawn_from, repeated
from measuring import Report
from rich.progress import track
from timing import in_units
from tokenizer_peers import INSIDE_TOKTOK, OURS, OURS_BUFFER, OURS_LIST, PEERS, REFERENCE, SMALL_PEERS
from tokenizer_tasks import SMALL_LENGTHS

WORST_SIZE = 200_000  # bytes of one piece
WORST: dict[str, Input] = {
    **{name: INPUTS[name] for name in ("one letter", "random letters", "CJK", "spaces", "newlines")},
    "^": repeated("^"),
    "base64": drawn_from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"),
}
LONG = 8.0  # seconds of a process, after which there is no other round: noise is small in so much time
HOW_SPEED_IS_TAKEN = (
    "MB of UTF-8 a second. Cold: the first pass in a fresh process, after loading and one call on one letter. Warm: the best of "
    "several passes more. Each pass has a new str. `*`: counts other tokens than tiktoken; `?`: tiktoken failed, the count is unchecked."
)
DOCUMENT = 2000  # characters of a text in a batch
IDS = [name for name, peer in PEERS.items() if peer.ids and name not in (OURS_BUFFER, OURS_LIST)]
OTHERS = [name for name in PEERS if name not in (OURS, OURS_BUFFER, OURS_LIST)]


@dataclass(frozen=True)
class Bench:
    """The common data of all sections: the report, the texts and vocabularies, and how thorough the run is.

    `size`: bytes of a text; `limit`: seconds that a process may take; `rounds`: processes for a figure, of which the
    best counts.
    """

    report: Report
    encodings: Sequence[str]
    texts: Mapping[str, Path]
    files: Path
    scratch: Path
    size: int
    limit: float
    rounds: int
    quick: bool

    def measure(self, task: str, peers: Sequence[str], what: str, **arguments: str | float) -> dict[str, Outcome]:
        """Peer -> its best figures. The peers take turns, so that a slow moment of the machine hits all of them."""
        found: dict[str, list[Outcome]] = {peer: [] for peer in peers}
        named: dict[str, Any] = {"files": str(self.files), **arguments}
        settled: set[str] = set()
        for peer in track([*peers] * self.rounds, description=what, transient=True):
            if peer not in settled:
                start = time.monotonic()
                found[peer].append(run(task, self.limit, peer=peer, **named))
                if found[peer][-1].failure or time.monotonic() - start > LONG:
                    settled.add(peer)
        return {peer: best_of(outcomes) for peer, outcomes in found.items()}


Measured = dict[str, dict[str, Outcome]]  # text -> peer -> figures


def languages(bench: Bench) -> None:
    """Whole texts, cold and warm."""
    for encoding in bench.encodings:
        bench.report.add(f"## Real text, {encoding}")
        bench.report.add(HOW_SPEED_IS_TAKEN)
        found: Measured = {}
        for language, path in bench.texts.items():
            what = f"{encoding}, {language}"
            outcome = bench.measure("passes", list(PEERS), what, encoding=encoding, path=str(path), size=bench.size)
            found[f"{language}, {min(bench.size, path.stat().st_size) / 1e6:.1f} MB"] = outcome
        _add_speeds(bench.report, found)
        _add_ratios(bench.report, found, OURS, OTHERS)
        _add_ratios(bench.report, found, OURS_BUFFER, IDS)
        _add_ratios(bench.report, found, OURS_LIST, IDS)


def worst(bench: Bench) -> None:
    """One piece of 200 kB that no pattern cuts (digits, spaces and the like aside), of seven kinds."""
    for encoding in bench.encodings:
        bench.report.add(f"## Worst cases: {WORST_SIZE:,} bytes of one kind, {encoding}")
        bench.report.add(f"{HOW_SPEED_IS_TAKEN} A process that takes too long is ended.")
        found: Measured = {}
        for name, make in WORST.items():
            path = bench.scratch / "worst.txt"
            path.write_bytes(make(WORST_SIZE).encode())
            found[name] = bench.measure(
                "passes", list(PEERS), f"{encoding}, {name}", encoding=encoding, path=str(path), size=WORST_SIZE
            )
        _add_speeds(bench.report, found)
        _add_ratios(bench.report, found, OURS, OTHERS)


def _add_speeds(report: Report, found: Measured) -> None:
    for figure, title in (("cold", "Cold, MB/s:"), ("warm", "Warm, MB/s:")):
        report.add(title)
        rows = []
        for text, outcomes in found.items():
            right = outcomes[REFERENCE].figures.get("tokens")
            rows.append([text, *(_speed_cell(outcomes[peer], figure, right) for peer in PEERS)])
        report.add_table(["", *PEERS], rows)


def _speed_cell(outcome: Outcome, figure: str, right: float | None) -> str:
    if outcome.failure:
        return outcome.failure
    mark = " ?" if right is None else "" if outcome.figures["tokens"] == right else " *"
    return f"{_speed(outcome.figures, figure):.3g}{mark}"


def _speed(figures: Mapping[str, float], figure: str) -> float:
    return figures["bytes"] / figures[figure] / 1e6


def _add_ratios(report: Report, found: Measured, ours: str, others: Sequence[str]) -> None:
    report.add(f"`{ours}`: times the speed of each peer, cold / warm (above 1: ahead):")
    rows = []
    pairs: dict[str, list[tuple[float, float]]] = {peer: [] for peer in others}
    for text, outcomes in found.items():
        row = [text]
        for peer in others:
            mine, theirs = outcomes[ours].figures, outcomes[peer].figures
            if not mine or not theirs:
                row.append("")
                continue
            cold, warm = (theirs[figure] / mine[figure] for figure in ("cold", "warm"))
            pairs[peer].append((cold, warm))
            row.append(_ratio_cell(cold, warm))
        rows.append(row)
    means = [_means(pairs[peer]) for peer in others]
    rows.append(["**geometric mean**", *means])
    report.add_table(["", *others], rows)


def _ratio_cell(cold: float, warm: float) -> str:
    return f"{cold:.2f} / {warm:.2f}"


def _means(pairs: Sequence[tuple[float, float]]) -> str:
    """The geometric means of cold and of warm ratios.

    >>> _means([(1.0, 2.0), (4.0, 8.0)])
    '2.00 / 4.00'
    """
    if not pairs:
        return ""
    cold, warm = (math.exp(sum(map(math.log, figures)) / len(pairs)) for figures in zip(*pairs, strict=True))
    return _ratio_cell(cold, warm)


def small(bench: Bench) -> None:
    """The time of a call on short texts."""
    path = bench.texts.get("english") or next(iter(bench.texts.values()))
    for encoding in bench.encodings:
        bench.report.add(f"## Small calls, {encoding}")
        bench.report.add(
            f"Processor time a call, over many different pieces of {path.stem}; the time of the empty loop is subtracted. The expression "
            f"in the table is what is timed. `{INSIDE_TOKTOK}` is not part of that package's public interface."
        )
        found = bench.measure("small_calls", list(SMALL_PEERS), f"{encoding}, small", encoding=encoding, path=str(path))
        header = ["", "timed"]
        for length in SMALL_LENGTHS:
            header += [f"{length:,} characters", "times ours"]
        rows = []
        for name, outcome in found.items():
            row = [name, f"`{SMALL_PEERS[name].expression}`"]
            for length in SMALL_LENGTHS:
                row += _time_cells(outcome, found[OURS], str(length))
            rows.append(row)
        bench.report.add_table(header, rows)


def loading(bench: Bench) -> None:
    """Import, loading and the first count."""
    for encoding in bench.encodings:
        bench.report.add(f"## Import, loading and the first count, {encoding}")
        bench.report.add(
            "In a fresh process, without the start of Python itself. Files are in the system's cache: each peer has run before. "
            "tiktoken, gigatoken and tokenizers read a file of the vocabulary, tokie one in its own format; the others embed it."
        )
        for peer in [OURS, *OTHERS]:
            run("loading", bench.limit, peer=peer, encoding=encoding, files=str(bench.files))
        found = bench.measure("loading", [OURS, *OTHERS], f"{encoding}, loading", encoding=encoding)
        rows = [
            [name, *_time_cells(outcome, found[OURS], "clock"), *_time_cells(outcome, found[OURS], "processor")]
            for name, outcome in found.items()
        ]
        bench.report.add_table(["", "by the clock", "times ours", "processor time", "times ours"], rows)


def batches(bench: Bench) -> None:
    """Many short texts, with one thread and with two."""
    path = bench.texts.get("python") or next(iter(bench.texts.values()))
    peers = [name for name, peer in PEERS.items() if peer.batch is not None]
    for encoding in bench.encodings:
        bench.report.add(f"## Batches, {encoding}")
        bench.report.add(
            f"MB/s by the clock for {path.stem} text in documents of {DOCUMENT:,} characters, warm, on as many cores as threads. "
            "`*`: counts other tokens than tiktoken."
        )
        columns: dict[int, dict[str, Outcome]] = {}
        for threads in (1, 2):
            columns[threads] = bench.measure(
                "batches",
                peers,
                f"{encoding}, {threads} threads",
                encoding=encoding,
                path=str(path),
                size=bench.size,
                document=DOCUMENT,
                threads=threads,
                cores=threads,
            )
        rows = []
        for name in peers:
            row = [name, f"`{PEERS[name].batch}`"]
            for outcomes in columns.values():
                right = outcomes[REFERENCE].figures.get("tokens")
                row += [
                    _speed_cell(outcomes[name], "seconds", right),
                    _times(outcomes[name], outcomes[OURS], "seconds"),
                ]
            rows.append(row)
        bench.report.add_table(["", "timed", "1 thread", "time / ours", "2 threads", "time / ours"], rows)


def _time_cells(outcome: Outcome, ours: Outcome, figure: str) -> list[str]:
    if outcome.failure:
        return [outcome.failure, ""]
    return [in_units(outcome.figures[figure]), _times(outcome, ours, figure)]


def _times(outcome: Outcome, ours: Outcome, figure: str) -> str:
    if not outcome.figures or not ours.figures:
        return ""
    return f"{outcome.figures[figure] / ours.figures[figure]:.2f}"


SECTIONS: dict[str, Callable[[Bench], None]] = {
    section.__name__: section for section in (languages, small, worst, loading, batches)
}
