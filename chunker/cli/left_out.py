"""The summary at the end of a run: which files were left out by which rule, which were shortened, and which failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

import typer

from chunker.cli.console import EXIT_FAILED
from chunker.files.discovery import Problem, printable
from chunker.files.intake import DRAWING, EMBEDDED, LARGE_FILE, NOTEBOOK, UNREAD, WORDS_OF_DRAWING
from chunker.files.secrets import LEFT_OUT

# The options that include what rules leave out, and read other encodings. A message names only those of its command.
OPTIONS = frozenset({"--secrets", "--generated", "--verbatim", "--encoding"})
# Files of a rule that are named; the others are counted.
_NAMED = 3
_MANY = {EMBEDDED: "files with embedded data", NOTEBOOK: "notebooks", WORDS_OF_DRAWING: "drawings"}
_ONE = {EMBEDDED: "1 file with embedded data", NOTEBOOK: "1 notebook", WORDS_OF_DRAWING: "1 drawing"}
# Rule -> what it leaves out, and the option that includes it; all other rules leave out generated files.
_HEADINGS = {DRAWING: ("drawings", "--verbatim"), LARGE_FILE: ("large files", "")}
_GENERATED = ("generated files", "--generated")


def tell_problems(problems: Sequence[Problem], number: int, changed: Counter[str], offered: Collection[str]) -> None:
    """Print on standard error why files of a run were not used, or not as they are.

    Args:
        problems: What is to be told.
        number: The number of all files.
        changed: How many files were shortened, by the kind of what they hold.
        offered: The options of the command; see `OPTIONS`.

    Raises:
        typer.Exit: A file failed, and was not just skipped.
    """
    secrets = [printable(problem.path) for problem in problems if problem.reason in LEFT_OUT]
    passed_over = [one for one in problems if not (one.failed or one.rule) and one.reason not in LEFT_OUT]
    failed = [problem for problem in problems if problem.failed]
    if passed_over:
        typer.echo(f"Skipped {files(len(passed_over))} without text, such as {passed_over[0]}", err=True)
    if secrets:
        hint = " (--secrets includes them)" if "--secrets" in offered else ""
        typer.echo(f"Left out files that hold secrets{hint}: {', '.join(secrets)}", err=True)
    tell_rules(problems, offered)
    if changed:
        hint = " (--verbatim keeps all of it)" if "--verbatim" in offered else ""
        typer.echo(f"Shortened{hint}: {_changes(changed)}", err=True)
    if failed:
        typer.echo(f"Failed: {len(failed):,} of {files(number)}", err=True)
        for problem in failed:
            typer.echo(f"  {problem}", err=True)
        if "--encoding" in offered and any(problem.reason.startswith("not UTF-8") for problem in failed):
            typer.echo("To read files in another encoding, pass --encoding, such as cp1252.", err=True)
        raise typer.Exit(EXIT_FAILED)


def tell_rules(problems: Sequence[Problem], offered: Collection[str] = OPTIONS) -> None:
    """Print on standard error which files rules left out, if any, and which of the options `offered` includes them."""
    unread = [problem for problem in problems if problem.rule == UNREAD and not problem.failed]
    for problem in unread[:_NAMED]:
        typer.echo(f"Not read: {printable(problem.path)}: {problem.reason.removeprefix('not read: ')}", err=True)
    if len(unread) > _NAMED:
        typer.echo(f"Not read: {len(unread) - _NAMED:,} more documents", err=True)
    others: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems:
        if problem.rule and problem.rule != UNREAD:
            others.setdefault(_HEADINGS.get(problem.rule, _GENERATED), []).append(problem)
    for (what, option), left_out in sorted(others.items()):
        hint = f" ({option} includes them)" if option in offered else ""
        typer.echo(f"Left out {what}{hint}:", err=True)
        for line in _by_rule(left_out):
            typer.echo(f"  {line}", err=True)


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


def files(number: int) -> str:
    """Return a number of files in words."""
    return "1 file" if number == 1 else f"{number:,} files"
