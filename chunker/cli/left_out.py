"""The summary at the end of a run: which files were left out by which rule, and which were shortened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import typer

from chunker.files.discovery import Problem, printable
from chunker.files.intake import EMBEDDED, NOTEBOOK, UNREAD, WORDS_OF_DRAWING

# Files of a rule that are named; the others are counted.
_NAMED = 3
_MANY = {EMBEDDED: "files with embedded data", NOTEBOOK: "notebooks", WORDS_OF_DRAWING: "drawings"}
_ONE = {EMBEDDED: "1 file with embedded data", NOTEBOOK: "1 notebook", WORDS_OF_DRAWING: "1 drawing"}


def tell_rules(problems: Sequence[Problem]) -> None:
    """Print on standard error which files rules left out, if any."""
    unread = [problem for problem in problems if problem.rule == UNREAD and not problem.failed]
    for problem in unread[:_NAMED]:
        typer.echo(f"Not read: {printable(problem.path)}: {problem.reason.removeprefix('not read: ')}", err=True)
    if len(unread) > _NAMED:
        typer.echo(f"Not read: {len(unread) - _NAMED:,} more documents", err=True)
    others = [problem for problem in problems if problem.rule and problem.rule != UNREAD]
    if others:
        typer.echo("Left out generated files (--generated includes them):", err=True)
        for line in _by_rule(others):
            typer.echo(f"  {line}", err=True)


def tell_changes(changed: Counter[str]) -> None:
    """Print on standard error what was shortened, if anything."""
    if changed:
        typer.echo(f"Shortened (--verbatim keeps all of it): {_changes(changed)}", err=True)


def _by_rule(problems: Sequence[Problem]) -> Iterator[str]:
    """Return a line for each rule that left files out: how many, and the first of them."""
    rules: dict[str, list[str]] = {}
    for problem in problems:
        if problem.rule:
            seen = problem.reason.removeprefix(f"left out: {problem.rule}")
            rules.setdefault(problem.rule, []).append(printable(problem.path) + seen)
    for rule, paths in sorted(rules.items(), key=lambda item: (-len(item[1]), item[0])):
        more = f", and {len(paths) - _NAMED:,} more" if len(paths) > _NAMED else ""
        yield f"{len(paths):,} {rule}: {', '.join(paths[:_NAMED])}{more}"


def _changes(changed: Counter[str]) -> str:
    told = (
        _ONE[change] if number == 1 else f"{number:,} {_MANY[change]}" for change, number in sorted(changed.items())
    )
    return ", ".join(told)
