"""Encoding: tiktoken's class, under its names and with its defaults, over a Tokenizer.

    import bpe_engine as tiktoken

An Encoding is a Tokenizer, so chunkers accept it, and it counts, truncates and has incremental encoders. It differs
where users of tiktoken rely on it: it is made from `pat_str` and `mergeable_ranks`, a special token in a text raises
ValueError unless it is allowed, and it has `encode_with_unstable`.

Not here: `tiktoken._educational` (see `bpe_engine.minbpe` and `bpe_engine.reference`), and the private `_core_bpe`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

from bpe_engine.at_exit import cache_until_exit
from bpe_engine.errors import UnknownEncodingError, VocabularyError
from bpe_engine.patterns import PATTERNS, Pattern
from bpe_engine.published import plugins
from bpe_engine.published.registry import encoding_name_for_model, load_vocabulary
from bpe_engine.special_tokens import Specials
from bpe_engine.text.input import received, to_bytes
from bpe_engine.tokenizer import Tokenizer
from bpe_engine.unstable import completions_of, with_spaces_before
from bpe_engine.vocabulary import Vocabulary


class Encoding(Tokenizer):
    """A byte-pair encoding with tiktoken's interface. Immutable; threads may share it. Published encodings are pickled by name.

    Examples:
        >>> words = Encoding("words", pat_str=r"\\w+|\\W", mergeable_ranks={b"a": 0, b" ": 1, b"aa": 2}, special_tokens={"<|end|>": 3})
        >>> words.encode("aaa a<|end|>", allowed_special="all"), words.max_token_value
        ([2, 0, 1, 0, 3], 3)
    """

    _disallowed = "all"

    def __init__(
        self,
        name: str,
        *,
        pat_str: str,
        mergeable_ranks: dict[bytes, int],
        special_tokens: dict[str, int],
        explicit_n_vocab: int | None = None,
    ) -> None:
        r"""Create a custom encoding.

        Args:
            name: A label for the encoding.
            pat_str: The regular expression whose matches are the pre-tokens, in the syntax of tiktoken (Rust's
                fancy-regex). Text that it does not match is dropped.
            mergeable_ranks: The bytes of each token -> its id, which is its merge rank. The encoding keeps the
                dictionary; do not change it.
            special_tokens: The text of each special token -> its id. The encoding keeps this dictionary, too.
            explicit_n_vocab: The number of tokens, including special tokens. If given, the number is checked, and that
                the ids have no gaps.

        Raises:
            VocabularyError: The tokens or `explicit_n_vocab` are wrong.
            PatternError: The expression does not compile.
        """
        self._pat_str = pat_str
        super().__init__(Vocabulary(name, mergeable_ranks, special_tokens, _pattern_of(pat_str)))
        if explicit_n_vocab:
            found = len(mergeable_ranks) + len(special_tokens)
            if found != explicit_n_vocab or self.max_token_value != explicit_n_vocab - 1:
                raise VocabularyError(
                    f"{name}: explicit_n_vocab is {explicit_n_vocab}, but there are {found} tokens, the largest id being {self.max_token_value}"
                )

    @classmethod
    def load(cls, name: str) -> Encoding:
        """Load a published encoding by its name or the name of a model; as `Tokenizer.load`, with the defaults of
        tiktoken.

        Args:
            name: The name of an encoding ("o200k_base") or model ("gpt-4o").

        Returns:
            A new `Encoding`. Its vocabulary is shared with all others of this name.

        Raises:
            UnknownEncodingError: No published encoding or model has this name.
            VocabularyUnavailableError: Its file is neither embedded nor cached, and cannot be downloaded.
            HashMismatchError: Its file is not the published one.
        """
        if not isinstance(name, str):
            raise TypeError(f"name must be the name of an encoding or model, not {type(name).__name__}")
        return _of_vocabulary(load_vocabulary(name))

    def __reduce__(self) -> tuple[Callable[..., Tokenizer], tuple[Any, ...]]:
        if self.vocabulary.embedded is not None:
            return _of_vocabulary, (self.vocabulary,)
        arguments: dict[str, Any] = {
            "pat_str": self._pat_str,
            "mergeable_ranks": self._mergeable_ranks,
            "special_tokens": self._special_tokens,
        }
        return partial(type(self), **arguments), (self.name,)

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    @property
    def _mergeable_ranks(self) -> dict[bytes, int]:
        # This property and the next are private in tiktoken, too, but its README uses them to extend an encoding.
        return self.vocabulary.ranks

    @property
    def _special_tokens(self) -> dict[str, int]:
        return self.vocabulary.special_tokens

    # --- text -> tokens

    def encode_with_unstable(
        self, text: str | bytes, *, allowed_special: Specials = frozenset(), disallowed_special: Specials = "all"
    ) -> tuple[list[int], list[list[int]]]:
        """The stable tokens of `text`, which no appended text changes by tiktoken's rule, and all token sequences that
        the rest may become.

        The bytes of each sequence start with the bytes after the stable tokens. The sequences are in no order, and
        there may be hundreds of thousands, because every token that could start in the last pre-token is tried.
        Stability here follows tiktoken's heuristic; `appending_encoder` is exact.

        Args:
            text: The text.
            allowed_special: Special tokens to find in `text`, by their texts, or "all".
            disallowed_special: Special tokens that raise; "all" means all that are not allowed.

        Returns:
            The ids of the stable tokens, and the possible sequences of ids after them.

        Raises:
            DisallowedSpecialTokenError: The text holds a disallowed special token.

        Examples:
            >>> get_encoding("cl100k_base").encode_with_unstable("hello Schrö")[0]
            [15339]
        """
        self._engine.check_special(text, allowed_special, disallowed_special)
        characters = received(text)
        end = max((end for _, end, _ in self.find_special(characters, allowed_special)), default=0)
        ids = self._engine.encode_special(to_bytes(characters[:end]), allowed_special, ())
        tail = characters[end:]
        pieces = self.split(tail)
        if not pieces:
            return ids, []
        ids += self.encode_ordinary(tail)
        stable = with_spaces_before(self._table, ids, ids[: -self._size_of_last(ids, pieces[-1])])
        return stable, completions_of(self._engine, self.sorted_tokens, self.decode_bytes(ids[len(stable) :]))

    def _size_of_last(self, ids: Sequence[int], piece: str) -> int:
        """Return the number of tokens of `piece`, the last pre-token of `ids`."""
        missing = len(piece.encode("utf-8", "surrogateescape"))
        size = 0
        while missing > 0:
            size += 1
            missing -= len(self.decode_single_token_bytes(ids[-size]))
        return size

    # --- bytes, and single pre-tokens

    def _encode_single_piece(self, text_or_bytes: str | bytes) -> list[int]:
        """Return the tokens of one pre-token, without splitting it by the pattern."""
        return list(self._engine.encode_piece(to_bytes(received(text_or_bytes))))

    def _encode_bytes(self, text: bytes) -> list[int]:
        """Return the tokens of bytes that may end inside a character: the bytes from the first invalid one on belong to the last pre-token before them."""
        try:
            return self.encode_ordinary(text.decode("utf-8"))
        except UnicodeDecodeError as error:
            valid, rest = text[: error.start], text[error.start :]
        pieces = self.split(valid)
        ids = self.encode_ordinary(valid)
        if not pieces:
            return ids + self._encode_single_piece(rest)
        stable = with_spaces_before(self._table, ids, ids[: -self._size_of_last(ids, pieces[-1])])
        return stable + self._encode_single_piece(self.decode_bytes(ids[len(stable) :]) + rest)

    @cached_property
    def sorted_tokens(self) -> list[bytes]:
        """The result of `token_byte_values`, made once."""
        return self.token_byte_values()

    @property
    def eot_token(self) -> int:
        """The id of `<|endoftext|>`. Raises KeyError if there is no such special token."""
        return self._special_tokens["<|endoftext|>"]


def _pattern_of(pat_str: str) -> Pattern:
    if not isinstance(pat_str, str):
        raise TypeError(f"pat_str must be a regular expression as a str, not {type(pat_str).__name__}")
    known = {pattern.source for pattern in PATTERNS.values()}
    if pat_str in known:
        return Pattern(pat_str)
    from bpe_engine.pipeline.fancy import translated  # noqa: PLC0415 - published encodings do not need it

    return Pattern(translated(pat_str))


def _of_vocabulary(vocabulary: Vocabulary) -> Encoding:
    """Return the encoding of a published vocabulary, without reading its tokens before they are needed."""
    made: Encoding = Tokenizer.__new__(Encoding)
    made._pat_str = "" if vocabulary.pattern is None else vocabulary.pattern.source  # noqa: SLF001 - of this module
    Tokenizer.__init__(made, vocabulary)
    return made


@cache_until_exit
def get_encoding(encoding_name: str) -> Encoding:
    """Return a published encoding by its name, or an encoding from a module of `tiktoken_ext` (`published/plugins.py`).
    Calls share one object.

    Args:
        encoding_name: The name of the encoding, such as "o200k_base".

    Returns:
        The `Encoding`; each call with this name returns the same one.

    Raises:
        UnknownEncodingError: No encoding has this name. It is a ValueError.
        VocabularyUnavailableError: The file of the encoding is neither embedded nor cached, and cannot be downloaded.
        HashMismatchError: The file is not the published one.
    """
    try:
        return Encoding.load(encoding_name)
    except UnknownEncodingError:
        constructor = plugins.constructors().get(encoding_name)
        if constructor is None:
            raise
    return Encoding(**constructor())


def encoding_for_model(model_name: str) -> Encoding:
    """Return the encoding that a model uses. Calls share one object.

    Args:
        model_name: The name of the model, such as "gpt-4o".

    Returns:
        The `Encoding`, with the name of the encoding and not of the model.

    Raises:
        UnknownEncodingError: The model is unknown. It is a KeyError.
        VocabularyUnavailableError: The file of the encoding is neither embedded nor cached, and cannot be downloaded.
        HashMismatchError: The file is not the published one.
    """
    return get_encoding(encoding_name_for_model(model_name))
