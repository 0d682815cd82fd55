"""The work of `chunker prompt`: a spec into a prompt, a report, JSON or a page."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import typer
from rich.console import Console

from bpe_engine import BpeEngineError
from chunker.cli.console import EXIT_FAILED, STANDARD_OUTPUT, open_output
from chunker.counting import TokenCounter, resolve_tokenizer
from chunker.files.discovery import Problem, portable, printable
from chunker.files.progress import is_terminal
from chunker.prompt.assembling import Prompt, assemble
from chunker.prompt.errors import PromptConfigurationError, RequiredItemsError
from chunker.prompt.gathering import Gathered, gather
from chunker.prompt.prompt_parts import prompt_parts
from chunker.prompt.spec import LoadedSpec, SpecError, load_spec
from chunker.prompt.table import UNBROKEN, print_report, table_of

_MOST_NAMED = 3


@dataclass(frozen=True)
class PromptOutput:
    """The outputs: the prompt, its report or both as JSON to `output` (None or "-": standard output), and a page to `html`."""

    output: str | None
    html: str | None
    report: bool
    as_json: bool


def run(spec: str, root: str | None, wanted: PromptOutput) -> None:
    """Assemble a prompt and write it. Raises `typer.BadParameter` for an unusable spec, and `typer.Exit` if something failed."""
    try:
        loaded = load_spec(spec)
        tokenizer = _tokenizer(loaded)
        folder = loaded.path.parent if root is None else Path(root)
        ours = [str(Path(path).absolute()) for path in (wanted.output, wanted.html) if path is not None]
        gathered = gather(loaded, folder, tokenizer, ours)
        if gathered.lacking:
            _tell(gathered)
            typer.echo("Error: no prompt: required items cannot be read, or are empty.", err=True)
            raise typer.Exit(EXIT_FAILED)
        prompt = _assemble(loaded, gathered, tokenizer)
    except SpecError as error:
        raise typer.BadParameter(str(error)) from None
    except RequiredItemsError as error:
        _tell(gathered)
        typer.echo(f"Error: {printable(spec)}: {error}", err=True)
        raise typer.Exit(EXIT_FAILED) from None
    _write(prompt, loaded, gathered, wanted)
    _tell(gathered)
    if any(problem.failed for problem in gathered.problems):
        raise typer.Exit(EXIT_FAILED)


def _tokenizer(loaded: LoadedSpec) -> TokenCounter:
    """Return the tokenizer of the spec: a name, or a file with a path relative to the spec."""
    try:
        return resolve_tokenizer(loaded.spec.tokenizer, folder=loaded.path.parent)
    except (BpeEngineError, OSError) as error:
        raise loaded.error(("tokenizer",), str(error)) from None


def _assemble(loaded: LoadedSpec, gathered: Gathered, tokenizer: TokenCounter) -> Prompt:
    spec = loaded.spec
    try:
        return assemble(
            gathered.items,
            spec.budget,
            reserve=spec.reserve,
            tokenizer=tokenizer,
            chat_format=spec.chat_format,
            separator=spec.separator,
            fill=spec.fill,
            drop_duplicates=spec.drop_duplicates,
        )
    except PromptConfigurationError as error:
        name = printable(str(loaded.path))
        raise SpecError("\n".join(f"{name}: {line}" for line in str(error).splitlines())) from None


def _write(prompt: Prompt, loaded: LoadedSpec, gathered: Gathered, wanted: PromptOutput) -> None:
    to_stdout = wanted.output is None or wanted.output == STANDARD_OUTPUT
    if wanted.html is not None:
        # Imported late: only a page needs it.
        from chunker.view.prompt_page import prompt_page  # noqa: PLC0415

        parts = prompt_parts(
            prompt, gathered.items, chat_format=loaded.spec.chat_format, separator=loaded.spec.separator
        )
        title, tokenizer = portable(loaded.path.name), portable(loaded.spec.tokenizer)
        with open_output(wanted.html) as page:
            for part in prompt_page(prompt, parts, title, tokenizer):
                page.write(part)
        if wanted.html != STANDARD_OUTPUT:
            typer.echo(f"Written: {printable(wanted.html)}", err=True)
        if wanted.output is None and not wanted.report and not wanted.as_json:
            return
    if wanted.as_json:
        written = prompt.model_dump_json(indent=2) + "\n"
    elif wanted.report:
        written = _table(prompt) if to_stdout else table_of(prompt.report) + "\n"
    else:
        written = prompt.text
    with open_output(wanted.output) as results:
        results.write(written.encode())


def _table(prompt: Prompt) -> str:
    """Format the report for standard output: in its width and colours if that is a terminal, otherwise without breaking rows."""
    is_wide = not is_terminal(sys.stdout) and "COLUMNS" not in os.environ
    console = Console(width=UNBROKEN if is_wide else None)
    with console.capture() as captured:
        print_report(prompt.report, console)
    return captured.get()


def _tell(gathered: Gathered) -> None:
    """Print on standard error what was requested but is not in the prompt."""
    passed_over = [problem for problem in gathered.problems if not problem.failed]
    failed = [problem for problem in gathered.problems if problem.failed]
    if gathered.secrets:
        typer.echo(
            f"Left out files that look like secrets (`secrets: true` includes them): {_named(gathered.secrets)}",
            err=True,
        )
    if gathered.unanswered:
        typer.echo(f"Nothing was found for {_named(gathered.unanswered)}", err=True)
    if gathered.unmatched:
        typer.echo(f"No files match {_named(gathered.unmatched)}: hidden and ignored files are not searched", err=True)
    if passed_over:
        typer.echo(f"Skipped without text: {_named([problem.path for problem in passed_over])}", err=True)
    if failed:
        typer.echo(f"Failed: {_count(failed)}", err=True)
        for problem in failed:
            typer.echo(f"  {problem}", err=True)


def _named(names: Sequence[str]) -> str:
    """Return the first names, and the number of the others.

    >>> _named(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    shown = ", ".join(printable(name) for name in names[:_MOST_NAMED])
    return shown if len(names) <= _MOST_NAMED else f"{shown} and {len(names) - _MOST_NAMED:,} more"


def _count(failed: Sequence[Problem]) -> str:
    return "1 file" if len(failed) == 1 else f"{len(failed):,} files"
