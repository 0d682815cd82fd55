"""Embedder over an HTTP endpoint with OpenAI's interface: POST {base_url}/embeddings.

    {"model": "text-embedding-3-small", "input": ["...", "..."]}  ->  {"data": [{"index": 0, "embedding": [...]}, ...]}

429, 5xx and lost connections are tried again, after the time that `Retry-After` asks for or after 1, 2, 4, ... seconds.
Whatever else is wrong is told at once: it would be wrong the next time, too. The key comes from the environment, and
goes nowhere but to `base_url`.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
import random
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from chunker.errors import OptionError
from chunker.index.embedders.adapting import PROBE
from chunker.index.embedders.base import without_lone_surrogates
from chunker.index.errors import EmbedderError
from chunker.index.vectors import Vectors

OPENAI = "https://api.openai.com/v1"
# Dimensions and dollars for a million tokens, as OpenAI lists them.
_KNOWN = {
    "text-embedding-3-small": (1536, 0.02),
    "text-embedding-3-large": (3072, 0.13),
    "text-embedding-ada-002": (1536, 0.10),
}
_LONGEST_WAIT = 60.0
_OLLAMA_PORT = 11434
# Bytes of an answer: 2048 vectors of 4096 numbers as text have fewer.
_LARGEST_ANSWER = 1 << 28


class EndpointEmbedder:
    """Vectors of an endpoint that speaks as OpenAI's does.

    `dimensions`: of a model that is not OpenAI's, None asks the endpoint; for one of theirs another number asks for
    shorter vectors. `key_variable`: the environment variable that holds the key; an endpoint without one needs none.
    `tokens_per_minute`, `requests_per_minute`: what the endpoint allows; no more is sent. `price`: dollars for a
    million tokens.
    """

    prefix = ""

    def __init__(  # noqa: PLR0913  # as many as endpoints differ in
        self,
        model: str,
        *,
        base_url: str = OPENAI,
        dimensions: int | None = None,
        revision: str = "",
        tokenizer: str = "cl100k_base",
        key_variable: str = "OPENAI_API_KEY",
        max_batch_texts: int = 512,
        max_batch_tokens: int = 100_000,
        tokens_per_minute: int | None = None,
        requests_per_minute: int | None = None,
        price: float | None = None,
        attempts: int = 6,
        timeout: float = 60.0,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        known = _KNOWN.get(model)
        if not model:
            raise OptionError("the model of an endpoint must be named, as in openai:text-embedding-3-small")
        if urllib.parse.urlsplit(base_url).scheme not in {"http", "https"}:
            raise OptionError(f"base_url must begin with https:// or http://, got {base_url!r}")
        self.model_id = model
        self.revision = revision
        self._dimensions = dimensions if dimensions is not None else known[0] if known else None
        self.tokenizer = tokenizer
        self.max_batch_texts = max_batch_texts
        self.max_batch_tokens = max_batch_tokens
        self.price = price if price is not None else known[1] if known and base_url == OPENAI else 0.0
        self._shortened = dimensions is not None and known is not None and dimensions != known[0]
        self._url = base_url.rstrip("/") + "/embeddings"
        self._key_variable = key_variable
        self._attempts = attempts
        self._timeout = timeout
        self._sleep = sleep
        self._limits = [Pace(limit, sleep) for limit in (requests_per_minute, tokens_per_minute)]
        self._opener = urllib.request.build_opener(_NoRedirects)
        self._counter: Any = None

    @property
    def dimensions(self) -> int:
        """The length of a vector; of a model that is unknown, the endpoint is asked once."""
        if self._dimensions is None:
            self._dimensions = len(self.embed([PROBE])[0])
        return self._dimensions

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """The vectors of texts, by one request. Raises `EmbedderError` where the endpoint refuses, or does not answer."""
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        request: dict[str, object] = {
            "model": self.model_id,
            "input": [without_lone_surrogates(text) for text in texts],
        }
        if self._shortened:
            request["dimensions"] = self.dimensions
        requests, tokens = self._limits
        requests.take(1)
        if tokens.limit is not None:
            tokens.take(self._count(texts))
        return self._vectors(self._answer(json.dumps(request).encode()), len(texts))

    def embed_query(self, text: str, /) -> Vectors:
        """The vector of a question."""
        vector: Vectors = self.embed([text])[0]
        return vector

    def _count(self, texts: Sequence[str]) -> int:
        if self._counter is None:
            from chunker.counting import resolve_tokenizer  # noqa: PLC0415 - only where tokens are limited

            self._counter = resolve_tokenizer(self.tokenizer)
        return sum(self._counter.count(text) for text in texts)

    def _answer(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json"}
        key = os.environ.get(self._key_variable)
        if key:
            headers["Authorization"] = f"Bearer {key}"
        reason, wait = "", 0.0
        for attempt in range(self._attempts):
            if attempt:
                self._sleep(wait)
            # Full jitter, so that many that were turned away together do not come back together.
            wait = min(2.0**attempt, _LONGEST_WAIT) * random.uniform(0.5, 1.0)  # noqa: S311  # guards no secret
            request = urllib.request.Request(self._url, body, headers)  # noqa: S310  # http or https: __init__ looks
            try:
                with self._opener.open(request, timeout=self._timeout) as response:
                    content: bytes = response.read(_LARGEST_ANSWER)
                    return content
            except urllib.error.HTTPError as error:
                with error:
                    reason = f"HTTP {error.code}: {_excerpt(error.read(2000))}"
                if error.code not in {408, 409, 429} and error.code < 500:
                    raise EmbedderError(f"{self._url} refuses: {reason}") from None
                wait = max(wait, _asked_wait(error.headers.get("Retry-After")))
            except (OSError, http.client.HTTPException) as error:
                reason = str(error) or type(error).__name__
        raise EmbedderError(f"{self._url} failed {self._attempts} times, the last time with {reason}")

    def _vectors(self, content: bytes, number: int) -> Vectors:
        try:
            entries = sorted(json.loads(content)["data"], key=lambda entry: entry["index"])
            if [entry["index"] for entry in entries] != list(range(number)):
                raise EmbedderError(f"{self._url} answered with {len(entries)} vectors for {number} texts")
            return np.array([_numbers(entry["embedding"]) for entry in entries], np.float32)
        except (ValueError, KeyError, TypeError) as error:
            raise EmbedderError(f"{self._url} did not answer with vectors: {error!r}") from error


def ollama_embedder(model: str, **options: Any) -> EndpointEmbedder:  # noqa: ANN401  # those of the embedder
    """A model of Ollama, on this machine or where the environment variable OLLAMA_HOST says."""
    host = os.environ.get("OLLAMA_HOST", "").strip() or "localhost"
    scheme, _, address = host.rpartition("://")
    name, colon, port = address.rpartition(":")
    # Servers are told to listen to all addresses as they are told one; questions go to one.
    name, port = (name, port) if colon and port.isdigit() else (address, str(_OLLAMA_PORT))
    url = f"{scheme or 'http'}://{'localhost' if name in {'', '0.0.0.0'} else name}:{port}/v1"  # noqa: S104  # not bound to
    return EndpointEmbedder(model, **{"base_url": url, "key_variable": "OLLAMA_API_KEY", **options})


def embedder_at_http(address: str, **options: Any) -> EndpointEmbedder:  # noqa: ANN401  # those of the embedder
    """An endpoint at "//host:port/v1#model", over HTTP."""
    return _embedder_at(f"http:{address}", options)


def embedder_at_https(address: str, **options: Any) -> EndpointEmbedder:  # noqa: ANN401  # those of the embedder
    """An endpoint at "//host/v1#model", over HTTPS."""
    return _embedder_at(f"https:{address}", options)


def _embedder_at(url: str, options: dict[str, Any]) -> EndpointEmbedder:
    """The embedder at an address. The key for OpenAI is sent to nobody else: that of another endpoint is in EMBEDDER_API_KEY."""
    base, _, model = url.partition("#")
    if not model:
        raise OptionError(f"an endpoint is named with its model, such as {base.rstrip('/')}#nomic-embed-text")
    return EndpointEmbedder(model, **{"base_url": base, "key_variable": "EMBEDDER_API_KEY", **options})


class Pace:
    """Limits a sender to a number of units per minute: `take` waits until the last sixty seconds leave room."""

    def __init__(
        self, limit: int | None, sleep: Callable[[float], object], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.limit = limit
        self._sleep = sleep
        self._clock = clock
        self._taken: deque[tuple[float, int]] = deque()
        self._total = 0

    def take(self, units: int) -> None:
        """Wait until `units` may be sent. More than a whole minute's are sent when nothing else was."""
        if self.limit is None:
            return
        while True:
            now = self._clock()
            while self._taken and self._taken[0][0] <= now - 60:
                self._total -= self._taken.popleft()[1]
            if not self._taken or self._total + units <= self.limit:
                break
            self._sleep(self._taken[0][0] + 60 - now)
        self._taken.append((now, units))
        self._total += units


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Treats a redirect as an error: the key would be sent wherever it leads."""

    def redirect_request(self, *_: object) -> None:
        """Do not follow."""


def _numbers(embedding: Any) -> Any:  # noqa: ANN401  # what the endpoint sent; the array that is made of it checks
    return np.frombuffer(base64.b64decode(embedding, validate=True), "<f4") if isinstance(embedding, str) else embedding


def _asked_wait(header: str | None) -> float:
    """The seconds that `Retry-After` names; 0 for a date, which endpoints for embeddings do not send."""
    try:
        return min(max(float(header or 0), 0.0), _LONGEST_WAIT)
    except ValueError:
        return 0.0


def _excerpt(content: bytes) -> str:
    return " ".join(content.decode("utf-8", "replace").split())[:300]
