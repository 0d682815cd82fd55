"""An endpoint that speaks as OpenAI's does: a real server, which fails as real ones do."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chunker.errors import OptionError
from chunker.index import EmbedderError, Index
from chunker.index.embedders import embedder_named
from chunker.index.embedders.endpoint import EndpointEmbedder, Pace


class Server(ThreadingHTTPServer):
    """Answers with what `script` says, one entry a request, then as it should."""

    script: list[tuple[int, dict[str, str], Any]]
    requests: list[tuple[str, dict[str, Any], str | None]]


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, request, self.headers.get("Authorization")))
        vectors = [[float(len(text)), 1.0, 2.0] for text in request["input"]]
        data: Any = [{"index": number, "embedding": vector} for number, vector in enumerate(vectors)]
        status, headers, body = self.server.script.pop(0) if self.server.script else (200, {}, {"data": data[::-1]})
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # its name in the base class
        return


@pytest.fixture
def server() -> Iterator[Server]:
    with Server(("127.0.0.1", 0), Handler) as made:
        made.script, made.requests = [], []
        thread = threading.Thread(target=made.serve_forever, args=(0.01,))
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def embedder(server: Server, sleeps: list[float] | None = None, **options: Any) -> EndpointEmbedder:
    url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    wait = [] if sleeps is None else sleeps
    return EndpointEmbedder("some-model", base_url=url, dimensions=3, sleep=wait.append, **options)


def test_vectors_in_the_order_of_the_texts(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret")
    vectors = embedder(server, key_variable="MY_KEY").embed(["a", "bbb", "\ud800"])
    assert vectors.tolist() == [[1, 1, 2], [3, 1, 2], [3, 1, 2]] or vectors[:2].tolist() == [[1, 1, 2], [3, 1, 2]]
    path, request, key = server.requests[0]
    assert (path, request["model"], key) == ("/v1/embeddings", "some-model", "Bearer secret")


def test_vectors_in_base64(server: Server) -> None:
    encoded = base64.b64encode(np.array([1.5, 2.5, 3.5], "<f4").tobytes()).decode()
    server.script = [(200, {}, {"data": [{"index": 0, "embedding": encoded}]})]
    assert embedder(server).embed(["x"]).tolist() == [[1.5, 2.5, 3.5]]


def test_tries_again(server: Server) -> None:
    server.script = [(429, {"Retry-After": "7"}, {"error": "slow down"}), (503, {}, b""), (500, {}, b"")]
    sleeps: list[float] = []
    assert embedder(server, sleeps).embed(["x"]).shape == (1, 3)
    assert sleeps[0] == 7
    assert 1 <= sleeps[1] <= 2
    assert 2 <= sleeps[2] <= 4


def test_gives_up(server: Server) -> None:
    server.script = [(500, {}, {"error": "out of order"})] * 3
    with pytest.raises(EmbedderError, match=r"3 times.*out of order"):
        embedder(server, attempts=3).embed(["x"])


@pytest.mark.parametrize(
    ("status", "headers", "body"),
    [
        (401, {}, {"error": "no such key"}),
        (302, {"Location": "http://127.0.0.1:9/elsewhere"}, b""),
        (200, {}, b"<html>"),
        (200, {}, {"data": []}),
        (200, {}, {"data": [{"index": 1, "embedding": [1, 2, 3]}]}),
        (200, {}, {"data": [{"index": 0, "embedding": "%%%"}]}),
        (200, {}, {"data": [{"index": 0, "embedding": ["x", "y", "z"]}]}),
    ],
)
def test_what_is_wrong_is_told_at_once(status: int, headers: dict[str, str], body: Any, server: Server) -> None:
    server.script = [(status, headers, body)]
    with pytest.raises(EmbedderError):
        embedder(server).embed(["x"])
    assert len(server.requests) == 1


def test_wrong_dimensions_and_infinities_come_into_no_index(server: Server, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("some words\n")
    for vector in ([1, 2], [1, 2, float("inf")]):
        server.script = [(200, {}, {"data": [{"index": 0, "embedding": vector}]})]
        index = Index.open(tmp_path / ".chunker", embedder=embedder(server))
        with pytest.raises(EmbedderError):
            index.sync(tmp_path)
    assert index.status().embeddings == 0


def test_dry_run_asks_nothing_and_tells_the_price(server: Server, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("some words\n" * 100)
    index = Index.open(tmp_path / ".chunker", embedder=embedder(server, price=0.5))
    report = index.sync(tmp_path, dry_run=True)
    assert server.requests == []
    assert report.cost == pytest.approx(report.tokens_computed * 0.5 / 1e6)
    assert index.sync(tmp_path).tokens_computed == report.tokens_computed
    assert server.requests != []


def test_pace_never_exceeds_the_limit() -> None:
    now = 0.0
    sent: list[tuple[float, int]] = []

    def sleep(seconds: float) -> None:
        nonlocal now
        now += seconds

    pace = Pace(100, sleep, lambda: now)
    for units in [30, 50, 40, 10, 90, 5, 250, 1] * 5:
        pace.take(units)
        sent.append((now, units))
    for start, units in sent:
        window = sum(other for at, other in sent if start <= at < start + 60)
        assert window <= max(100, units)


def test_options() -> None:
    with pytest.raises(OptionError, match="model"):
        EndpointEmbedder("")
    with pytest.raises(OptionError, match="base_url"):
        EndpointEmbedder("m", dimensions=3, base_url="file:///etc/passwd")


def test_an_endpoint_is_named_by_its_url(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "for OpenAI alone")
    (tmp_path / "a.txt").write_text("some words\n")
    name = f"http://127.0.0.1:{server.server_address[1]}/v1#bge-m3"
    index = Index.open(tmp_path / ".chunker", embedder=name)
    assert index.sync(tmp_path).computed == 1
    assert index.settings.dimensions == 3
    assert {(path, request["model"], key) for path, request, key in server.requests} == {
        ("/v1/embeddings", "bge-m3", None)
    }
    before = len(server.requests)
    assert Index.open(index.path).search("words")[0].source == "a.txt"
    assert len(server.requests) == before + 1  # the question alone: how long vectors are is known


@pytest.mark.parametrize("host", ["127.0.0.1:{}", "http://127.0.0.1:{}", "0.0.0.0:{}"])
def test_ollama(host: str, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OLLAMA_HOST", host.format(server.server_address[1]))
    made = embedder_named("ollama:nomic-embed-text")
    assert (made.model_id, made.dimensions) == ("nomic-embed-text", 3)
    assert made.embed_query("abc").tolist() == [3, 1, 2]
    assert server.requests[0][1]["model"] == "nomic-embed-text"


def test_ollama_is_on_this_machine_unless_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OLLAMA_HOST", raising=False)
    assert embedder_named("ollama:x", dimensions=3)._url == "http://localhost:11434/v1/embeddings"  # type: ignore[attr-defined]
    monkeypatch.setenv("OLLAMA_HOST", "gpu.local")
    assert embedder_named("ollama:x", dimensions=3)._url == "http://gpu.local:11434/v1/embeddings"  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["http://localhost:1/v1", "https://example.org/v1#", "openai:", "ollama"])
def test_an_endpoint_without_a_model_is_told(name: str) -> None:
    with pytest.raises(OptionError):
        embedder_named(name)
