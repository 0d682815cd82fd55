"""The pattern of a Split or a Replace: a literal text, or a regular expression in Oniguruma syntax, as in Hugging Face."""

from __future__ import annotations

from bpe_engine.pipeline.records import Record


class Expression(Record):
    """A regular expression in the syntax of Oniguruma (Ruby's): "Regex" in a tokenizer.json. A literal text is a plain str instead."""

    source: str


def escaped(text: str) -> str:
    r"""Return an expression that matches a literal text.

    >>> print(escaped("a+▁ b"))
    a\+▁\ b
    """
    return "".join(one if one.isalnum() or ord(one) > 127 else f"\\{one}" for one in text)


WORD = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d"
"""The characters of words in Rust's regular expressions, as the inside of a set."""
