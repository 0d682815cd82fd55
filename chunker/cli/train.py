"""`chunker train`: learn a tokenizer from files."""

# Imports are where they are used: help and errors about options need neither tokenizers nor grammars nor pydantic.
# A command has as many parameters as it has options.
# ruff: noqa: PLC0415, PLR0913

from __future__ import annotations

import enum
from typing import Annotated

import typer

from chunker.cli.console import ending_quietly
from chunker.cli.options import EXIT_CODES, Hidden, Paths, Secrets
from chunker.cli.paths import check_paths


class TieName(enum.StrEnum):
    """How to choose among equally frequent pairs."""

    LOWEST = "lowest"
    FIRST = "first"


class LayoutName(enum.StrEnum):
    """The orders of ids."""

    GPT2 = "gpt2"
    MINBPE = "minbpe"
    TOKENIZERS = "tokenizers"


EPILOG = f"""\b
Examples:
  chunker train src -o code.json --vocab-size 8000
  chunker train corpus.txt -o corpus.tiktoken --vocab-size 32000 --pattern cl100k
  chunker train . -o small.model --vocab-size 1000 --special "<|end|>" --ties first

{EXIT_CODES}"""


def train(
    paths: Paths,
    *,
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            show_default=False,
            help="The file to write: .json, .tiktoken or .model (minbpe).",
        ),
    ],
    vocab_size: Annotated[
        int,
        typer.Option(
            "--vocab-size",
            "-n",
            min=256,
            show_default=False,
            help="Number of tokens, including bytes and special tokens.",
        ),
    ],
    pattern: Annotated[
        str,
        typer.Option(
            "--pattern",
            "-p",
            metavar="NAME",
            help="Named pattern of pre-tokens: o200k, cl100k, gpt2 ...; none: tokens may cross words.",
        ),
    ] = "o200k",
    expression: Annotated[
        str | None,
        typer.Option(
            "--expression", metavar="REGEX", show_default=False, help="A pattern of your own, instead of a named one."
        ),
    ] = None,
    special: Annotated[
        list[str] | None,
        typer.Option(
            "--special", metavar="TEXT", show_default=False, help="A special token. May be given several times."
        ),
    ] = None,
    min_frequency: Annotated[
        int, typer.Option("--min-frequency", min=1, help="Pairs that occur less often are not merged.")
    ] = 1,
    ties: Annotated[
        TieName,
        typer.Option("--ties", help="Among equally frequent pairs: the lowest ids, or the first in the texts."),
    ] = TieName.LOWEST,
    layout: Annotated[
        LayoutName | None,
        typer.Option(
            "--layout",
            show_default=False,
            help="Order of the ids: special tokens first (tokenizers) or last (gpt2; minbpe, bytes in order). Default: minbpe for .model, else gpt2.",
        ),
    ] = None,
    threads: Annotated[int, typer.Option("--threads", min=1, help="Largest number of threads.")] = 8,
    hidden: Hidden = False,
    secrets: Secrets = False,
) -> None:
    """Learn a tokenizer from files: byte pair encoding, in bounded memory. Files that hold secrets are left out and reported."""
    with ending_quietly():
        check_paths(paths, output)
        from bpe_engine import Pattern
        from chunker.cli.run_training import TrainingOrder, run_training

        named = None if pattern == "none" else pattern
        order = TrainingOrder(
            output=output,
            vocab_size=vocab_size,
            pattern=named if expression is None else Pattern(expression),
            special_tokens=special or [],
            min_frequency=min_frequency,
            tie_breaking=ties.value,
            layout=layout.value if layout else None,
            threads=threads,
            hidden=hidden,
            secrets=secrets,
        )
        run_training(paths, order)
