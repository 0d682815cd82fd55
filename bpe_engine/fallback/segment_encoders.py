"""The count of one segment of normalized text while it grows, at its end or at its start.

`EngineSegments` use the engine's own encoders. For `PieceSegments` the settled part is counted once, and the open end
at each step.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from bpe_engine.fallback.segments import EngineSegments, PieceSegments, Segments


class SegmentAppender(Protocol):
    """Protocol of an encoder for a segment that grows at its end."""

    @property
    def count(self) -> int:
        """The number of tokens of the segment."""
        ...

    @property
    def fewest(self) -> int:
        """A lower bound for the count of the segment, however it grows."""
        ...

    def feed(self, text: str, *, is_first: bool, at_start: bool) -> None:
        """Add normalized text; `at_start`: the segment starts with it; `is_first`: the segment is at the start of the whole text."""
        ...

    def snapshot(self) -> Any:  # noqa: ANN401 - a mark for its own rollback
        """Return a mark."""
        ...

    def rollback(self, mark: Any) -> None:  # noqa: ANN401 - as above
        """Go back to a mark."""
        ...


class SegmentPrepender(Protocol):
    """Protocol of an encoder for a segment that grows at its start."""

    @property
    def fewest(self) -> int:
        """A lower bound for the count of the segment, however it grows."""
        ...

    def feed(self, text: str) -> None:
        """Add normalized text at the start."""
        ...

    def count_as_begun(self, start: str, *, is_first: bool) -> int:
        """Return the number of tokens if the segment starts here, with the text `start`.

        The count includes the text that pre-tokenizers put before a segment; that text may stay in the segment until a
        rollback.
        """
        ...

    def snapshot(self) -> Any:  # noqa: ANN401 - a mark for its own rollback
        """Return a mark."""
        ...

    def rollback(self, mark: Any) -> None:  # noqa: ANN401 - as above
        """Go back to a mark."""
        ...


def appender(segments: Segments) -> SegmentAppender:
    """Return an encoder for an empty segment that grows at its end."""
    return _EngineAppender(segments) if isinstance(segments, EngineSegments) else _PieceAppender(_as_pieces(segments))


def prepender(segments: Segments) -> SegmentPrepender:
    """Return an encoder for an empty segment that grows at its start."""
    return _EnginePrepender(segments) if isinstance(segments, EngineSegments) else _PiecePrepender(_as_pieces(segments))


def _as_pieces(segments: Segments) -> PieceSegments:
    if not isinstance(segments, PieceSegments):
        raise TypeError(f"no encoder for {type(segments).__name__}")
    return segments


class _EngineAppender:
    def __init__(self, segments: EngineSegments) -> None:
        self._segments = segments
        self._encoder = segments.engine.appending_encoder()

    @property
    def count(self) -> int:
        return self._encoder.count

    @property
    def fewest(self) -> int:
        return self._encoder.fewest

    def feed(self, text: str, *, is_first: bool, at_start: bool) -> None:
        self._encoder.append(self._segments.internal(text, is_first=is_first, at_start=at_start))

    def snapshot(self) -> Any:  # noqa: ANN401 - the engine's
        return self._encoder.snapshot()

    def rollback(self, mark: Any) -> None:  # noqa: ANN401 - the engine's
        self._encoder.rollback(mark)


class _EnginePrepender:
    def __init__(self, segments: EngineSegments) -> None:
        self._segments = segments
        self._encoder = segments.engine.prepending_encoder()

    @property
    def fewest(self) -> int:
        return self._encoder.fewest

    def feed(self, text: str) -> None:
        self._encoder.prepend(self._segments.internal(text))

    def count_as_begun(self, start: str, *, is_first: bool) -> int:
        put = self._segments.start.before(start.replace(" ", self._segments.start.space), is_first=is_first)
        if put:
            # An unknown character and one that is put before it may be one token.
            whole, alone = map(self._segments.internal, (put + start, start))
            self._encoder.prepend(whole.removesuffix(alone))
        return self._encoder.count

    def snapshot(self) -> Any:  # noqa: ANN401 - the engine's
        return self._encoder.snapshot()

    def rollback(self, mark: Any) -> None:  # noqa: ANN401 - the engine's
        self._encoder.rollback(mark)


class _Open(NamedTuple):
    """The number of settled tokens, the open end, and whether the open end is at the start of the whole text."""

    settled: int = 0
    text: str = ""
    is_first: bool = False


class _PieceAppender:
    def __init__(self, segments: PieceSegments) -> None:
        self._segments = segments
        self._open = _Open()

    @property
    def count(self) -> int:
        return self._open.settled + self._segments.count(self._open.text, is_first=self._open.is_first)

    @property
    def fewest(self) -> int:
        return self._open.settled

    def feed(self, text: str, *, is_first: bool, at_start: bool) -> None:
        settled, tail, first = self._open
        tail, first = tail + text, is_first if at_start else first
        cut = self._segments.cuts.last(tail) if self._segments.cuts else 0
        if cut:
            settled += self._segments.count(tail[:cut], is_first=first)
            tail, first = tail[cut:], False
        self._open = _Open(settled, tail, first)

    def snapshot(self) -> _Open:
        return self._open

    def rollback(self, mark: _Open) -> None:
        self._open = mark


class _PiecePrepender:
    def __init__(self, segments: PieceSegments) -> None:
        self._segments = segments
        self._open = _Open()

    @property
    def fewest(self) -> int:
        return self._open.settled

    def feed(self, text: str) -> None:
        settled, head, _ = self._open
        head = text + head
        cut = self._segments.cuts.first(head) if self._segments.cuts else 0
        if cut:
            settled += self._segments.count(head[cut:], is_first=False)
            head = head[:cut]
        self._open = _Open(settled, head)

    def count_as_begun(self, start: str, *, is_first: bool) -> int:  # noqa: ARG002 - the pre-tokenizers look for themselves
        return self._open.settled + self._segments.count(self._open.text, is_first=is_first)

    def snapshot(self) -> _Open:
        return self._open

    def rollback(self, mark: _Open) -> None:
        self._open = mark
