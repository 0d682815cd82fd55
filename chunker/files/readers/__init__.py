"""Readers of files that are more than their characters: notebooks, drawings, documents. One a file.

A reader makes of a file a text in the form of Markdown, and tells where in the file each part of it stands (`chunker.files.places`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from chunker.files.places import Places


@dataclass(frozen=True, slots=True)
class ReadText:
    """A file as a text in a format, with the places of its parts. `notes`: what chunks should say of the file."""

    text: str
    places: Places | None = None
    format: str = "markdown"
    notes: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of_parts(
        cls, parts: Iterable[tuple[str, Mapping[str, Any]]], notes: Mapping[str, Any] | None = None
    ) -> ReadText:
        """Blocks of Markdown and their places; a blank line goes between two."""
        texts: list[str] = []
        starts: list[int] = []
        where: list[Mapping[str, Any]] = []
        size = 0
        for text, place in parts:
            block = text.strip("\n")
            if not block.strip():
                continue
            texts.append(f"{block}\n\n")
            starts.append(size)
            where.append(place)
            size += len(texts[-1])
        if texts:
            texts[-1] = texts[-1][:-1]
        return cls("".join(texts), Places(starts, where), notes=dict(notes or {}))
