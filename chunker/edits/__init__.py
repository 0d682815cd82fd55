"""Chunks of a text that is edited, made again around the edit alone."""

from __future__ import annotations

from chunker.edits.edited_text import ChunkChange, EditedText

__all__ = ["ChunkChange", "EditedText"]
