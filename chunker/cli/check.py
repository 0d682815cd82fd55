"""`chunker check`: fail if a file, or all files together, exceed a number of tokens."""

# Imports are where they are used: help and errors about options need neither tokenizers nor grammars.
# ruff: noqa: PLC0415, PLR0913

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from chunker.cli.console import EXIT_FAILED, ending_quietly
from chunker.cli.options import (
    Encoding,
    Exclude,
    Hidden,
    Include,
    Paths,
    TokenizerName,
    intake_of,
    load_tokenizer,
    wanted_of,
)
from chunker.cli.paths import check_paths

if TYPE_CHECKING:
    from chunker.files.documents import Document


EPILOG = """\b
Examples:
  chunker check prompts --max-tokens 4000
  chunker check AGENTS.md docs --max-tokens 8000 --max-total 60000
  git diff --name-only | xargs chunker check --max-tokens 20000

\b
Exit codes:
  0    nothing is over its budget
  1    a file is over its budget (one line each on standard output), or could not be read
  2    wrong usage; nothing was done
  130  interrupted by Ctrl-C
"""


def check(
    ctx: typer.Context,
    paths: Paths,
    *,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", "-n", min=0, metavar="N", help="Token limit of each file.")
    ] = None,
    max_total: Annotated[
        int | None, typer.Option("--max-total", min=0, metavar="N", help="Token limit of all files together.")
    ] = None,
    tokenizer: TokenizerName = "o200k_base",
    hidden: Hidden = False,
    include: Include = None,
    exclude: Exclude = None,
    encoding: Encoding = "utf-8",
) -> None:
    """Fail if a file exceeds its token budget: for prompts, instructions of agents, and documents.

    Files are found and counted as by `chunker count`. Each file over its budget is one line on standard output.
    """
    if max_tokens is None and max_total is None:
        raise typer.BadParameter("pass --max-tokens, --max-total, or both")
    with ending_quietly():
        from chunker.cli.runs import Run
        from chunker.files.discovery import printable

        check_paths(paths, None)
        counter = load_tokenizer(tokenizer)

        def counted(document: Document) -> tuple[str, int]:
            return document.path, counter.count(document.text)

        intake = intake_of(encoding, secrets=True)
        run = Run(paths, intake, wanted_of(ctx, include, exclude), hidden=hidden, output=None, task="Counting")
        total = 0
        over = False
        for path, tokens in run.over(counted, streaming=True):
            total += tokens
            if max_tokens is not None and tokens > max_tokens:
                over = True
                typer.echo(_line(printable(path), tokens, max_tokens))
        if max_total is not None and total > max_total:
            over = True
            typer.echo(_line("all files together", total, max_total))
        run.finish()
        if over:
            raise typer.Exit(EXIT_FAILED)


def _line(name: str, tokens: int, allowed: int) -> str:
    return f"{name}: {tokens:,} tokens, {tokens - allowed:,} more than {allowed:,}"
