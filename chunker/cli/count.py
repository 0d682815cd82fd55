"""`chunker count`: the tokens of files."""

# Imports are where they are used: help and errors about options need neither tokenizers nor grammars nor pydantic.
# A command has as many parameters as it has options.
# ruff: noqa: PLC0415, PLR0913

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from chunker.cli.console import ending_quietly, open_output
from chunker.cli.options import (
    SETTINGS_AND_EXIT_CODES,
    Encoding,
    Exclude,
    Format,
    Hidden,
    Include,
    Output,
    Paths,
    StdinFilename,
    TokenizerName,
    intake_of,
    load_tokenizer,
    wanted_format,
    wanted_of,
)
from chunker.cli.paths import check_paths
from chunker.cli.records import Grouping

if TYPE_CHECKING:
    from chunker.files.documents import Document


EPILOG = f"""\b
Examples:
  chunker count .
  chunker count src docs --by language --tokenizer gpt-4
  chunker count . --by total
  chunker count . --format jsonl --output tokens.jsonl
  cat prompt.txt | chunker count -

{SETTINGS_AND_EXIT_CODES}"""


def count(
    ctx: typer.Context,
    paths: Paths,
    *,
    by: Annotated[Grouping, typer.Option("--by", help="Group the table by this.")] = Grouping.FILE,
    tokenizer: TokenizerName = "o200k_base",
    output_format: Format = None,
    output: Output = None,
    hidden: Hidden = False,
    include: Include = None,
    exclude: Exclude = None,
    encoding: Encoding = "utf-8",
    stdin_filename: StdinFilename = None,
) -> None:
    """Count the tokens of files, exactly as the model does.

    Folders are searched recursively, without files that .gitignore or .chunkerignore names, hidden files and binary
    files. All others are counted as they are, including lock files and other generated files, which `chunk` and `index`
    leave out. The language of a file is detected from its name, or from the interpreter in its first line.
    """
    with ending_quietly():
        from chunker.cli.outputs import FileFormat, record_writer
        from chunker.cli.records import TALLY_FIELDS, FileTally, Tally, tally_lines, tally_table
        from chunker.cli.runs import Run
        from chunker.files.documents import count_line_ends
        from chunker.formats.detect import detect

        check_paths(paths, output, stdin_filename)
        wanted = wanted_format(output_format, output)
        intake = intake_of(encoding, secrets=True, standard_input=stdin_filename)
        counter = load_tokenizer(tokenizer)

        def tally(document: Document) -> FileTally:
            text = document.text
            unfinished = text != "" and not text.endswith(("\n", "\r"))
            numbers = Tally(1, count_line_ends(text) + unfinished, document.size, counter.count(text))
            return FileTally(document.path, detect(document.path, text).language, numbers)

        with open_output(output) as results:
            run = Run(paths, intake, wanted_of(ctx, include, exclude), hidden=hidden, output=output, task="Counting")
            if wanted is FileFormat.TABLE:
                results.write(tally_table(list(run.over(tally)), by))
            else:
                with record_writer(wanted, results, TALLY_FIELDS[by]) as writer:
                    if by is Grouping.FILE:
                        for file in run.over(tally, streaming=True):
                            writer.write(file.line())
                    else:
                        writer.write(tally_lines(list(run.over(tally)), by))
        run.finish()
