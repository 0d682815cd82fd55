"""The tokenizer of a conversation, from a name, a file or an object of another package."""

from __future__ import annotations

import os
from typing import Any

from bpe_engine import Tokenizer
from bpe_engine.formats.tokenizer_json import parse_tokenizer_json
from chunker.counting.tokenizer_files import engine_tokenizer
from chunker.errors import WrongTypeError


def tokenizer_of(tokenizer: object) -> Tokenizer:
    """Return a `bpe_engine.Tokenizer`. Raises WrongTypeError for an object without ids, and the errors of reading a file.

    - a `bpe_engine.Tokenizer`: itself;
    - a str: the name of an encoding or model, or a tokenizer file (`counting.tokenizer_files.tokenizer_path` tells which);
    - a path: a tokenizer file;
    - a tokenizer of the packages `tokenizers` and `transformers`: read from what it writes, without truncation and padding.
    """
    if isinstance(tokenizer, Tokenizer):
        return tokenizer
    if isinstance(tokenizer, str | os.PathLike):
        return engine_tokenizer(tokenizer)
    written: Any = getattr(getattr(tokenizer, "backend_tokenizer", tokenizer), "to_str", None)
    if callable(written):
        name = getattr(tokenizer, "name_or_path", None) or type(tokenizer).__name__
        read = parse_tokenizer_json(str(written()).encode(), str(name), from_memory=True)
        return Tokenizer.from_specification(read)
    raise WrongTypeError(
        "tokenizer must be a bpe_engine.Tokenizer, the name of an encoding or model, a file, or a fast tokenizer of tokenizers or transformers; "
        f"got {tokenizer!r:.100}"
    )
