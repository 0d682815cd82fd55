"""The interval encoder of a SpecificationEngine: counts between safe splits.

    text     "The quick brown fox jumps over"
    cuts          |     |     |   |     |          for normalizers, added tokens, pre-tokenizers and merges alike
    sums         1     2     3   4     5           tokens before each
    slice       "quick brown fox ju"               "quick" by itself + a difference of two sums + " ju" by itself

There is a cut at nearly every word. A slice without a cut is counted anew, and so is every slice if no cuts are known
for the tokenizer: exact, in time proportional to the slice.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from bpe_engine import encoders
from bpe_engine.text.input import received
from bpe_engine.text.slices import check_slice, source_offsets

if TYPE_CHECKING:
    from bpe_engine.fallback.incremental_pipeline import IncrementalPipeline

# Characters. The least distance between two stored cuts.
STRIDE = 64


class PipelineIntervalEncoder(encoders.IntervalEncoder):
    """Counts any slice of one text, under a tokenizer with stages. Immutable; threads may share it."""

    def __init__(self, engine: IncrementalPipeline, text: str | bytes) -> None:
        self._engine = engine
        self._source = text if isinstance(text, str) else bytes(text)
        self._text = received(text)
        self._places = source_offsets(self._source, self._text)
        self._cuts = array("q")
        self._sums = array("q")
        tokens = before = 0
        for cut in engine.total_cuts(self._text, STRIDE):
            tokens += engine.count_part(self._text[before:cut], at_start=before == 0, at_end=False)
            self._cuts.append(cut)
            self._sums.append(tokens)
            before = cut

    def __reduce__(self) -> tuple[type[PipelineIntervalEncoder], tuple[IncrementalPipeline, str | bytes]]:
        return type(self), (self._engine, self._source)

    def __len__(self) -> int:
        """The length of the text, in its own unit."""
        return len(self._source)

    def count(self, start: int, end: int) -> int:
        """The number of tokens of text[start:end]: equal to `tokenizer.count(text[start:end])`. See `encoders.IntervalEncoder`."""
        check_slice(start, end, len(self._source))
        first, last = (start, end) if self._places is None else (self._places[start], self._places[end])
        if first < 0 or last < 0:  # inside a character of bytes, or a surrogate pair
            return self._engine.count(self._source[start:end])
        # An added token found at the start of a slice may cross a nearby cut.
        near = bisect_left(self._cuts, first + self._engine.longest_added + 1)
        far = bisect_right(self._cuts, last - 1) - 1
        if near >= far:
            return self._engine.count_characters(self._text[first:last])
        head = self._engine.count_part(self._text[first : self._cuts[near]], at_start=True, at_end=False, is_first=True)
        tail = self._engine.count_part(self._text[self._cuts[far] : last], at_start=False, at_end=True)
        return head + self._sums[far] - self._sums[near] + tail
