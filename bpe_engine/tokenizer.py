"""Tokenizer: text -> tokens, and the incremental encoders. The names are those that a user of tiktoken expects."""

from __future__ import annotations

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
from bpe_engine.text.input import received, to_bytes
from bpe_engine.text.offsets import Unit, in_unit, unit_of
from bpe_engine.text.stream_decoder import StreamDecoder
from bpe_engine.text.truncation import Text
from bpe_engine.threads import in_threads
from bpe_engine.vocabulary import Vocabulary

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bpe_engine.compare import Comparison
    from bpe_engine.encoders import AppendingEncoder, IntervalEncoder, PrependingEncoder
    from bpe_engine.engine import Engine
    from bpe_engine.formats.writing import FileFormat
    from bpe_engine.pipeline.specification import Specification

# One of them: so that whoever has a compiler does not read the other.
if TYPE_CHECKING or implementation() == "cpp":
    from bpe_engine.compiled import specification_engine, vocabulary_engine
else:
    from bpe_engine.fallback.engine import vocabulary_engine
    from bpe_engine.fallback.staged import specification_engine


class Tokenizer:
    """A tokenizer: text -> token ids and back, counts, and the incremental encoders. Immutable; threads may share it; pickles.

    It holds an engine that runs a vocabulary or a specification, compiled wherever it can be (`is_native`).

    >>> tokenizer = Tokenizer.load("o200k_base")
    >>> tokenizer.encode("Hello, world"), tokenizer.count("Hello, world")
    ([13225, 11, 2375], 3)
    >>> tokenizer.decode([13225, 11, 2375])
    'Hello, world'
    """

    _disallowed: ClassVar[Specials] = ()
    """The special tokens that raise where a call says nothing of them."""

    def __init__(self, vocabulary: Vocabulary, *, prefix: Iterable[int] = (), suffix: Iterable[int] = ()) -> None:
        """A byte-pair tokenizer over a vocabulary of your own.

        Args:
            vocabulary: The tokens, their merge ranks, the special tokens and the pattern.
            prefix: The ids that a model gets before each text.
            suffix: The ids that it gets after each text.

        Raises:
            VocabularyError: There are tokens that cannot be merged.
            PatternError: The pattern does not compile.
        """
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
        """The ids that a model gets before each text. No part of any count."""
        self.suffix = tuple(suffix)
        """The ids that it gets after each text."""

    @classmethod
    def load(cls, name: str) -> Tokenizer:
        """The tokenizer of a published encoding ("o200k_base") or model ("gpt-4o").

        o200k_base, cl100k_base and o200k_harmony are embedded; others are looked for in caches, then downloaded once.
        Raises UnknownEncodingError, VocabularyUnavailableError or HashMismatchError.
        """
        if not isinstance(name, str):
            raise TypeError(f"name is the name of an encoding or model, not {type(name).__name__}")
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
        """The tokenizer of a file, whatever its format: tokenizer.json, `.tiktoken`, GGUF, minbpe `.model` and others (`formats/detection.py`).

        A `.tiktoken` file holds tokens alone: the pattern and the special tokens are yours. Other files have them, and take none.
        Raises VocabularyError with file and place where the file is malformed or asks for what is not supported, and OSError where it
        cannot be read.
        """
        from bpe_engine.formats.detection import detect, read_specification  # noqa: PLC0415 - published encodings do without

        if detect(Path(path)) == "tiktoken":
            ranks = read_tiktoken(Path(path))
            return Tokenizer(Vocabulary(name or Path(path).stem, ranks, special_tokens or {}, pattern))
        if pattern is not None or special_tokens is not None:
            raise VocabularyError(f"{path}: the file says by itself what its pattern and its special tokens are")
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
        """The tokenizer of a model on the Hugging Face Hub: `from_pretrained("Qwen/Qwen3-Embedding-0.6B", revision="main")`.

        Needs `pip install "bpe-chunker[hub]"`. What is in the cache of huggingface_hub is used as it is there; see `bpe_engine.published.hub` for
        `local_files_only` and the environment variables. Raises as `from_file`, and MissingExtraError or VocabularyUnavailableError.
        """
        from bpe_engine.published.hub import tokenizer_file  # noqa: PLC0415 - few use the network

        path = tokenizer_file(repository, file=file, revision=revision, local_files_only=local_files_only, token=token)
        return cls.from_file(path, name=repository)

    @classmethod
    def from_specification(cls, specification: Specification) -> Tokenizer:
        """The tokenizer that a specification describes, which is what readers of tokenizer files make.

        Raises VocabularyError, beginning with the specification's source, for what is not supported.
        """
        from bpe_engine.pipeline.plain import plain_vocabulary  # noqa: PLC0415 - published encodings do without
        from bpe_engine.pipeline.specification import Specification  # noqa: PLC0415 - as above

        given: object = specification  # what callers without types may pass
        if not isinstance(given, Specification):
            raise TypeError(f"specification is a bpe_engine Specification, not {type(given).__name__}")
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
        """Write a file that others read: `.json` for Hugging Face, `.tiktoken`, or minbpe's `.model`; `file_format` where the ending tells none.

        A `.tiktoken` file holds tokens alone. Raises VocabularyError for what the format has no way to say, and OSError.
        """
        from bpe_engine.formats.writing import save  # noqa: PLC0415 - who does not write does not pay for it

        save(self, path, file_format)

    def __reduce__(self) -> tuple[Callable[..., Tokenizer], tuple[Any, ...]]:
        if self.specification is not None:
            return Tokenizer.from_specification, (self.specification,)
        if self.prefix or self.suffix:
            return partial(type(self), prefix=self.prefix, suffix=self.suffix), (self.vocabulary,)
        return type(self), (self.vocabulary,)

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name!r}: {self.n_vocab} tokens>"

    # --- what it is

    @property
    def vocabulary(self) -> Vocabulary:
        """What the tokenizer was made of. Raises VocabularyError where that is a specification: then see `specification`."""
        if not isinstance(self._source, Vocabulary):
            raise VocabularyError(
                f"{self!r} runs a specification, which says more than a vocabulary: see tokenizer.specification"
            )
        return self._source

    @property
    def specification(self) -> Specification | None:
        """What the file of the tokenizer says; None where a vocabulary says it all."""
        return None if isinstance(self._source, Vocabulary) else self._source

    @property
    def is_native(self) -> bool:
        """Whether the compiled core does all of the work; else `not_native` says why it does not."""
        return self._engine.not_native is None

    @property
    def not_native(self) -> str | None:
        """Why some of the work is done in Python, which is 10 to 100 times as slow; None where it is not."""
        return self._engine.not_native

    @property
    def is_incremental(self) -> bool:
        """Whether a growing text is read about once, and not anew for each count: not under a pattern of one's own that looks back."""
        return self._engine.is_incremental

    @property
    def reserve(self) -> int:
        """How many tokens a model gets around each text: `prefix` and `suffix`, such as `[CLS]` and `[SEP]`. No part of any count."""
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
            text: The text. Of a str lone surrogates become U+FFFD; bytes need not be UTF-8.
            allowed_special: The special tokens that are found in the text, by their texts, or "all". Any other is plain text. "all" is how
                Hugging Face encodes; the default is how it does with `encode_special_tokens = True`.
            disallowed_special: The special tokens that raise, "all" being every one that is not allowed. None of them by default; tiktoken's
                default, and that of an `Encoding`, is "all".
            add_special_tokens: Put `prefix` and `suffix` around the ids. Where the text has them already, `DoubledTokenWarning` says so, as llama.cpp does.

        Raises:
            DisallowedSpecialTokenError: The text holds a special token that is disallowed.
            EncodingError: A byte or character is in no token, and there is no unknown token.
            TypeError: `text` is neither str nor bytes, or special tokens are named by a str other than "all".
        """
        disallowed = self._disallowed if disallowed_special is None else disallowed_special
        if allowed_special or disallowed:
            ids = self._engine.encode_special(text, allowed_special, disallowed)
        else:
            ids = self._engine.encode_ordinary(text)
        return self._surrounded(ids) if add_special_tokens else ids

    def _surrounded(self, ids: list[int]) -> list[int]:
        """The ids between `prefix` and `suffix`. Warns of a text that begins with the first of one, or ends with the last of the other."""
        told = "the text {} with the token {}, and add_special_tokens puts another one {} it"
        if ids and self.prefix and ids[0] == self.prefix[0]:
            warnings.warn(told.format("begins", ids[0], "before"), DoubledTokenWarning, stacklevel=3)
        if ids and self.suffix and ids[-1] == self.suffix[-1]:
            warnings.warn(told.format("ends", ids[-1], "after"), DoubledTokenWarning, stacklevel=3)
        return [*self.prefix, *ids, *self.suffix]

    def encode_ordinary(self, text: str | bytes) -> list[int]:
        """The token ids of `text`, special tokens in it taken as plain text. Raises EncodingError as `encode`."""
        return self._engine.encode_ordinary(text)

    def encode_to_buffer(self, text: str | bytes) -> memoryview:
        """`encode_ordinary` as one array of unsigned 32-bit integers (buffer protocol, four bytes a token)."""
        return self._engine.encode_to_buffer(text)

    def count(self, text: str | bytes) -> int:
        """The number of tokens of `text`: `len(encode_ordinary(text))`, without the ids."""
        return self._engine.count(text)

    def count_up_to(self, text: str | bytes, limit: int) -> int | None:
        """The number of tokens of `text`, None if it is above `limit` (tokens). Stops reading soon after the limit, where that can be known."""
        return self._engine.count_up_to(text, limit)

    def count_batch(self, texts: Iterable[str | bytes], *, num_threads: int = 8) -> list[int]:
        """`count` of each text, in order."""
        return self._engine.count_batch(texts, num_threads=num_threads)

    def split(self, text: str | bytes) -> list[str]:
        """The pre-tokens of `text`: no token crosses from one to the next. Bytes that are not UTF-8 show as U+DC80..U+DCFF.

        Under a specification they are normalized, and added tokens stand between them; after ByteLevel bytes show as they do in a tokenizer.json.
        """
        return self._engine.split(text)

    def find_special(self, characters: str, allowed: Specials) -> Iterable[tuple[int, int, int]]:
        """The special tokens that `encode` finds in a text.

        Args:
            characters: The text, without lone surrogates.
            allowed: The special tokens that are looked for, by their texts, or "all".

        Returns:
            Start and end of each in characters, and its id. White space that a token takes along belongs to it.
        """
        return self._engine.find_special(characters, allowed)

    def encode_to_numpy(
        self, text: str | bytes, *, allowed_special: Specials = (), disallowed_special: Specials | None = None
    ) -> npt.NDArray[np.uint32]:
        """`encode` as a numpy array. Needs numpy, which is not a dependency. Raises as `encode`."""
        import numpy as np  # noqa: PLC0415 - who does not call this need not have it

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
        """`encode` of each text, in order. Raises as `encode`, before any work where a special token is disallowed."""
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
        """`encode_ordinary` of each text, in order."""
        return self._engine.encode_ordinary_batch(text, num_threads=num_threads)

    def encode_with_offsets(self, text: str | bytes, *, unit: Unit | None = None) -> tuple[list[int], list[int]]:
        """The token ids of `text`, and for each the offset in `text` where it starts.

        `unit` is "characters" or "bytes" (of its UTF-8); by default characters of a str, bytes of bytes. A token that starts inside a character
        has the offset of that character, as tiktoken's `decode_with_offsets` says. ValueError for another unit.
        """
        wanted = unit_of(text, unit)
        ids, starts = self._engine.encode_with_starts(text)
        return ids, in_unit(text, received(text), starts, wanted)

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """The id of the token, or special token, that is exactly this. Raises UnknownTokenError where there is none."""
        found = self._table.id_of(to_bytes(received(text_or_bytes)))
        if found is None:
            raise UnknownTokenError(f"{text_or_bytes!r} is not a single token of {self.name}")
        return found

    def truncate(self, text: Text, max_tokens: int, side: Literal["head", "tail"] = "head") -> Text:
        """The longest prefix (`side="head"`) or suffix (`"tail"`) of `text` whose own count is at most `max_tokens`.

        The cut is between characters. Counts of prefixes are not monotone: this is the longest of all that fit.
        """
        if max_tokens < 0:
            raise ValueError(f"max_tokens is at least 0, not {max_tokens}")
        if side not in ("head", "tail"):
            raise ValueError(f'side is "head" or "tail", not {side!r}')
        return self._engine.truncate(text, max_tokens, head=side == "head")

    # --- incremental encoders

    def appending_encoder(self) -> AppendingEncoder:
        """A text that grows to the right, and its count: append, snapshot, roll back."""
        return self._engine.appending_encoder()

    def prepending_encoder(self) -> PrependingEncoder:
        """A text that grows to the left, and its count: prepend, snapshot, roll back."""
        return self._engine.prepending_encoder()

    def interval_encoder(self, text: str | bytes) -> IntervalEncoder:
        """The counts of all slices of `text`."""
        return self._engine.interval_encoder(text)

    # --- tokens -> text

    def decode(self, tokens: Sequence[int], errors: str = "replace", *, skip_special_tokens: bool = False) -> str:
        """The text of the tokens, as the decoders of the tokenizer make it.

        Args:
            tokens: Token ids.
            errors: What happens where they do not end on a character, as for `bytes.decode`.
            skip_special_tokens: Leave special tokens out.

        Raises:
            UnknownTokenError: No token has one of these ids.
        """
        if skip_special_tokens:
            tokens = [token for token in tokens if token not in self._table.special_ids]
        return self._table.decode(tokens, errors)

    def decode_bytes(self, tokens: Iterable[int]) -> bytes:
        """The bytes of the tokens. Raises UnknownTokenError for an id that no token has."""
        return b"".join(self.decode_tokens_bytes(tokens))

    def decode_tokens_bytes(self, tokens: Iterable[int]) -> list[bytes]:
        """The bytes of each token. Raises UnknownTokenError for an id that no token has."""
        return [self._table.decode_single_token_bytes(token) for token in tokens]

    def decode_single_token_bytes(self, token: int) -> bytes:
        """The bytes of one token, special or not. Raises UnknownTokenError for an id that no token has."""
        return self._table.decode_single_token_bytes(token)

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """The text of the tokens, and for each the offset in characters where it starts.

        Raises as `decode`; VocabularyError where decoders do more than to join bytes, so that there is no such offset.
        """
        if not self._table.has_offsets:
            raise VocabularyError(f"{self._source_name()}: what its decoders make of tokens has no offsets")
        return self.decode_bytes(tokens).decode("utf-8", "strict"), self._offsets(tokens)

    def _source_name(self) -> str | None:
        return self.name if self.specification is None else self.specification.source

    def stream_decoder(self, errors: str = "replace") -> StreamDecoder:
        """A decoder that takes one token after the other, and never gives half a character.

        >>> decoder = Tokenizer.load("cl100k_base").stream_decoder()
        >>> [decoder.push(token) for token in (15339, 220, 9468, 239, 235)], decoder.finish()
        (['hello', ' ', '', '', '👍'], '')
        """
        return self._table.stream_decoder(errors)

    def decode_batch(
        self, batch: Iterable[Sequence[int]], *, errors: str = "replace", num_threads: int = 8
    ) -> list[str]:
        """`decode` of each sequence, in order."""
        return in_threads(partial(self.decode, errors=errors), batch, num_threads)

    def decode_bytes_batch(self, batch: Iterable[Sequence[int]], *, num_threads: int = 8) -> list[bytes]:
        """`decode_bytes` of each sequence, in order."""
        return in_threads(self.decode_bytes, batch, num_threads)

    # --- two tokenizers

    def compare(self, other: Tokenizer, texts: Mapping[str, str] | Iterable[str] = ()) -> Comparison:
        """What differs between this tokenizer and another, and what `texts` (with or without names) cost with each: for migrations.

        >>> report = Tokenizer.load("cl100k_base").compare(Tokenizer.load("o200k_base"), ["a tokenizer"])
        >>> report.tokens, report.texts[0].ours, report.texts[0].theirs
        ((100256, 199998), 2, 2)
        """
        from bpe_engine.compare import compare  # noqa: PLC0415 - who does not compare does not pay for it

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
        """The id of `<|endoftext|>`. Raises UnknownTokenError where the vocabulary has none."""
        return self.encode_single_token("<|endoftext|>")

    def is_special_token(self, token: int) -> bool:
        """Whether a special token has this id."""
        return token in self._table.special_ids

    def token_byte_values(self) -> list[bytes]:
        """The bytes of all tokens but the special ones, in ascending order."""
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
