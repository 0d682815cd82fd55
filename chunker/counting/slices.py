"""Exact token counts of slices of a text: by `bpe_engine`'s interval encoder, or a fresh count of each slice."""

from __future__ import annotations

from typing import Protocol

from chunker.counting.protocols import TokenCounter


class SlicePrices(Protocol):
    """Protocol of exact token counts of slices of a text."""

    def count(self, start: int, end: int, /) -> int:
        """Tokens of text[start:end]."""
        ...


class Recounted:
    """Token counts of slices for a tokenizer without an interval encoder: each slice is counted anew."""

    def __init__(self, tokenizer: TokenCounter, text: str) -> None:
        self._tokenizer = tokenizer
        self._text = text

    def count(self, start: int, end: int, /) -> int:
        """Tokens of text[start:end]. Linear in the slice."""
        return self._tokenizer.count(self._text[start:end])


def slice_prices(tokenizer: TokenCounter, text: str) -> SlicePrices:
    """Return the counts of slices of a text, by the fastest way that the tokenizer has."""
    make_prices = getattr(tokenizer, "interval_encoder", None)
    prices: SlicePrices = make_prices(text) if make_prices else Recounted(tokenizer, text)
    return prices
