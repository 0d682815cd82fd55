"""The engine of a specification, in Python.

    text --- added tokens ---> plain texts --- normalizers ---> segments --- pre-tokenizers, merges ---> tokens
                               (split again at added tokens that are searched for in normalized text)

If the pre-tokenizers are one of the named grammars, or none, the engine gets whole segments
(`segments.EngineSegments`); otherwise they are split into pre-tokens here (`segments.PieceSegments`). The incremental
encoders of both: `pipeline_encoders.py`.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from bpe_engine import encoders
from bpe_engine.errors import PatternError, UnsupportedModelError
from bpe_engine.fallback.incremental_pipeline import ALONE, Wanted, Where
from bpe_engine.fallback.normalizing import Normalization
from bpe_engine.fallback.pipeline_encoders import PipelineAppendingEncoder, PipelinePrependingEncoder
from bpe_engine.fallback.pipeline_intervals import PipelineIntervalEncoder
from bpe_engine.fallback.raw_cuts import RawCuts
from bpe_engine.fallback.segments import Segments, segments_of
from bpe_engine.pipeline.added_tokens import AddedTokenFinder, FoundToken, always, wanted_tokens
from bpe_engine.pipeline.characters import WHITE_SPACE
from bpe_engine.pipeline.normalizers import Lowercase, Prepend, UnicodeForm
from bpe_engine.pipeline.pre_tokenizers import Metaspace
from bpe_engine.pipeline.specification import AddedToken, Specification
from bpe_engine.pipeline.specification_table import SpecificationTable, written_tokens
from bpe_engine.special_tokens import Specials
from bpe_engine.text.input import byte_places, received, require_int, to_bytes
from bpe_engine.text.offsets import character_starts
from bpe_engine.text.truncation import Text, truncated
from bpe_engine.threads import in_threads

if TYPE_CHECKING:
    from bpe_engine.engine import Engine

Made = TypeVar("Made")


class Segment(NamedTuple):
    """Normalized text that is split into pre-tokens by itself. `is_first`: whether it starts where the whole text starts."""

    text: str
    is_first: bool


class SpecificationEngine:
    """The engine of a specification, in Python. See `engine.Engine`.

    Raises VocabularyError, with a message that starts with the source, for an unsupported specification.
    """

    def __init__(
        self, specification: Specification, *, not_native: str = "the implementation that runs is 'python'"
    ) -> None:
        self.specification = specification
        self.not_native = not_native
        # Made now, because an expression that does not compile, or an added token that the normalizers remove
        # completely, is an error of the file.
        written = written_tokens(specification.added_tokens, self.normalization.normalize)
        self.table = SpecificationTable(specification, written)
        _ = self.segments, self.raw_finder, self.finder

    def __reduce__(self) -> tuple[Callable[..., SpecificationEngine], tuple[Specification]]:
        return partial(type(self), not_native=self.not_native), (self.specification,)

    @property
    def _longest_first(self) -> bool:
        return self.specification.added_tokens_order == "longest_first"

    @cached_property
    def normalization(self) -> Normalization:
        """The normalizers, in Python."""
        return self._supported(lambda: Normalization(self.specification.normalizers))

    @cached_property
    def segments(self) -> Segments:
        """The pre-tokenizers and merges, in Python."""
        return self._supported(lambda: segments_of(self.specification))

    @cached_property
    def raw_finder(self) -> AddedTokenFinder:
        """The finder of added tokens in the text as it is."""
        tokens = (token for token in self.specification.added_tokens if not token.normalized)
        return AddedTokenFinder(tokens, longest_first=self._longest_first)

    @cached_property
    def finder(self) -> AddedTokenFinder:
        """The finder of added tokens in normalized text."""
        tokens = (token for token in self.specification.added_tokens if token.normalized)
        return AddedTokenFinder(tokens, self.normalization.normalize, longest_first=self._longest_first)

    def _supported(self, make: Callable[[], Made]) -> Made:
        try:
            return make()
        except PatternError as error:
            raise UnsupportedModelError(f"{self.specification.source}: {error}") from error

    @property
    def is_incremental(self) -> bool:
        """Whether a growing text is read about once, instead of again for each count: whether safe splits are known."""
        return self.segments.is_incremental and self.normalization.has_cuts and not self.needs_alignment

    # --- text -> segments and added tokens

    @cached_property
    def finds_always(self) -> bool:
        """Whether there are added tokens that are found without being allowed."""
        return any(map(always, self.specification.added_tokens))

    @cached_property
    def needs_alignment(self) -> bool:
        """Whether the offsets of all characters are needed to decide which pieces are at the start of the text."""
        stages, normalizers = self.specification.pre_tokenizers, self.specification.normalizers
        firsts = [isinstance(stage, Metaspace) and stage.prepend_scheme == "first" for stage in stages]
        if not any(firsts) or not normalizers:
            return False
        return not firsts[0] or not all(isinstance(one, UnicodeForm | Lowercase | Prepend) for one in normalizers)

    def parts(self, characters: str, wanted: Wanted, where: Where = ALONE) -> Iterator[Segment | AddedToken]:
        """Yield the segments and the added tokens of a text, in order."""
        for plain, start, token in self.plain_texts(characters, wanted):
            goes_on = where.goes_on and start == 0
            after = where.after if token is None else None
            if plain or after is not None:
                if after is None:
                    normalized = self.normalization.normalize(plain, at_start=not goes_on)
                else:
                    normalized, _ = self.normalized(plain, after, at_start=not goes_on)
                begins = where.is_first and start == 0
                for number, (segment, inner) in enumerate(self.normal_texts(normalized, wanted)):
                    if segment:
                        yield Segment(segment, begins and number == 0)
                    if inner is not None:
                        yield inner
            if token is not None:
                yield token

    @cached_property
    def sought_inside(self) -> dict[int, tuple[str, AddedToken]]:
        """Id of a token that is searched for in normalized text -> the text to search for, and the token; empty without normalizers."""
        tokens = self.finder.tokens if self.normalization else {}
        return {token.id: (text, token) for text, token in tokens.items()}

    def where(self, before: int | None, after: tuple[int, str] | None) -> Where:
        """Return the position of the plain text between explicit tokens.

        Args:
            before: The id of the explicit token before it, or None.
            after: The id and the text of the explicit token after it, or None.
        """
        inside = self.sought_inside
        return Where(before is None, before in inside, after if after is not None and after[0] in inside else None)

    def normalized(
        self, plain: str, after: tuple[int, str] | None = None, *, at_start: bool = True
    ) -> tuple[str, list[int]]:
        """Return the normalized form of a plain text and the source offset of each character.

        `after` is the id and the text of the token after it, if that is searched for in normalized text; the result
        ends before it. A text that normalizers prepend may be part of the token: "<s>" becomes "▁<s>" at the start of a
        text, with nothing before the token, and " <s>" becomes "▁▁<s>", with "▁" before it.
        """
        if after is None:
            return self.normalization.aligned(plain, at_start=at_start)
        normalized, places = self.normalization.aligned(plain + after[1], at_start=at_start)
        sought, token = self.sought_inside[after[0]]
        end = len(normalized)
        while token.rstrip and end and normalized[end - 1] in WHITE_SPACE and not normalized.endswith(sought, 0, end):
            end -= 1
        start = end - len(sought)
        if start >= 0 and normalized.endswith(sought, 0, end) and places[start] >= len(plain):
            while token.lstrip and start and normalized[start - 1] in WHITE_SPACE and places[start - 1] >= len(plain):
                start -= 1
        else:
            start = next((number for number, place in enumerate(places) if place >= len(plain)), len(normalized))
        return normalized[:start], places[:start]

    def plain_texts(self, characters: str, wanted: Wanted = always) -> Iterator[tuple[str, int, AddedToken | None]]:
        """Yield the texts between the added tokens that are searched for in the text itself, each with its offset and the token after it."""
        place = 0
        if self.raw_finder and (self.finds_always or wanted is not always):
            for found in self.raw_finder.find(characters, wanted):
                yield characters[place : max(place, found.start)], place, found.token
                place = found.end
        yield characters[place:], place, None

    def normal_texts(self, normalized: str, wanted: Wanted = always) -> Iterator[tuple[str, AddedToken | None]]:
        """Yield the texts between the added tokens that are searched for in normalized text, each with the token after it."""
        place = 0
        if self.finder and (self.finds_always or wanted is not always):
            for found in self.finder.find(normalized, wanted):
                yield normalized[place : max(place, found.start)], found.token
                place = found.end
        yield normalized[place:], None

    @cached_property
    def raw_cuts(self) -> RawCuts:
        """The offsets where a text may be cut before normalizers and added tokens see it."""
        finders = (self.raw_finder, self.finder) if self.finds_always else (None, None)
        return RawCuts(self.specification, self.normalization, self.segments.merging, *finders)

    @cached_property
    def longest_added(self) -> int:
        """The length of the longest added token that may be found, in characters."""
        return max(self.raw_finder.longest, self.finder.longest) if self.finds_always else 0

    def total_cuts(self, characters: str, stride: int) -> Iterator[int]:
        """Yield safe splits of the whole pipeline, ascending, at least `stride` characters apart: the `count_part` of both sides add up to the count."""
        if not self.is_incremental or self.normalization.strips or not self.normalization.keeps_plain:
            return
        # Added tokens in normalized text are not searched for here, so with such tokens the normalized text must be the
        # text itself.
        if self.finds_always and self.finder and self.normalization:
            return
        is_cut = self.raw_cuts.checker(characters)
        place = stride
        for cut in self.segments.safe_splits(
            characters, plain=bool(self.normalization), space=self.normalization.space
        ):
            if cut >= place and is_cut(cut):
                yield cut
                place = cut + stride

    def count_part(self, characters: str, *, at_start: bool, at_end: bool, is_first: bool | None = None) -> int:
        """Return the number of tokens of a part of a text between two `total_cuts`.

        Args:
            characters: The part.
            at_start: Whether it is the first part of the text.
            at_end: Whether it is the last part of the text.
            is_first: Whether it starts where the whole text starts; the value of `at_start` by default.
        """
        first = at_start if is_first is None else is_first
        if not self.finds_always or not self.raw_finder.occurs(characters):
            normalized = self.normalization.normalize(characters, at_start=at_start, at_end=at_end)
            if not self.finds_always or not self.finder.occurs(normalized):
                return self.segments.count(normalized, is_first=first, at_start=at_start)
        total = 0
        begins = at_start
        for plain, _, token in self.plain_texts(characters):
            normalized = self.normalization.normalize(plain, at_start=begins, at_end=at_end or token is not None)
            for segment, inner in self.normal_texts(normalized):
                if segment:
                    total += self.segments.count(segment, is_first=first, at_start=begins)
                if inner is not None:
                    total += 1
                    begins, first = True, False
            if token is not None:
                total += 1
                begins, first = True, False
        return total

    # --- text -> tokens

    def encode_special(self, text: str | bytes, allowed: Specials, disallowed: Specials) -> list[int]:
        """As `Engine` says."""
        return self.encode_characters(received(text), self._wanted(allowed, disallowed))

    def check_special(self, text: str | bytes, allowed: Specials, disallowed: Specials) -> None:
        """As `Engine` says."""
        wanted = self._wanted(allowed, disallowed)
        if disallowed:
            for _ in self.parts(received(text), wanted):
                pass

    def _wanted(self, allowed: Specials, disallowed: Specials) -> Wanted:
        return wanted_tokens(self.specification.added_tokens, allowed, disallowed)

    def encode_characters(self, characters: str, wanted: Wanted = always, where: Where = ALONE) -> list[int]:
        """Return the ids of text that has already gone through `received`."""
        if self.needs_alignment:
            return [token for token, _ in self._with_offsets(characters, wanted, where)]
        ids: list[int] = []
        for part in self.parts(characters, wanted, where):
            if isinstance(part, AddedToken):
                ids.append(part.id)
            else:
                ids += self.segments.encode(part.text, is_first=part.is_first)
        return ids

    def find_special(self, characters: str, allowed: Specials) -> list[tuple[int, int, int]]:
        """Return the special tokens that `encode` finds in received text if `allowed` are allowed: start and end in characters, and the id.

        White space that a token strips belongs to its span, up to an ordinary added token in that white space.
        """
        wanted = self._wanted(allowed, ())
        spans: list[tuple[int, int, int]] = []
        place = 0
        for outer in [*self.raw_finder.find(characters, wanted), None]:
            end = len(characters) if outer is None else max(place, outer.start)
            if self.finder:
                normalized, origins = self.normalization.aligned(characters[place:end])
                origins.append(end - place)
                for inner in self.finder.find(normalized, wanted):
                    start = place + origins[inner.start]
                    if spans and spans[-1][1] > start:
                        spans[-1] = (spans[-1][0], start, spans[-1][2])
                    if inner.token.special:
                        spans.append((start, place + origins[inner.end], inner.token.id))
            if outer is not None:
                if outer.start < place and spans and spans[-1][1] == place:
                    spans[-1] = (spans[-1][0], outer.start, spans[-1][2])
                    spans.append((outer.start, outer.end, outer.token.id))
                elif outer.token.special:
                    spans.append((end, outer.end, outer.token.id))
                place = outer.end
        return spans

    def encode_ordinary(self, text: str | bytes) -> list[int]:
        """Return the token ids of `text`, taking special tokens as plain text."""
        return self.encode_characters(received(text))

    def encode_to_buffer(self, text: str | bytes) -> memoryview:
        """Return the token ids of `text` as one array of unsigned 32-bit integers (buffer protocol, four bytes a token)."""
        return memoryview(array("I", self.encode_ordinary(text))).toreadonly()

    def count(self, text: str | bytes) -> int:
        """Return the number of tokens of `text`: `len(encode(text))`, without making the ids."""
        return self.count_characters(received(text))

    def count_characters(self, characters: str, where: Where = ALONE) -> int:
        """Return the `count` of text that has already gone through `received`."""
        if self.needs_alignment:
            return sum(1 for _ in self._with_offsets(characters, where=where))
        if where.goes_on or where.after is not None:
            return len(self.encode_characters(characters, where=where))
        return self.count_part(characters, at_start=True, at_end=True, is_first=where.is_first)

    def count_up_to(self, text: str | bytes, limit: int) -> int | None:
        """Return the number of tokens of `text`, or None if it is above `limit`. Stops reading soon after the limit if `is_incremental`."""
        require_int(limit, "limit")
        characters = received(text)
        encoder = self.appending_encoder()
        step = max(256, 8 * limit)
        place = 0
        while place < len(characters) and self.is_incremental:
            encoder.append(to_bytes(characters[place : place + step]))
            if encoder.fewest > limit:
                return None
            place += step
            step *= 2
        count = encoder.count if self.is_incremental else self.count_characters(characters)
        return count if count <= limit else None

    def split(self, text: str | bytes) -> list[str]:
        """Return the normalized pre-tokens of `text`, and the added tokens. After ByteLevel, bytes are written as in a tokenizer.json."""
        pieces: list[str] = []
        for part in self.parts(received(text), always):
            if isinstance(part, AddedToken):
                pieces.append(part.text)
            else:
                pieces += self.segments.split(part.text, is_first=part.is_first)
        return pieces

    def count_batch(self, texts: Iterable[str | bytes], *, num_threads: int = 8) -> list[int]:
        """Return the `count` of each text, in order."""
        return in_threads(self.count, texts, num_threads)

    def encode_ordinary_batch(self, text: Iterable[str | bytes], *, num_threads: int = 8) -> list[list[int]]:
        """Return the `encode_ordinary` of each text, in order."""
        return in_threads(self.encode_ordinary, text, num_threads)

    def encode_with_starts(self, text: str | bytes) -> tuple[list[int], list[int]]:
        """As `Engine.encode_with_starts`. A token that starts inside a character has the offset of that character.

        Text that a stage inserts has the offset of the text that it is put before or replaces, as in Hugging Face (with
        `trim_offsets` false: a space that belongs to a token counts).
        """
        characters = received(text)
        places = byte_places(characters)
        found = list(self._with_offsets(characters))
        return [token for token, _ in found], [places[place] for _, place in found]

    character_starts = staticmethod(character_starts)

    def encode_piece(self, piece: bytes) -> Sequence[int]:
        """As `Engine` says."""
        return self.segments.merging.encode_piece(piece.decode("utf-8", "surrogateescape"))

    def _with_offsets(
        self, characters: str, wanted: Wanted = always, where: Where = ALONE
    ) -> Iterator[tuple[int, int]]:
        place = 0
        # The offset 0 means the start of the whole text: those of a text that follows others are moved by one.
        before = 0 if where.is_first else 1
        found: FoundToken | None
        inner: FoundToken | None
        for found in [*self.raw_finder.find(characters, wanted), None]:
            end = len(characters) if found is None else max(place, found.start)
            after = where.after if found is None else None
            goes_on = where.goes_on and place == 0
            normalized, places = self.normalized(characters[place:end], after, at_start=not goes_on)
            places = [before + place + inner for inner in places]
            done = 0
            for inner in [*self.finder.find(normalized, wanted), None]:
                stop = len(normalized) if inner is None else inner.start
                if done < stop:
                    begins = places[done] == 0
                    yield from self.segments.encode_aligned(normalized[done:stop], places[done:stop], is_first=begins)
                if inner is not None:
                    yield inner.token.id, places[inner.start]
                    done = inner.end
            if found is not None:
                yield found.token.id, found.start
                place = found.end

    def truncate(self, text: Text, most: int, *, head: bool) -> Text:
        """As `Engine` says."""
        return truncated(self, text, most, head=head)

    # --- incremental encoders

    def appending_encoder(self) -> encoders.AppendingEncoder:
        """Return an encoder that counts a text growing to the right."""
        return PipelineAppendingEncoder(self)

    def prepending_encoder(self) -> encoders.PrependingEncoder:
        """Return an encoder that counts a text growing to the left."""
        return PipelinePrependingEncoder(self)

    def interval_encoder(self, text: str | bytes) -> encoders.IntervalEncoder:
        """Return an encoder that counts any slice of `text`."""
        return PipelineIntervalEncoder(self, text)

    @staticmethod
    def interface() -> None:
        """As `Engine` says."""


def specification_engine(specification: Specification) -> Engine:
    """Return the engine of a specification.

    Raises VocabularyError, with a message that starts with the source, for an unsupported specification.
    """
    return SpecificationEngine(specification)
