"""HTML: sections under their headings, then blocks, items, rows and sentences; the text is the source, including its
tags.

    <h1>Guide</h1>                        section              scope "Guide"
    <p>First. <b>Second</b>.</p>          none; sentence       a heading stays with the next block
    <ul>                                  block
      <li>one                             none                 so does an opening tag
      <li>two                             block, one deeper
    </ul>                                 none                 a closing tag stays with its element
    <table><tr><th>a<th>b</tr>            block (table)        scope without a name: its header is repeated in a context
      <tr><td>1<td>2</tr>                 none
      <tr><td>3<td>4</tr>                 block, one deeper
    </table>
    <section><h2>Install</h2>             section, weaker      scope "Install" inside "Guide"

The rules for tags that do not match are in `html_reader`.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any, ClassVar

from bpe_engine.at_exit import cache_until_exit
from chunker.formats.columns import CodeFound, outline_by_compiled
from chunker.formats.declarations import LanguageNames
from chunker.formats.markup.html_reader import IN_HEADINGS, KEPT_WHOLE, heading_text, language_of_tag, read_html
from chunker.formats.markup.html_restarts import Found, HtmlRestarts
from chunker.formats.markup.html_tags import (
    BARRIERS,
    BLOCKS,
    ENDED_BY,
    LABELS,
    RAW,
    SECTION_ENDS,
    TABLE_PARTS,
    VOID,
)
from chunker.formats.open_outline import OutlineOf
from chunker.formats.outline import Outline, Scope, Strength
from chunker.formats.restarting import Restarts
from chunker.formats.sections import Heading, sections
from chunker.native import native

_compiled = native()


class HtmlFormat:
    """HTML of any age, well-formed or not; XHTML too."""

    name: ClassVar[str] = "html"
    languages: ClassVar[dict[str, LanguageNames]] = {
        "HTML": {"suffixes": [".html", ".htm", ".xhtml"]},
        "Svelte": {"suffixes": [".svelte"]},
        "Vue": {"suffixes": [".vue"]},
    }
    language: str | None = name

    def restarts(self, outline: OutlineOf, _text: str) -> Restarts:
        """Return the rules for parsing a text from the middle."""
        return HtmlRestarts(outline, states_in_python if _compiled is None else states_by_compiled, heading_text)

    def outline(self, text: str) -> Outline:
        """Return the sections, blocks and sentences of `text`. The scopes are the sections, named by their headings,
        and the tables that have a header row.

        Linear; any str is HTML.
        """
        if not text:
            return Outline([], finest=Strength.SENTENCE)
        return html_in_python(text) if _compiled is None else _html_by_compiled(text, _compiled)


def html_in_python(text: str) -> Outline:
    """Return the outline of a non-empty text: the specification of the compiled reader."""
    return read_html(text).result()


def states_in_python(text: str) -> Found:
    """Return the states at the offsets where parsing of a text can resume: the specification of the compiled reader."""
    return read_html(text).states.columns()


def states_by_compiled(text: str) -> Found:
    """Return what `states_in_python` does."""
    compiled: Any = _compiled
    found: Found = compiled.html_states(text, _elements(compiled))
    return found


def _html_by_compiled(text: str, compiled: ModuleType) -> Outline:
    code = CodeFound(text, lambda start, end: language_of_tag(text[start:end]))
    columns, headings, tables = compiled.read_html(text, _elements(compiled), code)

    def scopes() -> Iterator[Scope]:
        yield from code.scopes
        yield from (Scope(start, end, "", text[told:stop]) for start, end, told, stop in tables)
        yield from sections(
            [Heading(start, level, heading_text(text[named:stop]), end) for start, level, named, stop, end in headings],
            len(text),
        )

    return outline_by_compiled(columns, scopes)


@cache_until_exit
def _elements(compiled: ModuleType) -> Any:  # noqa: ANN401 - a class of the compiled module
    """Return the elements that matter for blocks, in the form that the compiled reader takes."""
    return compiled.HtmlElements(
        [
            (
                name,
                LABELS.get(name, name),
                tuple(name in kind for kind in (BLOCKS, VOID, RAW, TABLE_PARTS, BARRIERS, SECTION_ENDS, IN_HEADINGS)),
                LABELS.get(name, name) in KEPT_WHOLE,
                sorted(ENDED_BY.get(name, ())),
            )
            for name in sorted(BLOCKS | RAW)
        ]
    )
