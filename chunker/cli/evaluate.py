"""`chunker evaluate`: find the chunker and size whose chunks answer questions about your files best."""

# Imports are where they are used: help and errors about options need neither numpy nor tokenizers.
# ruff: noqa: PLC0415

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from chunker.cli.console import EXIT_FAILED, ending_quietly, fail
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
from chunker.cli.paths import check_file, check_paths

if TYPE_CHECKING:
    from bpe_engine import Tokenizer
    from chunker.evaluation import Evaluation, Question
    from chunker.files.documents import Document
    from chunker.index.embedders import Embedder

EPILOG = """\b
Examples:
  chunker evaluate docs --sizes 128,256,512
  chunker evaluate docs --questions questions.jsonl --embedder minilm --page evaluation.html --open
  chunker evaluate src --chunkers auto,auto+context,langchain,semchunk --format json

A file of questions has one per line: {"question": ..., "source": "soup.md", "answer": "Let the onions simmer for an hour."}
Without one, questions are planted: first sentences of sections and paragraphs, and first lines of docstrings, are removed from the text and asked.

\b
Exit codes:
  0    every setting was measured
  1    some settings or files failed (listed on standard error)
  2    wrong usage; nothing was done
  130  interrupted by Ctrl-C
"""

# The options, of those that messages about files name, that this command has.
_OFFERED = frozenset({"--encoding"})


class Shown(StrEnum):
    """The forms of the result."""

    TABLE = "table"
    JSON = "json"


