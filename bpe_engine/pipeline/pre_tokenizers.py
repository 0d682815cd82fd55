"""Pre-tokenizers: cut a piece of text into pieces. Each is applied to every piece that the one before has left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from bpe_engine.patterns import Pattern
from bpe_engine.pipeline.expressions import Expression

Behaviour = Literal["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]
"""The treatment of a match: left out; a piece of its own; joined to the piece before or behind it; one piece with the matches beside it."""


@dataclass(frozen=True)
class Split:
    """Cut at the matches of `pattern`; with `invert`, at what lies between them."""

    pattern: str | Expression
    behaviour: Behaviour = "isolated"
    invert: bool = False


@dataclass(frozen=True)
class ByteLevel:
    """A space before each piece that begins with none (`add_prefix_space`), then the pattern of GPT-2 (`use_regex`).

    The stages after it see bytes: each as the character of `formats/byte_alphabet.py` that stands for it.
    """

    add_prefix_space: bool = False
    use_regex: bool = True


@dataclass(frozen=True)
class Digits:
    """Runs of numbers are pieces of their own, or each number is (`individual`)."""

    individual: bool = False


@dataclass(frozen=True)
class Punctuation:
    """Cut at punctuation: ASCII punctuation and symbols, and what is punctuation in Unicode."""

    behaviour: Behaviour = "isolated"


@dataclass(frozen=True)
class Whitespace:
    r"""The matches of `\w+|[^\w\s]+`, and nothing else."""


@dataclass(frozen=True)
class WhitespaceSplit:
    """Split at white space, and remove it."""


@dataclass(frozen=True)
class CharDelimiterSplit:
    """Split at one character, and remove it."""

    delimiter: str


@dataclass(frozen=True)
class UnicodeScripts:
    """Runs of one script. Characters of no script belong to what stands before them, and are left out at the start."""


@dataclass(frozen=True)
class Metaspace:
    """Spaces become `replacement`; one is put before each piece ("always"), or before the first of a text ("first"), if none is there.

    With `split` a piece is cut before each `replacement`.
    """

    replacement: str = "\u2581"
    prepend_scheme: Literal["always", "first", "never"] = "always"
    split: bool = True


PreTokenizer = (
    Split
    | ByteLevel
    | Digits
    | Punctuation
    | Whitespace
    | WhitespaceSplit
    | CharDelimiterSplit
    | UnicodeScripts
    | Metaspace
    | Pattern
)
