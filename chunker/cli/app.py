"""The command `chunker`: cut files into chunks that fit a token budget, count tokens, assemble prompts, index and search.

Wrong usage ends a run before any work (exit code 2). A bad file is recorded, the other files are processed, and the
problems are printed at the end (exit code 1).
"""

# ruff: noqa: FBT001  # an option is a parameter

from __future__ import annotations

from typing import Annotated

import typer

from chunker.cli.plugins import CommandGroup, LazyCommand

# In the order of the help; a command is imported when it runs or is listed.
COMMANDS = {
    "chunk": LazyCommand("chunker.cli.chunk", "chunk"),
    "view": LazyCommand("chunker.cli.view", "view"),
    "count": LazyCommand("chunker.cli.count", "count"),
    "encode": LazyCommand("chunker.cli.encode", "encode"),
    "decode": LazyCommand("chunker.cli.encode", "decode", "DECODE_EPILOG"),
    "check": LazyCommand("chunker.cli.check", "check"),
    "prompt": LazyCommand("chunker.cli.prompt", "prompt"),
    "prompt simulate": LazyCommand("chunker.cli.simulate", "simulate"),
    "index": LazyCommand("chunker.cli.index", "index", "INDEX_EPILOG"),
    "search": LazyCommand("chunker.cli.index", "search", "SEARCH_EPILOG"),
    "evaluate": LazyCommand("chunker.cli.evaluate", "evaluate"),
    "symbols": LazyCommand("chunker.cli.symbols", "symbols"),
    "map": LazyCommand("chunker.cli.map", "map_repository"),
    "skeleton": LazyCommand("chunker.cli.skeleton", "skeleton"),
    "train": LazyCommand("chunker.cli.train", "train"),
    "tokenizer": LazyCommand("chunker.cli.tokenizers", "app"),
    "agents": LazyCommand("chunker.cli.agents", "app"),
}


class Commands(CommandGroup):
    """The commands of this package."""

    own = COMMANDS


app = typer.Typer(
    cls=Commands,
    add_completion=True,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Plain help: the boxes of rich would double the time that `chunker --help` takes.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if not wanted:
        return
    from chunker.version import version_line  # noqa: PLC0415  # metadata of packages take as long as typer

    typer.echo(version_line())
    raise typer.Exit


@app.callback(
    epilog="""\b
Examples:
  chunker chunk .                      a table: how the chunks of this project use the budget
  chunker chunk src -o chunks.jsonl    the chunks themselves
  chunker count . --by language        where the tokens are
  chunker prompt review.yaml           a prompt of files and texts that fits its budget
  chunker train src -o code.json -n 8000   your own tokenizer
  chunker chunk --help                 all options, more examples, exit codes
"""
)
def _root(
    ctx: typer.Context,
    *,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Chunks that fit a token budget exactly, at the cost of reading the text once."""
    from chunker.cli.options import read_settings  # noqa: PLC0415  # --help needs none of it

    read_settings(ctx)


def main() -> None:
    """Run the command that the arguments name, then exit."""
    app(prog_name="chunker")
