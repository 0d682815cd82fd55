"""Options that several commands have, and what is checked before any of them begins."""

# ruff: noqa: PLC0415  # what loads tokenizers is imported where one is asked for

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chunker.cli.console import STANDARD_OUTPUT
from chunker.cli.outputs import ENDINGS, FileFormat, format_of, require_packages
from chunker.files.discovery import STANDARD_INPUT, printable

if TYPE_CHECKING:
    from chunker.counting import TokenCounter

EXIT_CODES = """\b
Exit codes:
  0    every file was done
  1    some files failed (listed on standard error), or the output could not be written
  2    wrong usage; nothing was done
  130  interrupted by Ctrl-C
  141  the reader of the output went away
"""


Paths = Annotated[
    list[str],
    typer.Argument(metavar="PATH", show_default=False, help="Files, folders, or - for standard input."),
]
TokenizerName = Annotated[
    str,
    typer.Option("--tokenizer", "-t", metavar="NAME", help="An encoding, a model (gpt-4o), or the file of one."),
]
Format = Annotated[
    FileFormat | None,
    typer.Option("--format", "-f", show_default=False, help="Default: what the ending of FILE says, else table."),
]
Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        show_default=False,
        help="Write to FILE (.jsonl, .json, .csv, .parquet; .txt for a table), which appears once it is complete.",
    ),
]
MaxTokens = Annotated[int, typer.Option("--max-tokens", "-m", min=1, help="No chunk has more tokens.")]
MinTokens = Annotated[
    int | None,
    typer.Option(
        "--min-tokens",
        min=0,
        show_default=False,
        help="No chunk has fewer tokens where another cut avoids it. Default: an eighth of --max-tokens.",
    ),
]
Overlap = Annotated[
    int, typer.Option("--overlap", min=0, help="Begin each chunk with at most so many tokens of the one before.")
]
Context = Annotated[
    bool, typer.Option("--context/--no-context", help="Begin each chunk with a line that says where it stands.")
]
Hidden = Annotated[bool, typer.Option("--hidden", help="Also take hidden files and folders, such as .github.")]
Secrets = Annotated[bool, typer.Option("--secrets", help="Take files that hold secrets, too, such as .env.")]


def check_paths(paths: list[str], output: str | None) -> None:
    """Wrong usage is told before anything is done: a path that is not there, an output that cannot be."""
    for path in paths:
        try:
            if path != STANDARD_INPUT:
                Path(path).lstat()
        except (FileNotFoundError, NotADirectoryError):
            raise typer.BadParameter(f"{printable(path)} does not exist", param_hint="PATH") from None
        except OSError:
            continue  # it may well be there: what is wrong with it is noted when it comes to reading
    if output is None or output == STANDARD_OUTPUT:
        return
    if Path(output).is_dir():
        raise typer.BadParameter(f"{printable(output)} is a folder", param_hint="--output")
    if not Path(output).absolute().parent.is_dir():
        raise typer.BadParameter(f"the folder of {printable(output)} does not exist", param_hint="--output")


def load_tokenizer(name: str) -> TokenCounter:
    """The tokenizer that is published under this name, else the one in the file of this name."""
    from bpe_engine import BpeEngineError
    from chunker.counting.tokenizer_files import tokenizer_named
    from chunker.errors import OptionError

    try:
        return tokenizer_named(name)
    except (BpeEngineError, OptionError, OSError) as error:
        raise typer.BadParameter(str(error), param_hint="--tokenizer") from None


def wanted_format(output_format: FileFormat | None, output: str | None) -> FileFormat:
    """How results are to be written, by the option or by the name of the file. What cannot be is told before anything is done."""
    from chunker.cli.outputs import MissingPackageError

    wanted = output_format
    if wanted is None:
        wanted = FileFormat.TABLE if output is None or output == STANDARD_OUTPUT else format_of(output)
    if wanted is None:
        known = ", ".join(ending for ending in ENDINGS if ending)
        message = (
            f"{printable(output or '')}: no format has this ending; there are {known}, and --format for any other name"
        )
        raise typer.BadParameter(message, param_hint="--output")
    try:
        require_packages(wanted)
    except MissingPackageError as error:
        raise typer.BadParameter(str(error), param_hint="--output" if output_format is None else "--format") from None
    return wanted
