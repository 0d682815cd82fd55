"""Find the chunks of a text in it, and the definitions that they cut in two. Independent of any chunker."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from python_structure import Definition


class Piece(NamedTuple):
    """A chunk, and its start and end in characters as its chunker reports them; None if it does not."""

    text: str
    start: int | None
    end: int | None


class Placed:
    """The true spans of the chunks of a text, in order. A chunk that does not occur in the text is left out."""

    def __init__(self, text: str, pieces: Iterable[Piece]) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        end = 0
        for piece in pieces:
            # What it says is believed if it is true. Overlap is not asked for, so chunks follow each other.
            start = -1 if piece.start is None else piece.start
            if start < end or not text.startswith(piece.text, start):
                start = text.find(piece.text, end)
            if start >= 0:
                end = start + len(piece.text)
                self.starts.append(start)
                self.ends.append(end)

    def hold(self, start: int, end: int) -> bool:
        """Whether one chunk holds all of text[start:end]."""
        index = bisect_right(self.starts, start) - 1
        return index >= 0 and end <= self.ends[index]

    def missing(self, text: str) -> str:
        """The characters that are in no chunk."""
        gaps = zip([0, *self.ends], [*self.starts, len(text)], strict=True)
        return "".join(text[start:end] for start, end in gaps)


@dataclass
class Cuts:
    """How many definitions there are, and between which of their parts chunks end. Each cut is counted once, by what it separates:

        # why                  comment   ─┐ comment cut off
        @cache                 decorator ─┤ decorator cut off
        def f():               keyword   ─┤
            return 1           end       ─┘ function broken

    Of a definition that cannot be whole, all up to the line of its name is one head, torn or not.
    """

    functions: int = 0
    broken_functions: int = 0
    decorators: int = 0
    cut_decorators: int = 0
    comments: int = 0
    cut_comments: int = 0
    heads: int = 0
    cut_heads: int = 0

    def judge_definition(self, one: Definition, placed: Placed, *, fits: bool, head_fits: bool) -> None:
        """Add one definition. `fits`: it should be whole; `head_fits`: else its head should be."""
        if fits:
            if one.is_function:
                self.functions += 1
                self.broken_functions += not placed.hold(one.keyword, one.end)
            if one.decorator is not None:
                self.decorators += 1
                self.cut_decorators += not placed.hold(one.decorator, one.keyword + 1)
            if one.comment is not None:
                self.comments += 1
                after = one.keyword if one.decorator is None else one.decorator
                self.cut_comments += not placed.hold(one.comment, after + 1)
        elif head_fits and one.start < one.keyword:
            self.heads += 1
            self.cut_heads += not placed.hold(one.start, one.header_end)
