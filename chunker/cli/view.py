"""`chunker view`: how files are cut, in a page or in the terminal."""

# Imports are where they are used: help and errors about options need neither tokenizers nor grammars nor pydantic.
# A command has as many parameters as it has options.
# ruff: noqa: PLC0415, PLR0913

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from chunker.cli.console import STANDARD_OUTPUT, ending_quietly
from chunker.cli.options import (
    SETTINGS_AND_EXIT_CODES,
    Context,
    DesiredTokens,
    Encoding,
    Exclude,
    Generated,
    Hidden,
    Include,
    MaxTokens,
    MinTokens,
    Overlap,
    Paths,
    Secrets,
    Strategy,
    StrategyName,
    TokenizerName,
    Verbatim,
    WebText,
    intake_of,
    load_tokenizer,
    wanted_of,
)
from chunker.cli.paths import check_paths
from chunker.files.discovery import printable

_OF_PAGES = (".html", ".htm")
_OF_LINES = (".txt", ".ansi")

EPILOG = f"""\b
Examples:
  chunker view README.md --open
  chunker view src --max-tokens 256 --overlap 32 --output chunks.html
  chunker view src/main.py --terminal --tokens
  chunker view guide.md --max-tokens 512 --compare max-tokens=128,overlap=16 --open
  FORCE_COLOR=1 chunker view src --terminal | less -R

{SETTINGS_AND_EXIT_CODES}"""


def view(
    ctx: typer.Context,
    paths: Paths,
    *,
    tokenizer: TokenizerName = "o200k_base",
    max_tokens: MaxTokens = 512,
    min_tokens: MinTokens = None,
    desired_tokens: DesiredTokens = None,
    overlap: Overlap = 0,
    strategy: Strategy = StrategyName.GROW,
    context: Context = False,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            show_default=False,
            help="The page to write, .html or .htm (default: chunker-view.html), or - for standard output. With --terminal: .txt or .ansi.",
        ),
    ] = None,
    compare: Annotated[
        str | None,
        typer.Option(
            "--compare",
            metavar="OPTIONS",
            show_default=False,
            help="Show the same files beside it with other options: max-tokens=256,overlap=32,context=true",
        ),
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    terminal: Annotated[
        bool, typer.Option("--terminal", help="Print the chunks to the terminal, not to a page.")
    ] = False,
    tokens: Annotated[bool, typer.Option("--tokens", help="Show tokens from the start.")] = False,
    hidden: Hidden = False,
    include: Include = None,
    exclude: Exclude = None,
    secrets: Secrets = False,
    generated: Generated = False,
    verbatim: Verbatim = False,
    web_text: WebText = False,
    encoding: Encoding = "utf-8",
) -> None:
    """Show how files are cut: one HTML page, or the terminal.

    The page is a single file that needs no network: the text in colours, how full each chunk is, how good each cut is
    and why it is there, where each token begins, with a filter and keys. For a folder it holds all files. Two settings
    are shown side by side.
    """
    with ending_quietly():
        from functools import partial

        from chunker.cli.run_view import ViewOptions, show
        from chunker.cli.runs import Run

        if open_page and (terminal or output == STANDARD_OUTPUT):
            raise typer.BadParameter("--open needs a page to open", param_hint="--open")
        check_paths(paths, output)
        _check_ending(output, terminal=terminal)
        taken = {"secrets": secrets, "generated": generated, "verbatim": verbatim, "web_text": web_text}
        intake = intake_of(encoding, secrets=secrets, generated=generated, verbatim=verbatim, web_text=web_text)
        files = {"hidden": hidden, **taken, "include": include, "exclude": exclude, "encoding": encoding}
        run = partial(Run, paths, intake, wanted_of(ctx, include, exclude), hidden=hidden, task="Chunking")
        options = ViewOptions(
            load_tokenizer(tokenizer),
            tokenizer,
            max_tokens,
            min_tokens,
            desired_tokens,
            overlap,
            strategy=strategy.value,
            context=context,
            show_tokens=tokens,
            files=tuple((name, value) for name, value in files.items() if value and value != "utf-8"),
        )
        if compare is not None and terminal:
            raise typer.BadParameter("settings are compared in a page, not in the terminal", param_hint="--compare")
        settings = [options] if compare is None else [options, options.with_others(compare)]
        show(paths, run, settings, output, terminal=terminal, open_page=open_page)


def _check_ending(output: str | None, *, terminal: bool) -> None:
    """Raise for a file name extension of another format, before any work."""
    if output is None or output == STANDARD_OUTPUT or (Path(output).exists() and not Path(output).is_file()):
        return
    known = _OF_LINES if terminal else _OF_PAGES
    if Path(output).suffix.lower() not in ("", *known):
        written = "lines for the terminal are" if terminal else "the page is HTML,"
        told = (
            f"{printable(output)}: {written} written to a name that ends in {' or '.join(known)}, or has no extension"
        )
        raise typer.BadParameter(told, param_hint="--output")
