"""Byte pair encoding for teaching: the three tokenizers of Andrej Karpathy's minbpe, with its names and its file format.

pairs.py      the three basic functions: count pairs, merge a pair, show a token
base.py       the common base of the tokenizers: decoding, saving, loading
basic.py      BasicTokenizer: pairs merge anywhere in the text
regex.py      RegexTokenizer: the text is split first, and pairs merge within a pre-token; special tokens
gpt4.py       GPT4Tokenizer: the merges of GPT-4, recovered from its ranks

    >>> from bpe_engine.minbpe import BasicTokenizer
    >>> tokenizer = BasicTokenizer()
    >>> tokenizer.train("aaabdaaabac", 256 + 3)
    >>> tokenizer.encode("aaabdaaabac"), tokenizer.decode([258, 100, 258, 97, 99])
    ([258, 100, 258, 97, 99], 'aaabdaaabac')

This version is written to be read. Training reads the whole text again for each merge, and encoding the whole
pre-token. `to_tokenizer()` returns the `bpe_engine.Tokenizer` with the same tokens, which is thousands of times as fast
and has the incremental encoders.
"""

from bpe_engine.minbpe.base import TeachingTokenizer
from bpe_engine.minbpe.basic import BasicTokenizer
from bpe_engine.minbpe.gpt4 import GPT4Tokenizer, recover_merges
from bpe_engine.minbpe.pairs import get_stats, merge, render_token
from bpe_engine.minbpe.regex import GPT2_SPLIT_PATTERN, GPT4_SPLIT_PATTERN, RegexTokenizer

__all__ = [
    "GPT2_SPLIT_PATTERN",
    "GPT4_SPLIT_PATTERN",
    "BasicTokenizer",
    "GPT4Tokenizer",
    "RegexTokenizer",
    "TeachingTokenizer",
    "get_stats",
    "merge",
    "recover_merges",
    "render_token",
]
