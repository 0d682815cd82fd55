"""The count of one segment of normalized text while it grows, at its end or at its start.

By the engine's own encoders for `EngineSegments`; for `PieceSegments` what is settled is counted once and the open end again.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from bpe_engine.fallback.segments import EngineSegments, PieceSegments, Segments


class SegmentAppender(Protocol):
    """A segment that grows at its end."""

    @property
    def count(self) -> int:
        """Tokens of the segment."""
        ...

    @property
    def fewest(self) -> int:
        """A lower bound for the count of whatever it may grow to."""
        ...

    def feed(self, text: str, *, is_first: bool, at_start: bool) -> None:
        """Add normalized text; `at_start`: the segment begins with it; `is_first`: and so does the whole text."""
        ...

    def snapshot(self) -> Any:  # noqa: ANN401 - whatever its own rollback takes
        """A mark."""
        ...

    def rollback(self, mark: Any) -> None:  # noqa: ANN401 - as above
        """Return to a mark."""
        ...


class SegmentPrepender(Protocol):
    """A segment that grows at its start."""

    @property
    def fewest(self) -> int:
        """A lower bound for the count of whatever it may grow to."""
        ...

    def feed(self, text: str) -> None:
        """Add normalized text."""
        ...

    def count_as_begun(self, start: str, *, is_first: bool) -> int:
        """Tokens of the segment, if it begins here, with the text `start`: with what is put before it then. Leaves that in."""
        ...

    def snapshot(self) -> Any:  # noqa: ANN401 - whatever its own rollback takes
        """A mark."""
        ...

    def rollback(self, mark: Any) -> None:  # noqa: ANN401 - as above
        """Return to a mark."""
        ...


def appender(segments: Segments) -> SegmentAppender:
    """For an empty segment that grows at its end."""
    return _EngineAppender(segments) if isinstance(segments, EngineSegments) else _PieceAppender(_as_pieces(segments))


def prepender(segments: Segments) -> SegmentPrepender:
    """For an empty segment that grows at its start."""
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
            self._encoder.prepend(self._segments.internal(put))
        return self._encoder.count

    def snapshot(self) -> Any:  # noqa: ANN401 - the engine's
        return self._encoder.snapshot()

    def rollback(self, mark: Any) -> None:  # noqa: ANN401 - the engine's
        self._encoder.rollback(mark)


class _Open(NamedTuple):
    """Tokens that are settled, the open end, and whether it is the start of the text."""

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
