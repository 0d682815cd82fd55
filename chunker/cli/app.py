"""The command `chunker`: cut files into chunks that fit a token budget, count tokens, assemble prompts, index and search.

What may go wrong is sorted by whose business it is: wrong usage stops everything before it begins (exit code 2); a bad
file is noted, the others are done, and the notes are printed at the end (exit code 1).
"""

# ruff: noqa: FBT001, PLC0415  # an option is a parameter; what few need is imported where it is used

from __future__ import annotations

from typing import Annotated

import typer

from chunker.cli import agents, check, chunk, count, index, prompt, simulate, tokenizers, train, view
from chunker.cli.plugins import CommandGroup

app = typer.Typer(
    cls=CommandGroup,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    # Plain help: the boxes of rich would double the time that `chunker --help` takes.
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if not wanted:
        return
    from importlib.metadata import PackageNotFoundError, version

    try:
        typer.echo(f"chunker {version('bpe-chunker')}")
    except PackageNotFoundError:  # run from a source tree
        typer.echo("chunker, not installed")
    raise typer.Exit


@app.callback(
    epilog="""\b
Examples:
  chunker chunk .                      a table: how the chunks of this project use the budget
  chunker chunk src -o chunks.jsonl    the chunks themselves
  chunker count . --by language        where the tokens are
  chunker prompt review.yaml           a prompt of files and texts that fits its budget
  chunker train src -o code.json -n 8000   a tokenizer of one's own
  chunker chunk --help                 all options, more examples, exit codes
"""
)
def _root(
    *,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Chunks that fit a token budget exactly, at the cost of reading the text once."""


app.command(epilog=chunk.EPILOG)(chunk.chunk)
app.command(epilog=view.EPILOG)(view.view)
app.command(epilog=count.EPILOG)(count.count)
app.command(epilog=check.EPILOG)(check.check)
app.command(epilog=prompt.EPILOG)(prompt.prompt)
app.command("prompt simulate", epilog=simulate.EPILOG)(simulate.simulate)
app.command(epilog=index.INDEX_EPILOG)(index.index)
app.command(epilog=index.SEARCH_EPILOG)(index.search)
app.command(epilog=train.EPILOG)(train.train)
app.add_typer(tokenizers.app, name="tokenizer")
app.add_typer(agents.app, name="agents")


def main() -> None:
    """The entry point of the command: runs it and exits."""
    app(prog_name="chunker")


if __name__ == "__main__":
    main()
