"""Texts that are not files: added to an index under names, with metadata, and removed by these names.

They are chunked, embedded and kept as files are (`syncing`), but a sync neither looks for them nor removes them. Their
rows are told from those of files by their metadata, which files do not have.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from chunker.arguments import require_name, told
from chunker.errors import OptionError, WrongTypeError
from chunker.files.chunk_files import Cut
from chunker.files.documents import Document
from chunker.index.keys import digest
from chunker.index.reports import SyncReport
from chunker.index.stems import stems_of
from chunker.index.syncing import CHUNKS_AT_ONCE, FILES_AT_ONCE, Known, Sync, place_of
from chunker.index.writing import FileState, NewVersion
from chunker.models import Chunk

# Chunks by which the language of a text is told.
_TELLING = 20


class Adding(Sync):
    """One run that adds texts, or removes them."""

    def add(self, texts: Mapping[str, str | Sequence[Chunk]], metadata: Mapping[str, Any], cut: Cut) -> SyncReport:
        """Add or replace texts, chunked by `cut`; see `Index.add`."""
        self._cut = cut
        self._mend()
        self._load_added(texts)
        self._metadata = json.dumps(dict(metadata))
        for name, content in texts.items():
            self._report.files += 1
            version = self._version_of(name, content)
            if version is not None:
                size = len(content.encode("utf-8", "surrogatepass")) if isinstance(content, str) else 0
                self._assign(
                    name, version, FileState(size, -1, -1), [self._known.get((tag, name)) for tag in self._tags]
                )
            if self._waiting >= CHUNKS_AT_ONCE or len(self._changes.files) >= FILES_AT_ONCE:
                self._flush()
        self._flush()
        self._finish()
        return self._report

    def remove(self, names: Iterable[str]) -> SyncReport:
        """Remove texts; see `Index.remove`."""
        self._mend()
        self._load_added(names)
        self._changes.removed += self._known
        self._report.removed_files = len({name for _, name in self._known})
        self._flush()
        self._finish()
        return self._report

    def _load_added(self, names: Iterable[str]) -> None:
        ask = (
            "SELECT v.key, f.size, f.metadata FROM files AS f JOIN versions AS v ON v.id = f.version "
            "WHERE f.tag = ? AND f.source = ?"
        )
        for name in names:
            for tag in self._tags:
                row = self._connection.execute(ask, (tag, name)).fetchone()
                if row is not None and row[2] is None:
                    raise OptionError(f"{name!r} is a file of the index: only sync changes and removes it")
                if row is not None:
                    self._known[tag, name] = Known(row[0], FileState(row[1], -1, -1))

    def _version_of(self, name: str, content: str | Sequence[Chunk]) -> bytes | None:
        if isinstance(content, str):
            return self._version(name, Document(name, content, "utf-8", len(content)))
        places = [place_of(self._identity, chunk, ()) for chunk in content]
        parts = [part for place in places for part in (place.key, repr(place))]
        language = content[0].language if content else None
        key = digest(b"chunks", str(language), *parts)
        if key not in self._changes.versions and not self._is_version(key):
            self._changes.versions[key] = NewVersion(
                key, language, places, stems=stems_of("\n".join(chunk.text for chunk in content[:_TELLING]), language)
            )
            self._waiting += len(places)
        return key


def checked_texts(texts: object) -> dict[str, str | list[Chunk]]:
    """Names and texts or chunks, as they are given to `Index.add`. Raises `WrongTypeError` for anything else, `OptionError` for lone surrogates."""
    if not isinstance(texts, Mapping):
        raise WrongTypeError(f"texts must map names to texts or lists of chunks, not {told(texts)}")
    found: dict[str, str | list[Chunk]] = {}
    for name, content in texts.items():
        if not isinstance(name, str) or not name or "\0" in name:
            raise WrongTypeError(f"the name of a text must be a str with characters in it, not {told(name)}")
        require_name(name, "the name of a text")
        if isinstance(content, str):
            require_name(content, f"the text {name!r}")
            found[name] = content
        elif isinstance(content, Sequence) and all(isinstance(one, Chunk) for one in content):
            for one in content:
                require_name(one.text, f"a chunk of {name!r}")
            found[name] = list(content)
        else:
            raise WrongTypeError(f"the text {name!r} must be a str or a list of chunks, not {told(content)}")
    return found
