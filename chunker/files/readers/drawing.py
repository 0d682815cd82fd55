"""SVG drawings: extract the words that people wrote, without the lines, fonts and pictures that programs wrote.

<svg ...><title>Requests</title><path d="M0 ..."/><text><tspan>the proxy</tspan></text></svg>        Requests
the proxy
"""

from __future__ import annotations

from html import unescape

from chunker.files.readers import ReadText
from chunker.formats.expressions import re

# Elements with invisible text, up to their ends.
_UNSEEN = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<tag>style|script|metadata|defs|font)\b(?:[^>\"']|\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))*+(?:(?<!/)>|\Z)"
    r"(?:[^<]++|<(?!/(?P=tag)\s*+>))*+(?:</(?P=tag)\s*+>|\Z)",  # a twentieth of the time of .*?
    re.DOTALL | re.IGNORECASE,
)
_INLINE = re.compile(
    r"</?(?:b|i|em|strong|u|font|span|a|sub|sup|code)\b(?:[^>\"']|\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))*+(?:>|\Z)",
    re.IGNORECASE,
)
_TAG = re.compile(r"<(?:[^>\"']|\"[^\"]*+(?:\"|\Z)|'[^']*+(?:'|\Z))*+(?:>|\Z)")
_CDATA = re.compile(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.DOTALL)
_LETTERS = re.compile(r"[^\W\d_]")
_DRAWING = re.compile(
    r"\s*+(?:<\?xml\b[^>]*+>|<!--.*?-->|<!DOCTYPE\b[^>\[]*+(?:\[[^\]]*+\]\s*+)?>|\s)*+<(?:\w++:)?svg\b",
    re.DOTALL | re.IGNORECASE,
)


def is_drawing(path: str, text: str) -> bool:
    """Whether a file is an SVG drawing, by its name and its first element."""
    return path.lower().endswith(".svg") and _DRAWING.match(text.removeprefix("\ufeff")) is not None


def read_drawing(text: str) -> ReadText:
    """Return the words of a drawing, one label per line; an empty text if it has none. Linear."""
    seen = _CDATA.sub(r"\1", text.removeprefix("\ufeff"))
    seen = _TAG.sub("\n", _INLINE.sub("", _UNSEEN.sub("\n", seen)))
    lines = (" ".join(unescape(line).split()) for line in seen.split("\n"))
    words = [line for line in dict.fromkeys(lines) if _LETTERS.search(line)]
    return ReadText("\n".join(words) + "\n" if words else "", format="text")
