"""bpe_engine: byte-pair tokenizers that keep the token count of a text while it changes: append, roll back, prepend,
count any slice.

Names are imported when they are first used.
"""

# Imported first, so that its warning points at the line that imports this package.
from bpe_engine.implementation import implementation

# isort: split

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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

    __version__: str

# Module -> the names that it defines. A module is imported when the first of its names is used: to ask which
# implementation runs loads no tokenizer.
_NAMES = {
    "bpe_engine.encoders": ("AppendingEncoder", "IntervalEncoder", "Mark", "PrependingEncoder"),
    "bpe_engine.encoding": ("Encoding", "encoding_for_model", "get_encoding"),
    "bpe_engine.errors": (
        "BpeEngineError",
        "DisallowedSpecialTokenError",
        "DoubledTokenWarning",
        "EncodingError",
        "HashMismatchError",
        "MissingExtraError",
        "PatternError",
        "StaleMarkError",
        "TrainingError",
        "UnknownEncodingError",
        "UnknownTokenError",
        "UnsupportedModelError",
        "UnsupportedPatternError",
        "VocabularyError",
        "VocabularyUnavailableError",
    ),
    "bpe_engine.patterns": ("Pattern",),
    "bpe_engine.published.registry": ("encoding_name_for_model", "list_encoding_names"),
    "bpe_engine.tokenizer": ("Tokenizer",),
    "bpe_engine.training": ("TrainingWarning", "WordMerges", "train", "train_words"),
    "bpe_engine.vocabulary": ("Vocabulary",),
}
_PLACES = {name: module for module, names in _NAMES.items() for name in names}

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


if not TYPE_CHECKING:  # type checkers see the names themselves

    def __getattr__(name: str) -> object:
        if name == "__version__":
            from importlib.metadata import version  # noqa: PLC0415 - takes 10 ms, and few callers need the version

            return version("bpe-chunker")
        if name not in _PLACES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = globals()[name] = getattr(import_module(_PLACES[name]), name)
        return found


def __dir__() -> list[str]:
    return __all__
