"""Prose with markup: Markdown, HTML, reStructuredText, LaTeX."""
