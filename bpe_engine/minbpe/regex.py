"""RegexTokenizer: byte pair encoding within pre-tokens, with special tokens. A pattern splits the text first.

"Hello, world"  ->  "Hello" | "," | " world"       no token is ever "o," or ", w"
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from typing import Literal

from bpe_engine.errors import DisallowedSpecialTokenError, VocabularyError
from bpe_engine.fallback.pretokenizer import compiled
from bpe_engine.formats.minbpe import MinbpeModel
from bpe_engine.minbpe.base import TeachingTokenizer
from bpe_engine.text.input import received, to_bytes

GPT2_SPLIT_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
"""The pattern of GPT-2."""
GPT4_SPLIT_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
)
"""The pattern of GPT-4 (cl100k_base)."""

AllowedSpecial = Literal["all", "none", "none_raise"] | Collection[str]


class RegexTokenizer(TeachingTokenizer):
    """Byte pair encoding within the pre-tokens of a pattern. Text that the pattern does not match is dropped.

    Args:
        pattern: The regular expression of a pre-token, in the syntax of the `regex` package; by default GPT-4's.

    Raises:
        PatternError: The pattern does not compile.

    >>> tokenizer = RegexTokenizer()
    >>> tokenizer.train("hello hello", 260)
    >>> tokenizer.register_special_tokens({"<|end|>": 300})
    >>> tokenizer.encode("hello hello<|end|>", allowed_special="all")
    [259, 32, 259, 300]
    """

    def __init__(self, pattern: str | None = None) -> None:
        super().__init__()
        self.pattern = GPT4_SPLIT_PATTERN if pattern is None else pattern
        self._compiled = compiled(self.pattern)

    def train(
        self,
        text: str | bytes,
        vocab_size: int,
        verbose: bool | Callable[[str], object] = False,  # noqa: FBT001, FBT002 - as minbpe has it
    ) -> None:
        """Learn merges from the pre-tokens of the text; see `TeachingTokenizer.train`.

        Args:
            text: The text, as str or as UTF-8 bytes.
            vocab_size: The number of tokens after training, including the 256 bytes; at least 256.
            verbose: True prints a line for each merge; a function is called with each line.

        Raises:
            ValueError: `vocab_size` is below 256.
        """
        self._learn([to_bytes(piece) for piece in self._split(received(text))], vocab_size, verbose=verbose)

    def register_special_tokens(self, special_tokens: Mapping[str, int]) -> None:
        """Replace the special tokens.

        Args:
            special_tokens: Text -> id.

        Raises:
            VocabularyError: A text is empty, or an id is negative or no int.
        """
        for text, token in special_tokens.items():
            if not text or type(token) is not int or token < 0:
                raise VocabularyError(
                    f"a special token must be a str with an id of at least 0, not {text!r} and {token!r}"
                )
        self.special_tokens = dict(special_tokens)

    def encode(self, text: str | bytes, allowed_special: AllowedSpecial = "none_raise") -> list[int]:
        """The token ids of `text`, with the special tokens that `allowed_special` allows.

        Args:
            text: The text, as str or as UTF-8 bytes.
            allowed_special: "all" finds every special token; "none" takes them as plain text; "none_raise" raises if
                the text holds one; a collection of texts finds only these. Of two that start at the same offset, the
                one that was registered first is found.

        Returns:
            The ids, in the order of the text.

        Raises:
            DisallowedSpecialTokenError: The text holds a special token, and `allowed_special` is "none_raise".
            TypeError: `allowed_special` is another str.
        """
        characters = received(text)
        specials = self._allowed(characters, allowed_special)
        if not specials:
            return self._encode_plain(characters)
        ids: list[int] = []
        # The group in parentheses makes re.split return the separators, too: plain, special, plain, ...
        for number, part in enumerate(re.split("(" + "|".join(map(re.escape, specials)) + ")", characters)):
            if number % 2:
                ids.append(specials[part])
            else:
                ids += self._encode_plain(part)
        return ids

    def encode_ordinary(self, text: str | bytes) -> list[int]:
        """The token ids of `text`; special tokens in it are plain text.

        Args:
            text: The text, as str or as UTF-8 bytes.

        Returns:
            The ids, in the order of the text.
        """
        return self._encode_plain(received(text))

    def _encode_plain(self, characters: str) -> list[int]:
        return [token for piece in self._split(characters) for token in self._encode_chunk(to_bytes(piece))]

    def _split(self, characters: str) -> list[str]:
        return [match.group() for match in self._compiled.finditer(characters)]

    def _allowed(self, text: str, allowed_special: AllowedSpecial) -> dict[str, int]:
        if allowed_special == "all":
            return self.special_tokens
        if allowed_special == "none":
            return {}
        if allowed_special == "none_raise":
            found = next((special for special in self.special_tokens if special in text), None)
            if found is not None:
                raise DisallowedSpecialTokenError(
                    f"the text contains the special token {found!r} at character {text.index(found)}; set allowed_special to say how to encode it"
                )
            return {}
        if isinstance(allowed_special, str):
            raise TypeError(
                f'allowed_special must be "all", "none", "none_raise" or a collection of str, not {allowed_special!r}'
            )
        return {special: token for special, token in self.special_tokens.items() if special in allowed_special}

    def _take(self, model: MinbpeModel) -> None:
        # Done first, because it may raise. (minbpe itself keeps splitting by the previous pattern.)
        self._compiled = compiled(model.pattern)
        super()._take(model)
