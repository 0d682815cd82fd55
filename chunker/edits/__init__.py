"""Edited texts: after an edit only the chunks around it are made again."""

from __future__ import annotations

from chunker.edits.edited_text import ChunkChange, EditedText

__all__ = ["ChunkChange", "EditedText"]
