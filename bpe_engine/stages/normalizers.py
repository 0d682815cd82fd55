"""Normalizers: text -> text, before it is cut into pre-tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bpe_engine.stages.expressions import Expression


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


Normalizer = UnicodeForm | Lowercase | StripAccents | Strip | Prepend | Replace
