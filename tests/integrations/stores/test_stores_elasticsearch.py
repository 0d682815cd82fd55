"""The store of Elasticsearch and OpenSearch against a server of this test that speaks their protocol as far as it is used: not the real thing."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest
from search_server import SearchServer, served
from vector_store_contract import (
    TABLE,
    finds_what_an_index_with_a_file_does,
    keeps_vectors_bit_by_bit_and_finds_them_by_their_product,
)

from chunker.errors import OptionError
from chunker.index import VectorStoreError
from chunker.integrations.stores.elasticsearch import ElasticsearchStore


@pytest.fixture(params=["Elasticsearch", "OpenSearch"])
def server(request: pytest.FixtureRequest) -> Iterator[SearchServer]:
    with served(SearchServer(opensearch=request.param == "OpenSearch")) as made:
        yield made


def test_the_contract(server: SearchServer) -> None:
    keeps_vectors_bit_by_bit_and_finds_them_by_their_product(
        ElasticsearchStore(server.url), "wrong number of dimensions", f"no index {TABLE}"
    )


def test_an_index(server: SearchServer, tmp_path: Path) -> None:
    finds_what_an_index_with_a_file_does(ElasticsearchStore(server.url), tmp_path)


def test_who_asks_is_said_and_not_shown(server: SearchServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with_user = server.url.replace("://", "://me:secret@")
    store = ElasticsearchStore(with_user)
    store.create(TABLE, 8)
    assert server.seen[-1] == "Basic " + base64.b64encode(b"me:secret").decode()
    assert "secret" not in store.spec + repr(store)
    monkeypatch.setenv("ELASTICSEARCH_PASSWORD", "other")
    ElasticsearchStore(with_user.replace(":secret", "")).create(TABLE, 8)
    assert server.seen[-1] == "Basic " + base64.b64encode(b"me:other").decode()
    ElasticsearchStore(server.url, api_key="key").create(TABLE, 8)
    assert server.seen[-1] == "ApiKey key"


def test_what_cannot_be_reached_or_refuses(server: SearchServer) -> None:
    with pytest.raises(OptionError, match="must be a URL"):
        ElasticsearchStore("localhost:9200")
    with pytest.raises(VectorStoreError, match="Elasticsearch at http://me@127"):
        ElasticsearchStore("http://me:secret@127.0.0.1:9").create(TABLE, 8)
    with pytest.raises(VectorStoreError, match="400"):
        ElasticsearchStore(server.url).create("Upper-Case", 8)
