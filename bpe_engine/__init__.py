"""bpe_engine: byte-pair tokenizers that keep the token count of a text while it changes: append, roll back, prepend,
count any slice.
"""

# Imported first, so that its warning points at the line that imports this package.
from bpe_engine.implementation import implementation

# isort: split

from bpe_engine.encoders import AppendingEncoder, IntervalEncoder, Mark, PrependingEncoder
from bpe_engine.encoding import Encoding, encoding_for_model, get_encoding
from bpe_engine.errors import (
    BpeEngineError,
    DisallowedSpecialTokenError,
    DoubledTokenWarning,
    EncodingError,
    HashMismatchError,
    MissingExtraError,
    PatternError,
    StaleMarkError,
    TrainingError,
    UnknownEncodingError,
    UnknownTokenError,
    UnsupportedModelError,
    UnsupportedPatternError,
    VocabularyError,
    VocabularyUnavailableError,
)
from bpe_engine.patterns import Pattern
from bpe_engine.published.registry import encoding_name_for_model, list_encoding_names
from bpe_engine.tokenizer import Tokenizer
from bpe_engine.training import TrainingWarning, WordMerges, train, train_words
from bpe_engine.vocabulary import Vocabulary

__all__ = [
    "AppendingEncoder",
    "BpeEngineError",
    "DisallowedSpecialTokenError",
    "DoubledTokenWarning",
    "Encoding",
    "EncodingError",
    "HashMismatchError",
    "IntervalEncoder",
    "Mark",
    "MissingExtraError",
    "Pattern",
    "PatternError",
    "PrependingEncoder",
    "StaleMarkError",
    "Tokenizer",
    "TrainingError",
    "TrainingWarning",
    "UnknownEncodingError",
    "UnknownTokenError",
    "UnsupportedModelError",
    "UnsupportedPatternError",
    "Vocabulary",
    "VocabularyError",
    "VocabularyUnavailableError",
    "WordMerges",
    "encoding_for_model",
    "encoding_name_for_model",
    "get_encoding",
    "implementation",
    "list_encoding_names",
    "train",
    "train_words",
]


def __getattr__(name: str) -> str:
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version  # noqa: PLC0415 - takes 10 ms, and few callers need the version

    return version("bpe-chunker")
