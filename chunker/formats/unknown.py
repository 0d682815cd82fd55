"""Languages without a format: cut by lines or as plain text, with a note in the metadata of the chunks.

main.dart    {"language": "Dart: no grammar, cut by lines"}
data.zzz    {"language": "unknown, cut as plain text"}
"""

from __future__ import annotations

from typing import ClassVar

from chunker.formats.outline import Outline, Strength
from chunker.formats.text.plain_text import TextFormat


class LinesFormat:
    """The lines of code in a language whose structure is unknown. `note` goes into the metadata of the chunks, under
    "language".
    """

    def __init__(self, language: str, note: str) -> None:
        self._language = language
        self._note = note

    @property
    def language(self) -> str:
        """The name of the language."""
        return self._language

    def outline(self, text: str) -> Outline:
        """Return the lines of `text`; boundaries after a blank line are stronger."""
        notes = {"language": self._note}
        if not text:
            return Outline([], notes=notes, finest=Strength.SENTENCE)
        from chunker.formats.line_placement import lines_only  # noqa: PLC0415  # with tree-sitter, which no other text needs
        from chunker.formats.text.lines import LineTable  # noqa: PLC0415

        return lines_only(LineTable(text, text.encode("utf-8", "surrogatepass")), notes)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._language!r}, {self._note!r})"


class UnknownFormat(TextFormat):
    """Plain text, for files of an unknown kind."""

    _notes: ClassVar[dict[str, str]] = {"language": "unknown, cut as plain text"}

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"
