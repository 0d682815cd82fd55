"""Safe splits ("cuts") for normalizers and added tokens: both sides can be normalized by themselves, whatever the text
around them.

    "e\\u0301 <mask> b"      NFC, and an added token <mask>
       ^       ^            no cuts: inside a composed character, inside the token, and near the end of the text, where one may start

Pre-tokenizers and merges still see both sides as one text.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING

from bpe_engine.pipeline.characters import WHITE_SPACE
from bpe_engine.pipeline.matching import is_word
from bpe_engine.pipeline.normalizers import Prepend, Replace

if TYPE_CHECKING:
    from bpe_engine.fallback.merging import Merging
    from bpe_engine.fallback.normalizing import Normalization
    from bpe_engine.fallback.piece_models import PieceModel
    from bpe_engine.pipeline.added_tokens import AddedTokenFinder
    from bpe_engine.pipeline.specification import AddedToken, Specification

Spans = list[tuple[int, int, "AddedToken"]]


class RawCuts:
    """Finds the cuts of a tokenizer. Immutable; threads may share it. Offsets are characters.

    `raw_finder` and `finder` find added tokens in the text and in normalized text; None where none is found without
    being allowed.
    """

    def __init__(
        self,
        specification: Specification,
        normalization: Normalization,
        merging: Merging | PieceModel,
        raw_finder: AddedTokenFinder | None,
        finder: AddedTokenFinder | None,
    ) -> None:
        self._normalization = normalization
        self._recoding = merging.recoding if merging.joins_unknown else None
        self._raw_finder = raw_finder
        self._finder = finder or None
        tokens = () if raw_finder is None else specification.added_tokens
        self._takes_white_space = any(token.lstrip or token.rstrip for token in tokens)
        self._wants_words = any(token.single_word for token in tokens)
        normalizers = specification.normalizers
        self._prepends = any(isinstance(one, Prepend) for one in normalizers)
        self._looks_at_ends = self._prepends or self._wants_words
        self._removes = any(isinstance(one, Replace) and not one.content for one in normalizers)
        self.everywhere = not tokens and not normalization and self._recoding is None
        """Whether every offset is a cut, including the ends of the text."""

    def last(self, text: str, *, at_start: bool) -> int:
        """Return the last cut inside of `text`, valid whatever text follows; 0 if there is none. `at_start`: the plain text starts with `text`."""
        if self.everywhere:
            return len(text)
        spans = self._spans(text)
        raw_margin = max(0, self._raw_finder.longest - 1) if self._raw_finder else 0
        normal = _Normal(self, text, at_start=at_start) if self._finder else None
        last = min(len(text) - 1, len(text) - raw_margin)
        if self._begins_unseen(spans):
            last = min(last, spans[0][0])
        for place in range(last, 0, -1):
            if self._is_cut(text, place, spans) and (normal is None or normal.is_cut(place, from_end=True)):
                return place
        return 0

    def first(self, text: str, *, at_end: bool) -> int | None:
        """Return the first cut of `text`, valid whatever text comes before; None if there is none. `at_end`: the plain text ends with `text`."""
        if self.everywhere:
            return 0
        spans = self._spans(text)
        if self._begins_unseen(spans):
            return None
        # A token must not cross the cut. Nor may one end there if its end changes the text after it, or if it must be a
        # whole word.
        margin = max(0, self._raw_finder.longest - (not self._looks_at_ends)) if self._raw_finder else 0
        # `text` may be the start of the whole text, or not.
        normals = [_Normal(self, text, at_start=at_start, at_end=at_end) for at_start in (False, True) if self._finder]
        for place in range(max(1, margin), len(text)):
            if (
                self._is_cut(text, place, spans)
                and all(normal.is_cut(place, from_end=False) for normal in normals)
                and not (self._prepends and self._begins_at(text, place, spans))
            ):
                return place
        return None

    def _begins_unseen(self, spans: Spans) -> bool:
        """Whether a plain text starts after a token of `spans`, so that a prepended text may become part of a token in normalized text."""
        return bool(spans) and self._prepends and self._finder is not None

    def _begins_at(self, text: str, place: int, spans: Spans) -> bool:
        """Whether a plain text may start at a place: after a token, or because normalizers remove the text before the place."""
        left = self._normalization.normalize(text[place - 1], at_start=False, at_end=False)
        return self._removes or not left or any(end == place for _, end, _ in spans)

    def checker(self, text: str) -> Callable[[int], bool]:
        """Return a function that reports whether a place inside of `text` is a cut; it is valid if `everywhere` is true, too.

        Tokens that belong to normalized text are searched for in the text itself. The end of a token is not a cut,
        because a segment starts there.
        """
        spans = sorted(
            [*self._spans(text), *(self._finder.spans(text) if self._finder else [])], key=lambda span: span[:2]
        )
        starts = [start for start, _, _ in spans]
        longest = max((end - start for start, end, _ in spans), default=0)

        def is_cut(place: int) -> bool:
            near = spans[bisect_left(starts, place - longest) : bisect_right(starts, place)]
            if any(end == place for _, end, _ in near):
                return False
            return self.everywhere or self._is_cut(text, place, near)

        return is_cut

    def _spans(self, text: str) -> Spans:
        return self._raw_finder.spans(text) if self._raw_finder else []

    def _is_cut(self, text: str, place: int, spans: Spans) -> bool:
        before, after = text[place - 1], text[place]
        if self._normalization and not self._normalization.is_cut(before, after):
            return False
        if self._recoding is not None and not self._is_known(before):
            return False
        return not (self._raw_finder or self._finder) or self.keeps_tokens(before, after, place, spans)

    def _is_known(self, before: str) -> bool:
        """Whether the character `before` ends a run of unknown characters, because it is known itself."""
        if not before.isascii() or self._recoding is None:
            return False
        normalized = self._normalization.normalize(before, at_start=False, at_end=False)
        return bool(normalized) and not self._recoding.is_unknown(normalized[-1])

    def keeps_tokens(self, before: str, after: str, place: int, spans: Spans) -> bool:
        """Whether no added token crosses the place, strips white space on its other side, or depends on the character there being a word."""
        if self._takes_white_space and (before in WHITE_SPACE or after in WHITE_SPACE):
            return False
        if self._wants_words and (is_word(before) or any(end == place for _, end, _ in spans)):
            return False
        return not any(start < place < end for start, end, _ in spans)


class _Normal:
    """The normalized form of a text, and the added tokens in it."""

    def __init__(self, cuts: RawCuts, text: str, *, at_start: bool = False, at_end: bool = False) -> None:
        self._cuts = cuts
        self._text = text
        self._at_end = at_end
        self._normalize = cuts._normalization.normalize  # noqa: SLF001 - a part of it
        self._normal = self._normalize(text, at_start=at_start, at_end=at_end)
        finder = cuts._finder  # noqa: SLF001 - as above
        self._spans: Spans = finder.spans(self._normal) if finder else []
        self._margin = max(0, finder.longest - 1) if finder else 0

    def is_cut(self, place: int, *, from_end: bool) -> bool:
        """Whether the place in the text is also a cut for the added tokens in normalized text."""
        where = len(self._normal) - len(self._normalize(self._text[place:], at_start=False, at_end=self._at_end))
        if not 0 < where < len(self._normal):
            return False
        # At the start the margin is that of tokens in the raw text: see `first`.
        room = len(self._normal) - where if from_end else where - self._cuts._looks_at_ends  # noqa: SLF001 - as above
        before, after = self._normal[where - 1], self._normal[where]
        return room >= self._margin and self._cuts.keeps_tokens(before, after, where, self._spans)
