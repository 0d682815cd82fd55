"""The formats by name: where each is kept. A format is imported when it is asked for, so that its parser costs nobody else anything."""

from __future__ import annotations

import functools
from importlib import import_module

from chunker.boundaries import Format
from chunker.errors import UnknownLanguageError

# Name of the format: module and class, which takes no arguments.
_PLACES: dict[str, tuple[str, str]] = {
    "markdown": ("chunker.boundaries.markdown", "MarkdownFormat"),
    "python": ("chunker.boundaries.python", "PythonFormat"),
    "text": ("chunker.boundaries.text", "TextFormat"),
}


def format_names() -> list[str]:
    """The names of all formats, sorted."""
    return sorted(_PLACES)


@functools.cache
def format_named(name: str) -> Format:
    """The format of this name; raises `UnknownLanguageError` for a name that is none."""
    if name not in _PLACES:
        raise UnknownLanguageError(f"no format is called {name!r}; there are {', '.join(format_names())}")
    module, kind = _PLACES[name]
    made: Format = getattr(import_module(module), kind)()
    return made
