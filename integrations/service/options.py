"""Options that the commands share. Wrong usage raises `typer.BadParameter` before anything is served."""

from __future__ import annotations

from pathlib import Path

import typer

from bpe_engine import BpeEngineError
from chunker.cli.options import hint_of
from chunker.counting import resolve_tokenizer
from chunker.errors import OptionError
from chunker.files.patterns import Wanted
from chunker.index import Index, IndexingError, MissingExtraError
from chunker.integrations.service.errors import RefusedError
from chunker.integrations.service.operations import embedded_tokenizers
from chunker.integrations.service.roots import Roots


def offered_roots(paths: list[str], parameter: str, wanted: Wanted | None = None) -> Roots:
    """Return the folders and files whose texts are offered. `parameter`: their name in messages. `wanted`: the
    selection of files in folders.
    """
    try:
        return Roots(paths, wanted=wanted)
    except RefusedError as error:
        raise typer.BadParameter(str(error), param_hint=parameter) from None


def offered_tokenizers(asked: list[str]) -> list[str]:
    """Return the tokenizers of `--tokenizer`, then those that need no file; a client cannot use others. Those of
    `--tokenizer` are loaded once, as a check.
    """
    names = embedded_tokenizers()
    for name in asked:
        try:
            if name not in names:
                resolve_tokenizer(name)
        except (BpeEngineError, OptionError, OSError) as error:
            raise typer.BadParameter(str(error), param_hint=hint_of("--tokenizer", name)) from None
    return list(dict.fromkeys([*asked, *names]))


def index_folder(folder: str | None) -> Path | None:
    """Return the folder that `--index` names. Raises `typer.BadParameter` if it has no index."""
    if folder is None:
        return None
    try:
        return Index.open(folder, create=False).path
    except (IndexingError, MissingExtraError) as error:
        raise typer.BadParameter(str(error), param_hint="--index") from None
