"""Finding and downloading published files, against a real server on this machine."""

from __future__ import annotations

import hashlib
import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bpe_engine import load
from bpe_engine.errors import HashMismatchError, VocabularyUnavailableError
from bpe_engine.formats.byte_alphabet import BYTE_OF_CHARACTER, BYTES_IN_ORDER
from bpe_engine.formats.tiktoken import dump_tiktoken
from bpe_engine.patterns import R50K
from bpe_engine.published import download
from bpe_engine.published import files as published_files
from bpe_engine.published.files import PublishedFile, fetch
from bpe_engine.published.registry import PublishedEncoding, build_vocabulary, published_encodings

RANKS = {bytes([value]): value for value in range(256)} | {b"he": 256, b"hel": 300}
CONTENTS = dump_tiktoken(RANKS)


class Server(http.server.ThreadingHTTPServer):
    """Serves `answers` by path, counts what was asked for, and breaks the connection off where an answer is None."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: dict[str, bytes | None] = {}
        self.requests: list[str] = []

    def published(self, path: str, contents: bytes, save_as: str = "test.tiktoken") -> PublishedFile:
        """A file as it would be published, with the hash of `contents`; what the server answers is set apart."""
        url = f"http://127.0.0.1:{self.server_port}{path}"
        return PublishedFile(url, hashlib.sha256(contents).hexdigest(), save_as)


class Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.requests.append(self.path)
        if self.path not in self.server.answers:
            self.send_error(404)
            return
        answer = self.server.answers[self.path]
        self.send_response(200)
        self.send_header("Content-Length", str(1_000_000 if answer is None else len(answer)))
        self.end_headers()
        self.wfile.write(b"the beginning" if answer is None else answer)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Nothing on the terminal."""


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own cache folder for each test, not yet made, and no proxy between the test and its server."""
    folder = tmp_path / "cache" / "bpe-chunker"
    monkeypatch.setattr(published_files, "own_cache_folder", lambda: folder)
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    return folder


@pytest.fixture
def tiktoken_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tiktoken"
    folder.mkdir()
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
    return folder


def tiktoken_name(file: PublishedFile) -> str:
    return hashlib.sha1(file.url.encode()).hexdigest()


def test_downloads_once_and_keeps(server: Server, cache: Path) -> None:
    file = server.published("/a.tiktoken", CONTENTS)
    server.answers["/a.tiktoken"] = CONTENTS
    assert fetch(file) == CONTENTS
    assert fetch(file) == CONTENTS
    assert server.requests == ["/a.tiktoken"]
    assert {path.name: path.read_bytes() for path in cache.iterdir()} == {"test.tiktoken": CONTENTS}


def test_order_of_places(server: Server, cache: Path, tiktoken_cache: Path) -> None:
    file = server.published("/a.tiktoken", CONTENTS)
    server.answers["/a.tiktoken"] = CONTENTS
    fetch(file)
    assert server.requests == ["/a.tiktoken"], "in neither folder: downloaded"
    assert list(tiktoken_cache.iterdir()) == [], "tiktoken's folder is read only"

    # A wrong file tells which of the two folders was looked into first.
    (cache / "test.tiktoken").write_bytes(b"wrong")
    (tiktoken_cache / tiktoken_name(file)).write_bytes(CONTENTS)
    assert fetch(file) == CONTENTS
    assert server.requests == ["/a.tiktoken"]


def test_empty_tiktoken_cache_dir_means_none(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    file = server.published("/a.tiktoken", CONTENTS)
    server.answers["/a.tiktoken"] = CONTENTS
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", "")
    assert fetch(file) == CONTENTS


@pytest.mark.parametrize("which", ["own", "tiktoken"])
def test_a_damaged_cached_file_is_reported_and_left(
    server: Server, cache: Path, tiktoken_cache: Path, which: str
) -> None:
    file = server.published("/a.tiktoken", CONTENTS)
    server.answers["/a.tiktoken"] = CONTENTS
    place = cache / "test.tiktoken" if which == "own" else tiktoken_cache / tiktoken_name(file)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(CONTENTS[:100])
    with pytest.raises(HashMismatchError) as caught:
        fetch(file)
    message = str(caught.value)
    assert str(place) in message
    assert file.sha256 is not None
    assert file.sha256 in message
    assert hashlib.sha256(CONTENTS[:100]).hexdigest() in message
    assert "(100 bytes)" in message
    assert "remove it" in message
    assert server.requests == []
    assert place.read_bytes() == CONTENTS[:100]


def test_a_wrong_download_is_reported_and_not_kept(server: Server, cache: Path) -> None:
    file = server.published("/a.tiktoken", CONTENTS)
    server.answers["/a.tiktoken"] = b"<html>please log in</html>"
    with pytest.raises(HashMismatchError, match=r"a\.tiktoken answered is not the published test\.tiktoken"):
        fetch(file)
    assert not cache.exists()


@pytest.mark.parametrize("trouble", ["not found", "broken off", "no server", "no answer"])
def test_offline_says_what_to_put_where(
    server: Server, cache: Path, tiktoken_cache: Path, trouble: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = server.published("/a.tiktoken", CONTENTS)
    if trouble == "broken off":
        server.answers["/a.tiktoken"] = None
    elif trouble == "no server":
        file = PublishedFile("http://127.0.0.1:1/a.tiktoken", file.sha256, file.save_as)
    elif trouble == "no answer":
        monkeypatch.setattr(download, "TIMEOUT_SECONDS", 0.1)
        monkeypatch.setattr(Handler, "do_GET", lambda self: threading.Event().wait(1))
    with pytest.raises(VocabularyUnavailableError) as caught:
        fetch(file)
    message = str(caught.value)
    assert f"save {file.url} as {cache / 'test.tiktoken'} or as {tiktoken_cache / tiktoken_name(file)}" in message
    assert message.startswith("test.tiktoken does not come with this package")
    assert not cache.exists()


def test_what_the_offline_message_advises_works(server: Server, cache: Path) -> None:
    file = server.published("/a.tiktoken", CONTENTS)
    with pytest.raises(VocabularyUnavailableError, match="404"):
        fetch(file)
    cache.mkdir(parents=True)
    (cache / file.save_as).write_bytes(CONTENTS)
    assert fetch(file) == CONTENTS


def test_a_write_that_fails_leaves_nothing_and_is_a_warning(
    server: Server, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = server.published("/a.tiktoken", CONTENTS)
    server.answers["/a.tiktoken"] = CONTENTS
    seen: list[str] = []

    def replace(source: Path, target: Path) -> None:
        # At this moment the whole file is written under another name, and nothing under the final one.
        assert source.read_bytes() == CONTENTS
        assert not target.exists()
        seen.append(source.name)
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.warns(RuntimeWarning, match=r"test\.tiktoken could not be written.*disk full"):
        assert fetch(file) == CONTENTS
    assert len(seen) == 1
    assert list(cache.iterdir()) == []


def test_a_cache_folder_that_cannot_be_made_is_a_warning(server: Server, cache: Path) -> None:
    file = server.published("/a.tiktoken", CONTENTS)
    server.answers["/a.tiktoken"] = CONTENTS
    cache.parent.parent.joinpath("cache").write_text("a file where the folder should be")
    with pytest.warns(RuntimeWarning, match="could not be written"):
        assert fetch(file) == CONTENTS


def test_many_at_once_read_whole_files(server: Server, cache: Path) -> None:
    file = server.published("/a.tiktoken", CONTENTS)
    server.answers["/a.tiktoken"] = CONTENTS
    found: list[bytes] = []
    threads = [threading.Thread(target=lambda: found.append(fetch(file))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [CONTENTS] * 8
    assert [path.name for path in cache.iterdir()] == ["test.tiktoken"]


def test_a_vocabulary_from_a_downloaded_tiktoken_file(server: Server) -> None:
    file = server.published("/a.tiktoken", CONTENTS)
    server.answers["/a.tiktoken"] = CONTENTS
    vocabulary = build_vocabulary(PublishedEncoding("test", R50K, {"<|endoftext|>": 299}, (file,)))
    assert vocabulary.ranks == RANKS
    assert vocabulary.special_tokens == {"<|endoftext|>": 299}
    assert vocabulary.pattern == R50K


def test_a_vocabulary_from_downloaded_gpt2_files(server: Server) -> None:
    character = {byte: character for character, byte in BYTE_OF_CHARACTER.items()}
    encoder = {character[byte]: rank for rank, byte in enumerate(BYTES_IN_ORDER)} | {"he": 256, "<|endoftext|>": 257}
    contents = {"/vocab.bpe": b"#version: 0.2\nh e\n", "/encoder.json": json.dumps(encoder).encode()}
    server.answers.update(contents)
    files = tuple(server.published(path, data, path.strip("/")) for path, data in contents.items())
    vocabulary = build_vocabulary(PublishedEncoding("test", R50K, {"<|endoftext|>": 257}, files))
    assert len(vocabulary) == 257
    assert vocabulary.ranks[b"he"] == 256


def test_our_cache_folder_is_the_platforms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    folder = published_files.own_cache_folder()
    assert folder.is_absolute()
    assert "bpe-chunker" in folder.parts


def test_every_published_file_names_a_place_in_the_offline_message(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_network(*arguments: object, **options: object) -> None:
        raise OSError("no network")

    monkeypatch.setattr("urllib.request.urlopen", no_network)
    for name in ("r50k_base", "p50k_base", "p50k_edit", "gpt2"):
        encoding = published_encodings()[name]
        with pytest.raises(VocabularyUnavailableError) as caught:
            build_vocabulary(encoding)
        assert f"save {encoding.files[0].url} as {cache / encoding.files[0].save_as}" in str(caught.value)


# --- addresses that a caller brings along


def test_load_reads_an_address_once(server: Server, cache: Path) -> None:
    url = server.published("/a.tiktoken", CONTENTS).url
    server.answers["/a.tiktoken"] = CONTENTS
    assert load.load_tiktoken_bpe(url) == load.load_tiktoken_bpe(url) == RANKS
    assert load.load_tiktoken_bpe(url, hashlib.sha256(CONTENTS).hexdigest()) == RANKS
    assert server.requests == ["/a.tiktoken"]
    assert [path.name.partition("-")[2] for path in cache.iterdir()] == ["a.tiktoken"]
    with pytest.raises(HashMismatchError, match="cached file"):
        load.load_tiktoken_bpe(url, "0" * 64)
    assert load.read_file(url) == CONTENTS
    assert server.requests == ["/a.tiktoken"] * 2, "read_file goes past the caches"


def test_load_looks_into_the_cache_of_tiktoken(server: Server, cache: Path, tiktoken_cache: Path) -> None:
    file = server.published("/a.tiktoken", CONTENTS)
    (tiktoken_cache / tiktoken_name(file)).write_bytes(CONTENTS)
    assert load.load_tiktoken_bpe(file.url) == RANKS
    assert server.requests == []
    assert not cache.exists()


def test_load_of_an_address_that_does_not_answer(server: Server) -> None:
    url = server.published("/none.tiktoken", CONTENTS).url
    for read in (load.read_file, load.read_file_cached, load.load_tiktoken_bpe):
        with pytest.raises(VocabularyUnavailableError, match=r"none\.tiktoken"):
            read(url)
