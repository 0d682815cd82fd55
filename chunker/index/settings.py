"""What the chunks and vectors of an index depend on; kept in it, and compared when it is opened.

    {"max_tokens": 256, "desired_tokens": 96, ..., "tokenizer": "o200k_base", "embedder": "hashing", ...}

Chunks of 160 to 256 tokens by default, where the text has ends for such: small ones, so that a line that is inserted has little embedded again.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from chunker.errors import OptionError
from chunker.index.errors import DamagedIndexError, SettingsMismatchError
from chunker.index.keys import digest
from chunker.options import Strategy

if TYPE_CHECKING:
    from chunker.files.chunk_files import Cut

# A new number when the same settings and the same text would give other chunks.
CHUNKING = 2

DEFAULT_MAX_TOKENS = 256
DEFAULT_DESIRED_TOKENS = 160
# Characters for each token of `max_tokens`: within so many a segment has no other cut as good as its start (see `segments`).
_REACH = 1.75


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of an index. `embedder` is the name by which it is found again, `embedder_options` how it was configured (never a key).

    `identity` stands for the vectors of the embedder, as hexadecimal digits (`keys.identity_of`).
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

    def fingerprint(self) -> bytes:
        """What chunks depend on, as a key: all but the embedder."""
        chunking = {name: value for name, value in asdict(self).items() if name not in _OF_EMBEDDER}
        return digest(b"settings", json.dumps(chunking, sort_keys=True))

    @property
    def reach(self) -> int:
        """How far around it, in characters, the start of a segment is the best place to cut."""
        return int(self.max_tokens * _REACH)

    def to_json(self) -> str:
        """The settings as an index keeps them."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Settings:
        """The settings that an index keeps; raises `DamagedIndexError` where they are none."""
        try:
            values = json.loads(text)
            return cls(**{field.name: values[field.name] for field in fields(cls)})
        except (ValueError, KeyError, TypeError) as error:
            raise DamagedIndexError(f"the settings in the index cannot be read: {error!r}; make it anew") from error

    def with_options(self, **options: Any) -> Settings:  # noqa: ANN401  # checked by the chunker
        """These settings with others in place of some."""
        unknown = sorted(set(options) - {field.name for field in fields(self)})
        if unknown:
            raise OptionError(f"an index has no setting {', '.join(unknown)}")
        return replace(self, **options)

    def require(self, asked: Settings) -> None:
        """Raises `SettingsMismatchError` if `asked` is not what the index has. How an endpoint is reached may differ: vectors do not depend on it."""
        mine, other = asdict(self), asdict(asked)
        differences = {
            name: (mine[name], other[name])
            for name in mine
            if mine[name] != other[name] and name not in {"embedder_options", "identity", "embedder"}
        }
        if self.identity != asked.identity:
            differences["embedder"] = (self.embedder, asked.embedder)
        if differences:
            raise SettingsMismatchError(differences)

    def cut(self) -> Cut:
        """Cuts files by these settings. Raises what the chunkers raise for options that do not go together."""
        # Imported late: a search needs no chunkers.
        from chunker.files.chunk_files import Cut  # noqa: PLC0415

        return Cut(
            self.max_tokens,
            tokenizer=self.tokenizer,
            desired_tokens=self.desired_tokens,
            min_tokens=self.min_tokens,
            overlap=self.overlap,
            context=self.context,
            strategy=self.strategy,
        )


_OF_EMBEDDER = frozenset({"embedder", "embedder_options", "identity", "dimensions"})
