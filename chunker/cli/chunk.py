"""`chunker chunk`: files, cut into chunks that fit a token budget."""

# Imports are where they are used: help and errors about options need neither tokenizers nor grammars nor pydantic.
# A command has as many parameters as it has options.
# ruff: noqa: PLC0415, PLR0913

from __future__ import annotations

import enum
from itertools import chain
from typing import Annotated

import typer

from chunker.cli.console import ending_quietly, open_output
from chunker.cli.options import (
    SETTINGS_AND_EXIT_CODES,
    Context,
    DesiredTokens,
    Encoding,
    Exclude,
    Format,
    Generated,
    Hidden,
    Include,
    Language,
    MaxTokens,
    MinTokens,
    Output,
    Overlap,
    Paths,
    Secrets,
    StdinFilename,
    Strategy,
    StrategyName,
    TokenizerName,
    Verbatim,
    WebText,
    intake_of,
    load_tokenizer,
    wanted_format,
    wanted_of,
)
from chunker.cli.paths import check_paths


class OverlapPieces(enum.StrEnum):
    """The units of an overlap."""

    UNIT = "unit"
    SENTENCE = "sentence"
    TOKEN = "token"  # noqa: S105  # no password


EPILOG = f"""\b
Examples:
  chunker chunk .
  chunker chunk src docs --max-tokens 256 --context
  chunker chunk src --overlap 32 --output chunks.jsonl
  chunker chunk shop.py --explain
  chunker chunk . --workers 8 --output chunks.jsonl
  chunker chunk README.md --tokenizer gpt-4 --format jsonl | head -1
  git show HEAD:shop.py | chunker chunk - --stdin-filename shop.py --format jsonl
  pbpaste | chunker chunk - --language markdown

{SETTINGS_AND_EXIT_CODES}"""


def chunk(
    ctx: typer.Context,
    paths: Paths,
    *,
    tokenizer: TokenizerName = "o200k_base",
    max_tokens: MaxTokens = 512,
    min_tokens: MinTokens = None,
    desired_tokens: DesiredTokens = None,
    overlap: Overlap = 0,
    overlap_by: Annotated[
        OverlapPieces, typer.Option("--overlap-by", help="Overlap in whole units, sentences, or as much as fits.")
    ] = OverlapPieces.UNIT,
    strategy: Strategy = StrategyName.GROW,
    context: Context = False,
    language: Language = None,
    stdin_filename: StdinFilename = None,
    explain: Annotated[
        bool,
        typer.Option("--explain", help='Explain why each chunk ends where it does: a field "cut", or a row each.'),
    ] = False,
    reserve: Annotated[
        int | None,
        typer.Option(
            "--reserve",
            min=0,
            show_default=False,
            help="Tokens that the model adds around each chunk. Default: as many as the tokenizer says.",
        ),
    ] = None,
    workers: Annotated[int, typer.Option("--workers", "-j", min=1, help="Chunk this many files at a time.")] = 1,
    output_format: Format = None,
    output: Output = None,
    hidden: Hidden = False,
    secrets: Secrets = False,
    include: Include = None,
    exclude: Exclude = None,
    generated: Generated = False,
    verbatim: Verbatim = False,
    web_text: WebText = False,
    encoding: Encoding = "utf-8",
) -> None:
    """Cut files into chunks that fit a token budget exactly.

    Code is cut between definitions and statements, Markdown between sections and blocks, other text between paragraphs,
    lines and sentences. Folders are searched recursively, without files that .gitignore or .chunkerignore names,
    hidden, binary and generated files, and files that hold secrets. Notebooks are read as their cells, drawings as
    their words, and embedded data is shortened. The table shows for each file how its chunks use the budget. jsonl has
    one chunk per line, json an array of chunks; csv, parquet and arrow have one chunk per row.
    """
    with ending_quietly():
        from chunker.cli.explaining import ExplainedLines, ExplainedRows, explained_table
        from chunker.cli.outputs import CHUNKS, FileFormat, record_writer
        from chunker.cli.records import CHUNK_COLUMNS, ChunkSummary, render_table
        from chunker.cli.runs import ChunkLines, ChunkRow, CutAloud, Run
        from chunker.errors import ChunkerError

        check_paths(paths, output, stdin_filename)
        wanted = wanted_format(output_format, output)
        taken = {"secrets": secrets, "generated": generated, "verbatim": verbatim, "web_text": web_text}
        intake = intake_of(encoding, **taken, standard_input=stdin_filename)
        counter = load_tokenizer(tokenizer)
        try:
            cut = CutAloud(
                max_tokens,
                language=language,
                tokenizer=counter,
                min_tokens=min_tokens,
                desired_tokens=desired_tokens,
                overlap=overlap,
                overlap_by=overlap_by.value,
                context=context,
                strategy=strategy.value,
                reserve=reserve,
            )
        except ChunkerError as error:
            raise typer.BadParameter(str(error)) from None

        plain = cut.chunker("", "")
        room = plain.max_tokens - plain.reserve
        lines = ExplainedLines(cut) if explain else ChunkLines(cut)
        with open_output(output) as results:
            run = Run(paths, intake, wanted_of(ctx, include, exclude), hidden=hidden, output=output, task="Chunking")
            if wanted is not FileFormat.TABLE:
                with record_writer(wanted, results, {**CHUNKS, "cut": False} if explain else CHUNKS) as writer:
                    for records in run.over(lines, streaming=True, workers=workers):
                        writer.write(records)
            elif explain:
                results.write(explained_table([*chain.from_iterable(run.over(ExplainedRows(cut), workers=workers))]))
            else:
                total = ChunkSummary("total", room)
                rows = []
                for summary in run.over(ChunkRow(cut, room), workers=workers):
                    rows.append(summary.cells())
                    total.add(summary)
                results.write(render_table(CHUNK_COLUMNS, rows, total.cells()))
        run.finish()