def evaluate(  # noqa: PLR0913  # as many as there are options
    ctx: typer.Context,
    paths: Paths,
    *,
    questions: Annotated[
        Path | None,
        typer.Option(
            "--questions", "-q", metavar="FILE", show_default=False, help="Questions with answers. Default: planted."
        ),
    ] = None,
    chunkers: Annotated[
        str,
        typer.Option(
            "--chunkers", metavar="NAMES", help="Separated by commas; +context, +optimal, +overlap ... are options."
        ),
    ] = "auto,auto+context,auto+optimal,text",
    sizes: Annotated[
        str, typer.Option("--sizes", metavar="TOKENS", help="Token limits of a chunk, separated by commas.")
    ] = "128,256,512",
    embedder: Annotated[str, typer.Option("--embedder", metavar="NAME", help="As for `chunker index`.")] = "hashing",
    tokenizer: TokenizerName = "o200k_base",
    budget: Annotated[int, typer.Option("--budget", min=1, help="Tokens that are retrieved for a question.")] = 2_000,
    first: Annotated[
        int, typer.Option("--first", min=1, help="Number of first chunks to measure, whatever their size.")
    ] = 5,
    most: Annotated[int, typer.Option("--most", min=1, help="Largest number of planted questions.")] = 250,
    shown: Annotated[Shown, typer.Option("--format", "-f", help="Format of the result.")] = Shown.TABLE,
    page: Annotated[
        Path | None, typer.Option("--page", metavar="FILE", show_default=False, help="Also write a page with plots.")
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page.")] = False,
    hidden: Hidden = False,
    include: Include = None,
    exclude: Exclude = None,
    encoding: Encoding = "utf-8",
) -> None:
    """Compare chunkers and sizes on files: which find the answers, and at what cost.

    Chunks of each setting are embedded and searched for each question. The result shows recall, precision, overlap and
    ranks, differences to the first setting with their intervals, and the tokens to embed.
    """
    lengths = _numbers(sizes)
    if open_page and page is None:
        raise typer.BadParameter("--open needs a page: pass --page FILE", param_hint="--open")
    with ending_quietly():
        from bpe_engine import Tokenizer
        from chunker.cli.runs import Run
        from chunker.errors import ChunkerError
        from chunker.evaluation import evaluate as compared
        from chunker.evaluation import plant_questions

        check_paths(paths, None)
        if questions is not None:
            check_file(questions, "--questions")
        counter = load_tokenizer(tokenizer)
        if not isinstance(counter, Tokenizer):
            raise typer.BadParameter(f"{tokenizer} is not a tokenizer with ids", param_hint="--tokenizer")
        names = [name.strip() for name in chunkers.split(",") if name.strip()]
        _check_chunkers(names, lengths, counter)
        made = _embedder(embedder)

        def named(document: Document) -> tuple[str, str]:
            return document.path, document.text

        intake = intake_of(encoding, secrets=False, generated=False, verbatim=False)
        run = Run(paths, intake, wanted_of(ctx, include, exclude), hidden=hidden, output=None, task="Reading")
        documents = dict(run.over(named))
        try:
            if questions is None:
                documents, asked = plant_questions(documents, most=most)
            else:
                asked = _questions(questions, documents)
            if not asked:
                run.finish(_OFFERED)
                raise typer.BadParameter("no question could be planted in these files: pass --questions FILE")
            found = compared(
                documents,
                asked,
                chunkers=names,
                sizes=lengths,
                embedder=made,
                tokenizer=counter,
                budget=budget,
                first=first,
            )
        except ChunkerError as error:
            typer.echo(f"Error: {error}", err=True)
            run.finish(_OFFERED)  # the files that failed may be the cause
            raise typer.Exit(EXIT_FAILED) from error
        _show(found, shown)
        if page is not None:
            _write_page(found, page, _title(paths), opened=open_page)
        for failure in found.failures:
            typer.echo(f"Not run: {failure}", err=True)
        run.finish(_OFFERED)
        if found.failures:
            raise typer.Exit(EXIT_FAILED)


def _check_chunkers(names: list[str], lengths: list[int], counter: Tokenizer) -> None:
    """Raise for chunkers that cannot be made, before any work."""
    from chunker.errors import OptionError
    from chunker.evaluation.candidates import candidate

    if not names:
        raise typer.BadParameter("no name", param_hint="--chunkers")
    try:
        for name in names:
            for length in lengths:
                candidate(name, length, counter)
    except OptionError as error:
        raise typer.BadParameter(str(error), param_hint="--chunkers") from None


def _embedder(name: str) -> Embedder:
    from chunker.errors import MissingExtraError, OptionError
    from chunker.index.embedders import embedder_named

    try:
        return embedder_named(name)
    except (OptionError, MissingExtraError) as error:
        raise typer.BadParameter(str(error), param_hint="--embedder") from None


def _questions(path: Path, documents: dict[str, str]) -> list[Question]:
    from chunker.evaluation import load_questions
    from chunker.files.discovery import printable, reason_of

    try:
        return load_questions(path, documents)
    except OSError as error:
        fail(f"{printable(str(path))}: {reason_of(error)}")


def _numbers(text: str) -> list[int]:
    try:
        numbers = [int(one) for one in text.split(",") if one.strip()]
    except ValueError as error:
        raise typer.BadParameter(
            f"sizes must be numbers separated by commas; got {text!r}", param_hint="--sizes"
        ) from error
    if not numbers or min(numbers) < 1:
        raise typer.BadParameter(f"sizes must be at least 1; got {text!r}", param_hint="--sizes")
    return numbers


def _show(found: Evaluation, shown: Shown) -> None:
    import json

    from chunker.evaluation.figures import figures, notes, records

    if shown is Shown.JSON:
        typer.echo(json.dumps(records(found), indent=2))
        return
    header, rows = figures(found)
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    for row in (header, *rows):
        cells = [
            cell.ljust(width) if number == 0 else cell.rjust(width)
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        typer.echo("  ".join(cells).rstrip())
    for note in notes(found):
        typer.echo(note, err=True)


def _write_page(found: Evaluation, path: Path, title: str, *, opened: bool) -> None:
    from chunker.evaluation.html_page import page

    path.write_text(page(found, title), encoding="utf-8")
    typer.echo(f"Wrote {path}", err=True)
    if opened:
        typer.launch(str(path))


def _title(paths: list[str]) -> str:
    return f"Evaluation of {', '.join(Path(path).resolve().name for path in paths)}"
