"""The store of Weaviate against a server of this test that speaks its interfaces as far as they are used: not the real thing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from search_server import served
from vector_store_contract import (
    TABLE,
    finds_what_an_index_with_a_file_does,
    keeps_vectors_bit_by_bit_and_finds_them_by_their_product,
)
from weaviate_server import WeaviateServer

from chunker.errors import OptionError
from chunker.index import VectorStoreError
from chunker.integrations.stores.weaviate import WeaviateStore


@pytest.fixture
def server() -> Iterator[WeaviateServer]:
    with served(WeaviateServer()) as made:
        yield made


def test_the_contract(server: WeaviateServer) -> None:
    keeps_vectors_bit_by_bit_and_finds_them_by_their_product(
        WeaviateStore(server.url), "vector lengths don't match", "no collection Bpe_chunker"
    )


def test_an_index(server: WeaviateServer, tmp_path: Path) -> None:
    finds_what_an_index_with_a_file_does(WeaviateStore(server.url), tmp_path)


def test_a_key_is_sent_and_not_shown(server: WeaviateServer, monkeypatch: pytest.MonkeyPatch) -> None:
    store = WeaviateStore(server.url, api_key="secret")
    store.create(TABLE, 8)
    assert server.seen[-1] == "Bearer secret"
    assert "secret" not in store.spec + repr(store)
    monkeypatch.setenv("WEAVIATE_API_KEY", "other")
    WeaviateStore(server.url).create(TABLE, 8)
    assert server.seen[-1] == "Bearer other"


def test_what_cannot_be_reached_or_refuses(server: WeaviateServer) -> None:
    with pytest.raises(OptionError, match="must be a URL"):
        WeaviateStore("localhost:8080")
    with pytest.raises(VectorStoreError, match="Weaviate at http://127"):
        WeaviateStore("http://127.0.0.1:9").create(TABLE, 8)
    with pytest.raises(VectorStoreError, match="422"):
        WeaviateStore(server.url).create("with-dashes", 8)
    store = WeaviateStore(server.url)
    store.create(TABLE, 8)
    with store.opened(TABLE) as opened:
        server.collections.clear()  # GraphQL tells errors with the status of a success
        with pytest.raises(VectorStoreError, match="Bpe_chunker"):
            opened.count()
