"""One HTML page that shows how texts were cut: a single file that needs no network and runs nothing but its own script.

    <head>    the policy: this style and this script, by their hashes, and nothing else; the style
    <body>    the frame
              one block of JSON a text     <script type="application/json" id="text-0">{"chunks": ...}
              one block about them all     <script type="application/json" id="index">{"texts": [...]}
              the script

A text never becomes HTML. It is in a block of JSON in which no character can end the block; the browser parses the
block only when the text is shown, and the script creates text nodes from it. Blocks are written one after the other, so
that a folder needs the memory of one file.

Offsets and lengths in the blocks count UTF-16 code units, as JavaScript does.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import Any, NamedTuple

from chunker.view.seeing import SeenChunk, SeenText, histogram
from chunker.view.syntax import syntax_runs

# In this order: each script may use the definitions of those before it.
READER_SCRIPTS = ("text.js", "chunks.js", "overview.js", "filter.js", "reader.js")
READER_STYLES = ("page.css", "chunks.css")
_SCRIPTS = (*READER_SCRIPTS, "main.js")

_INCLUDE = re.compile(r"\{\{include ([^}]+)\}\}")

# Characters that could end a block or change how it is parsed (<, >, &), line ends of older JavaScript, and characters
# that UTF-8 cannot encode.
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")


class PageSettings(NamedTuple):
    """The settings at the head of the page.

    Args:
        tokenizer: The name of the tokenizer.
        max_tokens: The largest number of tokens of a chunk.
        min_tokens: The smallest number of tokens of a chunk; the last may have fewer, so as not to break a unit that
            fits.
        overlap: The largest number of tokens that the next chunk repeats.
        context: Whether chunks begin with context.
        show_tokens: Whether the page shows the tokens of each chunk when it is opened.
    """

    tokenizer: str
    max_tokens: int
    min_tokens: int
    overlap: int
    context: bool
    show_tokens: bool = False


def page(texts: Iterable[SeenText], settings: PageSettings, title: str, code: str = "") -> Iterator[bytes]:
    """Generate the page that shows chunked texts, as one HTML file. Equal texts give equal pages.

    Args:
        texts: The texts; one at a time is in memory.
        settings: The settings at its head.
        title: Its title.
        code: Python code that makes the same chunks, to copy.

    Yields:
        The page in parts, as UTF-8.
    """
    head, body, tail = frame("page.html", READER_STYLES, _SCRIPTS)
    yield head.replace("{{title}}", escaped(title)).encode()
    yield body.encode()
    index: dict[str, Any] = {"title": title, "settings": settings._asdict(), "code": code, "texts": []}
    for number, seen in enumerate(texts):
        yield block(f"text-{number}", text_data(seen))
        index["texts"].append(_summary(seen))
    yield block("index", index)
    yield tail.encode()


def text_data(seen: SeenText) -> dict[str, Any]:
    """Return the data of one text for the page."""
    place = _Utf16(seen.text)
    return {
        "path": seen.path,
        "language": seen.language,
        "maxTokens": seen.max_tokens,
        "notes": seen.notes,
        "text": seen.text,
        "syntax": _syntax(seen),
        "chunks": [_chunk_data(item, place) for item in seen.chunks],
    }


def _syntax(seen: SeenText) -> list[int | str]:
    """Return the syntax runs as a flat list: length in code units, class, length, class, ..."""
    runs = syntax_runs(seen.text, seen.language)
    lengths = _units_of_tokens(seen.text, [length for length, _ in runs]) or []
    return [value for length, (_, name) in zip(lengths, runs, strict=True) for value in (length, name)]


def _chunk_data(seen: SeenChunk, place: _Utf16) -> dict[str, Any]:
    chunk, cut = seen.chunk, seen.cut
    start, end = place.span(chunk.span.start, chunk.span.end)
    data: dict[str, Any] = {
        "start": start,
        "end": end,
        "characters": [chunk.span.start, chunk.span.end],
        "bytes": [chunk.span.start_byte, chunk.span.end_byte],
        "lines": [chunk.span.start_line, chunk.span.end_line],
        "count": chunk.token_count,
        "kind": chunk.kind,
        "context": chunk.context,
        "breadcrumb": seen.breadcrumb,
        "tokens": _units_of_tokens(chunk.text, seen.token_lengths),
    }
    if cut is not None:
        data["cut"] = {
            "label": cut.label,
            "quality": cut.quality,
            "grade": cut.grade,
            "strength": cut.strength,
            "reason": str(seen.reason or ""),
        }
    if seen.repeated:
        data["repeated"] = _units(chunk.body[: seen.repeated])
        data["repeatedTokens"] = seen.repeated_tokens
    return data


def _summary(seen: SeenText) -> dict[str, Any]:
    return {
        "path": seen.path,
        "language": seen.language,
        "chunks": len(seen.chunks),
        "tokens": seen.tokens,
        "meanFill": round(seen.mean_fill, 4),
        "fills": histogram([item.fill for item in seen.chunks]),
    }


class _Utf16:
    """Converts character offsets to UTF-16 offsets. For spans with ascending starts it reads the text once, and
    overlaps twice.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._same = _ASTRAL.search(text) is None
        self._offset = self._units = 0

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span text[start:end] in code units."""
        if self._same:
            return start, end
        if start < self._offset:  # chunks in another order than that of the text
            self._offset = self._units = 0
        self._units += _units(self._text[self._offset : start])
        self._offset = start
        return self._units, self._units + _units(self._text[start:end])


def _units(text: str) -> int:
    """Return the number of UTF-16 code units of `text`."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _units_of_tokens(text: str, lengths: list[int] | None) -> list[int] | None:
    """Convert lengths in characters to lengths in code units.

    >>> _units_of_tokens("a\\U0001f600b", [1, 0, 1, 1])
    [1, 0, 2, 1]
    """
    if lengths is None or _ASTRAL.search(text) is None:
        return lengths
    units = []
    done = 0
    for length in lengths:
        units.append(_units(text[done : done + length]))
        done += length
    return units


