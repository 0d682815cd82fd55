"""Tokenizer.from_pretrained against a hub on this machine that speaks HTTP, and against the cache that it fills."""

from __future__ import annotations

import hashlib
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from huggingface_files import both, family

from bpe_engine import MissingExtraError, Tokenizer, VocabularyError, VocabularyUnavailableError

COMMIT = "0123456789abcdef0123456789abcdef01234567"
MODEL = "someone/some-model"


class Hub(BaseHTTPRequestHandler):
    """Answers as the hub does for one repository, and remembers what it was asked."""

    asked: ClassVar[list[str]] = []

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def _answer(self, *, with_body: bool) -> None:
        self.asked.append(f"{self.command} {self.path}")
        body = family("qwen2").encode()
        known = {f"/{MODEL}/resolve/{revision}/tokenizer.json" for revision in ("main", "v1", COMMIT)}
        if self.path.partition("?")[0] not in known:
            is_gated = self.path.startswith("/someone/gated/")
            is_file = self.path.startswith(f"/{MODEL}/resolve/main/")
            self.send_response(403 if is_gated else 404)
            self.send_header(
                "X-Error-Code", "GatedRepo" if is_gated else "EntryNotFound" if is_file else "RepoNotFound"
            )
            self.send_header("X-Repo-Commit", COMMIT)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("X-Repo-Commit", COMMIT)
        self.send_header("ETag", f'"{hashlib.sha1(body).hexdigest()}"')
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """In silence."""


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A hub and an empty cache; gives the list of what the hub is asked."""
    reason = 'needs huggingface_hub: pip install "bpe-chunker[hub]"'
    constants = pytest.importorskip("huggingface_hub.constants", reason=reason)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_address[1]}")
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "no-token"))
    for name in ("HF_TOKEN", "HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    Hub.asked.clear()
    yield Hub.asked
    server.shutdown()
    server.server_close()


def test_downloaded_once(hub: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer = Tokenizer.from_pretrained(MODEL)
    assert tokenizer.name == MODEL
    assert tokenizer.encode("The café") == both(family("qwen2"))[1].encode("The café")
    asked = len(hub)
    assert asked >= 2
    # From the cache: nobody is asked, nor where that is forbidden.
    assert Tokenizer.from_pretrained(MODEL, revision="main").count("The café") == tokenizer.count("The café")
    assert Tokenizer.from_pretrained(MODEL, revision=COMMIT, local_files_only=True).name == MODEL
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert Tokenizer.from_pretrained(MODEL).name == MODEL
    assert len(hub) == asked


def test_asked_whether_the_branch_has_moved(hub: list[str]) -> None:
    Tokenizer.from_pretrained(MODEL)
    asked = len(hub)
    Tokenizer.from_pretrained(MODEL, local_files_only=False)
    assert [line for line in hub[asked:] if line.startswith("HEAD")]
    assert not [line for line in hub[asked:] if line.startswith("GET") and "resolve" in line]


def test_a_revision(hub: list[str]) -> None:
    assert Tokenizer.from_pretrained(MODEL, revision="v1").name == MODEL
    assert any("/resolve/v1/" in line for line in hub)


def test_offline_and_not_in_the_cache(hub: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(VocabularyUnavailableError, match=r"tokenizer.json of someone/some-model is not in the cache"):
        Tokenizer.from_pretrained(MODEL, local_files_only=True)
    monkeypatch.setenv("HF_HUB_OFFLINE", "true")
    with pytest.raises(VocabularyUnavailableError, match="the network is not to be used"):
        Tokenizer.from_pretrained(MODEL)
    assert hub == []


@pytest.mark.parametrize("repository", ["someone/no-model", MODEL])
def test_not_there(hub: list[str], repository: str) -> None:
    with pytest.raises(VocabularyUnavailableError, match=f"other.json of {repository} could not be downloaded"):
        Tokenizer.from_pretrained(repository, file="other.json")
    assert hub


@pytest.mark.usefixtures("hub")
def test_no_name() -> None:
    with pytest.raises(VocabularyError, match="is not the name of a repository"):
        Tokenizer.from_pretrained("a/b/c/d")


@pytest.mark.usefixtures("hub")
def test_not_allowed() -> None:
    with pytest.raises(VocabularyUnavailableError, match="someone/gated could not be downloaded"):
        Tokenizer.from_pretrained("someone/gated", token="wrong")


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(MissingExtraError, match=r"bpe-chunker\[hub\]"):
        Tokenizer.from_pretrained(MODEL)
