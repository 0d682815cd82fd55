"""Prose with marks in it: Markdown, HTML, reStructuredText, LaTeX."""
