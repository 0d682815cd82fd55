"""Sentences: boundaries of equal strength at the start of each sentence, and of each block that another format finds.

    "# Tower\\n\\nIt is high. It is\\nof iron."   ->   ^0 section   ^21 sentence

A line end inside a paragraph does not end a sentence.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from chunker.formats.outline import Format, Outline, Strength
from chunker.formats.segmentation import prose_sentence_ends
from chunker.native import native

_compiled = native()


class SentenceFormat:
    """The blocks of a format and the sentences in them, with boundaries of equal strength.

    Args:
        blocks: The format that finds the blocks; for plain text, the paragraphs.
    """

    def __init__(self, blocks: Format) -> None:
        self.blocks = blocks

    @property
    def language(self) -> str | None:
        """The language of the format of the blocks."""
        return self.blocks.language

    def outline(self, text: str) -> Outline:
        """Find the sentences and blocks of a text. Linear time.

        Args:
            text: Any str.
        """
        found = self.blocks.outline(text)
        # Lines of plain text are only layout; lines of other formats are rows of tables, and items.
        least = Strength.PARAGRAPH if self.language is None else Strength.LINE
        labels = {
            offset: label
            for offset, strength, label in zip(found.offsets, found.strengths, found.labels, strict=True)
            if strength >= least
        }
        starts = [*labels, len(text)]
        for start, end in pairwise(starts):
            block = text[start:end]
            size = len(block.rstrip())  # blank lines are not a sentence
            labels.update((start + place, "sentence") for place in _sentence_ends(block) if place < size)
        offsets = sorted(labels)
        strengths = [int(Strength.DOCUMENT), *[int(Strength.STRUCTURE)] * (len(offsets) - 1)] if offsets else []
        return Outline.of_columns(
            offsets,
            strengths,
            [labels[offset] for offset in offsets],
            lambda: found.scopes,
            found.notes,
            finest=Strength.SENTENCE,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SentenceFormat) and self.blocks == other.blocks

    def __hash__(self) -> int:
        return hash((SentenceFormat, self.blocks))


def _sentence_ends(paragraph: str) -> Iterable[int]:
    """Return the ends of the sentences inside a paragraph."""
    if _compiled is None:
        return prose_sentence_ends(paragraph)
    offsets, _, labels = _compiled.prose_columns(paragraph)
    return [offset for offset, label in zip(offsets, labels, strict=True) if label == "sentence"]
