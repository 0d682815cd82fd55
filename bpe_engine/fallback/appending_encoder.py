"""AppendingEncoder: the current count of a text that grows to the right, with marks and rollback.

    settled pre-tokens: a sum             tail: at most a few pre-tokens, split again on each append
    ┌────────────────────────────────┐┌───────────────────────────────┐
    "def main(args):\\n    return run(" "args"                            <- append
                                     ↑ settled_end

An append splits only the tail again. If the tail is long, because a single pre-token is, the end of the pre-token comes
from the index of class runs and its count from the table of its prefixes, so nothing is read twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from bpe_engine.fallback.class_runs import ClassRuns
from bpe_engine.fallback.growing_encoder import GrowingText
from bpe_engine.fallback.growing_ids import IdsEncoder
from bpe_engine.fallback.open_pieces import OpenPieces
from bpe_engine.fallback.pretokenizer import NamedPattern, Span, WholeText
from bpe_engine.text.input import to_bytes
from bpe_engine.text.unicode_classes import stand_ins

if TYPE_CHECKING:
    from bpe_engine.fallback.incremental_vocabulary import IncrementalVocabulary
    from bpe_engine.special_tokens import Part

# Characters. A tail up to this length is split by the pattern itself, which is faster than the index on short texts.
LONG_TAIL = 256
# Characters. A pre-token of the tail up to this length is counted anew, which is faster than a table.
SHORT_PIECE = 32


class AppendingState(NamedTuple):
    """The state of an encoder. Offsets are characters; `tail` has the pre-tokens from `settled_end` on."""

    length: int
    settled_end: int
    settled_count: int
    tail: tuple[Span, ...]
    tokens: int
    explicit: int


class AppendingEncoder(IdsEncoder[AppendingState]):
    """A text that grows to the right. `tokenizer.appending_encoder()` makes one.

    >>> from bpe_engine import Tokenizer
    >>> encoder = Tokenizer.load("o200k_base").appending_encoder()
    >>> encoder.append("def f("); mark = encoder.snapshot(); encoder.append("arguments):"); encoder.count
    4
    >>> encoder.rollback(mark); encoder.text, encoder.count
    ('def f(', 3)
    """

    _engine: IncrementalVocabulary

    def __init__(self, engine: IncrementalVocabulary) -> None:
        super().__init__(engine)
        self._pretokenizer = self._engine.pretokenizer
        self._counts = self._engine.piece_counts
        self._text = GrowingText()
        self._pieces = OpenPieces(self._engine.dictionary, self._text.read)
        self._class_runs: ClassRuns | None = None  # made for the first long tail
        self._settled_end = 0
        self._settled_count = 0
        self._tail: tuple[Span, ...] = ()
        self._count = 0
        self._rest = ""  # the text from `_rest_start` on, as read by the last append, so that it is not read again
        self._rest_start = 0
        self._begin()

    def __reduce__(
        self,
    ) -> tuple[Callable[..., AppendingEncoder], tuple[IncrementalVocabulary, list[Part], str | bytes]]:
        raw = self._unfinished[0] if self._unfinished else ""
        return _rebuild, (self._engine, self._rest_after(self._state()._replace(length=0, explicit=0)), raw)

    @property
    def count(self) -> int:
        """The number of tokens of the text: equal to `tokenizer.count(encoder.data)`. Constant time."""
        return self._count

    @property
    def fewest(self) -> int:
        """A lower bound for the count of this text and of every text that starts with it. Never falls as the text grows."""
        if not self._tail or not isinstance(self._pretokenizer, NamedPattern | WholeText):
            return self._settled_count
        start, end = self._tail[0]
        # A lower bound: each character is at least a byte, and no token has more bytes than the longest.
        least = self._settled_count + -(-(len(self._text) - start) // self._engine.dictionary.longest)
        # Open white space may still be cut in two; most other open pre-tokens can only grow.
        named = self._pretokenizer if isinstance(self._pretokenizer, NamedPattern) else None
        may_shrink = named is not None and named.may_shrink(self._text.character(end - 1))
        if may_shrink or end - start <= SHORT_PIECE:
            return least
        return max(least, self._settled_count + self._pieces.fewest(start, end))

    def _end_plain(self, token: int, characters: str) -> None:  # noqa: ARG002 - all are alike
        self._text.extend(characters)
        if self._class_runs is not None:
            self._class_runs.extend(stand_ins(characters))
        # The open pre-token ends here, as if the text did, so its count is known.
        self._settled_end, self._tail = len(self._text), ()
        self._count += 1
        self._settled_count = self._count
        self._pieces.settle(self._settled_end)

    def _encode_plain(
        self,
        characters: str,
        before: int | None,  # noqa: ARG002 - all are alike
        after: tuple[int, str] | None,  # noqa: ARG002 - as above
    ) -> list[int]:
        return self._engine.encode_ordinary(to_bytes(characters))

    def _extent(self, state: AppendingState) -> tuple[int, int]:
        return state.length, state.explicit

    def _push(self, characters: str) -> None:
        old_length = len(self._text)
        self._text.extend(characters)
        if self._pretokenizer.looks_back:
            tail = self._text.read(self._settled_end, len(self._text))
            self._count = self._settled_count + self._engine.count_characters(tail)
            return
        if self._class_runs is not None:
            self._class_runs.extend(stand_ins(characters))
        short_tail = old_length - self._settled_end <= LONG_TAIL and not self._pieces.any_open
        if short_tail and isinstance(self._pretokenizer, NamedPattern):
            self._push_short_tail(self._pretokenizer)
            return
        spans, settled = self._split_tail(old_length)
        for start, end in spans[:settled]:
            # A long pre-token that was there before this append may be counted again after a rollback: it keeps or gets
            # a table.
            was_there = old_length - start >= OpenPieces.KEPT_LENGTH
            self._settled_count += self._count_piece(start, end, still_open=was_there)
        if settled:
            self._settled_end = spans[settled - 1][1]
            self._pieces.settle(self._settled_end)
        self._tail = tuple(spans[settled:])
        self._count = self._settled_count + sum(self._count_piece(*span, still_open=True) for span in self._tail)

    def _push_short_tail(self, pretokenizer: NamedPattern) -> None:
        """`_push` for the usual case of a short tail and no open table; three times as fast, because it makes fewer passes."""
        pieces = pretokenizer.split(self._text.read(self._settled_end, len(self._text)))
        settled = max(0, len(pieces) - pretokenizer.lookback)
        self._settled_count += sum(map(self._counts.__getitem__, pieces[:settled]))
        self._settled_end += sum(map(len, pieces[:settled]))
        place, tail, count = self._settled_end, [], self._settled_count
        for piece in pieces[settled:]:
            end = place + len(piece)
            tail.append((place, end))
            count += self._counts[piece] if len(piece) <= SHORT_PIECE else self._pieces.count(place, end)
            place = end
        self._tail, self._count = tuple(tail), count

    def _split_tail(self, old_length: int) -> tuple[list[Span], int]:
        """Return the pre-tokens from the settled end on, and the number of them that are settled now."""
        place, end = self._settled_end, len(self._text)
        if isinstance(self._pretokenizer, WholeText):
            self._rest, self._rest_start = "", end  # a long text is not read again
            return [(place, end)], 0
        spans: list[Span] = []
        if isinstance(self._pretokenizer, NamedPattern):
            while old_length - place > LONG_TAIL:
                stop = self._runs(self._pretokenizer).pretoken_end(place, end)
                spans.append((place, stop))
                place = stop
        self._rest, self._rest_start = self._text.read(place, end), place
        found = self._pretokenizer.spans(self._rest)
        spans.extend((place + start, place + stop) for start, stop in found)
        return spans, max(0, len(spans) - self._pretokenizer.open_count(self._rest, found))

    def _count_piece(self, start: int, end: int, *, still_open: bool) -> int:
        if end - start > SHORT_PIECE and (still_open or self._pieces.is_open(start)):
            return self._pieces.count(start, end)
        if start >= self._rest_start:
            return self._counts[self._rest[start - self._rest_start : end - self._rest_start]]
        return self._counts[self._text.read(start, end)]

    def _runs(self, pretokenizer: NamedPattern) -> ClassRuns:
        if self._class_runs is None:
            self._class_runs = ClassRuns(pretokenizer.name, lambda place: stand_ins(self._text.character(place)))
            self._class_runs.extend(stand_ins(self._characters()))
        return self._class_runs

    def _characters(self) -> str:
        return self._text.read(0, len(self._text))

    def _state(self) -> AppendingState:
        return AppendingState(
            len(self._text), self._settled_end, self._settled_count, self._tail, self._count, len(self._explicit)
        )

    def _return_to(self, state: AppendingState) -> None:
        length, self._settled_end, self._settled_count, self._tail, self._count, explicit = state
        self._keep_explicit(explicit)
        self._text.truncate(length)
        self._pieces.truncate(length, self._settled_end)
        if self._class_runs is not None:
            self._class_runs.truncate(length)


def _rebuild(engine: IncrementalVocabulary, finished: list[Part], unfinished: str | bytes) -> AppendingEncoder:
    """Unpickle an encoder: with the same text and count, without marks."""
    encoder = AppendingEncoder(engine)
    encoder._copy(finished, unfinished)  # noqa: SLF001 - of this module
    return encoder
