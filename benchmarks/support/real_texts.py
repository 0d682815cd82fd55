"""Real input that every installation has: the standard library's sources, and the documents of packages and of this project."""

from __future__ import annotations

import sysconfig
from importlib import metadata
from itertools import islice
from pathlib import Path

_REPOSITORY = Path(__file__).parents[2]
_DOCUMENTS = {".md", ".rst", ".markdown"}
# Folders of the repository that hold nothing that anybody wrote.
_FOREIGN = {".venv", "node_modules", "build", "dist", "results"}


def standard_library(most: int | None = None) -> dict[str, str]:
    """Name -> source of the top-level modules of the standard library, in the order of their names; the first `most` of them."""
    sources = {}
    for path in sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[:most]:
        sources[path.name] = path.read_bytes().decode("utf-8")
    return sources


def own_markdown() -> dict[str, str]:
    """Name -> text of this repository's own Markdown."""
    return {
        str(path.relative_to(_REPOSITORY)): path.read_bytes().decode("utf-8")
        for path in sorted(_REPOSITORY.rglob("*.md"))
        if not _FOREIGN.intersection(path.parts)
    }


def installed_documents(most: int | None = None) -> dict[str, str]:
    """Name -> text of the Markdown and reStructuredText files of installed packages, and of their descriptions; the first `most`."""
    texts = {}
    for package in sorted(metadata.distributions(), key=lambda found: found.name):
        description = package.metadata.json.get("description")
        if isinstance(description, str) and description.strip():
            texts[package.name] = description
        for file in package.files or ():
            path = Path(str(file.locate()))
            if path.suffix in _DOCUMENTS and path.is_file():
                texts[str(file)] = path.read_bytes().decode("utf-8", "replace")
    return dict(islice(texts.items(), most))
