"""Tokenizer: text -> tokens, and the incremental encoders. The names are those that a user of tiktoken expects."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from bpe_engine.errors import UnknownTokenError, VocabularyError
from bpe_engine.formats.tiktoken import read_tiktoken
from bpe_engine.implementation import implementation
from bpe_engine.patterns import Pattern
from bpe_engine.published.registry import load_vocabulary
from bpe_engine.special_tokens import Specials, SpecialTokens
from bpe_engine.text.input import received, to_bytes
from bpe_engine.text.offsets import Unit, in_unit, starts_of_parts, unit_of
from bpe_engine.text.stream_decoder import StreamDecoder
from bpe_engine.text.truncation import Text
from bpe_engine.threads import in_threads
from bpe_engine.vocabulary import Vocabulary

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from bpe_engine.compare import Comparison
    from bpe_engine.formats.writing import FileFormat
    from bpe_engine.pipeline.specification import Specification

if TYPE_CHECKING or implementation() == "python":
    from bpe_engine.fallback.engine import Engine
else:
    from bpe_engine.compiled import Engine


class Tokenizer(Engine):
    """A byte-pair tokenizer. Immutable; threads may share it; pickles (embedded vocabularies by name).

    Raises VocabularyError for tokens that it cannot merge, PatternError where the pattern does not compile.

    >>> tokenizer = Tokenizer.load("o200k_base")
    >>> tokenizer.encode("Hello, world"), tokenizer.count("Hello, world")
    ([13225, 11, 2375], 3)
    >>> tokenizer.decode([13225, 11, 2375])
    'Hello, world'
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        *,
        prefix: Iterable[int] = (),
        suffix: Iterable[int] = (),
        like: Tokenizer | None = None,
    ) -> None:
        """`prefix`, `suffix`: the ids that a model gets around each text. `like`: one over the same tokens, which are shared with it."""
        super().__init__(vocabulary, like)
        self.vocabulary = vocabulary
        self.special_tokens = SpecialTokens(vocabulary.special_tokens)
        self.prefix = tuple(prefix)
        self.suffix = tuple(suffix)

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
        from bpe_engine.pipeline.plain import build  # noqa: PLC0415 - published encodings do without
        from bpe_engine.pipeline.specification import Specification  # noqa: PLC0415 - as above

        given: object = specification  # what callers without types may pass
        if not isinstance(given, Specification):
            raise TypeError(f"specification is a bpe_engine Specification, not {type(given).__name__}")

        return build(specification)

    def save(self, path: str | Path, file_format: FileFormat | None = None) -> None:
        """Write a file that others read: `.json` for Hugging Face, `.tiktoken`, or minbpe's `.model`; `file_format` where the ending tells none.

        A `.tiktoken` file holds tokens alone. Raises VocabularyError for what the format has no way to say, and OSError.
        """
        from bpe_engine.formats.writing import save  # noqa: PLC0415 - who does not write does not pay for it

        save(self, path, file_format)

    def __reduce__(self) -> tuple[Callable[..., Tokenizer], tuple[Any, ...]]:
        if self.prefix or self.suffix:
            return partial(type(self), prefix=self.prefix, suffix=self.suffix), (self.vocabulary,)
        return type(self), (self.vocabulary,)

    def __repr__(self) -> str:
        return f"<Tokenizer {self.name!r}: {self.n_vocab} tokens>"

    @property
    def name(self) -> str | None:
        """The name of the vocabulary."""
        return self.vocabulary.name

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
        disallowed_special: Specials = (),
        add_special_tokens: bool = False,
    ) -> list[int]:
        """The token ids of `text`; with `add_special_tokens` between `prefix` and `suffix`.

        A special token in `text` is plain text unless `allowed_special` names it ("all" names every one). One that
        `disallowed_special` names raises DisallowedSpecialTokenError ("all" names every one that is not allowed); unlike
        tiktoken's, its default is none. Raises EncodingError for a byte that is in no token.
        """
        if add_special_tokens:
            ids = self.encode(text, allowed_special=allowed_special, disallowed_special=disallowed_special)
            return [*self.prefix, *ids, *self.suffix]
        if not allowed_special and not disallowed_special:
            return self.encode_ordinary(text)
        ids = []
        for plain, special in self.special_tokens.parts(received(text), allowed_special, disallowed_special):
            ids += self.encode_ordinary(to_bytes(plain))
            if special is not None:
                ids.append(special)
        return ids

    def find_special(self, characters: str, allowed: Specials) -> Iterable[tuple[int, int, int]]:
        """The special tokens that `encode` finds in received text, if these are allowed: start and end in characters, and the id."""
        return self.special_tokens.spans(characters, allowed)

    def encode_to_numpy(
        self, text: str | bytes, *, allowed_special: Specials = (), disallowed_special: Specials = ()
    ) -> npt.NDArray[np.uint32]:
        """`encode` as a numpy array. Needs numpy, which is not a dependency."""
        import numpy as np  # noqa: PLC0415 - who does not call this need not have it

        if not allowed_special and not disallowed_special:
            return np.frombuffer(self.encode_to_buffer(text), dtype=np.uint32)
        ids = self.encode(text, allowed_special=allowed_special, disallowed_special=disallowed_special)
        return np.array(ids, dtype=np.uint32)

    def encode_batch(
        self,
        text: Iterable[str | bytes],
        *,
        num_threads: int = 8,
        allowed_special: Specials = (),
        disallowed_special: Specials = (),
    ) -> list[list[int]]:
        """`encode` of each text, in order."""
        if not allowed_special and not disallowed_special:
            return self.encode_ordinary_batch(text, num_threads=num_threads)
        encode = partial(self.encode, allowed_special=allowed_special, disallowed_special=disallowed_special)
        return in_threads(encode, text, num_threads)

    def encode_with_offsets(self, text: str | bytes, *, unit: Unit | None = None) -> tuple[list[int], list[int]]:
        """The token ids of `text`, and for each the offset in `text` where it starts.

        `unit` is "characters" or "bytes" (of its UTF-8); by default characters of a str, bytes of bytes. A token that starts inside a character
        has the offset of that character, as tiktoken's `decode_with_offsets` says. ValueError for another unit.
        """
        wanted = unit_of(text, unit)
        characters = received(text)
        data = to_bytes(characters)
        ids = self.encode_ordinary(data)
        lengths = list(map(len, self.decode_tokens_bytes(ids)))
        if sum(lengths) == len(data):
            starts = starts_of_parts(lengths)
        else:  # the pattern drops what it does not match
            starts = self.starts_in_bytes(characters, self.decode_single_token_bytes)
        return ids, in_unit(text, characters, starts, wanted)

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """The id of the token, or special token, that is exactly this. Raises UnknownTokenError where there is none."""
        data = to_bytes(received(text_or_bytes))
        found = self._id_of(data)
        if found is None and not data:
            found = self.vocabulary.empty_token
        if found is None:
            found = self.vocabulary.special_tokens.get(data.decode("utf-8", "replace"))
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
        return self._truncate(text, max_tokens, head=side == "head")

    # --- tokens -> text

    def decode(self, tokens: Sequence[int], errors: str = "replace") -> str:
        """The text of the tokens. Where they do not end on a character, `errors` says what happens, as `bytes.decode` does.

        Raises UnknownTokenError for an id that no token has.
        """
        return self.decode_bytes(tokens).decode("utf-8", errors)

    def decode_bytes(self, tokens: Iterable[int]) -> bytes:
        """The bytes of the tokens. Raises UnknownTokenError for an id that no token has."""
        return b"".join(self.decode_tokens_bytes(tokens))

    def decode_tokens_bytes(self, tokens: Iterable[int]) -> list[bytes]:
        """The bytes of each token. Raises UnknownTokenError for an id that no token has."""
        return [self.decode_single_token_bytes(token) for token in tokens]

    def decode_single_token_bytes(self, token: int) -> bytes:
        """The bytes of one token, special or not. Raises UnknownTokenError for an id that no token has."""
        found = self._bytes_of(token)
        if found is None:
            found = self.special_tokens.bytes_of.get(token)
        if found is None and token == self.vocabulary.empty_token and token is not None:
            found = b""
        if found is None:
            raise UnknownTokenError(f"no token of {self.name} has the id {token!r}")
        return found

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """The text of the tokens, and for each the offset in characters where it starts. Raises as `decode`."""
        return self.decode_bytes(tokens).decode("utf-8", "strict"), self._offsets(tokens)

    def stream_decoder(self, errors: str = "replace") -> StreamDecoder:
        """A decoder that takes one token after the other, and never gives half a character.

        >>> decoder = Tokenizer.load("cl100k_base").stream_decoder()
        >>> [decoder.push(token) for token in (15339, 220, 9468, 239, 235)], decoder.finish()
        (['hello', ' ', '', '', '👍'], '')
        """
        return StreamDecoder(self.decode_single_token_bytes, errors)

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
        empty = self.vocabulary.empty_token
        return max(self._largest_id(), max(self.special_tokens.bytes_of, default=-1), -1 if empty is None else empty)

    @property
    def n_vocab(self) -> int:
        """One more than the largest id: the size of a table with a row for each id."""
        return self.max_token_value + 1

    @property
    def special_tokens_set(self) -> set[str]:
        """The texts of the special tokens."""
        return set(self.vocabulary.special_tokens)

    @property
    def eot_token(self) -> int:
        """The id of `<|endoftext|>`. Raises UnknownTokenError where the vocabulary has none."""
        return self.encode_single_token("<|endoftext|>")

    def is_special_token(self, token: int) -> bool:
        """Whether a special token has this id."""
        return token in self.special_tokens.bytes_of

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
