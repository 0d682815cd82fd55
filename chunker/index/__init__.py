"""An incremental index over files: only changed text is embedded again.

    from chunker.index import Index

    index = Index.open(".chunker")
    report = index.sync(["src", "docs"])
    report.computed, report.reused, report.moved, report.removed
    for hit in index.search("where are headers parsed?", limit=5):
        print(hit.source, hit.span.start_line, hit.body)

Needs numpy: pip install "bpe-chunker[index]".
"""

from __future__ import annotations

from chunker.errors import MissingExtraError
from chunker.hits import Hit
from chunker.index.errors import (
    DamagedIndexError,
    EmbedderError,
    IndexingError,
    LockedIndexError,
    NotAnIndexError,
    SettingsMismatchError,
    StorageError,
    VectorStoreError,
)

try:
    import numpy as _numpy  # noqa: F401, ICN001  # to tell what to install, before a module of ours fails on it
except ImportError as error:
    raise MissingExtraError("numpy", "index") from error

from chunker.index.embedders import CallableEmbedder, Embedder, HashingEmbedder, embedder_named
from chunker.index.filters import Filter
from chunker.index.indexing import Index
from chunker.index.opening import IndexOptions
from chunker.index.packing import Pack, PackedPart
from chunker.index.ranking import Weights
from chunker.index.reports import Status, SyncReport
from chunker.index.reranking import CrossEncoderReranker, Reranker
from chunker.index.settings import Settings
from chunker.index.symbol_search import FoundDefinition
from chunker.index.unmatched import Unmatched
from chunker.index.vector_stores import VectorStore, VectorTable, store_named
from chunker.index.vectors import Vectors

__all__ = [
    "CallableEmbedder",
    "CrossEncoderReranker",
    "DamagedIndexError",
    "Embedder",
    "EmbedderError",
    "Filter",
    "FoundDefinition",
    "HashingEmbedder",
    "Hit",
    "Index",
    "IndexOptions",
    "IndexingError",
    "LockedIndexError",
    "MissingExtraError",
    "NotAnIndexError",
    "Pack",
    "PackedPart",
    "Reranker",
    "Settings",
    "SettingsMismatchError",
    "Status",
    "StorageError",
    "SyncReport",
    "Unmatched",
    "VectorStore",
    "VectorStoreError",
    "VectorTable",
    "Vectors",
    "Weights",
    "embedder_named",
    "store_named",
]
