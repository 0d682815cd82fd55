"""Footnotes of a page: lines below the text, in a smaller font; the first begins with a mark that the text refers to.

    A word¹ of the text,               A word[^1] of the text,
    and† more.                         and[^†] more.
    _______
    1 The first note, which            [^1]: The first note, which goes on.
    goes on.
    † The second.                      [^†]: The second.

A mark in the text is a raised number (`pdf.py` converts these to superscripts) or a sign after a word. A line that
begins with a number to which the text does not refer is not a note.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from chunker.files.readers.page_text import Line, Page, Word, union
from chunker.files.readers.reading_order import SMALLER, Element
from chunker.formats.expressions import re

# Relative to the font size: a raised number is nearer to its word.
_APART = 0.6
_NEAR = 64  # lines that are checked for a number
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_UP = str.maketrans("0123456789", _RAISED)
_DIGITS = str.maketrans(_RAISED, "0123456789")
_SIGN = r"(?<=[\w.,;:!?)\]»”’\"'])[*∗†‡§¶‖]{1,3}(?!\w)"
_REFERENCES = re.compile(rf"[{_RAISED}]+|{_SIGN}")
_REFERENCE = re.compile(rf"(?<=\S)[ ]?[{_RAISED}]+(?:[ ](?=[.,;:!?]))?|{_SIGN}")
_NUMBER = re.compile(r"\d{1,3}")
_BEGINNING = re.compile(rf"([{_RAISED}]+|\d{{1,3}}(?=[.)]?\s)|[*∗†‡§¶‖]{{1,3}})[.)]?\s*(?=\S)")


@dataclass(slots=True)
class Note:
    """A footnote: its mark, as in the text but not raised, and its lines without the mark. The mark is "" for the
    continuation of a note from the previous page.
    """

    mark: str
    lines: list[Line]


def join_raised(page: Page) -> None:
    """Join raised numbers that became lines of their own, because they are higher than their line, with that line: it
    ends before the number, or begins after it.
    """
    numbers = [line for line in page.lines if _NUMBER.fullmatch(line.text)]
    if not numbers:
        return
    lone = set(map(id, numbers))
    others = sorted((line for line in page.lines if id(line) not in lone), key=lambda line: line.box[1])
    tops = [line.box[1] for line in others]
    for number in numbers:
        near = range(bisect_left(tops, number.box[1] - 30), bisect_left(tops, number.box[3]))
        beside = [at for at in near[-_NEAR:] if _is_raised(number, others[at])]
        if not beside:
            continue
        at = min(beside, key=lambda at: _gap(number, others[at]))
        line, (mark,) = others[at], number.words
        mark = mark._replace(text=mark.text.translate(_UP))
        before = line.box[0] >= number.box[2] - 1
        others[at] = Line([mark, *line.words] if before else _with_mark_after(line.words, mark), line.size, line.bold)
        lone.discard(id(number))
    page.lines = [*others, *(number for number in numbers if id(number) in lone)]


def _is_raised(number: Line, line: Line) -> bool:
    """Whether a number is a raised mark before or after a line."""
    smaller = number.size < SMALLER * line.size and number.box[1] + number.box[3] < line.box[1] + line.box[3]
    return smaller and number.box[3] - line.box[1] > 0.3 * number.height and _gap(number, line) < _APART * line.size


def _gap(number: Line, line: Line) -> float:
    """Return the horizontal gap between a number and the line beside it."""
    after, before = number.box[0] - line.box[2], line.box[0] - number.box[2]
    return max(after, before, 0.0) if min(abs(after), abs(before)) < line.size else float("inf")


def _with_mark_after(words: list[Word], mark: Word) -> list[Word]:
    last = words[-1]
    return [*words[:-1], Word(last.text + mark.text, union([last.box, mark.box]))]


def references_of(page: Page) -> frozenset[str]:
    """Return the marks that the lines of a page refer to."""
    return frozenset(mark.translate(_DIGITS) for line in page.lines for mark in _REFERENCES.findall(line.text))


def mark_of(line: Line, references: frozenset[str]) -> str:
    """Return the mark at the start of a line if the page refers to it, else ""."""
    found = _BEGINNING.match(line.text)
    mark = found[1].translate(_DIGITS) if found else ""
    return mark if mark in references else ""


def bind_marks(page: Page, references: frozenset[str], body: float) -> None:
    """Join the mark and the first word of each note: a wide space between them does not separate cells of a table."""
    for line in page.lines:
        if len(line.words) > 1 and line.size < SMALLER * body and mark_of(line, references):
            mark, word, *rest = line.words
            line.words = [Word(f"{mark.text} {word.text}", union([mark.box, word.box])), *rest]


def notes_below(
    run: Sequence[Element], references: frozenset[str], body: float, foot: float | None
) -> tuple[Sequence[Element], list[Note]]:
    """Split a run into its text and the notes at its end.

    Args:
        run: Elements in reading order, from the top.
        references: The marks that the page refers to.
        body: The font size of most text.
        foot: If the last note before the run is incomplete: the height, from the top, below which it may continue. None
            if it is complete.
    """
    first = top = len(run)
    while top and isinstance(line := run[top - 1], Line) and line.size < SMALLER * body:
        top -= 1
        if mark_of(line, references):
            first = top
    goes_on = foot is not None and top < len(run) and run[-1].box[3] > foot
    start = top if goes_on else first
    notes: list[Note] = []
    seen: set[str] = set()
    for line in run[start:]:
        assert isinstance(line, Line)  # noqa: S101  # all elements from `top` on are lines
        mark = mark_of(line, references)
        if mark and mark not in seen:
            seen.add(mark)
            notes.append(Note(mark, [_without_mark(line)]))
        elif notes:
            notes[-1].lines.append(line)
        else:
            notes.append(Note("", [line]))
    return run[:start], notes


def refer(lines: Sequence[Element], marks: frozenset[str]) -> None:
    """Rewrite references to notes with these marks as in Markdown: word[^1]."""

    def reference(found: re.Match[str]) -> str:
        mark = found[0].strip().translate(_DIGITS)
        return f"[^{mark}]" if mark in marks else found[0]

    for line in lines:
        if isinstance(line, Line):
            line.text = _REFERENCE.sub(reference, line.text)


def _without_mark(line: Line) -> Line:
    line.text = _BEGINNING.sub("", line.text, count=1)
    return line
