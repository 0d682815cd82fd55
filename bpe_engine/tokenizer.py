"""Tokenizer: text -> token ids and back, counts, and the incremental encoders, under the method names of tiktoken."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from bpe_engine.errors import DoubledTokenWarning, PatternError, UnknownTokenError, VocabularyError
from bpe_engine.formats.tiktoken import read_tiktoken
from bpe_engine.implementation import implementation
from bpe_engine.patterns import Pattern
from bpe_engine.published.registry import load_vocabulary
from bpe_engine.special_tokens import Specials
from bpe_engine.text.input import received, require_int, several, to_bytes
from bpe_engine.text.offsets import Unit, in_unit, unit_of
from bpe_engine.text.stream_decoder import StreamDecoder
from bpe_engine.text.truncation import Text
from bpe_engine.threads import in_threads, require_threads
from bpe_engine.vocabulary import Vocabulary

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bpe_engine.compare import Comparison
    from bpe_engine.encoders import AppendingEncoder, IntervalEncoder, PrependingEncoder
    from bpe_engine.engine import Engine
    from bpe_engine.formats.writing import FileFormat
    from bpe_engine.pipeline.specification import Specification

# Only the engine in use is imported: with a compiled core, the Python engine is not needed.
if TYPE_CHECKING or implementation() == "cpp":
    from bpe_engine.compiled import specification_engine, vocabulary_engine
else:
    from bpe_engine.fallback.engine import vocabulary_engine
    from bpe_engine.fallback.specification_engine import specification_engine


class Tokenizer:
    """A tokenizer: text -> token ids and back, counts, and the incremental encoders. Immutable; threads may share it;
    can be pickled.

    It holds an engine that runs a vocabulary or a specification, compiled if possible (`is_native`).

    Examples:
        >>> tokenizer = Tokenizer.load("o200k_base")
        >>> tokenizer.encode("Hello, world"), tokenizer.count("Hello, world")
        ([13225, 11, 2375], 3)
        >>> tokenizer.decode([13225, 11, 2375])
        'Hello, world'
    """

    _disallowed: ClassVar[Specials] = ()
    """The default of `disallowed_special`: the special tokens that raise."""

    def __init__(self, vocabulary: Vocabulary, *, prefix: Iterable[int] = (), suffix: Iterable[int] = ()) -> None:
        """Create a byte-pair tokenizer from a vocabulary.

        Args:
            vocabulary: The tokens, their merge ranks, the special tokens and the pattern.
            prefix: The ids that a model expects before each text.
            suffix: The ids that a model expects after each text.

        Raises:
            VocabularyError: Some tokens cannot be made by merges.
            PatternError: The pattern does not compile.
        """
        if not isinstance(vocabulary, Vocabulary):
            raise TypeError(
                f"vocabulary must be a Vocabulary, not {type(vocabulary).__name__}; Tokenizer.load takes a name, Tokenizer.from_file a file"
            )
        self._hold(vocabulary_engine(vocabulary), vocabulary, prefix, suffix)

    def _hold(
        self, engine: Engine, source: Vocabulary | Specification, prefix: Iterable[int], suffix: Iterable[int]
    ) -> None:
        self._engine = engine
        self._table = engine.table
        self._source = source
        self.name: str | None = source.name
        """The name of the encoding or model, or any label."""
        self.prefix = tuple(prefix)
        """The ids put before each text for a model. No count includes them."""
        self.suffix = tuple(suffix)
        """The ids put after each text for a model. No count includes them."""

    @classmethod
    def load(cls, name: str) -> Tokenizer:
        """Load the tokenizer of a published encoding ("o200k_base") or model ("gpt-4o").

        o200k_base, cl100k_base and o200k_harmony are embedded; others are searched for in caches, then downloaded once.

        Args:
            name: The name of the encoding or model.

        Returns:
            A tokenizer with the ids of tiktoken. Tokenizers of one encoding share its vocabulary.

        Raises:
            UnknownEncodingError: No published encoding or model has this name.
            VocabularyUnavailableError: Its file is neither embedded nor cached, and cannot be downloaded.
            HashMismatchError: Its file is not the published one.
        """
        if not isinstance(name, str):
            raise TypeError(f"name must be the name of an encoding or model, not {type(name).__name__}")
        return cls(load_vocabulary(name))

    @classmethod
    def from_file(
        cls,
        path: str | Path,
        *,
        pattern: Pattern | None = None,
        special_tokens: dict[str, int] | None = None,
        name: str | None = None,
    ) -> Tokenizer:
        """Load a tokenizer file of any supported format: tokenizer.json, `.tiktoken`, GGUF, minbpe `.model` and others.

        `formats/detection.py` recognizes the format. A `.tiktoken` file holds tokens only: pass its pattern and special
        tokens. Other files contain theirs.

        Args:
            path: The file.
            pattern: The pre-tokenization pattern of a `.tiktoken` file; None makes the whole text one pre-token.
            special_tokens: Text -> id, the special tokens of a `.tiktoken` file.
            name: A label; by default from the file or its name.

        Returns:
            A tokenizer with the ids that the publisher's library gives for this file.

        Raises:
            VocabularyError: The file is malformed or needs an unsupported feature; the message names the file and the
                place. Or `pattern` or `special_tokens` are given for a file that contains them.
            OSError: The file cannot be read.
        """
        from bpe_engine.formats.detection import detect, read_specification  # noqa: PLC0415 - published encodings do not need it

        if detect(Path(path)) == "tiktoken":
            ranks = read_tiktoken(Path(path))
            return Tokenizer(Vocabulary(name or Path(path).stem, ranks, special_tokens or {}, pattern))
        if pattern is not None or special_tokens is not None:
            raise VocabularyError(f"{path}: the file defines its own pattern and special tokens, so none can be passed")
        specification = read_specification(path)
        return cls.from_specification(specification if name is None else replace(specification, name=name))

    @classmethod
    def from_pretrained(
        cls,
        repository: str,
        *,
        revision: str | None = None,
        file: str = "tokenizer.json",
        local_files_only: bool | None = None,
        token: str | bool | None = None,
    ) -> Tokenizer:
        """Load the tokenizer of a model on the Hugging Face Hub: `from_pretrained("Qwen/Qwen3-Embedding-0.6B",
        revision="main")`.

        Needs `pip install "bpe-chunker[hub]"`.

        Args:
            repository: The repository, "owner/name".
            revision: A branch, tag or commit; by default the main branch.
            file: The path of the tokenizer file in the repository.
            local_files_only: True never uses the network. False uses it to check whether the branch has moved. None
                uses it only for a file that is not in the cache of huggingface_hub, unless HF_HUB_OFFLINE is set.
            token: The access token of the Hub, or True for the stored one.

        Returns:
            A tokenizer as `from_file` makes it, named after the repository.

        Raises:
            MissingExtraError: The package huggingface_hub is not installed.
            VocabularyUnavailableError: The file is neither cached nor reachable.
            VocabularyError: `repository` is not a name of a repository, or as `from_file`.
        """
        from bpe_engine.published.hub import tokenizer_file  # noqa: PLC0415 - few use the network

        path = tokenizer_file(repository, file=file, revision=revision, local_files_only=local_files_only, token=token)
        return cls.from_file(path, name=repository)

    @classmethod
    def from_specification(cls, specification: Specification) -> Tokenizer:
        """Create a tokenizer from a specification, which readers of tokenizer files make.

        Args:
            specification: The stages of the tokenizer, as data.

        Returns:
            The tokenizer; `is_native` tells whether the compiled core does all of its work.

        Raises:
            VocabularyError: The specification needs an unsupported feature. The message starts with its source.
        """
        from bpe_engine.pipeline.plain import plain_vocabulary  # noqa: PLC0415 - published encodings do not need it
        from bpe_engine.pipeline.specification import Specification  # noqa: PLC0415 - as above

        given: object = specification  # untyped callers may pass anything
        if not isinstance(given, Specification):
            raise TypeError(f"specification must be a bpe_engine Specification, not {type(given).__name__}")
        vocabulary = plain_vocabulary(specification)
        if vocabulary is not None:
            try:
                return Tokenizer(vocabulary, prefix=specification.prefix, suffix=specification.suffix)
            except (VocabularyError, PatternError) as error:
                raise VocabularyError(f"{specification.source}: {error}") from error
        made = Tokenizer.__new__(Tokenizer)
        made._hold(  # noqa: SLF001 - of this class
            specification_engine(specification), specification, specification.prefix, specification.suffix
        )
        return made

    def save(self, path: str | Path, file_format: FileFormat | None = None) -> None:
        """Write a tokenizer file for other programs: `.json` for Hugging Face, `.tiktoken`, or minbpe's `.model`.

        Args:
            path: The file to write. A `.tiktoken` file holds tokens only, without pattern and special tokens.
            file_format: The format; by default from the suffix of `path`.

        Raises:
            VocabularyError: The format cannot express this tokenizer.
            OSError: The file cannot be written.
        """
        from bpe_engine.formats.writing import save  # noqa: PLC0415 - only writing needs it

        save(self, path, file_format)

    def __reduce__(self) -> tuple[Callable[..., Tokenizer], tuple[Any, ...]]:
        if self.specification is not None:
            return Tokenizer.from_specification, (self.specification,)
        if self.prefix or self.suffix:
            return partial(type(self), prefix=self.prefix, suffix=self.suffix), (self.vocabulary,)
        return type(self), (self.vocabulary,)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self) or not isinstance(other, Tokenizer):
            return NotImplemented
        if self is other:
            return True
        return (self.prefix, self.suffix) == (other.prefix, other.suffix) and self._source == other._source

    def __hash__(self) -> int:
        return hash((type(self), self.name))

    def __repr__(self) -> str:
        return f"<Tokenizer{f' {self.name!r}' if self.name else ''}: {self.n_vocab} tokens>"

    # --- the parts and properties of the tokenizer

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary of the tokenizer. Raises VocabularyError if it was made from a specification."""
        if not isinstance(self._source, Vocabulary):
            raise VocabularyError(f"{self!r} has a whole pipeline, not just a vocabulary: see tokenizer.specification")
        return self._source

    @property
    def specification(self) -> Specification | None:
        """The specification of the tokenizer; None if it was made from a vocabulary."""
        return None if isinstance(self._source, Vocabulary) else self._source

    @property
    def is_native(self) -> bool:
        """Whether the compiled core does all of the work; otherwise `not_native` is the reason."""
        return self._engine.not_native is None

    @property
    def not_native(self) -> str | None:
        """The reason why some of the work is done in Python, 10 to 100 times slower; None if the core does all of it."""
        return self._engine.not_native

    @property
    def is_incremental(self) -> bool:
        """Whether the encoders read a growing text about once, instead of again for each count. False under a custom
        pattern that looks back.
        """
        return self._engine.is_incremental

    @property
    def reserve(self) -> int:
        """The number of tokens that a model adds around each text: `prefix` and `suffix`, such as `[CLS]` and `[SEP]`.
        No count includes them.
        """
        return len(self.prefix) + len(self.suffix)

    # --- text -> tokens

    def encode(
        self,
        text: str | bytes,
        *,
        allowed_special: Specials = (),
        disallowed_special: Specials | None = None,
        add_special_tokens: bool = False,
    ) -> list[int]:
        """The token ids of a text.

        Args:
            text: The text. Lone surrogates of a str become U+FFFD; bytes need not be UTF-8.
            allowed_special: Special tokens to find in the text, by their texts, or "all". Any other is plain text.
                "all" encodes as Hugging Face does; the default as Hugging Face with `encode_special_tokens = True`.
            disallowed_special: Special tokens that raise; "all" means all that are not allowed. By default none;
                tiktoken's default, and that of an `Encoding`, is "all".
            add_special_tokens: Put `prefix` and `suffix` around the ids. If the text already has one of them, warns
                with `DoubledTokenWarning`, as llama.cpp does.

        Returns:
            The ids, in the order of the text.

        Raises:
            DisallowedSpecialTokenError: The text holds a disallowed special token.
            EncodingError: No token contains a byte or character of the text, and there is no unknown token.
            TypeError: `text` is neither str nor bytes, or special tokens must be a str other than "all".
        """
        disallowed = self._disallowed if disallowed_special is None else disallowed_special
        if allowed_special or disallowed:
            ids = self._engine.encode_special(text, allowed_special, disallowed)
        else:
            ids = self._engine.encode_ordinary(text)
        return self._surrounded(ids) if add_special_tokens else ids

    def _surrounded(self, ids: list[int]) -> list[int]:
        """Return the ids between `prefix` and `suffix`. Warns if the text already starts with the first of `prefix`, or ends with the last of `suffix`."""
        told = "the text {} with the token {}, and add_special_tokens adds another one {} it"
        if ids and self.prefix and ids[0] == self.prefix[0]:
            warnings.warn(told.format("begins", ids[0], "before"), DoubledTokenWarning, stacklevel=3)
        if ids and self.suffix and ids[-1] == self.suffix[-1]:
            warnings.warn(told.format("ends", ids[-1], "after"), DoubledTokenWarning, stacklevel=3)
        return [*self.prefix, *ids, *self.suffix]

    def encode_ordinary(self, text: str | bytes) -> list[int]:
        """The token ids of a text, with special tokens in it as plain text.

        Args:
            text: The text. Lone surrogates of a str become U+FFFD; bytes need not be UTF-8.

        Returns:
            The ids, in the order of the text.

        Raises:
            EncodingError: No token contains a byte or character of the text, and there is no unknown token.
        """
        return self._engine.encode_ordinary(text)

    def encode_to_buffer(self, text: str | bytes) -> memoryview:
        """`encode_ordinary` as one array of unsigned 32-bit integers.

        Args:
            text: The text.

        Returns:
            The ids, four bytes a token; `numpy.frombuffer` and the like read them without a copy.

        Raises:
            EncodingError: As `encode_ordinary`.
        """
        return self._engine.encode_to_buffer(text)

    def count(self, text: str | bytes) -> int:
        """The number of tokens of a text: `len(encode_ordinary(text))`, without making the ids.

        Args:
            text: The text.

        Returns:
            The number of tokens, without `prefix` and `suffix`.

        Raises:
            EncodingError: As `encode_ordinary`.
        """
        return self._engine.count(text)

    def count_up_to(self, text: str | bytes, limit: int) -> int | None:
        """The number of tokens of a text, if it is at most `limit`. Stops reading soon after the limit is passed, if
        that is certain.

        Args:
            text: The text.
            limit: The largest number of tokens of interest.

        Returns:
            The number of tokens; None if it is above `limit`.

        Raises:
            EncodingError: As `encode_ordinary`, for the part that is read.
            TypeError: `text` is neither str nor bytes, or `limit` no int.
        """
        try:
            return self._engine.count_up_to(text, limit)
        except TypeError:  # checked only after an error, so that the check costs nothing for short texts
            require_int(limit, "limit")
            if abs(limit) <= sys.maxsize:
                raise
            return self._engine.count_up_to(text, sys.maxsize if limit > 0 else -1)

    def count_batch(self, texts: Iterable[str | bytes], *, num_threads: int = 8) -> list[int]:
        """`count` of each text, on several threads.

        Args:
            texts: The texts.
            num_threads: The number of threads.

        Returns:
            One number of tokens for each text, in order.

        Raises:
            EncodingError: As `encode_ordinary`.
            TypeError: `texts` is one text, or `num_threads` no int.
            ValueError: `num_threads` is below 1.
        """
        require_threads(num_threads)
        return self._engine.count_batch(several(texts), num_threads=num_threads)

    def split(self, text: str | bytes) -> list[str]:
        """The pre-tokens of a text: no token crosses from one to the next.

        Under a specification they are normalized, and include the added tokens; after ByteLevel, bytes are written as
        in a tokenizer.json.

        Args:
            text: The text.

        Returns:
            The pre-tokens, in order. Bytes that are not UTF-8 appear as U+DC80..U+DCFF.
        """
        return self._engine.split(text)

    def find_special(self, characters: str, allowed: Specials) -> Iterable[tuple[int, int, int]]:
        """Find the special tokens that `encode` would find in a text.

        Args:
            characters: The text, without lone surrogates.
            allowed: Special tokens to look for, by their texts, or "all".

        Returns:
            The start and end offset of each in characters, and its id. White space that a token includes belongs to it.
        """
        return self._engine.find_special(characters, allowed)

    def encode_to_numpy(
        self, text: str | bytes, *, allowed_special: Specials = (), disallowed_special: Specials | None = None
    ) -> npt.NDArray[np.uint32]:
        """`encode` as a numpy array. Needs numpy, which is not a dependency.

        Args:
            text: As for `encode`, as are the others.
            allowed_special: Special tokens to look for in the text, by their texts, or "all".
            disallowed_special: Special tokens that raise; "all" is every one that is not allowed.

        Returns:
            The ids, as unsigned 32-bit integers.

        Raises:
            DisallowedSpecialTokenError: The text holds a disallowed special token.
            EncodingError: As `encode`.
            ImportError: The package numpy is not installed.
        """
        import numpy as np  # noqa: PLC0415 - only this method needs numpy

        disallowed = self._disallowed if disallowed_special is None else disallowed_special
        if allowed_special:
            return np.array(self._engine.encode_special(text, allowed_special, disallowed), dtype=np.uint32)
        if disallowed:
            self._engine.check_special(text, allowed_special, disallowed)
        return np.frombuffer(self._engine.encode_to_buffer(text), dtype=np.uint32)

    def encode_batch(
        self,
        text: Iterable[str | bytes],
        *,
        num_threads: int = 8,
        allowed_special: Specials = (),
        disallowed_special: Specials | None = None,
    ) -> list[list[int]]:
        """`encode` of each text, on several threads.

        Args:
            text: The texts.
            num_threads: The number of threads.
            allowed_special: Special tokens to look for in the texts, by their texts, or "all".
            disallowed_special: Special tokens that raise; "all" is every one that is not allowed.

        Returns:
            The ids of each text, in order.

        Raises:
            DisallowedSpecialTokenError: A text holds a disallowed special token. Nothing is encoded then.
            EncodingError: As `encode`.
            TypeError: `text` is one text, or `num_threads` no int.
            ValueError: `num_threads` is below 1.
        """
        text = several(text)
        require_threads(num_threads)
        disallowed = self._disallowed if disallowed_special is None else disallowed_special
        if disallowed:
            text = list(text)
            for one in text:
                self._engine.check_special(one, allowed_special, disallowed)
        if not allowed_special:
            return self._engine.encode_ordinary_batch(text, num_threads=num_threads)
        return in_threads(
            partial(self._engine.encode_special, allowed=allowed_special, disallowed=()), text, num_threads
        )

    def encode_ordinary_batch(self, text: Iterable[str | bytes], *, num_threads: int = 8) -> list[list[int]]:
        """`encode_ordinary` of each text, on several threads.

        Args:
            text: The texts.
            num_threads: The number of threads.

        Returns:
            The ids of each text, in order.

        Raises:
            EncodingError: As `encode_ordinary`.
            TypeError: `text` is one text, or `num_threads` no int.
            ValueError: `num_threads` is below 1.
        """
        require_threads(num_threads)
        return self._engine.encode_ordinary_batch(several(text), num_threads=num_threads)

    def encode_with_offsets(self, text: str | bytes, *, unit: Unit | None = None) -> tuple[list[int], list[int]]:
        """The token ids of a text, and the offset in the text where each token starts.

        Args:
            text: The text. Special tokens in it are plain text.
            unit: The unit of the offsets: "characters", or "bytes" of the UTF-8. By default characters of a str, bytes
                of bytes.

        Returns:
            The ids, and as many offsets. A token that starts inside a character has the offset of that character, as in
            tiktoken's `decode_with_offsets`.

        Raises:
            ValueError: There is no such unit.
            EncodingError: As `encode_ordinary`.
        """
        wanted = unit_of(text, unit)
        ids, starts = self._engine.encode_with_starts(text)
        return ids, in_unit(text, received(text), starts, wanted, self._engine.character_starts)

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """The id of a token by its exact text or bytes.

        Args:
            text_or_bytes: The whole token, special or not.

        Returns:
            Its id.

        Raises:
            UnknownTokenError: There is no such token.
        """
        found = self._table.id_of(to_bytes(received(text_or_bytes)))
        if found is None:
            raise UnknownTokenError(f"{text_or_bytes!r} is not a single token of {self.name or 'this tokenizer'}")
        return found

    def truncate(self, text: Text, max_tokens: int, side: Literal["head", "tail"] = "head") -> Text:
        """The longest prefix or suffix of a text whose own count is at most `max_tokens`.

        The cut is between characters. A longer prefix may have a lower count than a shorter one; this is the longest of
        all that fit.

        Args:
            text: The text, str or bytes.
            max_tokens: The largest count of the result, in tokens.
            side: The part to keep: "head" for a prefix, "tail" for a suffix.

        Returns:
            The prefix or suffix, of the type of `text`.

        Raises:
            ValueError: `max_tokens` is negative, or there is no such side.
            TypeError: `text` is neither str nor bytes, or `max_tokens` no int.
            EncodingError: As `encode_ordinary`.
        """
        require_int(max_tokens, "max_tokens")
        if max_tokens < 0:
            raise ValueError(f"max_tokens must be at least 0, not {max_tokens}")
        if side not in ("head", "tail"):
            raise ValueError(f'side must be "head" or "tail", not {side!r}')
        return self._engine.truncate(text, min(max_tokens, sys.maxsize), head=side == "head")

    # --- incremental encoders

    def appending_encoder(self) -> AppendingEncoder:
        """An encoder of a text that grows to the right: append, snapshot, rollback, and the count at any time.

        Returns:
            An encoder whose text is empty.
        """
        return self._engine.appending_encoder()

    def prepending_encoder(self) -> PrependingEncoder:
        """An encoder of a text that grows to the left: prepend, snapshot, rollback, and the count at any time.

        Returns:
            An encoder whose text is empty.
        """
        return self._engine.prepending_encoder()

    def interval_encoder(self, text: str | bytes) -> IntervalEncoder:
        """The token counts of all slices of a text.

        Args:
            text: The text. Offsets are characters of a str, bytes of bytes.

        Returns:
            An encoder that gives the count of a slice from its start and end, mostly without reading the slice.

        Raises:
            EncodingError: As `encode_ordinary`.
        """
        return self._engine.interval_encoder(text)

    def _interface(self) -> object | None:
        """A capsule with the encoders, for other compiled modules (cpp/include/bpe/encoders_interface.hpp); None in pure
        Python.
        """
        return self._engine.interface()

    # --- tokens -> text

    def decode(self, tokens: Sequence[int], errors: str = "replace", *, skip_special_tokens: bool = False) -> str:
        """The text of token ids, as the decoders of the tokenizer make it.

        Args:
            tokens: Token ids.
            errors: How to handle bytes that are not UTF-8, such as half a character at the end: as for `bytes.decode`.
            skip_special_tokens: Leave special tokens out.

        Returns:
            The text.

        Raises:
            UnknownTokenError: No token has one of these ids.
            UnicodeDecodeError: The bytes are not UTF-8, and `errors` is "strict".
        """
        if skip_special_tokens:
            tokens = [token for token in tokens if token not in self._table.special_ids]
        return self._table.decode(tokens, errors)

    def decode_bytes(self, tokens: Iterable[int]) -> bytes:
        """The bytes of token ids, joined.

        Args:
            tokens: Token ids.

        Returns:
            The bytes, which may begin or end inside a character of UTF-8.

        Raises:
            UnknownTokenError: No token has one of these ids.
        """
        return self._table.joined(tokens)

    def decode_tokens_bytes(self, tokens: Iterable[int]) -> list[bytes]:
        """The bytes of each token.

        Args:
            tokens: Token ids.

        Returns:
            One `bytes` for each id, in the order of the ids.

        Raises:
            UnknownTokenError: No token has one of these ids.
        """
        return [self._table.decode_single_token_bytes(token) for token in tokens]

    def decode_single_token_bytes(self, token: int) -> bytes:
        """The bytes of one token, special or not.

        Args:
            token: The id of the token.

        Returns:
            The bytes, which may be a part of a character of UTF-8.

        Raises:
            UnknownTokenError: No token has this id.
        """
        return self._table.decode_single_token_bytes(token)

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """The text of token ids, and the offset where each token starts.

        Args:
            tokens: Token ids.

        Returns:
            The text, and one offset in characters for each token.

        Raises:
            UnknownTokenError: No token has one of these ids.
            VocabularyError: The decoders do more than join bytes, so that there are no offsets.
            UnicodeDecodeError: The bytes are not UTF-8.
        """
        if not self._table.has_offsets:
            raise VocabularyError(f"{self._source_name()}: the output of its decoders has no offsets")
        return self.decode_bytes(tokens).decode("utf-8", "strict"), self._offsets(tokens)

    def _source_name(self) -> str | None:
        return self.name if self.specification is None else self.specification.source

    def stream_decoder(self, errors: str = "replace") -> StreamDecoder:
        """A decoder for tokens that come one by one, which never returns half a character.

        Args:
            errors: How to handle bytes that are not UTF-8: as for `bytes.decode`.

        Returns:
            A decoder that has no token yet. `push` takes them one by one, `finish` returns the rest.

        Examples:
            >>> decoder = Tokenizer.load("cl100k_base").stream_decoder()
            >>> [decoder.push(token) for token in (15339, 220, 9468, 239, 235)], decoder.finish()
            (['hello', ' ', '', '', '👍'], '')
        """
        return self._table.stream_decoder(errors)

    def decode_batch(
        self, batch: Iterable[Sequence[int]], *, errors: str = "replace", num_threads: int = 8
    ) -> list[str]:
        """`decode` of each sequence, on several threads.

        Args:
            batch: Sequences of token ids.
            errors: How to handle bytes that are not UTF-8: as for `bytes.decode`.
            num_threads: The number of threads.

        Returns:
            The text of each sequence, in order.

        Raises:
            UnknownTokenError: No token has one of these ids.
        """
        return in_threads(partial(self.decode, errors=errors), batch, num_threads)

    def decode_bytes_batch(self, batch: Iterable[Sequence[int]], *, num_threads: int = 8) -> list[bytes]:
        """`decode_bytes` of each sequence, on several threads.

        Args:
            batch: Sequences of token ids.
            num_threads: The number of threads.

        Returns:
            The bytes of each sequence, in order.

        Raises:
            UnknownTokenError: No token has one of these ids.
        """
        return in_threads(self.decode_bytes, batch, num_threads)

    # --- two tokenizers

    def compare(self, other: Tokenizer, texts: Mapping[str, str] | Iterable[str] = ()) -> Comparison:
        """Compare this tokenizer with another: the differences, and the cost of texts with each. For migrations.

        Args:
            other: The other tokenizer.
            texts: Texts to count with both, or names -> texts.

        Returns:
            A report; `str` of it is a readable page.

        Examples:
            >>> report = Tokenizer.load("cl100k_base").compare(Tokenizer.load("o200k_base"), ["a tokenizer"])
            >>> report.tokens, report.texts[0].ours, report.texts[0].theirs
            ((100256, 199998), 2, 2)
        """
        from bpe_engine.compare import compare  # noqa: PLC0415 - only comparing needs it

        if not isinstance(other, Tokenizer):
            raise TypeError(f"other must be a Tokenizer, not {type(other).__name__}; Tokenizer.load takes a name")
        several(texts)
        return compare(self, other, texts)

    # --- the vocabulary

    @cached_property
    def max_token_value(self) -> int:
        """The largest id."""
        return self._table.largest_id()

    @property
    def n_vocab(self) -> int:
        """One more than the largest id: the size of a table with a row for each id."""
        return self.max_token_value + 1

    @property
    def special_tokens_set(self) -> set[str]:
        """The texts of the special tokens."""
        return self._table.special_texts

    @property
    def eot_token(self) -> int:
        """The id of `<|endoftext|>`. Raises UnknownTokenError if the vocabulary has none."""
        return self.encode_single_token("<|endoftext|>")

    def is_special_token(self, token: int) -> bool:
        """Whether a special token has this id.

        Args:
            token: A token id.

        Returns:
            True for a special token; False for any other id, also for one that no token has.
        """
        return token in self._table.special_ids

    def token_byte_values(self) -> list[bytes]:
        """The bytes of all tokens except special ones, in ascending order.

        Returns:
            A new list, sorted by the bytes and not by the ids.
        """
        return self._table.byte_values()

    def _offsets(self, ids: Iterable[int]) -> list[int]:
        """
        >>> Tokenizer.load("cl100k_base")._offsets([15339, 220, 9468, 239, 235])    # "hello " and the bytes of one character
        [0, 5, 6, 6, 6]
        """
        offsets = []
        characters = 0
        for data in self.decode_tokens_bytes(ids):
            starts = sum(1 for byte in data if not 0x80 <= byte < 0xC0)
            offsets.append(max(0, characters - (0x80 <= data[0] < 0xC0 if data else 0)))
            characters += starts
        return offsets
