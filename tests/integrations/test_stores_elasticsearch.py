"""The store of Elasticsearch and OpenSearch against a server of this test that speaks their protocol as far as it is used: not the real thing."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from search_server import SearchServer, served

from chunker.errors import OptionError
from chunker.index import HashingEmbedder, Index, VectorStoreError
from chunker.index.vector_stores import VectorStore
from chunker.integrations.stores.elasticsearch import ElasticsearchStore

TABLE = "bpe_chunker_0123456789abcdef_1"


@pytest.fixture(params=["Elasticsearch", "OpenSearch"])
def server(request: pytest.FixtureRequest) -> Iterator[SearchServer]:
    with served(SearchServer(opensearch=request.param == "OpenSearch")) as made:
        yield made


def unit(count: int) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    rows = np.random.default_rng(1).normal(size=(count, 8)).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def test_vectors_are_kept_bit_by_bit_and_found_by_their_product(server: SearchServer) -> None:
    store = ElasticsearchStore(server.url)
    assert isinstance(store, VectorStore)
    store.create(TABLE, 8)
    store.create(TABLE, 8)
    rows = unit(700)
    keys = [number.to_bytes(16, "big") for number in range(700)]
    with store.opened(TABLE) as opened:
        assert opened.nearest(rows[0], 3) == ([], [])
        opened.put(keys, rows)
        opened.put(keys[:3], rows[:3])
        assert opened.count() == 700
        found = opened.vectors([*keys, b"\xff" * 16])
        assert sorted(found) == keys
        assert all(np.array_equal(found[key], row) for key, row in zip(keys, rows, strict=True))
        products = rows @ rows[5]
        order = np.argsort(-products)
        near, scores = opened.nearest(rows[5], 1000)
        assert near == [keys[number] for number in order]
        assert scores == pytest.approx(products[order].tolist(), abs=1e-5)
        opened.drop([*keys[:600], b"\xee" * 16])
        opened.drop([])
        assert opened.count() == 100
        with pytest.raises(VectorStoreError, match="wrong number of dimensions"):
            opened.put(keys[:1], rows[:1, :4])
    store.discard(TABLE)
    store.discard(TABLE)
    with pytest.raises(VectorStoreError, match=f"no index {TABLE}"), store.opened(TABLE):
        pass


def test_an_index_finds_what_one_with_a_file_does(server: SearchServer, tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"f{number}.md").write_text(f"# Part {number}\n\nOnions and stars, {number} of them.\n", "utf-8")
    embedder = HashingEmbedder(32)
    plain = Index.open(tmp_path / ".plain", embedder=embedder, root=tmp_path)
    index = Index.open(tmp_path / ".chunker", embedder=embedder, store=ElasticsearchStore(server.url))
    files = sorted(tmp_path.glob("*.md"))
    assert plain.sync(files).computed == index.sync(files).computed == 6
    for query in ("stars", "part 3", "5 of them"):
        assert [hit.source for hit in index.search(query, 4)] == [hit.source for hit in plain.search(query, 4)]
    assert index.verify() == []


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
