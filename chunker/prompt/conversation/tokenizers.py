"""The tokenizer of a conversation, from a name, a file or an object of another package."""

from __future__ import annotations

import os
from typing import Any

from bpe_engine import Tokenizer
from bpe_engine.formats.tokenizer_json import parse_tokenizer_json
from bpe_engine.pipeline.normalizers import Prepend, Strip
from chunker.counting.tokenizer_files import engine_tokenizer
from chunker.errors import WrongTypeError
from chunker.prompt.errors import PromptConfigurationError


def tokenizer_of(tokenizer: object) -> Tokenizer:
    """A tokenizer of ours. Raises WrongTypeError for what has no ids, PromptConfigurationError for special tokens that do not part a text, and what the
    reading of a file raises.

    - a `bpe_engine.Tokenizer`: itself;
    - a str: the name of an encoding or model, or a tokenizer file (`counting.tokenizer_files.tokenizer_path` tells which);
    - a path: a tokenizer file;
    - a tokenizer of the packages `tokenizers` and `transformers`: read from what it writes, without truncation and padding.
    """
    found = _found(tokenizer)
    _check_parting(found)
    return found


def _found(tokenizer: object) -> Tokenizer:
    if isinstance(tokenizer, Tokenizer):
        return tokenizer
    if isinstance(tokenizer, str | os.PathLike):
        return engine_tokenizer(tokenizer)
    written: Any = getattr(getattr(tokenizer, "backend_tokenizer", tokenizer), "to_str", None)
    if callable(written):
        name = getattr(tokenizer, "name_or_path", None) or type(tokenizer).__name__
        return Tokenizer.from_specification(parse_tokenizer_json(str(written()).encode(), str(name)))
    raise WrongTypeError(
        "tokenizer must be a bpe_engine.Tokenizer, the name of an encoding or model, a file, or a fast tokenizer of tokenizers or transformers; "
        f"got {tokenizer!r:.100}"
    )


def _check_parting(tokenizer: Tokenizer) -> None:
    """Raise PromptConfigurationError where the text after a special token is no text by itself.

    `tokenizers` looks for special tokens that are `normalized` in the normalized text. What a normalizer does at the ends of a text it does not do there, at the
    token, and it has changed the token itself, too: "▁</s>" is found then, and "</s>" in the middle of a text is not.
    """
    specification = tokenizer.specification
    if specification is None or not any(token.special and token.normalized for token in specification.added_tokens):
        return
    acting = [type(step).__name__ for step in specification.normalizers if isinstance(step, Prepend | Strip)]
    if acting:
        raise PromptConfigurationError(
            f"special tokens of {tokenizer!r:.100} are looked for in the text that its normalizer {acting[0]} has changed, so most of them are never found; "
            'set "normalized": false for them in tokenizer.json'
        )
