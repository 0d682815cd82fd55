"""Normalizers: text -> text, before the text is split into pre-tokens."""

from __future__ import annotations

from typing import Literal

from bpe_engine.pipeline.expressions import Expression
from bpe_engine.pipeline.records import Record


class UnicodeForm(Record):
    """One of the normalization forms of Unicode."""

    form: Literal["NFC", "NFD", "NFKC", "NFKD"]


class Lowercase(Record):
    """Converts each character to lower case by itself, so without final sigma."""


class StripAccents(Record):
    """Removes combining marks."""


class Strip(Record):
    """Removes the white space at the start (`left`) and at the end (`right`) of each text between added tokens."""

    left: bool = True
    right: bool = True


class Prepend(Record):
    """Inserts `text` before each non-empty text between added tokens."""

    text: str


class Replace(Record):
    """Replaces each match of `pattern` by `content`, from left to right."""

    pattern: str | Expression
    content: str


class ReplaceCharacters(Record):
    """Replaces each character of a kind by `content`, or removes it if `content` is empty. Kinds: `bpe_engine/pipeline/characters.py`."""

    kind: Literal["control", "space", "nonspacing", "nmt_control", "nmt_space"]
    content: str = ""


class Surround(Record):
    """Inserts `text` before and after each character of a kind."""

    kind: Literal["ideograph"]
    text: str = " "


class Charsmap(Record):
    """Hugging Face's Precompiled: replaces grapheme clusters, or characters, by a table of SentencePiece."""

    _unshown = frozenset({"data"})
    data: bytes


class SentencePieceText(Record):
    """The normalizer of `sentencepiece`: replaces the longest key of a table (`charsmap`; empty: no table), except in
    user-defined tokens.

    Then, each if its flag is true, spaces at both ends and after spaces are removed, a space is put before the text,
    and spaces become U+2581.
    """

    _unshown = frozenset({"charsmap"})
    charsmap: bytes
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
    """Return the steps of Hugging Face's BertNormalizer."""
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
