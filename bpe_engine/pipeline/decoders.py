"""Decoders: tokens -> text. Each decoder is applied to the list of texts from the one before; the last list is joined."""

from __future__ import annotations

from typing import Literal

from bpe_engine.pipeline.expressions import Expression
from bpe_engine.pipeline.records import Record


class ByteLevelDecoder(Record):
    """Decodes the bytes of all tokens together as UTF-8; invalid bytes become U+FFFD."""


class ByteFallbackDecoder(Record):
    """Decodes runs of byte tokens such as `<0xE4>`; in a run that is not UTF-8 each byte becomes one U+FFFD."""


class SentencePieceDecoder(Record):
    """Decodes as `sentencepiece` does: "\u2581" becomes a space, and is removed at the start of the text; with `has_bytes`, runs of byte tokens are decoded, in
    which each byte that is not UTF-8 becomes one U+FFFD.

    `strips`: from which tokens "\u2581" is removed: the first; all up to one of which something is left; none.
    """

    has_bytes: bool
    strips: Literal["none", "first", "all"]


class MetaspaceDecoder(Record):
    """Replaces `replacement` by a space; in the first token removes it, unless `prepend_scheme` is "never"."""

    replacement: str = "\u2581"
    prepend_scheme: Literal["always", "first", "never"] = "always"


class FuseDecoder(Record):
    """Joins all tokens to one text."""


class ReplaceDecoder(Record):
    """Replaces each match of `pattern` in each token by `content`."""

    pattern: str | Expression
    content: str


class StripDecoder(Record):
    """Removes the character `content` up to `start` times at the start of each token, and up to `stop` times at its end."""

    content: str
    start: int
    stop: int


class WordPieceDecoder(Record):
    """Removes `prefix` from each token but the first, or puts a space before a token without it.

    With `cleanup`, some spaces before English punctuation are removed.
    """

    prefix: str = "##"
    cleanup: bool = True


class WordEndDecoder(Record):
    """Replaces `suffix` by a space, and removes it from the last token: Hugging Face's BPEDecoder."""

    suffix: str = "</w>"


Decoder = (
    ByteLevelDecoder
    | ByteFallbackDecoder
    | SentencePieceDecoder
    | MetaspaceDecoder
    | FuseDecoder
    | ReplaceDecoder
    | StripDecoder
    | WordPieceDecoder
    | WordEndDecoder
)
