"""`chunker map`: the signatures of a repository that matter most, within a budget of tokens."""

# Imports are where they are used: help and errors about options need neither tokenizers nor grammars.
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import Annotated

import typer

from chunker.cli.console import ending_quietly, open_output
from chunker.cli.options import SETTINGS_AND_EXIT_CODES, FilePaths, TokenizerName, load_tokenizer
from chunker.cli.paths import check_paths

EPILOG = f"""\b
Examples:
  chunker map .
  chunker map src --max-tokens 1000 --focus src/http/client.py
  chunker map . --focus parse_headers > map.txt

{SETTINGS_AND_EXIT_CODES}"""


def map_repository(
    paths: FilePaths,
    *,
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", "-m", min=1, metavar="N", help="Token limit of the map.")
    ] = 2000,
    focus: Annotated[
        list[str] | None,
        typer.Option(
            "--focus",
            metavar="NAME",
            show_default=False,
            help="File, folder or symbol to focus on; repeatable.",
        ),
    ] = None,
    tokenizer: TokenizerName = "o200k_base",
) -> None:
    """Print a map of a repository, within a token budget: files, and the signatures in them that are used most.

    A summary goes to standard error.
    """
    with ending_quietly():
        from collections import Counter

        from chunker.cli.left_out import tell_problems
        from chunker.files.discovery import printable
        from chunker.mapping import Repository
        from chunker.mapping import map_repository as draw

        check_paths(paths, None, standard_input=False)
        counter = load_tokenizer(tokenizer)
        repository = Repository(paths)
        drawn = draw(repository, max_tokens, focus=focus or (), tokenizer=counter, progress=None)
        if drawn.unknown:
            raise typer.BadParameter(
                f"{', '.join(map(printable, drawn.unknown))}: no file or folder with definitions, and no symbol, has this name",
                param_hint="--focus",
            )
        with open_output(None) as results:
            results.write(drawn.text.encode("utf-8", "surrogatepass"))
        typer.echo(
            f"{drawn.token_count:,} of {max_tokens:,} tokens, {_number(drawn.definitions, 'definition')} in {_number(drawn.files, 'file')}",
            err=True,
        )
        tell_problems(repository.problems, repository.found, Counter(), offered=())


def _number(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
