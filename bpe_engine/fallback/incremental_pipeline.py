"""Protocol between the incremental encoders of a pipeline and its engine, so that neither module imports the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from bpe_engine.engine import Engine
from bpe_engine.fallback.normalizing import Normalization
from bpe_engine.fallback.raw_cuts import RawCuts
from bpe_engine.fallback.segments import Segments
from bpe_engine.pipeline.added_tokens import always
from bpe_engine.pipeline.specification import AddedToken

Wanted = Callable[[AddedToken], bool]


class Where(NamedTuple):
    """The position of a text among explicit tokens.

    A token that is searched for in normalized text does not end a text for the normalizers, so they strip and prepend
    nothing next to it.
    """

    is_first: bool = True  # nothing comes before the text
    goes_on: bool = False  # the token before the text is searched for in normalized text
    # The id and the text of the token after it, if that is searched for in normalized text.
    after: tuple[int, str] | None = None


ALONE = Where()


class IncrementalPipeline(Engine, Protocol):
    """Protocol for an engine in Python that runs the stages of a pipeline: `specification_engine.SpecificationEngine`."""

    @property
    def normalization(self) -> Normalization:
        """The normalizers."""

    @property
    def segments(self) -> Segments:
        """The pre-tokenizers and merges."""

    @property
    def sought_inside(self) -> dict[int, tuple[str, AddedToken]]:
        """Id of a token that is searched for in normalized text -> the text to search for, and the token."""

    @property
    def raw_cuts(self) -> RawCuts:
        """The offsets where a text may be cut before normalizers and added tokens see it."""

    @property
    def longest_added(self) -> int:
        """The length of the longest added token that may be found, in characters."""

    def where(self, before: int | None, after: tuple[int, str] | None) -> Where:
        """Return the position of the plain text between explicit tokens: their ids, and the text of the one after it."""

    def normalized(
        self, plain: str, after: tuple[int, str] | None = None, *, at_start: bool = True
    ) -> tuple[str, list[int]]:
        """Return the normalized form of a plain text and the source offset of each character."""

    def plain_texts(self, characters: str, wanted: Wanted = always) -> Iterator[tuple[str, int, AddedToken | None]]:
        """Yield the texts between the added tokens that are searched for in the text itself, each with its offset and the token after it."""

    def normal_texts(self, normalized: str, wanted: Wanted = always) -> Iterator[tuple[str, AddedToken | None]]:
        """Yield the texts between the added tokens that are searched for in normalized text, each with the token after it."""

    def total_cuts(self, characters: str, stride: int) -> Iterator[int]:
        """Yield safe splits of the whole pipeline, ascending, at least `stride` characters apart."""

    def count_part(self, characters: str, *, at_start: bool, at_end: bool, is_first: bool | None = None) -> int:
        """Return the number of tokens of a part of a text between two `total_cuts`."""

    def encode_characters(self, characters: str, wanted: Wanted = always, where: Where = ALONE) -> list[int]:
        """Return the ids of received text."""

    def count_characters(self, characters: str, where: Where = ALONE) -> int:
        """Return the `count` of received text."""
