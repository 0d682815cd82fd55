"""`chunker skeleton`: the signatures of one file, within a budget of tokens."""

# Imports are where they are used: help and errors about options need neither tokenizers nor grammars.
# ruff: noqa: PLC0415

from __future__ import annotations

from typing import Annotated

import typer

from chunker.cli.console import ending_quietly, fail, open_output
from chunker.cli.options import SETTINGS_AND_EXIT_CODES, Encoding, TokenizerName, intake_of, load_tokenizer
from chunker.cli.paths import check_paths

EPILOG = f"""\b
Examples:
  chunker skeleton src/http/client.py
  chunker skeleton src/http/client.py --max-tokens 300
  chunker skeleton docs/guide.md > headings.txt

{SETTINGS_AND_EXIT_CODES}"""


def skeleton(
    path: Annotated[str, typer.Argument(metavar="FILE", show_default=False, help="A file of code or prose.")],
    *,
    max_tokens: Annotated[
        int | None,
        typer.Option(
            "--max-tokens",
            "-m",
            min=1,
            metavar="N",
            show_default=False,
            help="Token limit of the output. Default: none.",
        ),
    ] = None,
    tokenizer: TokenizerName = "o200k_base",
    encoding: Encoding = "utf-8",
) -> None:
    """Print the signatures of a source file, or the headings of prose: all of them, or those that matter most within a token budget.

    A summary goes to standard error.
    """
    with ending_quietly():
        from chunker.files.discovery import FoundFile, Problem
        from chunker.formats.detect import file_name_for
        from chunker.mapping import skeleton as drawn

        check_paths([path], None)
        counter = load_tokenizer(tokenizer)
        document = intake_of(encoding, secrets=False, verbatim=False).read(FoundFile(path, 0, named=True))
        if isinstance(document, Problem):
            fail(str(document))
        name = document.path if document.format is None else file_name_for(document.format)
        text = drawn(document.text, name, max_tokens, tokenizer=counter)
        with open_output(None) as results:
            results.write(text.encode("utf-8", "surrogatepass"))
        if text:
            limit = "" if max_tokens is None else f" of {max_tokens:,}"
            lines = text.count("\n")
            typer.echo(
                f"{counter.count(text):,}{limit} tokens, {lines:,} {'line' if lines == 1 else 'lines'}", err=True
            )
        else:
            fits = "" if max_tokens is None else " that fit"
            typer.echo(f"Nothing found: no definitions or headings{fits}, or no grammar for this language.", err=True)
