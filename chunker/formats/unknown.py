"""Languages without a format: cut as plain text or by a generic table, with a note in the metadata of the chunks.

main.dart    {"language": "Dart: no grammar, cut by lines"}
data.zzz    {"language": "unknown, cut as plain text"}
"""

from __future__ import annotations

from chunker.formats.open_outline import OpenOutline, OutlineOf
from chunker.formats.outline import Outline, Strength
from chunker.formats.restarting import Restarts
from chunker.formats.text.plain_text import TextFormat


class LinesFormat:
    """Lines of code in a language whose structure is not known. `note` goes into the metadata of the chunks, under "language"."""

    def __init__(self, language: str, note: str) -> None:
        self._language = language
        self._note = note

    @property
    def language(self) -> str:
        """The name of the language."""
        return self._language

    def outline(self, text: str) -> Outline:
        """The lines of `text`; those after a blank line are the better places to cut."""
        notes = {"language": self._note}
        if not text:
            return Outline([], notes=notes, finest=Strength.SENTENCE)
        from chunker.formats.placing import lines_only  # noqa: PLC0415  # with tree-sitter, which no other text needs
        from chunker.formats.text.lines import LineTable  # noqa: PLC0415

        return lines_only(LineTable(text, text.encode("utf-8", "surrogatepass")), notes)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._language!r}, {self._note!r})"


class UnknownFormat(TextFormat):
    """Plain text for want of knowing better."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def open_outline(self, outline: OutlineOf) -> OpenOutline:
        """The outline of a text that is still growing, as that of plain text."""
        return super().open_outline(outline)

    def restarts(self, outline: OutlineOf, text: str) -> Restarts:
        """Where reading can resume, as in plain text."""
        return super().restarts(outline, text)

    def outline(self, text: str) -> Outline:
        """The paragraphs, lines and sentences of `text`."""
        outline = super().outline(text)
        outline.notes["language"] = "unknown, cut as plain text"
        return outline
