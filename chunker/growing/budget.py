"""Budget: the limits of chunks, and the check for characters that can never fit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from bpe_engine import Tokenizer
from chunker.arguments import whole_number
from chunker.counting import TokenCounter
from chunker.errors import BudgetTooSmallError, OptionError
from chunker.native import native

# An eighth: more than a tenth, below which a chunk is undersized; and small enough that a unit of up to 80 % of the
# budget (in fact seven eighths) fits after text that is too short for a chunk of its own.
_MIN_SHARE = 8

# No character costs more than this many tokens, so for larger budgets the text need not be checked: the longest
# compatibility decomposition, which some tokenizers apply first, is 18 letters (U+FDFA).
_MOST_TOKENS_OF_A_CHARACTER = 80
# The same for tokenizers without a normalizer: a character has at most 4 bytes, and a token at least one of them.
_MOST_BYTES_OF_A_CHARACTER = 4

# More tokens than any text in memory can have; multiples of it still fit into the integers of the compiled core.
_MOST_TOKENS = 1 << 32


def _distinct_characters(text: str) -> Iterable[str]:
    compiled = native()
    try:
        found: list[str] | set[str] = set(text) if compiled is None else compiled.distinct_characters(text)
    except UnicodeEncodeError:  # halves of surrogate pairs
        found = set(text)
    return found


# The units of an overlap: whole units of the format; sentences, if a unit does not fit; or as much text as fits.
OverlapBy = Literal["unit", "sentence", "token"]


def _least(max_tokens: int, desired_tokens: int | None) -> int:
    return (max_tokens if desired_tokens is None else min(max_tokens, desired_tokens)) // _MIN_SHARE


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of a chunk, all in tokens.

    `max_tokens`: no chunk has more. `min_tokens`: no chunk has fewer, except the last two if every other cut would
    break a unit that fits; by default an eighth of `max_tokens`. `overlap`: at most this many tokens of the previous
    chunk are repeated at the start of the next, in whole units of `overlap_by`. `desired_tokens`: a chunk that has this
    many ends at the best boundary before `max_tokens`. `reserve`: tokens that a model puts around each chunk; they are
    subtracted already, so a chunk with them has at most `max_tokens + reserve`.
    """

    max_tokens: int
    min_tokens: int
    overlap: int
    desired_tokens: int | None = None
    overlap_by: OverlapBy = "unit"
    reserve: int = 0

    @property
    def target(self) -> int:
        """The best size of a chunk, in tokens."""
        return self.max_tokens if self.desired_tokens is None else self.desired_tokens

    @classmethod
    def of(
        cls,
        max_tokens: int,
        min_tokens: int | None = None,
        overlap: int = 0,
        desired_tokens: int | None = None,
        overlap_by: OverlapBy = "unit",
        *,
        reserve: int = 0,
    ) -> Budget:
        """Return the budget with these limits, after subtracting `reserve` from `max_tokens`. Raises `OptionError` if
        they contradict one another.
        """
        max_tokens = whole_number(max_tokens, "max_tokens", " of tokens")
        overlap = whole_number(overlap, "overlap", " of tokens")
        reserve = whole_number(reserve, "reserve", " of tokens")
        min_tokens = None if min_tokens is None else whole_number(min_tokens, "min_tokens", " of tokens")
        desired_tokens = (
            None if desired_tokens is None else whole_number(desired_tokens, "desired_tokens", " of tokens")
        )
        if max_tokens < 1:
            raise OptionError(f"max_tokens must be at least 1, got {max_tokens}")
        if max_tokens > _MOST_TOKENS:
            raise OptionError(f"max_tokens must be at most {_MOST_TOKENS:,}, got {max_tokens:,}")
        if not 0 <= reserve < max_tokens:
            raise OptionError(f"reserve must be from 0 to max_tokens - 1 ({max_tokens - 1}), got {reserve}")
        max_tokens -= reserve
        if min_tokens is None:
            min_tokens = _least(max_tokens, desired_tokens)
        if not 0 <= min_tokens <= max_tokens:
            raise OptionError(f"min_tokens must be from 0 to max_tokens ({max_tokens}), got {min_tokens}")
        if not 0 <= overlap < max_tokens:
            raise OptionError(f"overlap must be from 0 to max_tokens - 1 ({max_tokens - 1}), got {overlap}")
        if desired_tokens is not None and not max(min_tokens, 1) <= desired_tokens <= max_tokens:
            raise OptionError(
                f"desired_tokens must be from min_tokens ({min_tokens}) to max_tokens ({max_tokens}), got {desired_tokens}"
            )
        if overlap_by not in get_args(OverlapBy):
            raise OptionError(f"overlap_by must be one of {', '.join(get_args(OverlapBy))}; got {overlap_by!r}")
        return cls(max_tokens, min_tokens, overlap, desired_tokens, overlap_by, reserve)

    @property
    def default_min_tokens(self) -> int:
        """The default of `min_tokens`."""
        return _least(self.max_tokens, self.desired_tokens)

    def check(self, text: str, tokenizer: TokenCounter) -> None:
        """Raise `BudgetTooSmallError` if a character of `text`, or a CR LF in it, exceeds the budget. Linear; large
        budgets skip the check.
        """
        as_it_is = isinstance(tokenizer, Tokenizer) and tokenizer.specification is None
        if self.max_tokens >= (_MOST_BYTES_OF_A_CHARACTER if as_it_is else _MOST_TOKENS_OF_A_CHARACTER):
            return
        characters = sorted(_distinct_characters(text))
        if "\r\n" in text:
            characters.append("\r\n")
        for character in characters:
            tokens = tokenizer.count(character)
            if tokens > self.max_tokens:
                raise BudgetTooSmallError(character, text.index(character), tokens, self.max_tokens)


def moved(error: BudgetTooSmallError, by: int) -> BudgetTooSmallError:
    """Return the error for a text with `by` characters more at its start."""
    return BudgetTooSmallError(error.character, error.offset + by, error.tokens, error.max_tokens)
