"""Where a text may be cut: one format a file."""

from __future__ import annotations

from chunker.boundaries.base import Boundary, Format, Outline, Scope, Strength
from chunker.boundaries.refining import refine
from chunker.boundaries.text import TextFormat

__all__ = ["Boundary", "Format", "Outline", "Scope", "Strength", "TextFormat", "refine"]
