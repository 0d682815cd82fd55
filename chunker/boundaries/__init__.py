"""Where a text may be cut: one format a file."""

from __future__ import annotations

from chunker.boundaries.base import Boundary, Format, Outline, Scope, Strength

__all__ = ["Boundary", "Format", "Outline", "Scope", "Strength"]
