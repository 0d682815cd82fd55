"""Text for a terminal: what the terminal supports, safe characters, and how much of a text fits.

    shown("a\\x1b[31m")             'a␛[31m'          no control characters
    fit("漢字と言葉", 0, 7)         (3, 6)            three characters take six of seven columns
    shortened("a long title", 8)   'a long …'
    flow(["one", "two"], 5)        ['one', '   two']

Columns are those of `rich.cells`: a Chinese character takes two, a combining mark none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, TextIO

from rich.cells import cell_len
from rich.color import ColorSystem
from rich.console import Console
from rich.style import Style

from chunker.formats.segmentation import grapheme_ends

GAP = "   "
_TAB = 4
_SYSTEMS = {
    "standard": ColorSystem.STANDARD,
    "256": ColorSystem.EIGHT_BIT,
    "truecolor": ColorSystem.TRUECOLOR,
    "windows": ColorSystem.WINDOWS,
}
# Characters that control a terminal, change the direction of text, or cannot be written; tabs have become spaces
# before.
_UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u200b\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
)


class Screen(NamedTuple):
    """A terminal: `width` in columns; without `colors` there are no escape codes at all, without `hues` none that set a
    colour.
    """

    width: int
    colors: ColorSystem | None
    hues: bool

    def styled(self, text: str, style: Style) -> str:
        """Return `text` in this style, as far as the screen supports it."""
        if self.colors is None or not text:
            return text
        return (style if self.hues else style.without_color).render(text, color_system=self.colors)


def screen(stream: TextIO | None = None) -> Screen:
    """Return the screen of `stream` (default: standard output), detected by rich: NO_COLOR, FORCE_COLOR, TERM and
    COLUMNS apply.
    """
    console = Console(file=stream)
    return Screen(max(console.width, 40), _SYSTEMS.get(console.color_system or ""), not console.no_color)


def flow(parts: list[str], width: int) -> Iterator[str]:
    """Join the parts into as few lines as possible; all but the first are indented.

    >>> list(flow(["one", "two", "three"], 10))
    ['one   two', '   three']
    """
    line = parts[0]
    for part in parts[1:]:
        if cell_len(line) + len(GAP) + cell_len(part) > width:
            yield line
            line = GAP + part
        else:
            line += GAP + part
    yield line


def shown(text: str) -> str:
    r"""Make text safe for any terminal: escape codes, direction overrides and lone surrogates are spelled out.

    >>> shown("a\tb\x1b[31m\u202e\ud800")
    'a    b␛[31m<U+202E><U+D800>'
    """
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub(_spelled, text.replace("\t", " " * _TAB))


def _spelled(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "␡" if code == 0x7F else f"<U+{code:04X}>"


def fit(text: str, start: int, width: int) -> tuple[int, int]:
    """Return the end of the part of `text` from `start` that fits `width` columns, and its columns; grapheme clusters
    stay whole.

    A cluster that is wider than a line gets a line of its own, so that there is always progress.
    """
    if text.isascii():
        end = min(len(text), start + width)
        return end, end - start
    columns = 0
    done = start
    for end in grapheme_ends(text, start):
        wide = cell_len(text[done:end])
        if columns + wide > width:
            break
        columns += wide
        done = end
    return done, columns


def shortened(text: str, width: int) -> str:
    """Return `text`, shortened to `width` columns."""
    if cell_len(text) <= width:
        return text
    end, _ = fit(text, 0, width - 1)
    return text[:end] + "…"
