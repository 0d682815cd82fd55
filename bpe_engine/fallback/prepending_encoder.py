"""PrependingEncoder: the current count of a text that grows to the left.

The first pre-token from an offset on depends only on the text after that offset. So the count from an offset on is the
count of its first pre-token plus the count of the text after that pre-token, and both stay true whatever is prepended:

    total(place) = count(first pre-token at place) + total(its end)

Prepending follows this chain from the new start until it reaches an offset whose total is known, usually after one or
two pre-tokens. Even a shift of phase ("123 456" -> "012 345 6") visits each offset only once, because totals are kept.

Offsets count from the end of the text: 0 is the end, -length the start.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import regex

from bpe_engine import encoders
from bpe_engine.fallback.appending_encoder import LONG_TAIL, SHORT_PIECE
from bpe_engine.fallback.class_runs import MirroredClassRuns
from bpe_engine.fallback.growing_encoder import GrowingText, StatefulEncoder
from bpe_engine.fallback.open_pieces import OpenPieces
from bpe_engine.fallback.pretokenizer import NamedPattern, Span, WholeText
from bpe_engine.text.input import cut_unfinished_start, to_bytes
from bpe_engine.text.unicode_classes import stand_ins

if TYPE_CHECKING:
    from bpe_engine.fallback.incremental_vocabulary import IncrementalVocabulary

UNKNOWN = -1

# Every named pattern cuts between these two characters, whatever text comes before. (kimi_k2 keeps Han letters and
# signs together.)
_ALWAYS_CUT = regex.compile(r"(?<=[\p{L}\p{N}])(?=[^\p{L}\p{M}\p{N}\p{Han}'])")


class PrependingState(NamedTuple):
    """The state of an encoder. `length` is in characters; `settled` is the length of the text after the first pre-token."""

    length: int
    settled: int
    tokens: int


class PrependingEncoder(StatefulEncoder[PrependingState], encoders.PrependingEncoder):
    """A text that grows to the left. `tokenizer.prepending_encoder()` makes one.

    >>> from bpe_engine import Tokenizer
    >>> encoder = Tokenizer.load("o200k_base").prepending_encoder()
    >>> encoder.prepend("arguments):"); mark = encoder.snapshot(); encoder.prepend("def f("); encoder.text, encoder.count
    ('def f(arguments):', 4)
    >>> encoder.rollback(mark); encoder.count
    2
    """

    _engine: IncrementalVocabulary

    def __init__(self, engine: IncrementalVocabulary) -> None:
        super().__init__(engine)
        self._pretokenizer = self._engine.pretokenizer
        self._counts = self._engine.piece_counts
        self._text = GrowingText()  # reversed: the last character first
        self._pieces = OpenPieces(self._engine.dictionary, lambda near, far: self._read(-far, -near), mirrored=True)
        self._class_runs: MirroredClassRuns | None = None
        self._totals = array("q", [0])  # tokens for each length; UNKNOWN if no chain has passed
        self._settled = 0
        self._count = 0

    def __reduce__(self) -> tuple[Callable[..., PrependingEncoder], tuple[IncrementalVocabulary, bytes, str | bytes]]:
        raw, state = self._unfinished or ("", self._state())
        return _rebuild, (self._engine, to_bytes(self._read(-state.length, 0)), raw)

    @property
    def count(self) -> int:
        """The number of tokens of the text: equal to `tokenizer.count(encoder.data)`. Constant time."""
        return self._count

    @property
    def fewest(self) -> int:
        """A lower bound for the count of this text and of every text that ends with it."""
        if not isinstance(self._pretokenizer, NamedPattern | WholeText):
            return 0
        length = len(self._text)
        # A lower bound: each character is at least a byte, and no token has more bytes than the longest.
        least = -(-length // self._engine.dictionary.longest)
        if isinstance(self._pretokenizer, WholeText):
            return max(least, self._pieces.fewest(0, length)) if length > SHORT_PIECE else least
        cut = _ALWAYS_CUT.search(stand_ins(self._read(-length, min(0, LONG_TAIL - length))))
        # The chains of all longer texts pass this offset, and the chain of this text has passed it.
        return max(least, self._totals[length - cut.start()]) if cut else least

    def prepend(self, text: str | bytes) -> None:
        """Add `text` at the start. Amortized time proportional to its length.

        A character given in two parts, as bytes or surrogates, is joined. Raises EncodingError, and adds nothing, if a
        byte is not part of any token of the vocabulary. Under a pattern that looks back (`\\b`, `^`, `(?<=`) the whole
        text is counted anew.
        """
        self._grow(text, cut_unfinished_start, before=True)

    def _push(self, characters: str) -> None:
        self._text.extend(characters[::-1])
        self._totals.extend(array("q", [UNKNOWN]) * len(characters))
        if self._class_runs is not None:
            self._class_runs.extend(stand_ins(characters)[::-1])
        if self._pretokenizer.looks_back:
            self._count = self._engine.count_characters(self._characters())
        else:
            self._count = self._total(len(characters))

    def _total(self, added: int) -> int:
        """Return the count of the whole text, whose first `added` characters are new."""
        left = place = -len(self._text)
        window = added + SHORT_PIECE
        chain: list[tuple[int, int, int]] = []  # an offset, and the span of the first pre-token from there on
        while self._totals[-place] == UNKNOWN:
            spans = self._first_spans(place, window)
            for start, end in spans:
                chain.append((place, start, end))
                place = end
                if self._totals[-end] != UNKNOWN:
                    break
            if not spans and place + window >= 0:
                chain.append((place, 0, 0))  # nothing matches from here to the end
                place = 0
            elif not spans:
                window *= 4
        for place, start, end in reversed(chain):
            self._totals[-place] = self._totals[-end] + self._count_piece(start, end, still_open=place == left)
        if chain:
            self._settled = max(self._settled, -chain[0][2])
            self._pieces.settle(self._settled)
        return self._totals[-left]

    def _first_spans(self, place: int, window: int) -> list[Span]:
        """Return the first pre-tokens from `place` on that the next `window` characters settle; empty if they settle none."""
        pretokenizer = self._pretokenizer
        if isinstance(pretokenizer, WholeText):
            return [(place, 0)]
        end = min(0, place + window)
        text = self._read(place, end)
        spans = pretokenizer.spans(text)
        if end < 0:
            spans = spans[: max(0, len(spans) - pretokenizer.open_count(text, spans))]
        if not spans and isinstance(pretokenizer, NamedPattern) and window > LONG_TAIL:
            return [(place, self._runs(pretokenizer).pretoken_end(place, 0))]
        return [(place + start, place + stop) for start, stop in spans]

    def _count_piece(self, start: int, end: int, *, still_open: bool) -> int:
        if end - start > SHORT_PIECE and (still_open or self._pieces.is_open(-end)):
            return self._pieces.count(-end, -start)
        return self._counts[self._read(start, end)]

    def _runs(self, pretokenizer: NamedPattern) -> MirroredClassRuns:
        if self._class_runs is None:
            self._class_runs = MirroredClassRuns(
                pretokenizer.name, lambda place: stand_ins(self._text.character(-1 - place))
            )
            self._class_runs.extend(stand_ins(self._characters())[::-1])
        return self._class_runs

    def _read(self, start: int, end: int) -> str:
        return self._text.read(-end, -start)[::-1]

    def _characters(self) -> str:
        return self._read(-len(self._text), 0)

    def _state(self) -> PrependingState:
        return PrependingState(len(self._text), self._settled, self._count)

    def _return_to(self, state: PrependingState) -> None:
        length, self._settled, self._count = state
        self._text.truncate(length)
        del self._totals[length + 1 :]
        self._pieces.truncate(length, self._settled)
        if self._class_runs is not None:
            self._class_runs.truncate(length)


def _rebuild(engine: IncrementalVocabulary, finished: bytes, unfinished: str | bytes) -> PrependingEncoder:
    """Unpickle an encoder: with the same text and count, without marks."""
    encoder = PrependingEncoder(engine)
    encoder.prepend(finished)
    encoder.prepend(unfinished)
    return encoder
