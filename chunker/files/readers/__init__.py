"""Readers of files whose text has to be extracted: notebooks, drawings, documents. One module per format.

A reader converts a file to Markdown text, and records the place of each part in the file (`chunker.files.places`). The
suffix of the file name selects the reader, in `table.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from chunker.errors import DocumentTooLargeError
from chunker.files.places import Places

if TYPE_CHECKING:
    from chunker.files.readers.page_text import Block

__all__ = ["ReadText"]

_APART = "\n\n"
# A few bytes of a file may repeat a text a million times, such as a string that the cells of a sheet share.
MAX_CHARACTERS = 100_000_000


@dataclass(frozen=True, slots=True)
class ReadText:
    """The text of a file in a given format.

    Attributes:
        text: The text.
        places: The places of its parts in the file.
        format: The name of the format of the text.
        notes: Notes about the file for the metadata of its chunks.
    """

    text: str
    places: Places | None = None
    format: str = "markdown"
    notes: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of_parts(
        cls, parts: Iterable[tuple[str, Mapping[str, Any]]], notes: Mapping[str, Any] | None = None
    ) -> ReadText:
        """Build the text from Markdown blocks and their places, with a blank line between blocks.

        Args:
            parts: Each block, and its place in the file: JSON values, such as `{"page": 1}`. Blank ones are left out.
            notes: Notes about the file for the metadata of its chunks.

        Returns:
            The text, which ends with a line break, and the place of each block.

        Raises:
            DocumentTooLargeError: The text has more than 100 million characters.
        """
        builder = TextBuilder()
        for text, place in parts:
            builder.add(text, place)
        return builder.built(notes)

    @classmethod
    def of_blocks(cls, blocks: Iterable[Block], notes: Mapping[str, Any] | None = None) -> ReadText:
        """Build the text from blocks on pages. The place of each part is its page and its box, in points with one
        decimal.

        Args:
            blocks: The blocks of all pages, in the order of reading.
            notes: Notes about the file for the metadata of its chunks.

        Returns:
            The text, which ends with a line break, and the place of each part.

        Raises:
            DocumentTooLargeError: The text has more than 100 million characters.
        """
        builder = TextBuilder()
        for block in blocks:
            apart = _APART
            for part in block.parts:
                builder.add(part.text, {"page": part.page, "box": [round(side, 1) for side in part.box]}, apart)
                apart = ""
        return builder.built(notes)


class TextBuilder:
    """Builds a text part by part."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._starts: list[int] = []
        self._where: list[Mapping[str, Any]] = []
        self._size = 0

    def add(self, text: str, place: Mapping[str, Any], apart: str = _APART) -> None:
        """Add a part, unless it is blank. `apart`: the text between it and the previous part; "" if it continues that
        part, which keeps its white space.
        """
        text = text.strip("\n") if apart else text
        if not text.strip():
            return
        if self._texts and apart:
            self._texts.append(apart)
            self._size += len(apart)
        self._starts.append(self._size)
        self._where.append(place)
        self._texts.append(text)
        self._size += len(text)
        if self._size > MAX_CHARACTERS:
            raise DocumentTooLargeError(f"its text has more than {MAX_CHARACTERS:,} characters")

    def built(self, notes: Mapping[str, Any] | None = None) -> ReadText:
        """Return the complete text."""
        text = "".join(self._texts).rstrip("\n")
        return ReadText(f"{text}\n" if text else "", Places(self._starts, self._where), notes=dict(notes or {}))
