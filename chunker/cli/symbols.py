"""`chunker symbols`: where a name is defined, and where it is used."""

# Imports are where they are used: help and errors about options need no index.
# ruff: noqa: PLC0415, PLR0913  # an option is a parameter

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Annotated

import typer

from chunker.cli.console import ending_quietly, open_output
from chunker.cli.index import HitFormat, IndexFolder, require_index
from chunker.cli.options import EXIT_CODES, OfLanguages, OfSources

EPILOG = f"""\b
Examples:
  chunker symbols parse_headers
  chunker symbols Stack.push --references
  chunker symbols parse --prefix --kind function --format jsonl

{EXIT_CODES}"""


def symbols(
    name: Annotated[str, typer.Argument(metavar="NAME", show_default=False, help="A name, or Class.name.")],
    *,
    folder: IndexFolder = ".chunker",
    references: Annotated[
        bool, typer.Option("--references", help="Show the lines that use the name, instead of its definitions.")
    ] = False,
    prefix: Annotated[bool, typer.Option("--prefix", help="Also names that begin with NAME.")] = False,
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="KIND", show_default=False, help="Only this kind: function, class, type ..."),
    ] = None,
    source: OfSources = None,
    language: OfLanguages = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="Largest number of lines.")] = 100,
    output_format: Annotated[
        HitFormat, typer.Option("--format", "-f", help="Text for people, or one JSON object per line.")
    ] = HitFormat.TABLE,
) -> None:
    """Find the definitions of a symbol in the files that `chunker index` has indexed, or the lines of code that use it."""
    with ending_quietly():
        require_index()
        from chunker.cli.run_index import check_filter, opened, telling
        from chunker.files.discovery import printable
        from chunker.index import Filter

        only = Filter(sources=tuple(source or ()), languages=tuple(language or ()), kinds=tuple(kind or ()))
        as_lines = output_format is HitFormat.JSONL
        with telling():
            index = opened(folder)
            check_filter(index, only, of_definitions=True)
            if references:
                used = index.references(name, only, limit=limit)
                shown = [
                    json.dumps(asdict(one), ensure_ascii=False) if as_lines else printable(str(one)) for one in used
                ]
            else:
                found = index.definitions(name, only, prefix=prefix, limit=limit)
                shown = [
                    json.dumps(asdict(one), ensure_ascii=False) if as_lines else printable(str(one)) for one in found
                ]
        with open_output(None) as results:
            results.writelines(f"{line}\n".encode("utf-8", "surrogatepass") for line in shown)
        if not shown:
            typer.echo("Nothing found.", err=True)
