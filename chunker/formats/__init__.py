"""Formats: find the boundaries where a text of a kind may be cut. One module per format."""

from __future__ import annotations

from chunker.formats.outline import Boundary, Format, Outline, Scope, Strength
from chunker.formats.refining import refine
from chunker.formats.text.plain_text import TextFormat

__all__ = ["Boundary", "Format", "Outline", "Scope", "Strength", "TextFormat", "refine"]
