"""Find the tags of HTML in one pass: the span and name of each, and its role among blocks.

    <!-- a --><p class="x > y">b</P>   ->   ! 0..10, p 10..27, /p 28..32

Names are in lower case. Comments, declarations and processing instructions have the name "!". A script or style sheet
is one tag with all its content. Any other `<` is text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from chunker.formats.expressions import re


class Tag(NamedTuple):
    """A tag, `text[start:end]`. For scripts and the like, `content_start` and `content_end` are the span of their
    content. `quoted`: whether no tag so far lacks a quotation mark.
    """

    name: str
    start: int
    end: int
    closes: bool = False
    content_start: int = 0
    content_end: int = 0
    quoted: bool = True


# Elements that are blocks, or contain blocks. All others are part of the text.
BLOCKS = frozenset(
    """address article aside blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset
    figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe legend li link main menu
    meta nav noscript ol optgroup option p pre search section select summary table tbody td template tfoot th thead
    title tr ul""".split()  # noqa: SIM905  # words are easier to read than strings
)
# Elements without content.
VOID = frozenset({"col", "hr", "link", "meta"})
# Elements whose content is not HTML.
RAW = frozenset({"script", "style", "textarea"})
# The parts of tables; only they close elements that are open around a cell.
TABLE_PARTS = frozenset({"table", "tbody", "td", "tfoot", "th", "thead", "tr"})
BARRIERS = frozenset({"caption", "td", "template", "th"})
# The open elements that a tag ends.
ENDED_BY = {
    "body": frozenset({"head"}),
    "dd": frozenset({"dd", "dt"}),
    "dt": frozenset({"dd", "dt"}),
    "li": frozenset({"li"}),
    "option": frozenset({"option"}),
    "optgroup": frozenset({"optgroup", "option"}),
    "tbody": frozenset({"caption", "colgroup", "tbody", "td", "tfoot", "th", "thead", "tr"}),
    "td": frozenset({"td", "th"}),
    "tfoot": frozenset({"caption", "colgroup", "tbody", "td", "th", "thead", "tr"}),
    "th": frozenset({"td", "th"}),
    "thead": frozenset({"caption", "colgroup", "td", "th", "tr"}),
    "tr": frozenset({"caption", "colgroup", "td", "th", "tr"}),
}
# The elements that end a section at the latest. A heading inside one of them, except an article or a section, is not a
# heading of the page.
SECTION_ENDS = frozenset(
    """article aside blockquote details dialog dd fieldset figure footer form li nav section td template th""".split()  # noqa: SIM905  # words are easier to read than strings
)
# The labels of boundaries before elements, if the label is not the name of the element.
LABELS = {
    "blockquote": "quote",
    "dd": "item",
    "dl": "list",
    "dt": "item",
    "hr": "rule",
    "li": "item",
    "menu": "list",
    "ol": "list",
    "p": "paragraph",
    "pre": "code",
    "td": "cell",
    "th": "cell",
    "tr": "row",
    "ul": "list",
}

_TAG = re.compile(
    r"""
    < (?: (?P<close> / )?+ (?P<name> [A-Za-z] [^\s/>]*+ ) (?: [^>"']++ | "[^"]*+" | '[^']*+' )*+ >
      | (?P<comment> !-- ) | (?P<cdata> !\[CDATA\[ ) | (?P<declaration> [!?] [^>]*+ > ) )
    """,
    re.VERBOSE,
)
# A tag in a text where an unclosed quotation mark would hide the rest.
_TAG_WITHOUT_QUOTES = re.compile(
    r"""
    < (?: (?P<close> / )?+ (?P<name> [A-Za-z] [^\s/><]*+ ) [^<>]*+ >
      | (?P<comment> !-- ) | (?P<cdata> !\[CDATA\[ ) | (?P<declaration> [!?] [^<>]*+ > ) )
    """,
    re.VERBOSE,
)
_POSSIBLE_TAG = re.compile(r"<(?:/?[A-Za-z]|[!?])")
_RAW_END = {name: re.compile(rf"</{name}(?=[\s/>])[^>]*+>?", re.IGNORECASE) for name in RAW}


def tags(text: str) -> Iterator[Tag]:
    """Yield the tags of `text`, in ASCII, in order. Linear."""
    at = 0
    expression = _TAG
    while True:
        possible = _POSSIBLE_TAG.search(text, at)
        if possible is None:
            return
        start = possible.start()
        match = expression.match(text, start)
        if match is None:
            if expression is _TAG:
                # Either the text ends inside this tag, or a quotation mark is missing. One search for the end is
                # enough.
                expression = _TAG_WITHOUT_QUOTES
            else:
                at = start + 1
            continue
        tag = _tag(text, match)
        yield tag if expression is _TAG else tag._replace(quoted=False)
        at = tag.end


def _tag(text: str, match: re.Match[str]) -> Tag:
    start, end = match.span()
    if match["name"] is None:
        if match["declaration"] is None:
            mark = "-->" if match["comment"] else "]]>"
            found = text.find(mark, start + 4)
            end = len(text) if found < 0 else found + len(mark)
        return Tag("!", start, end)
    name, closes = match["name"].lower(), match["close"] is not None
    if name in RAW and not closes:
        close = _RAW_END[name].search(text, end)
        content_end, last = (len(text), len(text)) if close is None else close.span()
        return Tag(name, start, last, closes, end, content_end)
    return Tag(name, start, end, closes)
