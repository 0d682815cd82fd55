"""The exceptions of the engine.

    BpeEngineError
    ├── VocabularyError              a vocabulary, or the file that holds it, is not usable   (also ValueError)
    │   ├── UnknownEncodingError     no published encoding or model has this name             (also KeyError)
    │   ├── UnsupportedModelError    `tokenizers` runs this tokenizer.json, but this engine does not
    │   ├── VocabularyUnavailableError   a published file is neither embedded, cached nor reachable
    │   └── HashMismatchError        the bytes of a published file are not the published ones
    ├── PatternError                 a pre-tokenization pattern does not compile              (also ValueError)
    │   └── UnsupportedPatternError  the compiled engine lacks a feature of this regular expression
    ├── EncodingError                this text cannot be encoded with this vocabulary         (also ValueError)
    │   └── DisallowedSpecialTokenError   the text holds a special token that the caller disallowed
    ├── TrainingError                nothing can be learned from these texts with these settings (also ValueError)
    ├── UnknownTokenError            no token has this id, or no id has these bytes           (also KeyError)
    ├── StaleMarkError               a rollback has passed the mark, or it is another encoder's  (also ValueError)
    └── MissingExtraError            a package is needed that is not installed                (also ImportError)

Each class is also the built-in exception that users of tiktoken catch in the same case. `DoubledTokenWarning` is a
warning. `NotNativeError` never leaves the package.
"""


class BpeEngineError(Exception):
    """Base class of all exceptions that the engine raises on purpose."""


class VocabularyError(BpeEngineError, ValueError):
    """A vocabulary, or the file that holds one, is not usable; the message names the file and the place."""


class UnknownEncodingError(VocabularyError, KeyError):
    """No published encoding or model has this name; the message lists the names that are known."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument; a sentence reads better as itself.
        return Exception.__str__(self)


class UnsupportedModelError(VocabularyError):
    """The file holds a tokenizer that is not a byte-pair encoding, or needs a feature that this engine lacks; the package
    `tokenizers` runs it.
    """


class VocabularyUnavailableError(VocabularyError):
    """A published vocabulary is neither embedded nor cached and could not be fetched; the message says which file to put where."""


class HashMismatchError(VocabularyError):
    """A published file does not hash to the published SHA-256: it is damaged or not the file it claims to be."""


class PatternError(BpeEngineError, ValueError):
    """A pre-tokenization pattern does not compile under the `regex` package."""


class UnsupportedPatternError(PatternError):
    """The regular expression uses a feature that the compiled engine lacks, such as a back-reference; the message names
    it.
    """


class EncodingError(BpeEngineError, ValueError):
    """The text holds bytes that the vocabulary has no token for; the message names the byte and its offset."""


class DisallowedSpecialTokenError(EncodingError):
    """The text holds a special token that `disallowed_special` forbids."""


class TrainingError(BpeEngineError, ValueError):
    """No vocabulary can be learned from these texts with these settings; the message says what to change."""


class UnknownTokenError(BpeEngineError, KeyError):
    """No token has this id, or no id belongs to these bytes."""

    def __str__(self) -> str:
        # KeyError shows the repr of its argument; a sentence reads better as itself.
        return Exception.__str__(self)


class StaleMarkError(BpeEngineError, ValueError):
    """The mark belongs to another encoder, or a rollback has passed the offset where it was taken."""


class MissingExtraError(BpeEngineError, ImportError):
    """A package that this needs is not installed; the message says how to install it.

    Args:
        extra: The name of the extra of bpe-chunker that brings the package.
        reason: A sentence that says what needs the package.
    """

    def __init__(self, extra: str, reason: str) -> None:
        super().__init__(extra, reason)
        self.extra = extra
        self.reason = reason

    def __str__(self) -> str:
        return f'{self.reason}: pip install "bpe-chunker[{self.extra}]"'


class NotNativeError(Exception):
    """The core cannot run a specification; the message says why. No user sees it: the Python engine runs instead."""


class DoubledTokenWarning(UserWarning):
    """A text already starts with the prefix that is put before it, or ends with the suffix, so that a model would read
    two `<s>` for example.
    """
