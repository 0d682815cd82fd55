"""The exceptions of the chunker.

    ChunkerError
    ├── OptionError              an option has a value that cannot be used                 (also ValueError)
    │   ├── UnknownLanguageError     no format has this name
    │   ├── WrongTypeError           an argument is of a type that cannot be used          (also TypeError)
    │   └── MissingGrammarError      the package with the grammar of a language is not installed
    ├── NotebookError            a text is not a Jupyter notebook                             (also ValueError)
    ├── FileError                a file cannot be read as text                             (also OSError)
    ├── TokenizerError           a tokenizer cannot be loaded: chunker.tokenizer_errors    (also BpeEngineError)
    ├── DocumentError            a document, such as a PDF, cannot be read                 (also ValueError)
    │   ├── EncryptedDocumentError   a password is needed
    │   ├── DamagedDocumentError     the file is truncated, or is not what its name says
    │   ├── NoTextError              it has no text, such as scanned pages
    │   └── DocumentTooLargeError    it has more pages or parts than a document has, or unpacks to too much
    ├── ContextError             a callable that writes contexts failed: ContextWriter
    ├── BudgetTooSmallError      one character of the text alone is more than the budget   (also ValueError)
    └── MissingExtraError        a package is not installed                                (also ImportError)

Errors of loading a tokenizer (an unknown encoding, a damaged vocabulary) are both a ChunkerError and a
`bpe_engine.errors.BpeEngineError`: see `chunker.tokenizer_errors`.
"""

from __future__ import annotations

__all__ = [
    "BudgetTooSmallError",
    "ChunkerError",
    "ContextError",
    "DamagedDocumentError",
    "DocumentError",
    "DocumentTooLargeError",
    "EncryptedDocumentError",
    "FileError",
    "MissingExtraError",
    "MissingGrammarError",
    "NoTextError",
    "NotebookError",
    "OptionError",
    "UnknownLanguageError",
    "WrongTypeError",
]


class ChunkerError(Exception):
    """Base class of all exceptions that the chunker raises on purpose."""


class OptionError(ChunkerError, ValueError):
    """An option has a value that cannot be used; the message names the option, the value and what is allowed."""


class UnknownLanguageError(OptionError):
    """No format has this name; the message lists the known names."""


class MissingGrammarError(OptionError):
    """The package with the grammar of a language is not installed; the message says how to install it."""


class WrongTypeError(OptionError, TypeError):
    """An argument has the wrong type; the message names the argument, the type that it should have, and the value."""


class NotebookError(ChunkerError, ValueError):
    """A text is not a Jupyter notebook; the message says what is missing."""


class FileError(ChunkerError, OSError):
    """A file cannot be read as text; the message names the file, the reason, and the position."""


class DocumentError(ChunkerError, ValueError):
    """A document, such as a PDF, cannot be read; the message says why."""


class EncryptedDocumentError(DocumentError):
    """A password is needed to read a document."""


class DamagedDocumentError(DocumentError):
    """A document is truncated, or its content does not match its name."""


class NoTextError(DocumentError):
    """A document has no text, such as scanned pages without a text layer."""


class DocumentTooLargeError(DocumentError):
    """A document has too many pages or parts, unpacks to too much data, or takes too long."""


class ContextError(ChunkerError):
    """A callable that writes contexts failed, or did not return a str; the message names the chunk, and the error of
    the callable is the cause.
    """


class MissingExtraError(ChunkerError, ImportError):
    """A required package is not installed; the message says how to install it.

    Args:
        package: The name of the package.
        extra: The extra of bpe-chunker that installs it.
    """

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(package, extra)
        self.package = package
        self.extra = extra

    def __str__(self) -> str:
        return f'{self.package} is not installed: pip install "bpe-chunker[{self.extra}]"'


class BudgetTooSmallError(ChunkerError, ValueError):
    """One character of the text needs more tokens than a chunk may have, so no chunk could hold it.

    Raised before the first chunk is made. CR LF counts as one character, because it is never cut.

    Args:
        character: The character.
        offset: Its first offset in the text, in characters.
        tokens: Its number of tokens.
        max_tokens: The largest number of tokens of a chunk.
    """

    def __init__(self, character: str, offset: int, tokens: int, max_tokens: int) -> None:
        super().__init__(character, offset, tokens, max_tokens)
        self.character = character
        self.offset = offset
        self.tokens = tokens
        self.max_tokens = max_tokens

    def __str__(self) -> str:
        code_points = " ".join(f"U+{ord(character):04X}" for character in self.character)
        return (
            f"the character {self.character!r} ({code_points}) at offset {self.offset} needs {self.tokens} tokens, "
            f"but max_tokens is {self.max_tokens}: set max_tokens to at least {self.tokens}"
        )
