"""The stores that tests put vectors into, each the real thing: folders, and servers that are there or are started.

QDRANT_URL and PGVECTOR_URL name servers; without the second, the package pgserver starts a PostgreSQL of its own.
Spawned processes import this.
"""

# Each import stands where it is known that the package is installed.
# ruff: noqa: PLC0415

from __future__ import annotations

import importlib
import importlib.util
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

KINDS = ("chroma", "lancedb", "milvus", "qdrant", "qdrant-server", "pgvector")
_PACKAGES = {
    "chroma": ("chromadb", "chroma"),
    "milvus": ("pymilvus", "milvus"),
    "lancedb": ("lancedb", "lancedb"),
    "qdrant": ("qdrant_client", "qdrant"),
    "qdrant-server": ("qdrant_client", "qdrant"),
    "pgvector": ("psycopg", "pgvector"),
}


def place_of(kind: str, folder: Path) -> str:
    """Where a store of this kind may be; skips the test if it cannot."""
    package, extra = _PACKAGES[kind]
    if importlib.util.find_spec(package) is None:
        pytest.skip(f'needs {package}: pip install "bpe-chunker[{extra}]"')
    if kind == "qdrant-server":
        if "QDRANT_URL" not in os.environ:
            pytest.skip("needs a server of Qdrant, whose address is in QDRANT_URL")
        return os.environ["QDRANT_URL"]
    if kind == "milvus" and importlib.util.find_spec("milvus_lite") is None:
        pytest.skip("needs milvus-lite")
    return _postgresql(folder) if kind == "pgvector" else str(folder / kind)


def store_at(kind: str, place: str) -> Any:
    """The store of this kind at this place."""
    if kind == "lancedb":
        from chunker.integrations.stores.lancedb import LanceStore

        return LanceStore(place)
    if kind == "chroma":
        from chunker.integrations.stores.chroma import ChromaStore

        return ChromaStore(place)
    if kind == "milvus":
        from chunker.integrations.stores.milvus import MilvusStore

        return MilvusStore(place)
    if kind == "pgvector":
        from chunker.integrations.stores.pgvector import PgStore

        return PgStore(place)
    from chunker.integrations.stores.qdrant import QdrantStore

    return QdrantStore(place)


def _postgresql(folder: Path) -> str:
    if "PGVECTOR_URL" in os.environ:
        return os.environ["PGVECTOR_URL"]
    if importlib.util.find_spec("pgserver") is None:
        pytest.skip("needs a PostgreSQL with pgvector: its address in PGVECTOR_URL, or pip install pgserver")
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
    # In a folder that the user of the server may enter, too, whom pgserver makes if this one is root; it stops the
    # server when the process ends.
    data = Path(tempfile.gettempdir()) / f"pgserver-{os.getpid()}"
    return str(importlib.import_module("pgserver").get_server(data, cleanup_mode="delete").get_uri())
