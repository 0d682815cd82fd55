"""A report as a table for the terminal, with a bar that shows the use of the budget."""

from __future__ import annotations

import io

from rich.console import Console
from rich.table import Table
from rich.text import Text

from chunker.files.discovery import printable
from chunker.prompt.report_fields import ItemReport, ReportFields

_COLOURS = ("blue", "green", "magenta", "cyan", "yellow", "red")
_NARROW, _WIDE = 20, 60


# Wider than any name: a report that goes to a file or a pipe has each row on one line.
UNBROKEN = 100_000


def table_of(report: ReportFields, width: int = UNBROKEN) -> str:
    """The report as text, without colours, at most `width` columns wide; by default as wide as its rows are."""
    written = io.StringIO()
    print_report(report, Console(file=written, width=width, color_system=None, legacy_windows=False))
    return written.getvalue().rstrip("\n")


def print_report(report: ReportFields, console: Console) -> None:
    """Print the bar, the items and the sections."""
    room = report.budget - report.reserve
    console.print(bar_of(report, max(_NARROW, min(_WIDE, console.width - 40))))
    table = Table(box=None, pad_edge=False)
    for name, right in (
        ("item", False),
        ("section", False),
        ("status", False),
        ("why", False),
        ("tokens", True),
        ("of", True),
    ):
        table.add_column(name, justify="right" if right else "left", overflow="fold")
    for item in report.items:
        table.add_row(
            Text(printable(item.id)),
            Text(printable(item.section)),
            item.status,
            item.reason or "",
            f"{item.tokens:,}" if item.status != "dropped" else "",
            f"{item.tokens_before:,}",
        )
    console.print(table)
    for section in report.sections:
        console.print(
            Text(
                f"{printable(section.name)}: {section.used:,} of {section.given:,} tokens, {section.passed_on:,} passed on"
            )
        )
    console.print(
        f"{report.token_count:,} of {room:,} tokens ({report.reserve:,} in reserve); "
        f"{report.separator_tokens:,} between items, {report.stable_tokens:,} stable"
    )


def bar_of(report: ReportFields, width: int) -> Text:
    """A bar as wide as the budget, a colour a section (or item, outside of sections)."""
    bar = Text()
    owners: dict[str, int] = {}
    for item in report.items:
        owners[_owner(item)] = owners.get(_owner(item), 0) + max(item.added, 0)
    budget = max(report.budget, 1)
    drawn, tokens = 0, 0
    legend = Text()
    for number, (owner, used) in enumerate(owners.items()):
        tokens += used
        columns = round(tokens / budget * width) - drawn
        drawn += columns
        colour = _COLOURS[number % len(_COLOURS)]
        bar.append("█" * columns, style=colour)
        legend.append(f" {'█' if used else '·'} {printable(owner)} {used:,}", style=colour)
    reserved = min(round(report.reserve / budget * width), width - drawn)
    bar.append("·" * (width - drawn - reserved))
    bar.append("░" * reserved)
    return Text.assemble(bar, " ", legend)


def _owner(item: ItemReport) -> str:
    return item.section.partition("/")[0] or item.id
