"""The pattern of a Split or a Replace: a text, or a regular expression in the syntax of Oniguruma, as Hugging Face has them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Expression:
    """A regular expression in the syntax of Oniguruma (Ruby's): "Regex" in a tokenizer.json. A plain str beside it is a literal text."""

    source: str


def escaped(text: str) -> str:
    r"""An expression for a text itself.

    >>> print(escaped("a+▁ b"))
    a\+▁\ b
    """
    return "".join(one if one.isalnum() or ord(one) > 127 else f"\\{one}" for one in text)


WORD = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d"
"""The inside of a set: the characters of words, as Rust's regular expressions have them."""
