"""The terminal view: how a text was cut, as lines of the width of the screen.

    notes.md   markdown   3 chunks, 181 tokens   mean fill 94 %   0 % ▁▁▁▁▁▁▁▁▁█ 100 %

    1  section   Guide                                     lines 1-9   █████████▎ 61 of 64, 95 %
    1 │ # Guide
    2 │
    ──── before section, structure 2 of 2 ─────────────────────────────────────────────────────
       the next section (31 tokens) would make 92 of 64 tokens; it fits into a chunk of its own
    2  section   Guide > Install ...

The output is text and colours, from top to bottom, so a pager can show it (`FORCE_COLOR=1 chunker view --terminal PATH
| less -R`). Colours are among the sixteen of the terminal, which its user has chosen to be readable; NO_COLOR turns
them off, and signs carry the same information. Control characters in the text are spelled out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from textwrap import wrap

from rich.cells import cell_len
from rich.style import Style

from chunker.cli.screen import GAP, Screen, fit, flow, shortened, shown
from chunker.view.cuts import Grade
from chunker.view.seeing import SeenChunk, SeenText, histogram

# Neighbours differ for every kind of colour vision: bluish and yellowish alternate.
_COLORS = ("blue", "yellow", "magenta", "green")
_QUIET = Style(dim=True)
_STRONG = Style(bold=True)
_WEAK_CUT = Style(color="red")
_ODD_TOKEN = Style(underline=True)
_REPEATED = Style(dim=True, italic=True)

_RULES = {Grade.STRUCTURE: "━", Grade.PARAGRAPH: "━", Grade.LINE: "─", Grade.SENTENCE: "╌"}
_WEAK_RULE = "┄"
_EIGHTHS = " ▏▎▍▌▋▊▉█"
_BARS = "▁▂▃▄▅▆▇█"
_METER = 10
_BETWEEN = "│"

_LINE_END = re.compile("\r\n|\r|\n")


def terminal_view(seen: SeenText, where: Screen, *, show_tokens: bool = False) -> Iterator[str]:
    """Yield the lines of one text, each with its line end. `show_tokens`: every other token is underlined; without styles, a bar ends each."""
    yield from _head(seen, where)
    last_line = seen.chunks[-1].chunk.span.end_line if seen.chunks else 1
    gutter = len(str(last_line)) + 1
    for number, item in enumerate(seen.chunks, 1):
        color = Style(color=_COLORS[(number - 1) % len(_COLORS)])
        yield from _cut(item, where)
        yield from _facts(item, number, seen.max_tokens, where, color)
        yield from _body(item, where, color, gutter, show_tokens=show_tokens)
    yield "\n"


def _head(seen: SeenText, where: Screen) -> Iterator[str]:
    fills = histogram([item.fill for item in seen.chunks])
    most = max(*fills, 1)
    line = "".join(_BARS[-(-count * (len(_BARS) - 1) // most)] for count in fills)
    facts = [
        seen.language or "text",
        f"{_count(len(seen.chunks), 'chunk')}, {_count(seen.tokens, 'token')}",
        f"mean fill {seen.mean_fill:.0%}",
        f"0 % {line} 100 %",
    ]
    yield where.styled(shown(seen.path), _STRONG) + "\n"
    yield from (where.styled(line, _QUIET) + "\n" for line in flow(facts, where.width))
    for name, value in seen.notes.items():
        yield shown(f"{name}: {value}") + "\n"
    yield "\n"


def _cut(item: SeenChunk, where: Screen) -> Iterator[str]:
    if item.cut is None:
        return
    rule = _RULES.get(item.cut.grade, _WEAK_RULE)
    text = shortened(f"{rule * 4} {shown(str(item.cut))} ", where.width)
    style = _QUIET if item.cut.grade >= Grade.SENTENCE else _WEAK_CUT
    yield where.styled(text + rule * (where.width - cell_len(text)), style) + "\n"
    if item.reason is not None:
        for line in wrap(shown(str(item.reason)), where.width, initial_indent=GAP, subsequent_indent=GAP):
            yield where.styled(line, _QUIET) + "\n"


def _facts(item: SeenChunk, number: int, max_tokens: int, where: Screen, color: Style) -> Iterator[str]:
    """Yield one line if everything fits; otherwise the breadcrumb gets a line of its own, and the rest as many as it needs."""
    chunk = item.chunk
    first, last = chunk.span.start_line, chunk.span.end_line
    title = shortened(f"{number:,}  {shown(chunk.kind)}", where.width)
    breadcrumb = shown(" > ".join(" ".join(name.split()) for name in item.breadcrumb))
    bar = _meter(item.fill)
    facts = [f"repeats {_count(item.repeated_tokens, 'token')}"] if item.repeated else []
    facts.append(f"line {first}" if first == last else f"lines {first}-{last}")
    facts.append(f"{bar} {chunk.token_count:,} of {max_tokens:,}, {item.fill:.0%}")

    def dressed(line: str) -> str:
        line = line.replace(bar, where.styled(bar, color))
        return line.replace(title, where.styled(title, color + _STRONG), 1) if line.startswith(title) else line

    numbers = GAP.join(facts)
    start = GAP.join([title, breadcrumb]) if breadcrumb else title
    room = where.width - len(numbers) - len(GAP)
    if cell_len(start) <= room:
        yield dressed(start + " " * (where.width - cell_len(start) - len(numbers)) + numbers) + "\n"
        return
    yield from (dressed(line) + "\n" for line in flow([title, *facts], where.width))
    if breadcrumb:
        yield GAP + shortened(breadcrumb, where.width - len(GAP)) + "\n"


@dataclass(slots=True)
class _Lines:
    """Fills lines of the width of the screen, after a gutter, with pieces of text in different styles.

    `number`: the number of the line in the text, None in the context, which is not part of it. `ends`: the ends of the
    tokens ahead, the nearest last; None to not show them.
    """

    where: Screen
    color: Style
    gutter: int
    ends: list[int] | None
    number: int | None = None
    sign: str = " "
    parts: list[str] = field(default_factory=list)
    column: int = 0
    continued: bool = False

    def write(self, text: str, style: Style) -> Iterator[str]:
        """Add text without a line end; yields the lines that are full."""
        width = self.where.width - self.gutter - 3
        at = 0
        while at < len(text):
            # A line is wide enough for any character, but a wide one may need a new line.
            end, columns = fit(text, at, width - self.column)
            space = text.rfind(" ", at, end) + 1
            if end < len(text) and space - at > width // 2:  # a word that does not fit goes to the next line
                end, columns = space, cell_len(text[at:space])
            if end > at:
                self.parts.append(self.where.styled(text[at:end], style))
                self.column += columns
            elif not self.column:
                end, columns = at + 1, 1
                self.parts.append(self.where.styled(text[at:end], style))
            if end < len(text):
                yield self.end(continued=True)
            at = end

    def end(self, *, continued: bool = False) -> str:
        """Return the line so far. If it is `continued`, the next one continues it; otherwise it is the next line of the text."""
        shown_number = "" if self.number is None or self.continued else str(self.number)
        gutter = self.where.styled(f"{shown_number:>{self.gutter}} {self.sign}", self.color)
        line = gutter + " " + "".join(self.parts)
        self.parts.clear()
        self.column = 0
        self.continued = continued
        if self.number is not None and not continued:
            self.number += 1
        return line.rstrip() + "\n"


def _body(item: SeenChunk, where: Screen, color: Style, gutter: int, *, show_tokens: bool) -> Iterator[str]:
    context = len(item.chunk.context)
    lines = _Lines(where, color, gutter, _token_ends(item) if show_tokens else None)
    for start, end, style, sign in (
        (0, context, _QUIET, ">"),
        (context, context + item.repeated, _REPEATED, "~"),
        (context + item.repeated, len(item.chunk.text), Style(), "│"),
    ):
        if start == end:
            continue
        lines.sign = sign
        if start >= context and lines.number is None:
            lines.number = item.chunk.span.start_line
        yield from _lines_between(item.chunk.text, start, end, lines, style)
    if lines.parts or lines.continued:
        yield lines.end()


def _lines_between(text: str, start: int, end: int, lines: _Lines, style: Style) -> Iterator[str]:
    """Yield the lines of text[start:end]."""
    ends = lines.ends
    at = start
    while at < end:
        while ends and ends[-1] <= at:
            ends.pop()
        stop = min(ends[-1], end) if ends else end
        odd = ends is not None and len(ends) % 2 == 1
        for match in _LINE_END.finditer(text, at, stop):
            if match[0] == "\r" and text.startswith("\n", match.end()):
                continue  # a line end of two tokens
            yield from lines.write(shown(text[at : match.start()]), style + _ODD_TOKEN if odd else style)
            yield lines.end()
            at = match.end()
        yield from lines.write(shown(text[at:stop].removesuffix("\r")), style + _ODD_TOKEN if odd else style)
        if ends and stop == ends[-1] and lines.where.colors is None and lines.parts:
            yield from lines.write(_BETWEEN, style)
        at = stop


def _token_ends(item: SeenChunk) -> list[int] | None:
    """Return the ends of the tokens of a chunk, in characters of its text, the first one last, without those that end inside a character."""
    if item.token_lengths is None:
        return None
    ends = []
    done = 0
    for length in item.token_lengths:
        done += length
        if length:
            ends.append(done)
    return ends[::-1]


def _meter(fill: float) -> str:
    """Return a bar of ten columns.

    >>> _meter(0.5), _meter(1.0), _meter(0.01)
    ('█████░░░░░', '██████████', '▏░░░░░░░░░')
    """
    eighths = max(round(fill * _METER * 8), 1 if fill else 0)
    whole, part = divmod(eighths, 8)
    bar = "█" * whole + (_EIGHTHS[part] if part else "")
    return bar + "░" * (_METER - len(bar))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
