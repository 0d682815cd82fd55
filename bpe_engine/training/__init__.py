"""Learn a vocabulary from texts.

    texts, files     words with counts
         |                 |
     texts.py              |            split into pre-tokens and count each; nothing else of a text is kept
         |                 |
    vocabulary.py       words.py        repeatedly make a token of the most frequent pair of neighbours
         |                 |
     Tokenizer         WordMerges

The counting and the merging are in the compiled core (`cpp/include/bpe/counting.hpp` and `training.hpp`), and in Python
in `fallback/training.py`, with the same results.
"""

from bpe_engine.training.options import Layout, Progress, TieBreaking, TrainingWarning
from bpe_engine.training.vocabulary import train
from bpe_engine.training.words import WordMerges, train_words

__all__ = ["Layout", "Progress", "TieBreaking", "TrainingWarning", "WordMerges", "train", "train_words"]
