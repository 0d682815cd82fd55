"""GPT4Tokenizer: the tokenizer of GPT-4, as merges. OpenAI publishes only ranks: token -> number in the order of learning.

    b" the" has the rank 279. In its bytes, merge the pair of the lowest rank, as long as that is below 279:
    " " "t" "h" "e"  ->  " t" "h" "e"  ->  " th" "e"      so (rank of " th", rank of "e") -> 279 is the merge

In cl100k_base the ids of the 256 bytes are not their values; they follow GPT-2's order ("!" is 0). `byte_shuffle` maps
values to ids.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NoReturn

from bpe_engine.errors import VocabularyError
from bpe_engine.fallback.pretokenizer import pretokenizer_for
from bpe_engine.minbpe.pairs import Pair
from bpe_engine.minbpe.regex import RegexTokenizer
from bpe_engine.patterns import CL100K
from bpe_engine.published.registry import load_vocabulary
from bpe_engine.tokenizer import Tokenizer
from bpe_engine.vocabulary import Vocabulary


def recover_merges(mergeable_ranks: Mapping[bytes, int]) -> dict[Pair, int]:
    """Recover the merges from a table of ranks: a pair of ranks -> the rank of the token that they merge to.

    Args:
        mergeable_ranks: The tokens and their ranks: bytes -> rank.

    Returns:
        The merges by ascending rank, the first to be applied first.

    Raises:
        VocabularyError: A token is not a merge of two tokens of lower rank.

    >>> recover_merges({b"a": 0, b"b": 1, b"ab": 2, b"abab": 3})
    {(0, 1): 2, (2, 2): 3}
    """
    merges: dict[Pair, int] = {}
    for token, rank in sorted(mergeable_ranks.items(), key=lambda item: item[1]):
        if len(token) == 1:
            continue
        parts = _parts_below(mergeable_ranks, token, rank)
        if len(parts) != 2 or not all(part in mergeable_ranks for part in parts):
            raise VocabularyError(
                f"the token {token!r} with the rank {rank} is not a merge of two earlier tokens, but of {parts}"
            )
        merges[mergeable_ranks[parts[0]], mergeable_ranks[parts[1]]] = rank
    return merges


def _parts_below(ranks: Mapping[bytes, int], token: bytes, limit: int) -> list[bytes]:
    """Return the tokens that the bytes of a token merge to by ranks below `limit`.

    >>> _parts_below({b"a": 0, b"b": 1, b"ab": 2, b"abab": 3}, b"abab", 3)
    [b'ab', b'ab']
    """
    parts = [token[place : place + 1] for place in range(len(token))]
    while len(parts) > 1:
        found = [ranks.get(left + right, limit) for left, right in pairwise(parts)]
        lowest = min(found)
        if lowest >= limit:
            break
        place = found.index(lowest)
        parts[place : place + 2] = [parts[place] + parts[place + 1]]
    return parts


class GPT4Tokenizer(RegexTokenizer):
    """The tokenizer of GPT-4: equal to tiktoken's cl100k_base. Creating the first takes some seconds to recover the merges.

    `train`, `save` and `load` raise NotImplementedError, as in minbpe: the tokens are fixed, and minbpe's file format
    cannot hold the order of the single bytes. `RegexTokenizer` has all three.

    >>> tokenizer = GPT4Tokenizer()
    >>> tokenizer.encode("hello world"), tokenizer.merges[270, 68]       # " th" and "e"
    ([15339, 1917], 279)
    """

    def __init__(self) -> None:
        super().__init__(CL100K.source)
        vocabulary = load_vocabulary("cl100k_base")
        self.byte_shuffle = {byte: vocabulary.ranks[bytes([byte])] for byte in range(256)}
        self.merges = dict(_gpt4_merges())
        self.vocab = {rank: token for token, rank in vocabulary.ranks.items()}
        self.register_special_tokens(vocabulary.special_tokens)
        # Splits by the pattern with tiktoken's version of Unicode.
        self._spans = pretokenizer_for(CL100K).spans

    def train(
        self,
        text: str | bytes,
        vocab_size: int,
        verbose: bool | Callable[[str], object] = False,  # noqa: FBT001, FBT002 - as minbpe has it
    ) -> NoReturn:
        """Raise NotImplementedError: a `RegexTokenizer` can be trained, this one cannot.

        Args:
            text: Not read.
            vocab_size: Not read.
            verbose: Not read.

        Raises:
            NotImplementedError: Always: the tokens of GPT-4 are fixed.
        """
        raise NotImplementedError("the tokenizer of GPT-4 is already trained: train a RegexTokenizer")

    def save(self, file_prefix: str | Path) -> NoReturn:
        """Raise NotImplementedError: the file format cannot hold the order of the single bytes. `save_vocab` shows the tokens.

        Args:
            file_prefix: Not read.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError("the format of minbpe cannot store the byte order of GPT-4")

    def load(self, model_file: str | Path) -> NoReturn:
        """Raise NotImplementedError: a `RegexTokenizer` can be loaded, this one cannot.

        Args:
            model_file: Not read.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError("the tokenizer of GPT-4 is not read from a file: load a RegexTokenizer")

    def to_tokenizer(self, name: str | None = None) -> Tokenizer:
        """The fast tokenizer with the same tokens: `Tokenizer.load("cl100k_base")`, or an equal one with a name of its own.

        Args:
            name: A label; None for "cl100k_base".

        Returns:
            A `bpe_engine.Tokenizer` with the ids of cl100k_base.
        """
        if name is None:
            return Tokenizer.load("cl100k_base")
        return Tokenizer(
            Vocabulary.from_ranks(
                load_vocabulary("cl100k_base").ranks, name=name, special_tokens=self.special_tokens, pattern=CL100K
            )
        )

    def _split(self, characters: str) -> list[str]:
        return [characters[start:end] for start, end in self._spans(characters)]

    def _encode_chunk(self, data: bytes) -> list[int]:
        return super()._encode_chunk(bytes(self.byte_shuffle[byte] for byte in data))


@cache
def _gpt4_merges() -> dict[Pair, int]:
    return recover_merges(load_vocabulary("cl100k_base").ranks)
