"""Text on pages: words in lines, with boxes [left, top, right, bottom] from the top left corner of the page, in points."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

Box = tuple[float, float, float, float]


class Word(NamedTuple):
    """Characters without white space between them."""

    text: str
    box: Box


@dataclass(slots=True)
class Line:
    """Words on one base line; `size` of the font in points."""

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
        """The line, cut where words are further apart than `gap`, and where one begins before the one before it ends."""
        runs: list[list[Word]] = []
        for word in self.words:
            apart = runs and (word.box[0] - runs[-1][-1].box[2] > gap or word.box[2] < runs[-1][-1].box[0] - gap)
            if not runs or apart:
                runs.append([])
            runs[-1].append(word)
        return [self] if len(runs) == 1 else [Line(run, self.size, self.bold) for run in runs]


@dataclass(slots=True)
class Page:
    """A page: its number from 1, its size as it is shown, and its lines in the order of the file."""

    number: int
    width: float
    height: float
    lines: list[Line]


class Part(NamedTuple):
    """Some text of a block, and the place of it."""

    text: str
    page: int
    box: Box


class Block(NamedTuple):
    """A block of Markdown in its parts: more than one where it goes on in another column or on another page."""

    parts: Sequence[Part]


def in_reading_order(words: list[Word]) -> list[Word]:
    """The words of a line of a right-to-left script from the right, but runs of other words inside it from the left; other lines as they are.

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
    """Words without letters of a right-to-left script: from the left, if they have any letters."""
    return run[::-1] if any(_direction(word.text) < 0 for word in run) else run


def _direction(text: str) -> int:
    """Letters of right-to-left scripts less those of others."""
    if text.isascii():
        return -sum(map(str.isalpha, text))
    classes = [unicodedata.bidirectional(character) for character in text]
    return sum(one in {"R", "AL"} for one in classes) - classes.count("L")


def union(boxes: Iterable[Box]) -> Box:
    """The box around boxes."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)
