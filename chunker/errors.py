"""Everything that the chunker raises on purpose.

    ChunkerError
    ├── OptionError              an option has a value that cannot be used                 (also ValueError)
    │   ├── UnknownLanguageError     no format is known under this name
    │   ├── WrongTypeError           an argument is of a type that cannot be used          (also TypeError)
    │   └── MissingGrammarError      the package is not installed that brings the grammar of a language
    ├── NotebookError            a text is no Jupyter notebook                             (also ValueError)
    ├── BudgetTooSmallError      one character of the text alone is more than the budget   (also ValueError)
    └── MissingExtraError        a package is not installed                                (also ImportError)

What the tokenizer raises (an unknown encoding, a damaged vocabulary) is a `bpe_engine.errors.BpeEngineError` and passes through.
"""

from __future__ import annotations


class ChunkerError(Exception):
    """The root: catches whatever the chunker raises on purpose."""


class OptionError(ChunkerError, ValueError):
    """An option has a value that cannot be used; the message names the option, the value and what is allowed."""


class UnknownLanguageError(OptionError):
    """No format is known under this name; the message lists the names that are known."""


class MissingGrammarError(OptionError):
    """The package is not installed that brings the grammar of a language; the message says how to install it."""


class WrongTypeError(OptionError, TypeError):
    """An argument is of a type that cannot be used; the message names the argument, what it should be, and what was passed."""


class NotebookError(ChunkerError, ValueError):
    """A text is no Jupyter notebook; the message says what it lacks."""


class MissingExtraError(ChunkerError, ImportError):
    """A package is not installed that this needs; the message says how to install it. `extra` is the name among ours that brings `package`."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(package, extra)
        self.package = package
        self.extra = extra

    def __str__(self) -> str:
        return f'{self.package} is not installed: pip install "bpe-chunker[{self.extra}]"'


class BudgetTooSmallError(ChunkerError, ValueError):
    """One character of the text needs more tokens than a chunk may have, so no chunk could hold it.

    Raised before the first chunk is made. CR LF counts as one character, for it is never cut. `character`, `offset` (in characters: its first place in the text), `tokens` (its price)
    and `max_tokens` say which, where and by how much.
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
