"""The growing encoders of a SpecificationEngine.

    settled: fed to the encoder of its segment      tail: fed on top of it, as if the text ended here
    ┌───────────────────────────────────────────┐┌──────────────────────────────┐
    "... the last of these, and then a caf"          "e"                             <- append "\\u0301"
                                                  ↑ a cut: both sides can be normalized and searched for added tokens by
                                                  themselves

The encoder of the segment has a mark at the cut; the next append rolls the tail back. So a step costs its own text and
the tail: usually a hundred characters at most. Text without a cut (a megabyte of combining marks under NFC) is read
again at each step, and so is the whole text if no cuts are known for the tokenizer
(`SpecificationEngine.is_incremental` is false).

An added token ends its segment, and the next segment has its own encoder; marks keep the encoders that they need.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from bpe_engine import encoders
from bpe_engine.fallback.growing_encoder import GrowingText, StatefulEncoder
from bpe_engine.fallback.growing_ids import IdsEncoder
from bpe_engine.fallback.segment_encoders import SegmentAppender, SegmentPrepender, appender, prepender
from bpe_engine.text.input import cut_unfinished_start, to_bytes

if TYPE_CHECKING:
    from bpe_engine.fallback.incremental_pipeline import IncrementalPipeline
    from bpe_engine.special_tokens import Part

# Characters. A shorter tail is not searched for cuts, because each cut costs a mark.
TAIL = 64


class Appended(NamedTuple):
    """The settled part of a text that grows to the right.

    `before` is the number of tokens before the current segment; `encoder` is the segment's encoder, with a `mark` in
    it. `in_plain` and `in_segment` report whether the text since the last added token, and the segment, have text so
    far; `is_first` whether the segment is at the start of the text.
    """

    before: int
    encoder: SegmentAppender
    mark: Any
    in_plain: bool = False
    in_segment: bool = False
    is_first: bool = True


class Prepended(NamedTuple):
    """The settled part of a text that grows to the left.

    `after` is the number of tokens after the current segment; `encoder` is the segment's encoder, with a `mark` in it.
    `in_plain` reports whether the text before the next added token has text so far; `start` is the segment's first
    character, or "".
    """

    after: int
    encoder: SegmentPrepender
    mark: Any
    in_plain: bool = False
    start: str = ""


class PipelineState(NamedTuple):
    """The state that a mark keeps. Lengths are in characters; `settled` is an `Appended` or a `Prepended`."""

    length: int
    settled_length: int
    settled: Any
    fewest: int
    tokens: int
    explicit: int = 0


class _PipelineEncoder(StatefulEncoder[PipelineState]):
    """Base class of the two encoders of a pipeline."""

    _engine: IncrementalPipeline
    _text: GrowingText

    def __init__(self, engine: IncrementalPipeline) -> None:
        super().__init__(engine)
        self._is_incremental = engine.is_incremental
        self._cuts = engine.raw_cuts
        self._text = GrowingText()
        self._settled_length = 0
        self._settled = self._nothing()
        self._fewest = 0
        self._count = 0

    @abstractmethod
    def _nothing(self) -> Any:  # noqa: ANN401 - Appended or Prepended
        """Return the settled state of the empty text."""

    @abstractmethod
    def _settle(self) -> None:
        """Feed the text up to the outermost cut, which no later text can change."""

    @abstractmethod
    def _count_open_end(self) -> None:
        """Feed the tail on top of the settled text and count; the next step rolls back to the mark."""

    @property
    def count(self) -> int:
        """As `GrowingEncoder.count`."""
        return self._count

    @property
    def fewest(self) -> int:
        """As `GrowingEncoder.fewest`."""
        return self._fewest

    def _count_anew(self) -> int:
        """Return the count of the whole text, read again."""
        return self._engine.count_characters(self._characters())

    def _grown(self) -> None:
        if not self._is_incremental:
            self._count = self._count_anew()
            return
        self._settled.encoder.rollback(self._settled.mark)
        if len(self._text) - self._settled_length > TAIL or self._cuts.everywhere:
            self._settle()
        self._count_open_end()

    def _state(self) -> PipelineState:
        return PipelineState(len(self._text), self._settled_length, self._settled, self._fewest, self._count)

    def _return_to(self, state: PipelineState) -> None:
        length, self._settled_length, self._settled, self._fewest, self._count, _ = state
        self._text.truncate(length)
        if self._is_incremental:
            self._settled.encoder.rollback(self._settled.mark)
            self._count_open_end()


class PipelineAppendingEncoder(_PipelineEncoder, IdsEncoder[PipelineState]):
    """A text that grows to the right, under a tokenizer with stages."""

    def __init__(self, engine: IncrementalPipeline) -> None:
        self._begin()
        super().__init__(engine)

    def __reduce__(
        self,
    ) -> tuple[Callable[..., PipelineAppendingEncoder], tuple[IncrementalPipeline, list[Part], str | bytes]]:
        raw = self._unfinished[0] if self._unfinished else ""
        return _rebuild_appending, (self._engine, self._rest_after(self._state()._replace(length=0, explicit=0)), raw)

    def _end_plain(self, token: int, characters: str) -> None:
        # The open pre-token ends here. Its count is as if the text ended, unless the normalizers see the token as part
        # of the text.
        goes_on = token in self._engine.sought_inside
        if goes_on and self._is_incremental:
            self._settled.encoder.rollback(self._settled.mark)
            tail = self._text.read(self._settled_length, len(self._text))
            end = self._advance(self._settled, tail, at_end=False, after=(token, characters))
            self._count = end.before + end.encoder.count
        elif goes_on:
            self._count = self._count_anew((token, characters))
        self._text.extend(characters)
        self._count += 1
        encoder = appender(self._engine.segments)
        self._settled = Appended(self._count, encoder, encoder.snapshot(), in_plain=goes_on, is_first=False)
        self._settled_length = len(self._text)
        self._fewest = self._count

    def _encode_plain(self, characters: str, before: int | None, after: tuple[int, str] | None) -> list[int]:
        return self._engine.encode_characters(characters, where=self._engine.where(before, after))

    def _count_anew(self, after: tuple[int, str] | None = None) -> int:
        plain = self._text.read(self._plain_start, len(self._text))
        before: int = self._settled.before
        where = self._engine.where(self._explicit[-1].id if self._explicit else None, after)
        return before + self._engine.count_characters(plain, where)

    def _extent(self, state: PipelineState) -> tuple[int, int]:
        return state.length, state.explicit

    def _state(self) -> PipelineState:
        return super()._state()._replace(explicit=len(self._explicit))

    def _return_to(self, state: PipelineState) -> None:
        self._keep_explicit(state.explicit)
        super()._return_to(state)

    def _nothing(self) -> Appended:
        encoder = appender(self._engine.segments)
        return Appended(0, encoder, encoder.snapshot())

    def _push(self, characters: str) -> None:
        self._text.extend(characters)
        self._grown()

    def _settle(self) -> None:
        tail = self._text.read(self._settled_length, len(self._text))
        cut = self._cuts.last(tail, at_start=not self._settled.in_plain)
        if cut:
            settled = self._advance(self._settled, tail[:cut], at_end=False)
            self._fewest = settled.before + settled.encoder.fewest
            self._settled = settled._replace(mark=settled.encoder.snapshot())
            self._settled_length += cut

    def _count_open_end(self) -> None:
        tail = self._text.read(self._settled_length, len(self._text))
        end = self._advance(self._settled, tail, at_end=True)
        self._count = end.before + end.encoder.count

    def _advance(self, state: Appended, text: str, *, at_end: bool, after: tuple[int, str] | None = None) -> Appended:
        """Feed `text` to the encoders of its segments, and return the state after it; `after`: as for `SpecificationEngine.normalized`."""
        engine = self._engine
        for plain, _, token in engine.plain_texts(text):
            if after is not None and token is None:
                normalized, _ = engine.normalized(plain, after, at_start=not state.in_plain)
            else:
                normalized = engine.normalization.normalize(
                    plain, at_start=not state.in_plain, at_end=at_end or token is not None
                )
            state = state._replace(in_plain=state.in_plain or bool(normalized))
            for segment, inner in engine.normal_texts(normalized):
                if segment:
                    state.encoder.feed(segment, is_first=state.is_first, at_start=not state.in_segment)
                    state = state._replace(in_segment=True)
                if inner is not None:
                    state = self._after_token(state)._replace(in_plain=True)
            if token is not None:
                state = self._after_token(state)
        return state

    def _after_token(self, state: Appended) -> Appended:
        encoder = appender(self._engine.segments)
        return Appended(state.before + state.encoder.count + 1, encoder, encoder.snapshot(), is_first=False)

    def _characters(self) -> str:
        return self._text.read(0, len(self._text))


class PipelinePrependingEncoder(_PipelineEncoder, encoders.PrependingEncoder):
    """A text that grows to the left, under a tokenizer with stages. Its characters are stored in reverse order."""

    def __reduce__(
        self,
    ) -> tuple[Callable[..., PipelinePrependingEncoder], tuple[IncrementalPipeline, bytes, str | bytes]]:
        raw, state = self._unfinished or ("", self._state())
        return _rebuild_prepending, (self._engine, to_bytes(self._read(0, state.length)), raw)

    def prepend(self, text: str | bytes) -> None:
        """Add `text` at the start. Raises EncodingError, and adds nothing, if the vocabulary has no token for a byte of it."""
        self._grow(text, cut_unfinished_start, before=True)

    def _nothing(self) -> Prepended:
        encoder = prepender(self._engine.segments)
        return Prepended(0, encoder, encoder.snapshot())

    def _push(self, characters: str) -> None:
        self._text.extend(characters[::-1])
        self._grown()

    def _settle(self) -> None:
        head = self._read(self._settled_length, len(self._text))
        cut = self._cuts.first(head, at_end=not self._settled.in_plain)
        if cut is not None:
            settled = self._advance(self._settled, head[cut:], at_start=False)
            self._fewest = settled.after + settled.encoder.fewest
            self._settled = settled._replace(mark=settled.encoder.snapshot())
            self._settled_length += len(head) - cut

    def _count_open_end(self) -> None:
        head = self._read(self._settled_length, len(self._text))
        start = self._advance(self._settled, head, at_start=True)
        self._count = start.after + start.encoder.count_as_begun(start.start, is_first=True)

    def _advance(self, state: Prepended, text: str, *, at_start: bool) -> Prepended:
        """Feed `text` to the encoders of its segments, and return the state before it."""
        engine = self._engine
        # From right to left: a token, the plain text before it, the next token ...
        texts = list(engine.plain_texts(text))
        for number in range(len(texts) - 1, -1, -1):
            plain, _, token = texts[number]
            if token is not None:
                state = self._before_token(state)
            begins = at_start or number > 0
            normalized = engine.normalization.normalize(plain, at_start=begins, at_end=not state.in_plain)
            state = state._replace(in_plain=state.in_plain or bool(normalized))
            for segment, inner in reversed(list(engine.normal_texts(normalized))):
                if inner is not None:
                    state = self._before_token(state)._replace(in_plain=True)
                if segment:
                    state.encoder.feed(segment)
                    state = state._replace(start=segment[0])
        return state

    def _before_token(self, state: Prepended) -> Prepended:
        count = state.encoder.count_as_begun(state.start, is_first=False)
        encoder = prepender(self._engine.segments)
        return Prepended(state.after + count + 1, encoder, encoder.snapshot())

    def _read(self, near: int, far: int) -> str:
        """Return the text between two distances from its end, in characters."""
        return self._text.read(near, far)[::-1]

    def _characters(self) -> str:
        return self._read(0, len(self._text))


def _rebuild_appending(
    engine: IncrementalPipeline, finished: list[Part], unfinished: str | bytes
) -> PipelineAppendingEncoder:
    """Unpickle an encoder: with the same text and count, without marks."""
    encoder = PipelineAppendingEncoder(engine)
    encoder._copy(finished, unfinished)  # noqa: SLF001 - of this module
    return encoder


def _rebuild_prepending(
    engine: IncrementalPipeline, finished: bytes, unfinished: str | bytes
) -> PipelinePrependingEncoder:
    """Unpickle an encoder: with the same text and count, without marks."""
    encoder = PipelinePrependingEncoder(engine)
    encoder.prepend(finished)
    encoder.prepend(unfinished)
    return encoder
