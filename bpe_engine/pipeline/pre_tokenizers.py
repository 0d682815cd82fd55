"""Pre-tokenizers: split a piece of text into pieces. Each pre-tokenizer is applied to every piece from the one before."""

from __future__ import annotations

from typing import Literal

from bpe_engine.patterns import Pattern
from bpe_engine.pipeline.expressions import Expression
from bpe_engine.pipeline.records import Record

Behaviour = Literal["removed", "isolated", "merged_with_previous", "merged_with_next", "contiguous"]
"""The treatment of a match: left out; a piece of its own; joined to the piece before or after it; one piece with adjacent matches."""


class Split(Record):
    """Split at the matches of `pattern`; with `invert`, at the gaps between them."""

    pattern: str | Expression
    behaviour: Behaviour = "isolated"
    invert: bool = False


class ByteLevel(Record):
    """Insert a space before each piece that does not start with one (`add_prefix_space`), then split by GPT-2's pattern (`use_regex`).

    The stages after it see each byte as its stand-in character of `formats/byte_alphabet.py`.
    """

    add_prefix_space: bool = False
    use_regex: bool = True


class Digits(Record):
    """Split so that each run of numbers is a piece, or each single number (`individual`)."""

    individual: bool = False


class Punctuation(Record):
    """Split at punctuation: ASCII punctuation and symbols, and the punctuation of Unicode."""

    behaviour: Behaviour = "isolated"


class Whitespace(Record):
    r"""Keep the matches of `\w+|[^\w\s]+` as pieces, and remove the rest."""


class WhitespaceSplit(Record):
    """Split at white space, and remove it."""


class CharDelimiterSplit(Record):
    """Split at one character, and remove it."""

    delimiter: str


class UnicodeScripts(Record):
    """Split into runs of one script. Characters of no script belong to the run before them; before the first run they are removed."""


class Metaspace(Record):
    """Replace spaces by `replacement`, and put one before each piece ("always") or before the first piece of a text ("first"), if it has none.

    With `split`, a piece is split before each `replacement`.
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
