"""Normalizers: text -> text, before it is cut into pre-tokens."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from bpe_engine.pipeline.expressions import Expression


@dataclass(frozen=True)
class UnicodeForm:
    """One of the normalization forms of Unicode."""

    form: Literal["NFC", "NFD", "NFKC", "NFKD"]


@dataclass(frozen=True)
class Lowercase:
    """Each character by itself in lower case: no final sigma."""


@dataclass(frozen=True)
class StripAccents:
    """Without combining marks."""


@dataclass(frozen=True)
class Strip:
    """Without the white space at the start (`left`) and at the end (`right`) of each stretch between added tokens."""

    left: bool = True
    right: bool = True


@dataclass(frozen=True)
class Prepend:
    """`text` before each stretch between added tokens that is not empty."""

    text: str


@dataclass(frozen=True)
class Replace:
    """`content` in place of each match of `pattern`, from left to right."""

    pattern: str | Expression
    content: str


@dataclass(frozen=True)
class ReplaceCharacters:
    """`content` in place of each character of a kind; none: they are left out. Kinds: `bpe_engine/pipeline/characters.py`."""

    kind: Literal["control", "space", "nonspacing", "nmt_control", "nmt_space"]
    content: str = ""


@dataclass(frozen=True)
class Surround:
    """`text` before and after each character of a kind."""

    kind: Literal["ideograph"]
    text: str = " "


@dataclass(frozen=True)
class Charsmap:
    """Precompiled of Hugging Face: what stands in a table of SentencePiece in place of a grapheme cluster, or of a character."""

    data: bytes = field(repr=False)


@dataclass(frozen=True)
class SentencePieceText:
    """The normalizer of `sentencepiece`: replaces the longest text of a table (`charsmap`; empty: none), except in
    user-defined tokens.

    Then spaces at both ends and after spaces are left out, one is put before the text, and each is written as U+2581, where the flags say so.
    """

    charsmap: bytes = field(repr=False)
    user_defined: frozenset[str] = frozenset()
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    escape_whitespaces: bool = True


Normalizer = (
    UnicodeForm
    | Lowercase
    | StripAccents
    | Strip
    | Prepend
    | Replace
    | ReplaceCharacters
    | Surround
    | Charsmap
    | SentencePieceText
)


def bert_normalizer(
    *, clean_text: bool, handle_chinese_chars: bool, strip_accents: bool, lowercase: bool
) -> tuple[Normalizer, ...]:
    """The BertNormalizer of Hugging Face, as the steps that it takes."""
    steps: list[Normalizer] = []
    if clean_text:
        steps += [ReplaceCharacters("control"), ReplaceCharacters("space", " ")]
    if handle_chinese_chars:
        steps.append(Surround("ideograph"))
    if strip_accents:
        steps += [UnicodeForm("NFD"), ReplaceCharacters("nonspacing")]
    if lowercase:
        steps.append(Lowercase())
    return tuple(steps)
