"""Decoders: tokens -> text. Each is applied to the list of texts that the one before has left; in the end they are joined."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bpe_engine.pipeline.expressions import Expression


@dataclass(frozen=True)
class ByteLevelDecoder:
    """The bytes of all tokens as UTF-8; bytes that are none show as U+FFFD."""


@dataclass(frozen=True)
class ByteFallbackDecoder:
    """Tokens such as `<0xE4>` become their bytes; a run of them that is no UTF-8 becomes one U+FFFD a byte."""


@dataclass(frozen=True)
class MetaspaceDecoder:
    """`replacement` becomes a space, but in the first token, where it is left out unless `prepend_scheme` is "never"."""

    replacement: str = "\u2581"
    prepend_scheme: Literal["always", "first", "never"] = "always"


@dataclass(frozen=True)
class FuseDecoder:
    """All tokens become one text."""


@dataclass(frozen=True)
class ReplaceDecoder:
    """`content` in place of each match of `pattern`, in each token."""

    pattern: str | Expression
    content: str


@dataclass(frozen=True)
class StripDecoder:
    """Without up to `start` times `content` at the start of each token, and up to `stop` times at its end."""

    content: str
    start: int
    stop: int


@dataclass(frozen=True)
class WordPieceDecoder:
    """Each token but the first goes without `prefix`, or with a space before it. With `cleanup` some spaces before English punctuation are left out."""

    prefix: str = "##"
    cleanup: bool = True


@dataclass(frozen=True)
class WordEndDecoder:
    """`suffix` becomes a space, and nothing in the last token: BPEDecoder of Hugging Face."""

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
