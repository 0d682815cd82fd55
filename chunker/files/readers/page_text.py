"""Text on pages: words in lines, with boxes [left, top, right, bottom] from the top left corner of the page, in points."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

Box = tuple[float, float, float, float]


class Word(NamedTuple):
    """Characters without white space."""

    text: str
    box: Box


@dataclass(slots=True)
class Line:
    """Words on one base line; `size` is the font size in points."""

    words: list[Word]
    size: float
    bold: bool = False
    text: str = field(init=False)
    box: Box = field(init=False)

    def __post_init__(self) -> None:
        self.words = in_reading_order(self.words)
        self.text = " ".join(word.text for word in self.words)
        self.box = union(word.box for word in self.words)

    @property
    def height(self) -> float:
        """The height of the box."""
        return self.box[3] - self.box[1]

    def parts(self, gap: float) -> list[Line]:
        """Split the line where words are further apart than `gap`, and where a word begins before the previous one."""
        runs: list[list[Word]] = []
        for word in self.words:
            apart = runs and (word.box[0] - runs[-1][-1].box[2] > gap or word.box[2] < runs[-1][-1].box[0] - gap)
            if not runs or apart:
                runs.append([])
            runs[-1].append(word)
        return [self] if len(runs) == 1 else [Line(run, self.size, self.bold) for run in runs]


@dataclass(slots=True)
class Page:
    """A page: its number from 1, its displayed size, and its lines in the order of the file."""

    number: int
    width: float
    height: float
    lines: list[Line]


class Part(NamedTuple):
    """A part of the text of a block, and its place."""

    text: str
    page: int
    box: Box


class Block(NamedTuple):
    """A Markdown block in parts: more than one if it continues in another column or on another page."""

    parts: Sequence[Part]


def in_reading_order(words: list[Word]) -> list[Word]:
    """Order the words of a line. In a line of a right-to-left script, words go from the right, but runs of other words
    inside it from the left. Other lines do not change.

    >>> texts = ["שלישי", "one", "two", "ראשון"]  # as they stand on the page, from the left
    >>> words = [Word(text, (10 * place, 0, 10 * place + 9, 9)) for place, text in enumerate(texts)]
    >>> [word.text for word in in_reading_order(words)] == ["ראשון", "one", "two", "שלישי"]
    True
    """
    directions = [_direction(word.text) for word in words]
    if sum(directions) <= 0:
        return words
    ordered: list[Word] = []
    run: list[Word] = []
    for direction, word in sorted(zip(directions, words, strict=True), key=lambda one: -one[1].box[2]):
        if direction <= 0:
            run.append(word)
            continue
        ordered += [*_forward(run), word]
        run = []
    return ordered + _forward(run)


def _forward(run: list[Word]) -> list[Word]:
    """Reverse a run of words without right-to-left letters, so that they go from the left, if they have any letters."""
    return run[::-1] if any(_direction(word.text) < 0 for word in run) else run


def _direction(text: str) -> int:
    """Return the number of letters of right-to-left scripts minus that of other letters."""
    if text.isascii():
        return -sum(map(str.isalpha, text))
    classes = [unicodedata.bidirectional(character) for character in text]
    return sum(one in {"R", "AL"} for one in classes) - classes.count("L")


def union(boxes: Iterable[Box]) -> Box:
    """Return the box around boxes."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)
