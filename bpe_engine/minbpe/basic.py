"""BasicTokenizer: byte pair encoding only. Pairs merge anywhere, also across words; there are no special tokens.

"aaabdaaabac"    the most frequent pair is 97 97: it becomes 256
256 97 b d ...   then 256 97: it becomes 257, "aaa"
257 b d 257 ...  then 257 98: it becomes 258, "aaab"           so the text is 258 100 258 97 99
"""

from __future__ import annotations

from collections.abc import Callable

from bpe_engine.minbpe.base import TeachingTokenizer
from bpe_engine.text.input import received, to_bytes


class BasicTokenizer(TeachingTokenizer):
    """Byte pair encoding of the whole text.

    >>> tokenizer = BasicTokenizer()
    >>> tokenizer.train("aaabdaaabac", 259)
    >>> tokenizer.merges
    {(97, 97): 256, (256, 97): 257, (257, 98): 258}
    >>> tokenizer.encode("aaabdaaabac")
    [258, 100, 258, 97, 99]
    """

    def train(
        self,
        text: str | bytes,
        vocab_size: int,
        verbose: bool | Callable[[str], object] = False,  # noqa: FBT001, FBT002 - as minbpe has it
    ) -> None:
        """Learn merges from the bytes of the text; see `TeachingTokenizer.train`.

        Args:
            text: The text, as str or as UTF-8 bytes.
            vocab_size: The number of tokens after training, including the 256 bytes; at least 256.
            verbose: True prints a line for each merge; a function is called with each line.

        Raises:
            ValueError: `vocab_size` is below 256.
        """
        self._learn([to_bytes(received(text))], vocab_size, verbose=verbose)

    def encode(self, text: str | bytes) -> list[int]:
        """The token ids of `text`.

        Args:
            text: The text, as str or as UTF-8 bytes.

        Returns:
            The ids, in the order of the text.
        """
        return self._encode_chunk(to_bytes(received(text)))
