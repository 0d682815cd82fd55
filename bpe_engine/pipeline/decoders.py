"""Decoders: tokens -> text. Each decoder is applied to the list of texts from the one before; the last list is joined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bpe_engine.pipeline.expressions import Expression


@dataclass(frozen=True)
class ByteLevelDecoder:
    """Decodes the bytes of all tokens together as UTF-8; invalid bytes become U+FFFD."""


@dataclass(frozen=True)
class ByteFallbackDecoder:
    """Decodes runs of byte tokens such as `<0xE4>`; in a run that is not UTF-8 each byte becomes one U+FFFD."""


@dataclass(frozen=True)
class MetaspaceDecoder:
    """Replaces `replacement` by a space; in the first token removes it, unless `prepend_scheme` is "never"."""

    replacement: str = "\u2581"
    prepend_scheme: Literal["always", "first", "never"] = "always"


@dataclass(frozen=True)
class FuseDecoder:
    """Joins all tokens to one text."""


@dataclass(frozen=True)
class ReplaceDecoder:
    """Replaces each match of `pattern` in each token by `content`."""

    pattern: str | Expression
    content: str


@dataclass(frozen=True)
class StripDecoder:
    """Removes the character `content` up to `start` times at the start of each token, and up to `stop` times at its end."""

    content: str
    start: int
    stop: int


@dataclass(frozen=True)
class WordPieceDecoder:
    """Removes `prefix` from each token but the first, or puts a space before a token without it.

    With `cleanup`, some spaces before English punctuation are removed.
    """

    prefix: str = "##"
    cleanup: bool = True


@dataclass(frozen=True)
class WordEndDecoder:
    """Replaces `suffix` by a space, and removes it from the last token: Hugging Face's BPEDecoder."""

    suffix: str = "</w>"


Decoder = (
    ByteLevelDecoder
    | ByteFallbackDecoder
    | MetaspaceDecoder
    | FuseDecoder
    | ReplaceDecoder
    | StripDecoder
    | WordPieceDecoder
    | WordEndDecoder
)
