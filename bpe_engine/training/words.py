"""Learn merges of characters from words with counts, as byte pair encoding was first published for words.

    {"low": 5, "lower": 2, "newest": 6, "widest": 3}   ->   e s | es t | l o | lo w | n e | ne w | new est | low ...

For bytes, patterns and special tokens use `train`.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from bpe_engine.errors import TrainingError
from bpe_engine.training.options import (
    Progress,
    TieBreaking,
    check_sum,
    checked_options,
    learn_merges,
    merging,
    warn_of_too_few,
)

Word = TypeVar("Word", bound=str | tuple[str, ...])


@dataclass(frozen=True)
class WordMerges:
    """The result of `train_words`.

    Args:
        alphabet: The symbols in the words, in ascending order.
        merges: The pairs of tokens, in merge order.
    """

    alphabet: tuple[str, ...]
    merges: tuple[tuple[str, str], ...]

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """All tokens: the alphabet, then the result of each merge."""
        return self.alphabet + tuple(left + right for left, right in self.merges)

    def encode(self, word: str | Sequence[str]) -> list[str]:
        """The tokens of a word: its symbols, merged.

        Args:
            word: A str, whose characters are its symbols, or a sequence of symbols. Symbols that are not in the
                alphabet stay as they are.

        Returns:
            The merged symbols from left to right; joined they are the word.
        """
        from bpe_engine.fallback.pair_merging import merge_pairs  # noqa: PLC0415 - few programs merge words

        return merge_pairs(list(word), self._ranks, "".join)

    @cached_property
    def _ranks(self) -> dict[tuple[str, str], int]:
        return {pair: rank for rank, pair in enumerate(self.merges)}


def train_words(
    counts: Mapping[Word, int],
    vocab_size: int,
    *,
    min_frequency: int = 1,
    tie_breaking: TieBreaking = "lowest",
    progress: Progress | None = None,
) -> WordMerges:
    """Learn merges from words and the number of their occurrences. Pairs never cross from one word to the next.

    Args:
        counts: Word -> number of occurrences. A word is a str, whose characters are its symbols, or a tuple of symbols.
        vocab_size: The number of tokens: the distinct symbols, and the learned tokens.
        min_frequency: The least number of occurrences of a pair to be merged.
        tie_breaking: The choice among equally frequent pairs. "lowest": the pair with the lowest symbols, in the order
            of the alphabet and then of learning, as in Hugging Face's BpeTrainer. "first": the pair that occurs first
            in the words.
        progress: Called from time to time with "merging", the number of merges done, and the total.

    Returns:
        The alphabet and the merges. If no pair is left before `vocab_size` is reached, there is a TrainingWarning.

    Raises:
        TrainingError: `vocab_size` has no room for the alphabet, a count is not a whole number from 0 on, or two
            different pairs make the same text.

    Examples:
        >>> train_words({"low": 5, "lower": 2, "newest": 6, "widest": 3}, 16, tie_breaking="first").merges
        (('e', 's'), ('es', 't'), ('l', 'o'), ('lo', 'w'), ('n', 'e'), ('ne', 'w'))
    """
    vocab_size, min_frequency = checked_options(vocab_size, tie_breaking, min_frequency)
    alphabet = sorted({symbol for word in counts for symbol in word})
    if "" in alphabet:
        raise TrainingError("a symbol must have at least one character, but one is empty")
    wanted = vocab_size - len(alphabet)
    if wanted < 0:
        raise TrainingError(f"vocab_size must be at least {len(alphabet)}, for as many symbols, not {vocab_size}")
    number_of = {symbol: number for number, symbol in enumerate(alphabet)}
    for word, count in counts.items():
        if type(count) is not int or not 0 <= count < 1 << 63:
            raise TrainingError(f"the count of {word!r:.100} is a whole number from 0 to 2^63 - 1, not {count!r:.40}")
    words = [array("I", map(number_of.__getitem__, word)).tobytes() for word in counts]
    pairs = learn_merges(
        words,
        list(counts.values()),
        len(alphabet),
        wanted,
        min_frequency,
        tie_breaking == "first",
        merging(progress, wanted),
    )
    tokens = list(alphabet)
    known = set(tokens)
    total = 0
    for left, right in pairs:
        total += len(tokens[left]) + len(tokens[right])
        check_sum(total)
        token = tokens[left] + tokens[right]
        if token in known:
            raise TrainingError(
                f"{tokens[left]!r:.100} and {tokens[right]!r:.100} make {token!r:.100}, which is a token already: use symbols that no others spell"
            )
        known.add(token)
        tokens.append(token)
    if len(pairs) < wanted:
        warn_of_too_few(len(tokens), vocab_size, min_frequency)
    return WordMerges(tuple(alphabet), tuple((tokens[left], tokens[right]) for left, right in pairs))
