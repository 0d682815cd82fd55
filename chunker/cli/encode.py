"""`chunker encode` and `chunker decode`: a text as token ids, and ids as a text."""

# Imports are where they are used: help and errors about options need no tokenizer.
# ruff: noqa: PLC0415

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Annotated

import typer

from chunker.cli.console import ending_quietly, fail, open_output
from chunker.cli.options import TokenizerName
from chunker.cli.paths import read_input
from chunker.files.discovery import STANDARD_INPUT, printable

if TYPE_CHECKING:
    from bpe_engine import Tokenizer

_LONGEST_ID = 10  # digits
_EXIT_CODES = """\b
Exit codes:
  0    done
  1    the input cannot be read, or is not valid
  2    wrong usage
"""
EPILOG = f"""\b
Examples:
  chunker encode prompt.txt
  echo -n "Hello, world" | chunker encode -
  chunker encode prompt.txt --pieces
  chunker encode prompt.txt | chunker decode -

{_EXIT_CODES}"""
DECODE_EPILOG = f"""\b
Examples:
  echo 13225 11 2375 | chunker decode -
  chunker decode ids.json -t gpt-4

{_EXIT_CODES}"""

Input = Annotated[str, typer.Argument(metavar="PATH", show_default=False, help="A file, or - for standard input.")]


def encode(
    path: Input,
    *,
    tokenizer: TokenizerName = "o200k_base",
    pieces: Annotated[bool, typer.Option("--pieces", help="One token per line: its id, and its text as JSON.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The ids as a JSON array.")] = False,
    special: Annotated[bool, typer.Option("--special", help="Find special tokens in the text.")] = False,
) -> None:
    """Write the token ids of a text, with spaces between them."""
    if pieces and as_json:
        raise typer.BadParameter("choose one of --pieces and --json")
    with ending_quietly():
        encoder = _tokenizer(tokenizer)
        text = _read(path)
        ids = encoder.encode(text, allowed_special="all" if special else set())
        with open_output(None) as results:
            if pieces:
                for token in ids:
                    data = encoder.decode_single_token_bytes(token)
                    shown = json.dumps(data.decode("utf-8", "backslashreplace"), ensure_ascii=False)
                    results.write(f"{token}\t{shown}\n".encode())
            else:
                written = json.dumps(ids, separators=(",", ":")) if as_json else " ".join(map(str, ids))
                results.write(f"{written}\n".encode())


def decode(path: Input, *, tokenizer: TokenizerName = "o200k_base") -> None:
    """Write the text of token ids: whole numbers with anything but digits between them, such as a JSON array."""
    with ending_quietly():
        from bpe_engine import BpeEngineError

        decoder = _tokenizer(tokenizer)
        text = _read(path)
        strange = re.search(r"[^\d\s,;\[\]]", text)
        if strange is not None:
            fail(f"{strange[0]!r} at character {strange.start()} is not part of a list of ids")
        long = re.search(rf"\d{{{_LONGEST_ID + 1},}}", text)
        if long is not None:
            fail(f"the number at character {long.start()} has {len(long[0]):,} digits, more than any id has")
        try:
            data = decoder.decode_bytes([int(number) for number in re.findall(r"\d+", text)])
        except (BpeEngineError, OverflowError) as error:
            fail(str(error))
        with open_output(None) as results:
            results.write(data)


def _tokenizer(name: str) -> Tokenizer:
    from bpe_engine import Tokenizer
    from chunker.cli.options import load_tokenizer

    loaded = load_tokenizer(name)
    if not isinstance(loaded, Tokenizer):
        raise typer.BadParameter(f"{name} only counts tokens, and has no ids", param_hint="--tokenizer")
    return loaded


def _read(path: str) -> str:
    if path and path != STANDARD_INPUT and not os.path.lexists(path):
        told = f"{printable(path)} does not exist; to pass the text itself, pipe it in, and write - for PATH"
        raise typer.BadParameter(told, param_hint="PATH")
    try:
        return read_input(path).decode()
    except UnicodeDecodeError as error:
        fail(f"{path}: byte {error.start}: not UTF-8: {error.reason}")