def block(name: str, data: dict[str, Any]) -> bytes:
    """Return a block of data for the script, under a name."""
    return f'<script type="application/json" id="{name}">{json_in_html(data)}</script>\n'.encode()


def json_in_html(data: Any) -> str:  # noqa: ANN401  # whatever JSON can say
    r"""Encode `data` as JSON that is safe inside a script element, for all strings, and that UTF-8 can encode.

    >>> print(json_in_html(["</script>", "<!--", "\ud800"]))
    ["\u003c/script\u003e","\u003c!--","\ud800"]
    """
    written = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", written)


def escaped(text: str) -> str:
    """Escape `text` for HTML; unprintable characters become escape sequences."""
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    return shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")


@functools.cache
def frame(name: str, styles: tuple[str, ...], scripts: tuple[str, ...]) -> tuple[str, str, str]:
    """Build a page without its data from these assets. Returns three parts: up to the style, from there to the data,
    and the rest.

    An asset is a file in the folder `assets` of this package, or of another package that is named before a colon:
    "chunker.integrations.serve:serve.js". In HTML, {{include NAME}} is replaced by another asset.
    """
    style = "".join(map(_asset, styles))
    script = '(() => {\n"use strict";\n' + "".join(map(_asset, scripts)) + "})();\n"
    whole = _INCLUDE.sub(lambda found: _asset(found[1]), _asset(name))
    whole = whole.replace("{{style-hash}}", content_hash(style)).replace("{{script-hash}}", content_hash(script))
    head, rest = whole.split("{{style}}")
    body, tail = rest.split("{{data}}")
    return head + style, body, tail.replace("{{script}}", script)


def _asset(name: str) -> str:
    package, _, file = name.rpartition(":")
    return files(package or "chunker.view").joinpath("assets", file).read_text("utf-8")


def content_hash(content: str) -> str:
    """Return the hash by which a content security policy allows this inline element."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
