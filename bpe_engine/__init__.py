"""bpe_engine: byte-pair tokenizers whose count is known at every step: append, roll back, prepend, price any slice."""

from .encoders import AppendingEncoder, IntervalEncoder, Mark, PrependingEncoder
from .errors import (
    BpeEngineError,
    DisallowedSpecialTokenError,
    EncodingError,
    HashMismatchError,
    PatternError,
    StaleMarkError,
    UnknownEncodingError,
    UnknownTokenError,
    VocabularyError,
    VocabularyUnavailableError,
)
from .implementation import implementation
from .patterns import Pattern
from .tokenizer import Tokenizer, encoding_for_model, get_encoding
from .vocabulary import Vocabulary

__all__ = [
    "AppendingEncoder",
    "BpeEngineError",
    "DisallowedSpecialTokenError",
    "EncodingError",
    "HashMismatchError",
    "IntervalEncoder",
    "Mark",
    "Pattern",
    "PatternError",
    "PrependingEncoder",
    "StaleMarkError",
    "Tokenizer",
    "UnknownEncodingError",
    "UnknownTokenError",
    "Vocabulary",
    "VocabularyError",
    "VocabularyUnavailableError",
    "encoding_for_model",
    "get_encoding",
    "implementation",
]
