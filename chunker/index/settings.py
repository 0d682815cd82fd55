"""The settings that the chunks and vectors of an index depend on. They are kept in the index and compared when it is
opened.

    {"max_tokens": 256, "desired_tokens": 96, ..., "tokenizer": "o200k_base", "embedder": "hashing", ...}

By default chunks have 160 to 256 tokens, if the text has boundaries for such: they are small, so that a line that is
inserted makes little to embed again.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunker.errors import OptionError
from chunker.index.errors import DamagedIndexError, SettingsMismatchError
from chunker.index.kept_tokenizer import counter_of, told_file
from chunker.index.keys import digest
from chunker.options import Strategy

if TYPE_CHECKING:
    from chunker.counting import TokenCounter
    from chunker.files.chunk_files import Cut

# A new number when the same settings and the same text would give other chunks.
CHUNKING = 2

DEFAULT_MAX_TOKENS = 256
DEFAULT_DESIRED_TOKENS = 160
# Characters for each token of `max_tokens`: within so many no other cut is as good as an anchor (see `anchors`).
_REACH = 1.75


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of an index.

    Args:
        tokenizer: The name of the encoding that counts; or the path of a tokenizer file, relative to the root of the
            index if it is below.
        embedder: The name of the embedder.
        embedder_options: Its options as JSON, without keys and passwords.
        identity: A key of everything that its vectors depend on (`keys.identity_of`), in hexadecimal digits.
        dimensions: The length of a vector.
        max_tokens: The largest number of tokens of a chunk.
        desired_tokens: As for `chunker.TextChunker`, as are the others.
        min_tokens: The smallest number of tokens of a chunk; the last may have fewer, so as not to divide what fits.
        overlap: The largest number of tokens that the next chunk repeats.
        context: Whether chunks begin with lines that say where they stand.
        strategy: "grow" or "optimal".
        chunking: The version of the rules of chunking.
        tokenizer_sha256: The SHA-256 of the tokenizer file, in hexadecimal digits; "" for a name.
    """

    tokenizer: str
    embedder: str
    embedder_options: str
    identity: str
    dimensions: int
    max_tokens: int = DEFAULT_MAX_TOKENS
    desired_tokens: int | None = DEFAULT_DESIRED_TOKENS
    min_tokens: int | None = None
    overlap: int = 0
    context: bool = True
    strategy: Strategy = "grow"
    chunking: int = CHUNKING
    tokenizer_sha256: str = ""

    def fingerprint(self) -> bytes:
        """A key of all settings that chunks depend on: all but the embedder.

        Returns:
            A hash, as bytes, which is the same for equal settings.
        """
        left_out = _OF_EMBEDDER if self.tokenizer_sha256 else _OF_EMBEDDER | {"tokenizer_sha256"}
        chunking = {name: value for name, value in asdict(self).items() if name not in left_out}
        return digest(b"settings", json.dumps(chunking, sort_keys=True))

    @property
    def reach(self) -> int:
        """The distance in characters within which no cut is better than an anchor."""
        return int(self.max_tokens * _REACH)

    def to_json(self) -> str:
        """The settings as an index keeps them.

        Returns:
            A JSON object of setting -> value, sorted by name.
        """
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """The settings that an index keeps.

        Args:
            text: The result of `to_json`.

        Returns:
            Settings equal to those that were kept.

        Raises:
            DamagedIndexError: The text holds no settings.
        """
        try:
            values = {"tokenizer_sha256": ""} | json.loads(text)  # an index of before there were tokenizer files
            return cls(**{field.name: values[field.name] for field in fields(cls)})
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedIndexError(f"the settings in the index cannot be read: {error!r}; make it anew") from error

    def with_options(self, **options: Any) -> Settings:  # noqa: ANN401  # checked by the chunker
        """A copy with other values of some settings.

        Args:
            options: Setting -> value.

        Returns:
            New settings; these stay as they are.

        Raises:
            OptionError: There is no such setting.
        """
        unknown = sorted(set(options) - {field.name for field in fields(self)})
        if unknown:
            raise OptionError(f"an index has no setting {', '.join(unknown)}")
        return replace(self, **options)

    def require(self, asked: Settings) -> None:
        """Check that these settings, of an index, are those that are asked for. The address of an endpoint may differ:
        vectors do not depend on it.

        Args:
            asked: The settings that are asked for.

        Raises:
            SettingsMismatchError: They differ.
        """
        mine, other = asdict(self), asdict(asked)
        differences = {
            name: (mine[name], other[name])
            for name in mine
            if mine[name] != other[name]
            and name not in {"embedder_options", "identity", "embedder", "tokenizer", "tokenizer_sha256"}
        }
        if (self.tokenizer, self.tokenizer_sha256) != (asked.tokenizer, asked.tokenizer_sha256):
            has = told_file(self.tokenizer, self.tokenizer_sha256)
            differences["tokenizer"] = has, told_file(asked.tokenizer, asked.tokenizer_sha256)
        if self.identity != asked.identity:
            differences["embedder"] = (self.embedder, asked.embedder)
        if differences:
            raise SettingsMismatchError(differences)

    def counter(self, root: Path) -> TokenCounter:
        """The tokenizer.

        Args:
            root: The root of the index.

        Returns:
            A counter that counts as when the index was made.

        Raises:
            SettingsMismatchError: The tokenizer file has changed.
            UnknownEncodingError: There is no such name or file.
        """
        return counter_of(self.tokenizer, self.tokenizer_sha256, root)

    def cut(self, root: Path, language: str | None = None) -> Cut:
        """A callable that chunks files by these settings. Raises what the chunkers raise for options that cannot be
        used together, and as `counter`.

        Args:
            root: The root of the index.
            language: The format of all files; None to tell it by their names and texts.

        Returns:
            The callable, which takes a document and returns the chunks of its file.
        """
        # Imported late: a search needs no chunkers.
        from chunker.files.chunk_files import Cut  # noqa: PLC0415

        return Cut(
            self.max_tokens,
            language=language,
            tokenizer=self.counter(root),
            desired_tokens=self.desired_tokens,
            min_tokens=self.min_tokens,
            overlap=self.overlap,
            context=self.context,
            strategy=self.strategy,
        )


_OF_EMBEDDER = frozenset({"embedder", "embedder_options", "identity", "dimensions"})
