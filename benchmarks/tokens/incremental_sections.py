"""The sections on our own encoders: growth with the length, appending, rolling back, slices and memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fresh_process import Outcome, run
from growing_plot import draw
from peer_sections import WORST, Bench
from timing import in_units
from tokenizer_peers import INSIDE_TOKTOK, OURS, REFERENCE

LENGTHS = (1_250_000, 2_500_000, 5_000_000, 10_000_000)
QUICK_LENGTHS = (50_000, 100_000, 200_000, 400_000)
RECOUNTERS = (OURS, INSIDE_TOKTOK, REFERENCE)
GROWING_LIMIT = 10.0  # seconds after which counting anew has shown what it is


def linear(bench: Bench) -> None:
    """Growth with the length, on worst cases."""
    lengths = QUICK_LENGTHS if bench.quick else LENGTHS
    for encoding in bench.encodings:
        bench.report.add(f"## Growth with the length: `{OURS}` on worst cases, {encoding}")
        bench.report.add(
            "MB/s of the first pass in a fresh process, and the time at each length over that at the length before it (2 is linear)."
        )
        rows = []
        for name, make in WORST.items():
            path = bench.scratch / "linear.txt"
            outcomes = []
            for length in lengths:
                path.write_bytes(make(length).encode())
                outcomes.append(
                    run(
                        "passes",
                        bench.limit,
                        peer=OURS,
                        encoding=encoding,
                        files=str(bench.files),
                        path=str(path),
                        size=length,
                    )
                )
            rows.append([name, *_growth_cells(outcomes)])
        bench.report.add_table(["", *_growth_header(lengths)], rows)


def _growth_header(lengths: tuple[int, ...]) -> list[str]:
    header = [f"{lengths[0] / 1e6:g} MB"]
    for length in lengths[1:]:
        header += [f"{length / 1e6:g} MB", "time"]
    return header


def _growth_cells(outcomes: list[Outcome]) -> list[str]:
    cells: list[str] = []
    before: Outcome | None = None
    for outcome in outcomes:
        figures = outcome.figures
        cells.append(outcome.failure or f"{figures['bytes'] / figures['cold'] / 1e6:.3g}")
        if before is not None:
            cells.append(f"x {figures['cold'] / before.figures['cold']:.2f}" if figures and before.figures else "")
        before = outcome
    return cells


def appending(bench: Bench) -> None:
    """Appending in pieces, snapshots and rollbacks, and what counting anew costs instead."""
    sizes = (1000, 10_000, 100_000, 400_000) if bench.quick else (1000, 100_000, 1_000_000, 10_000_000)
    path = str(_mixed(bench))
    for encoding in bench.encodings:
        bench.report.add(f"## Appending 40 bytes at a time, {encoding}")
        bench.report.add(
            "Through Python, the loop included; Python source and English prose. Snapshot and rollback: the median of rows of "
            "20 calls, the loop included; each rollback is after an append."
        )
        rows = []
        for size in sizes:
            pieces = run("appending", bench.limit, encoding=encoding, path=path, size=size)
            calls = run("marks", bench.limit, encoding=encoding, path=path, size=size)
            rows.append([f"{size:,} bytes", *_appending_cells(pieces), *_seconds_cells(calls, "snapshot", "rollback")])
        header = ["text", "first, MB/s", "again, MB/s", "count after each, MB/s", "snapshot", "rollback"]
        bench.report.add_table(header, rows)
        _growing(bench, encoding, path)


def _appending_cells(outcome: Outcome) -> list[str]:
    if outcome.failure:
        return [outcome.failure, "", ""]
    figures = outcome.figures
    return [f"{figures['bytes'] / figures[name] / 1e6:.3g}" for name in ("cold", "warm", "counted")]


def _growing(bench: Bench, encoding: str, path: str) -> None:
    """The table and the plot of all counts of a growing text."""
    lengths = [1000 * 2**power for power in range(10 if bench.quick else 14)]
    bench.report.add(
        f"### The count after each 40 bytes of a growing text, {encoding}: ours grows, the others count the whole text anew"
    )
    found = {
        peer: run(
            "growing",
            4 * GROWING_LIMIT + bench.limit,
            peer=peer,
            encoding=encoding,
            files=str(bench.files),
            path=path,
            lengths=lengths,
            enough=GROWING_LIMIT,
        )
        for peer in RECOUNTERS
    }
    rows = []
    for length in map(str, lengths):
        ours = found[OURS].figures.get(length)
        row = [f"{int(length):,} bytes", in_units(ours) if ours else found[OURS].failure]
        for peer in RECOUNTERS[1:]:
            theirs = found[peer].figures.get(length)
            row += [
                in_units(theirs) if theirs else found[peer].failure,
                f"{theirs / ours:,.1f}" if theirs and ours else "",
            ]
        rows.append(row)
    header = ["text", OURS.replace("count", "append and count")]
    for peer in RECOUNTERS[1:]:
        header += [f"{peer}, anew", "times ours"]
    bench.report.add_table(header, rows)
    if bench.report.output is not None:
        picture = bench.report.output.with_name(f"{bench.report.output.stem}_appending_{encoding}.svg")
        series = {peer: {int(length): taken for length, taken in found[peer].figures.items()} for peer in RECOUNTERS}
        missing = draw(series, f"The count after each 40 bytes of a growing text, {encoding}", picture)
        bench.report.add(missing or f"![seconds over text length, both logarithmic]({picture.name})")


def intervals(bench: Bench) -> None:
    """Building, slices and memory of interval encoders."""
    size = 400_000 if bench.quick else 10_000_000
    mixed = _mixed(bench)
    for encoding in bench.encodings:
        bench.report.add(f"## Counts of slices, {encoding}")
        bench.report.add(
            "Build and count, warm, in MB/s, and the memory an encoder keeps by the growth of the resident set:"
        )
        rows = []
        for name, path in {**bench.texts, "python and english": mixed}.items():
            length = min(size, path.stat().st_size)
            speed = run("intervals", bench.limit, encoding=encoding, path=str(path), size=length)
            kept = [
                run("memory", bench.limit, encoding=encoding, path=str(path), size=length, kind=kind)
                for kind in ("interval", "appending")
            ]
            rows.append([f"{name}, {length / 1e6:.1f} MB", *_interval_cells(speed), *map(_memory_cell, kept)])
        header = ["", "count", "build", "build / count", "interval, bytes a text byte", "appending, bytes a text byte"]
        bench.report.add_table(header, rows)
        bench.report.add(
            f"A call on a random slice of {size / 1e6:g} MB, by the clock, without the time of the clock itself: slices of any length, "
            "and of up to 4,000 characters."
        )
        outcome = run("slices", bench.limit, encoding=encoding, path=str(mixed), size=size)
        names = ("any median", "any 99th", "short median", "short 99th")
        bench.report.add_table(
            ["text", "any, median", "99th percentile", "short, median", "99th percentile"],
            [["python and english", *_seconds_cells(outcome, *names)]],
        )


def _interval_cells(outcome: Outcome) -> list[str]:
    if outcome.failure:
        return [outcome.failure, "", ""]
    count, build = (outcome.figures["bytes"] / outcome.figures[name] / 1e6 for name in ("count", "build"))
    return [f"{count:.3g}", f"{build:.3g}", f"{build / count:.2f}"]


def _memory_cell(outcome: Outcome) -> str:
    return outcome.failure or f"{outcome.figures['bytes a text byte']:.1f}"


def _seconds_cells(outcome: Outcome, *names: str) -> list[str]:
    if outcome.failure:
        return [outcome.failure, *[""] * (len(names) - 1)]
    return [in_units(outcome.figures[name]) for name in names]


def _mixed(bench: Bench) -> Path:
    """More text than one language has."""
    path = bench.scratch / "mixed.txt"
    if not path.exists():
        chosen = [bench.texts[name] for name in ("python", "english") if name in bench.texts]
        path.write_bytes(b"".join(one.read_bytes() for one in chosen or bench.texts.values()))
    return path


SECTIONS: dict[str, Callable[[Bench], None]] = {section.__name__: section for section in (linear, appending, intervals)}
