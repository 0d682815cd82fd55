"""Find the reason for each cut afterwards: the part that did not fit, with its token count.

    chunk 3     ... def area(self): ...        | def add(self, item): ...
                                    169 tokens ^ 81 tokens, together 250 of 200
    rule        whole     following    method, 81 tokens, which fits into a chunk of its own
                          around       class, 612 tokens, which had to be divided

No chunk is grown again. The outline says which parts begin at a cut and which parts the cut divides, and the tokenizer
counts them. If a part that begins at the cut does not fit beside the chunk, that is why the chunk ends. If all of them
would fit, the options are the reason.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, NamedTuple

from chunker.chunkers import TextChunker
from chunker.formats import Outline
from chunker.growing.limits import LONGEST_TOKEN
from chunker.growing.pieces import ContextAt
from chunker.growing.units import enclosing_ends, end_before_blank_lines
from chunker.models import Chunk

Rule = Literal["next", "whole", "head", "inside", "desired", "tail", "optimal", "other"]
_END = 1 << 62  # stronger than every boundary


class CutPart(NamedTuple):
    """A part of a text: `text[start:end]`.

    Args:
        label: The kind of text that begins there: "function", "section".
        start: Its start, in characters.
        end: Its end.
        tokens: Its tokens; None if it is far too long for a chunk, and was not counted.
        complete: Whether it is all of the function or section, not its beginning.
    """

    label: str
    start: int
    end: int
    tokens: int | None
    complete: bool = True

    def __str__(self) -> str:
        """For people.

        >>> str(CutPart("function", 0, 90, 31)), str(CutPart("line", 0, 900_000, None))
        ('function (31 tokens)', 'line (900,000 characters)')
        """
        size = _tokens(self.tokens) if self.tokens is not None else f"{self.end - self.start:,} characters"
        return f"{self.label} ({size})"


@dataclass(frozen=True, slots=True)
class CutReason:
    """The reason why a text was cut at an offset.

    `str` turns it into sentences. Offsets are in characters, sizes in tokens.

    Attributes:
        rule: "next": the next part does not fit beside the chunk. "whole": some of the next part would fit, but it fits
            whole into the next chunk. "head": the same for the comments and the first line of a definition. "inside": a
            part without boundaries of its own does not fit. "desired": the chunk has `desired_tokens`. "tail": a full
            chunk would leave less than `min_tokens`. "optimal": all cuts were chosen together. "other": none of these.
        tokens: The tokens of the chunk that ends here.
        limit: The most tokens that it may have: `max_tokens` without `reserve`.
        following: The part that begins at the cut and does not fit beside the chunk: the largest one that fits into a
            chunk of its own, else the smallest. None if all fit, or none is known.
        together: The tokens of the chunk with that part; None if the part was not counted. For "tail", the tokens of
            the chunk with the rest of the text.
        fits_alone: Whether that part, without trailing blank lines, fits into a chunk of its own, beside its context
            and an overlap.
        around: The smallest part that the cut divides, without trailing blank lines; None if that is the whole text.
        around_fits: Whether that part fits into a chunk of its own, beside its context and an overlap.
        before: The new tokens of the chunk before that part, if there are fewer than `min_tokens`: the reason to divide
            a part that fits.
        option: The value of `desired_tokens` or `min_tokens`, if that is the reason.
    """

    rule: Rule
    tokens: int
    limit: int
    following: CutPart | None = None
    together: int | None = None
    fits_alone: bool = False
    around: CutPart | None = None
    around_fits: bool = False
    before: int | None = None
    option: int | None = None

    def __str__(self) -> str:
        """For people."""
        told = "; ".join(filter(None, (self._here(), self._divided())))
        return told or f"{self.tokens:,} of {_tokens(self.limit)} are in the chunk"

    def _here(self) -> str:
        part = self.following
        if self.rule == "desired":
            return f"the chunk has {_tokens(self.tokens)}, desired_tokens is {self.option:,}"
        if self.rule == "tail":
            return f"{_tokens(self.together or 0)} are left here, and a full chunk would leave less than min_tokens ({self.option:,}) of them"
        if self.rule == "optimal":
            return "more would fit, but the cuts of the whole text are best like this"
        if part is None:
            return ""
        told = ("the next " if part.complete else "the beginning of the next ") + str(part)
        told += " is too long" if self.together is None else f" would make {self.together:,} of {_tokens(self.limit)}"
        if self.rule == "head":
            return told + "; its comments and its first line are kept together"
        return told + (
            "; it fits into a chunk of its own" if self.fits_alone and (part.complete or self.rule == "whole") else ""
        )

    def _divided(self) -> str:
        part = self.around
        if part is None:
            return ""
        told = f"the {part} around the cut "
        if part.tokens is None or part.tokens > self.limit:
            return told + f"does not fit into {_tokens(self.limit)}"
        if not self.around_fits:
            return told + "does not fit beside its context or an overlap"
        if self.before is not None:
            return (
                told + f"would fit into a chunk, but only {_tokens(self.before)} stand before it, fewer than min_tokens"
            )
        return told + "is divided"


def cut_reasons(chunker: TextChunker, text: str, chunks: Sequence[Chunk]) -> list[CutReason | None]:
    """Find for each chunk the reason why it ends where it does. Linear in the text.

    Args:
        chunker: The chunker that made the chunks.
        text: The text.
        chunks: All its chunks, in order.

    Returns:
        A reason for each chunk; None for a chunk at the end of the text, and for one that the next chunk does not
        continue.
    """
    return Reasons(chunker, text, chunker.outline(text)).of(chunks)


class Reasons:
    """Finds the reasons for the cuts of one text from its outline."""

    def __init__(self, chunker: TextChunker, text: str, outline: Outline) -> None:
        self._chunker = chunker
        self._text = text
        self._outline = outline
        self._context_at: ContextAt | None = None  # set when the source of a chunk is known
        self._tokenizer = chunker.tokenizer
        self._budget = chunker.budget
        self._optimal = chunker.strategy == "optimal"
        self._offsets, self._strengths, self._labels = outline.offsets, outline.strengths, outline.labels
        self._heads = outline.heads
        self._stronger: tuple[list[int], list[int]] | None = (
            None  # for each row the nearest stronger ones before and after it
        )
        self._counted: dict[tuple[int, int], int] = {}  # tokens of the parts around cuts, which recur

    def of(self, chunks: Sequence[Chunk]) -> list[CutReason | None]:
        """See `cut_reasons`."""
        reasons: list[CutReason | None] = []
        begin = 0  # the first new character of the chunk
        for chunk, after in pairwise(chunks):
            goes_on = after.span.start <= chunk.span.end < after.span.end
            reasons.append(self._reason(chunk, after, begin) if goes_on else None)
            begin = chunk.span.end
        return [*reasons, None] if chunks else []

    def _reason(self, chunk: Chunk, after: Chunk, begin: int) -> CutReason:
        cut = chunk.span.end
        row = bisect_right(self._offsets, cut) - 1
        if self._offsets[row] != cut:
            ahead = self._offset(row + 1)
            if self._text[cut:ahead].strip() or ahead == len(self._text):
                return self._inside(chunk, begin, row)
            row += 1  # the cut is before the blank lines at the boundary, which belong to the next chunk
        return self._with_around(self._at_boundary(chunk, after, row), self._around(row), chunk, begin)

    def _inside(self, chunk: Chunk, begin: int, row: int) -> CutReason:
        """Return the reason for a cut inside a part that has no boundary of the outline."""
        size, limit = chunk.token_count, self._budget.max_tokens
        return self._with_around(CutReason("inside", size, limit), self._part(row, row + 1), chunk, begin)

    def _with_around(self, reason: CutReason, part: CutPart | None, chunk: Chunk, begin: int) -> CutReason:
        """Add the part that the cut divides to the reason; `begin` is the first new character of the chunk."""
        if part is None:
            return reason
        fits, before = self._fits_alone(chunk.source, part.start, part.end), None
        if fits and not self._optimal and part.start >= begin:
            body = len(chunk.context) - chunk.span.start
            count = self._tokenizer.count
            gained = count(chunk.text[: body + part.start]) - count(chunk.text[: body + begin])
            before = gained if gained < max(self._budget.min_tokens, 1) else None
        return replace(reason, around=part, around_fits=fits, before=before)

    def _at_boundary(self, chunk: Chunk, after: Chunk, row: int) -> CutReason:
        """Return the reason for a cut at a boundary: the part that begins there, or an option."""
        cut, size, limit, budget = chunk.span.end, chunk.token_count, self._budget.max_tokens, self._budget
        ends = list(self._ends_of_parts(row))
        fitting = self._fitting(chunk, ends)
        if fitting < len(ends):
            alone = self._fits_alone(chunk.source, cut, self._offset(ends[fitting]))
            if not fitting or alone or self._keeps_head(chunk, row):
                rule: Rule = "next" if not fitting else "whole" if alone else "head"
                part, together = self._following(chunk, row, ends[fitting:])
                return CutReason(rule, size, limit, part, together, alone)
        if self._optimal:
            return CutReason("optimal", size, limit)
        if budget.desired_tokens is not None and size >= budget.desired_tokens:
            return CutReason("desired", size, limit, option=budget.desired_tokens)
        if after.span.end == len(self._text):
            left = self._tokenizer.count(chunk.text + self._text[cut:])
            if left - limit < budget.min_tokens:
                return CutReason("tail", size, limit, together=left, option=budget.min_tokens)
        return CutReason("other", size, limit)

    def _fitting(self, chunk: Chunk, ends: Sequence[int]) -> int:
        """Return how many of the parts that begin at the end of a chunk fit beside it, from the smallest up."""
        encoder, done, limit = self._tokenizer.appending_encoder(), chunk.span.end, self._budget.max_tokens
        encoder.append(chunk.text)
        for number, stop in enumerate(ends):
            end = self._offset(stop)
            if end - done > limit * LONGEST_TOKEN:
                return number
            encoder.append(self._text[done:end])
            if encoder.count > limit:
                return number
            done = end
        return len(ends)

    def _following(self, chunk: Chunk, row: int, ends: Sequence[int]) -> tuple[CutPart, int | None]:
        """Return the part to report, of those that do not fit beside a chunk: the largest that fits into a chunk of its
        own, else the first; and its token count together with the chunk.
        """
        cut, last = chunk.span.end, ends[0]
        for stop in ends:
            if not self._fits_alone(chunk.source, cut, self._offset(stop)):
                break
            last = stop
        end, complete = self._offset(last), self._strength(last) >= self._strengths[row]
        if end - cut > self._budget.max_tokens * LONGEST_TOKEN:
            return CutPart(self._labels[row], cut, end, None, complete), None
        count = self._tokenizer.count
        part = CutPart(self._labels[row], cut, end, count(self._text[cut:end]), complete)
        return part, count(chunk.text + self._text[cut:end])

    def _fits_alone(self, source: str | None, start: int, end: int) -> bool:
        """Whether text[start:end] without trailing blank lines fits into a chunk that begins with it, apart from the
        overlap.
        """
        most = self._budget.max_tokens - self._budget.overlap
        if end - start > most * LONGEST_TOKEN:
            return False
        if self._context_at is None:
            self._context_at = self._chunker.context_of(self._text, self._outline, source)
        context = self._context_at(start)
        text = context + self._text[start : end_before_blank_lines(self._text, start, end)]
        return self._tokenizer.count_up_to(text, most) is not None

    def _keeps_head(self, chunk: Chunk, row: int) -> bool:
        """Whether a head begins here that the cut would tear: the head does not fit beside the chunk, or the part that
        begins with its last line does not fit beside it but fits alone.
        """
        cut, inner = chunk.span.end, row + 1
        while (end := self._heads.get(self._offset(inner))) is not None:
            if self._is_over(chunk.text, cut, end):
                return True
            for stop in self._ends_of_parts(inner):
                start, end = self._offset(inner), self._offset(stop)
                if self._is_over(chunk.text, cut, end):
                    if self._fits_alone(chunk.source, start, end):
                        return True
                    break
            inner += 1
        return False

    def _is_over(self, before: str, start: int, end: int) -> bool:
        limit = self._budget.max_tokens
        return (
            end - start > limit * LONGEST_TOKEN
            or self._tokenizer.count_up_to(before + self._text[start:end], limit) is None
        )

    # --- parts

    def _offset(self, row: int) -> int:
        return self._offsets[row] if row < len(self._offsets) else len(self._text)

    def _strength(self, row: int) -> int:
        return self._strengths[row] if row < len(self._strengths) else _END

    def _ends_of_parts(self, row: int) -> Iterator[int]:
        """Yield the rows where the parts that begin at `row` end, the smallest part first."""
        strongest = -1
        for stop in range(row + 1, len(self._offsets) + 1):
            strength = self._strength(stop)
            if strength > strongest:
                yield stop
                strongest = strength
            if strength >= self._strengths[row]:
                return

    def _around(self, row: int) -> CutPart | None:
        """Return the smallest part that a cut at `row` divides."""
        size = len(self._offsets)
        if self._stronger is None:
            rows = range(size)
            back = enclosing_ends(rows, self._strengths[::-1], size)[::-1]
            self._stronger = [size - 1 - at for at in back], enclosing_ends(rows, self._strengths, size)
        first, last = max(self._stronger[0][row], 0), self._stronger[1][row]
        return None if first == 0 and last == size else self._part(first, last)

    def _part(self, first: int, last: int) -> CutPart:
        start, end = self._offset(first), self._offset(last)
        end = end_before_blank_lines(self._text, start, end)
        tokens = None
        if end - start <= self._budget.max_tokens * LONGEST_TOKEN:
            tokens = self._counted.get((start, end))
            if tokens is None:
                tokens = self._counted[start, end] = self._tokenizer.count(self._text[start:end])
        return CutPart(self._labels[first], start, end, tokens)


def _tokens(number: int) -> str:
    return f"{number:,} token{'' if number == 1 else 's'}"
