"""What counts in a case, by names that a reproduction can show."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from typing import Any

from bpe_engine import Tokenizer, Vocabulary, VocabularyError
from bpe_engine.patterns import PATTERNS

Counting = str | tuple[str, str | None, tuple[bytes, ...]]

NAMED = ("o200k_base", "o200k_base", "cl100k_base", "characters", "bytes", "words")
# What can do no more than count: words, of which white space has none; and such that a text of one or two characters is
# free.
FUNCTIONS: dict[str, Callable[[str], int]] = {
    "split": lambda text: len(text.split()),
    "thirds": lambda text: len(text) // 3,
    "lines": lambda text: text.count("\n") + 1,
}
_STEMS = (
    b"a",
    b"e",
    b"w",
    b"o",
    b" ",
    b"\n",
    b"\r",
    b"#",
    b"-",
    b"{",
    b"\xcc",
    b"\x81",
    b"\x96",
    b"\xe4",
    b"th",
    b"wo",
    b"\n\n",
    b"> ",
)


def random_counting(dice: random.Random) -> Counting:
    """The name of what counts, or the tokens of a small vocabulary: its pattern, and its tokens after the 256 bytes."""
    kind = dice.choices(["named", "made", "function"], [5, 4, 1])[0]
    if kind == "named":
        return dice.choice(NAMED)
    if kind == "function":
        return f"function {dice.choice(sorted(FUNCTIONS))}"
    tokens: list[bytes] = []
    for _ in range(dice.randrange(30)):
        halves = [dice.choice(tokens) if tokens and dice.random() < 0.6 else dice.choice(_STEMS) for _ in range(2)]
        token = b"".join(halves)
        if len(token) <= 24 and token not in tokens:
            tokens.append(token)
    return ("made", dice.choice([None, *sorted(PATTERNS)]), tuple(tokens))


@functools.lru_cache(maxsize=256)
def counter(counting: Counting) -> Any:
    """What a chunker takes as its tokenizer; None for a vocabulary that is none."""
    if isinstance(counting, str):
        return FUNCTIONS[counting.removeprefix("function ")] if counting.startswith("function ") else counting
    _, pattern, tokens = counting
    ranks = {bytes([byte]): byte for byte in range(256)}
    for token in tokens:
        ranks.setdefault(token, len(ranks))
    try:
        return Tokenizer(Vocabulary.from_ranks(ranks, pattern=PATTERNS[pattern] if pattern else None))
    except VocabularyError:  # not in merge order
        return None
