"""`chunker serve` over real connections: what it answers, and whom it refuses."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import select
import signal
import socket
import time
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import pytest
import typer
from serving import Answer, Server, serving
from typer.testing import CliRunner

pytest.importorskip("starlette", reason='needs starlette: pip install "bpe-chunker[serve]"')
pytest.importorskip("uvicorn", reason='needs uvicorn: pip install "bpe-chunker[serve]"')

from chunker import CodeChunker, chunk_file
from chunker.index import Index
from chunker.integrations.serve import bodies, patience
from chunker.integrations.serve.command import serve

SOURCE = "".join(f"def f{n}(x):\n    return x * {n}\n\n\n" for n in range(20))
TOKEN = "a-token-of-many-characters"
CUT = {"text": SOURCE, "name": "a.py", "max_tokens": 40}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    top = tmp_path_factory.mktemp("served")
    (top / "project/src").mkdir(parents=True)
    (top / "project/src/a.py").write_text(SOURCE)
    (top / "project/.env").write_text("PASSWORD=1\n")
    (top / "project/large.txt").write_text("x" * (bodies.MOST_TEXT_BYTES + 1))
    (top / "outside.txt").write_text("outside\n")
    if os.name == "posix":
        (top / "project/out.txt").symlink_to("../outside.txt")
    Index.open(top / "project/.chunker").sync(top / "project/src")
    return top


@pytest.fixture(scope="module")
def server(project: Path) -> Iterator[Server]:
    with serving(str(project / "project"), "--index", str(project / "project/.chunker")) as started:
        yield started


def test_the_page_and_its_headers(server: Server) -> None:
    answer = server.request("GET", "/")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert (answer.headers["x-frame-options"], answer.headers["x-content-type-options"]) == ("DENY", "nosniff")
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert not any(name.startswith("access-control") for name in answer.headers)
    page = answer.body.decode()
    assert not re.search(r"""(?:src|href)=["'](?!#|data:|/docs")""", page)  # all of it is in it
    assert re.search(r"<[^>]+ on\w+=", page) is None


def test_a_text_is_cut_as_the_library_cuts_it(server: Server) -> None:
    answer = server.ask("cut", {**CUT, "overlap": 5, "context": True})
    expected = CodeChunker("python", 40, overlap=5, context=True).chunk(SOURCE, source="a.py")
    chunks = answer.json["data"]["chunks"]
    assert [(one["characters"], one["count"], one["context"]) for one in chunks] == [
        ([c.span.start, c.span.end], c.token_count, c.context) for c in expected
    ]
    optimal = server.ask("cut", {**CUT, "strategy": "optimal", "tokenizer": "cl100k_base", "language": "python"}).json
    assert optimal["settings"]["tokenizer"] == "cl100k_base"
    assert max(one["count"] for one in optimal["data"]["chunks"]) <= 40
    assert server.ask("cut", {"text": ""}).json["data"]["chunks"] == []
    assert server.ask("cut", {"text": "a\r\nb\u2028\U0001f600"}).json["data"]["chunks"][0]["end"] == 7  # UTF-16


def test_files_and_hits(server: Server) -> None:
    refused = [
        {"name": ".env", "why": "by its name it holds secrets"},
        {"name": "large.txt", "why": "4,194,305 bytes are more than 4,194,304"},
    ]
    assert server.ask("files", {}).json == {"files": ["src/a.py"], "more": False, "refused": refused}
    assert server.ask("file", {"name": "src/a.py"}).json == {"name": "src/a.py", "text": SOURCE}
    hits = server.ask("search", {"query": "f7", "by": "words"}).json["hits"]
    assert hits[0]["source"] == "src/a.py"
    assert "f7" in hits[0]["text"]
    only = {"kinds": [hits[0]["kind"]], "tags": [""], "languages": ["python"]}
    assert server.ask("search", {"query": "f7", "by": "words", **only}).json["hits"]
    for other in ({"kinds": ["heading"]}, {"tags": ["main"]}, {"metadata": {"team": ["a", 1]}}):
        assert server.ask("search", {"query": "f7", "by": "words", **only, **other}).json["hits"] == []
    assert server.ask("search", {"query": "f7", "metadata": {"team": None}}).status == 422


def test_a_search_tells_sources_and_tags_that_no_file_has(server: Server) -> None:
    assert server.ask("search", {"query": "f7", "sources": ["src/*"]}).json["unmatched"] == []
    answer = server.ask("search", {"query": "f7", "sources": ["src/*", "scr/*"], "tags": ["none"]}).json
    assert answer["hits"] == []
    assert answer["unmatched"] == [
        {"field": "tags", "value": "none", "nearest": []},
        {"field": "sources", "value": "scr/*", "nearest": ["src/*"]},
    ]


@pytest.mark.skipif(os.name != "posix", reason="SIGINT is of POSIX")
def test_a_second_interrupt_ends_it_as_quietly_as_the_first() -> None:
    with serving() as server:  # which is interrupted again at the end, and has to have said nothing
        server.process.send_signal(signal.SIGINT)
        time.sleep(0.05)  # two pending signals would be one
        server.process.send_signal(signal.SIGINT)


def test_the_text_of_a_document(tmp_path: Path) -> None:
    pytest.importorskip("docx", reason="needs python-docx")
    from document_files import known_text, word_of  # noqa: PLC0415  # which needs the packages that make documents

    known = known_text(1)
    (tmp_path / "report.docx").write_bytes(word_of(known))
    (tmp_path / "broken.docx").write_bytes(b"PK\x03\x04 and no more")
    with serving(str(tmp_path)) as server:
        assert server.ask("files", {}).json["files"] == ["broken.docx", "report.docx"]
        text = server.ask("file", {"name": "report.docx"}).json["text"]
        chunks = server.ask("chunk", {"text": text, "name": "report.docx", "max_tokens": 200}).json["chunks"]
        refused = server.ask("file", {"name": "broken.docx"})
    own = chunk_file(tmp_path / "report.docx", 200)
    assert [one["text"] for one in chunks] == [chunk.text for chunk in own]
    assert chunks[0]["language"] == "markdown"
    assert (refused.status, "broken.docx: not read" in refused.error) == (422, True)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../outside.txt", "contains .."),
        ("src/../../outside.txt", "contains .."),
        ("/etc/passwd", "absolute path"),
        ("out.txt", "leads out of the roots" if os.name == "posix" else "No such file"),
        (".env", "holds secrets"),
        (".chunker/index.sqlite", "hidden"),
        ("src", "this is a folder"),
        ("large.txt", "which is the limit"),
        ("%2e%2e/outside.txt", "No such file"),
        ("nowhere.txt", "No such file"),
        ("nowhere/.env", "holds secrets"),
        ("src/a.py\0.txt", "not a file name"),
    ],
)
def test_no_file_but_those_that_are_served(server: Server, name: str, reason: str) -> None:
    answer = server.ask("file", {"name": name})
    assert answer.status == {"No such file": 404, "which is the limit": 413}.get(reason, 422)
    assert reason in answer.error
    assert b"outside\n" not in answer.body


@pytest.mark.parametrize("path", ["/../outside.txt", "/src/a.py", "/assets/serve.js", "/api/../api/file", "/api", "//"])
def test_no_path_of_an_address_is_a_file(server: Server, path: str) -> None:
    answer = server.request("GET", path)
    assert answer.status == 404
    assert answer.error.startswith("there is no /")


# --- who may ask


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:{port}",
        "127.0.0.1.evil.example",
        "localhost.evil.example:{port}",
        "127.0.0.2:{port}",
        "localhost@evil.example",
        "localhost:80:80",
        "127.1",
        "[::1",
        "localhost evil",
        "0.0.0.0",
        "xn--lcalhost-9ib",
    ],
)
def test_a_host_of_another_name_is_refused(server: Server, host: str) -> None:
    named = host.replace("{port}", str(server.port))
    for answer in (
        server.request("GET", "/", Host=named),
        server.ask("cut", CUT, Host=named, Origin=f"http://{named}"),
    ):
        assert answer.status in {400, 421}
        assert b"chunks" not in answer.body


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:{port}", "127.0.0.1", "127.0.0.1:{port}", "[::1]:{port}", "localhost."]
)
def test_our_own_names(server: Server, host: str) -> None:
    named = host.replace("{port}", str(server.port))
    assert server.request("GET", "/", Host=named).status == 200
    assert server.ask("cut", CUT, Host=named, Origin=f"http://{named}").status == 200


def test_a_host_that_is_missing_or_named_twice(server: Server) -> None:
    for head in (
        b"GET / HTTP/1.0\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n",
    ):
        with server.connect() as connection:
            connection.sendall(head)
            assert re.match(rb"HTTP/1.1 4(?:00|21) ", connection.recv(1000))
    # The address of a request line is not that of the host.
    with server.connect() as connection:
        connection.sendall(b"GET http://localhost/ HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        assert connection.recv(1000).startswith(b"HTTP/1.1 421 ")


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": "http://localhost:{port}"},  # another site than the one that is asked, for a browser
        {"Origin": ""},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},
        {"Sec_Fetch_Site": "none"},
    ],
)
@pytest.mark.parametrize("what", ["cut", "files", "file", "search"])
def test_other_sites_may_not_ask(server: Server, what: str, headers: dict[str, str]) -> None:
    named = {name: value.replace("{port}", str(server.port)) for name, value in headers.items()}
    answer = server.ask(
        what, {"cut": CUT, "file": {"name": "src/a.py"}, "search": {"query": "f"}}.get(what, {}), **named
    )
    assert (answer.status, answer.error) == (403, "requests from other sites are refused")
    assert not any(name.startswith("access-control") for name in answer.headers)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "application/jsonx"]
)
def test_what_a_form_could_send_is_refused(server: Server, kind: str) -> None:
    assert server.ask("cut", CUT, Content_Type=kind).status == 415


def test_preflights_and_other_methods(server: Server) -> None:
    preflight = {"Origin": "https://evil.example", "Access_Control_Request_Method": "POST"}
    answer = server.request("OPTIONS", "/api/cut", None, **preflight)
    assert answer.status == 403
    assert not any(name.startswith("access-control") for name in answer.headers)
    for method in ("GET", "PUT", "DELETE", "OPTIONS"):
        answer = server.request(method, "/api/cut")
        assert (answer.status, answer.error, answer.headers["allow"]) == (405, "/api/cut takes POST requests", "POST")
    answer = server.request("POST", "/", b"{}")
    assert (answer.status, answer.error) == (405, "/ takes GET requests")


def test_the_page_is_not_to_be_embedded_but_may_be_visited(server: Server) -> None:
    visit = {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Sec_Fetch_Dest": "document"}
    assert server.request("GET", "/", None, **visit).status == 200
    for other in ({"Sec_Fetch_Dest": "iframe"}, {"Sec_Fetch_Mode": "no-cors", "Sec_Fetch_Dest": "script"}):
        assert server.request("GET", "/", None, **{**visit, **other}).status == 403


# --- what is too much


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "EOF while parsing"),
        (b"{", "EOF while parsing"),
        (b"[" * 100_000, "recursion limit"),
        (b'{"text":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "recursion limit"),
        (b'{"text":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001, "recursion limit"),
        (b'{"text": 1}', "text: Input should be a valid string"),
        (b'{"text": "a", "max_tokens": "5"}', "max_tokens: Input should be a valid integer"),
        (b'{"text": "a", "max_tokens": 0}', "max_tokens: Input should be greater"),
        (b'{"text": "a", "max_tokens": 1e400}', "max_tokens"),
        (b'{"text": "a", "max_tokens": ' + b"9" * 5000 + b"}", "max_tokens|Invalid JSON"),
        (b'{"text": "a", "overlap": 600}', "overlap must be from 0"),
        (b'{"text": "a", "path": "/etc/passwd"}', "path: unknown field; the fields are text, name, language, "),
        (b'{"text": "a", "max_token": 5}', "max_token: unknown field; did you mean max_tokens\\?$"),
        (b'{"name": "a.md"}', "^text: this field is missing$"),
        (b'{"text": "a", "context": ["imports", "x"]}', "^context: Input should be a valid boolean or 'breadcrumb'"),
        (b"[]", "^Input should be an object$"),
        (b'{"text": "a", "tokenizer": "/etc/passwd"}', "tokenizer must be one of"),
        (b'{"text": "a", "tokenizer": "r50k_base"}', "tokenizer must be one of"),  # would be downloaded
        (b'{"text": "a", "strategy": "__class__"}', "strategy"),
        (b'{"text": "a", "language": "../x"}', "language must be auto or one of"),
        (b'{"text": "\\ud800"}', "Invalid JSON"),
        (b'{"text": "a", "max_tokens": 9, "text": "b"}', "two keys are called 'text'"),
        (b'{"text": "a", "t\\u0065xt": "a"}', "two keys are called 'text'"),
        (b'{"text": "\xff"}', "Invalid JSON"),
        (b'{"text": NaN}', "text: Input should be a valid string"),
    ],
)  # fmt: skip
def test_a_body_that_is_none_is_told_so(server: Server, body: bytes, reason: str) -> None:
    headers = {"Content_Type": "application/json", "Origin": server.url[:-1], "Sec_Fetch_Site": "same-origin"}
    answer = server.request("POST", "/api/cut", body, **headers)
    assert answer.status == 422
    assert re.search(reason, answer.error)
    assert len(answer.body) < 1000


def posted(server: Server, head: str, body: bytes = b"") -> Answer:
    """What comes of a request that is written by hand."""
    with server.connect() as connection:
        start = f"POST /api/cut HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n{head}\r\n"
        connection.sendall(start.encode())
        with contextlib.suppress(ConnectionError):  # it answered before it had read all
            connection.sendall(body)
        answer = b""
        while part := connection.recv(1 << 16):
            answer += part
            if b"}" in answer:
                break
    headers, _, content = answer.partition(b"\r\n\r\n")
    return Answer(int(headers.split()[1]), {}, content)


def test_bodies_have_a_size(server: Server) -> None:
    assert posted(server, "Content-Length: 999999999999\r\n").status == 413
    text = "x" * (bodies.MOST_TEXT_BYTES + 1)
    assert server.ask("cut", {"text": text}).status == 413
    assert server.ask("cut", {"text": "é" * (len(text) // 2 + 1)}).status == 413
    # In chunks, none of which says how many there will be.
    part = b"100000\r\n" + b" " * 0x100000 + b"\r\n"
    assert posted(server, "Transfer-Encoding: chunked\r\n", part * 30).status == 413
    assert server.ask("cut", {"text": "x"}).status == 200
    assert server.ask("search", {"query": "x" * 2001}).status == 422
    assert server.ask("file", {"name": "x" * 5000}).status == 422


def test_a_request_in_two_ways_is_refused(server: Server) -> None:
    smuggled = b"0\r\n\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
    head = f"Transfer-Encoding: chunked\r\nContent-Length: {len(smuggled)}\r\n"
    assert posted(server, head, smuggled).status in {400, 422}


def test_large_headers_are_refused(server: Server) -> None:
    with server.connect() as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 200_000)
        with contextlib.suppress(ConnectionResetError):  # it was closed before it had read all
            assert connection.recv(100).startswith(b"HTTP/1.1 400 ")


def test_many_requests_are_answered(server: Server) -> None:
    assert {server.ask("cut", {"text": f"number {n}"}).status for n in range(30)} == {200}


def test_what_nobody_waits_for_is_given_up(server: Server) -> None:
    """Each of these requests takes a worker all of its twenty seconds, and there are two workers."""
    body = json.dumps({"text": "a " * 500_000, "max_tokens": 30, "overlap": 20}).encode()
    head = f"POST /api/cut HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    connections = [server.connect() for _ in range(30)]
    for connection in connections:
        connection.sendall(head.encode() + body)
    # Two are at work and sixteen wait, once these are told that there is no room.
    refused: set[socket.socket] = set()
    while len(refused) < 12:
        refused |= set(select.select([one for one in connections if one not in refused], [], [], 60)[0])
    assert {one.recv(1000).split()[1] for one in refused} == {b"503"}
    assert server.ask("cut", {"text": "x"}).error == "too many requests are waiting: try again in a moment"
    for connection in connections:
        connection.close()
    # It sees that they have gone before it sees this, or soon after.
    answers = (server.ask("cut", {"text": "x"}).status for _ in range(100))
    assert set(takewhile(lambda status: status != 200, answers)) <= {503}
    assert server.ask("cut", {"text": "x"}).status == 200


def test_it_ends_at_once_while_it_is_at_work() -> None:
    with serving() as server:
        body = json.dumps({"text": "a " * 1_000_000, "max_tokens": 30}).encode()
        connections = [server.connect() for _ in range(4)]
        for connection in connections:
            head = f"POST /api/cut HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            connection.sendall(head.encode() + body)
        time.sleep(0.5)
        begin = time.monotonic()
    # And `serving` looks at how it ended.
    assert time.monotonic() - begin < 12
    for connection in connections:
        connection.close()


# --- slow clients: with less patience than usual

IMPATIENT = """
import socket, typer
class Small(socket.socket):  # little of an answer is in the hands of the system
    def listen(self, *backlog):
        self.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        super().listen(*backlog)
socket.socket = Small
from chunker.integrations.serve import bodies, patience
bodies.BODY_SECONDS, patience.HEAD_SECONDS, patience.READ_SECONDS = 1.0, 1.0, 1.0
from chunker.integrations.serve.command import serve
typer.run(serve)
"""


@pytest.fixture(scope="module")
def impatient() -> Iterator[Server]:
    with serving(program=IMPATIENT) as started:
        yield started


def test_slow_clients_are_not_waited_for(impatient: Server) -> None:
    assert (patience.HEAD_SECONDS, bodies.BODY_SECONDS) == (10.0, 30.0)
    silent, dripping, later, bodiless = (impatient.connect() for _ in range(4))
    dripping.sendall(b"GET / HTTP/1.1\r\n")
    later.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HT")
    head = (
        b"POST /api/cut HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    )
    bodiless.sendall(head)
    begin = time.monotonic()
    try:
        for _ in range(8):  # a byte now and then buys no time
            time.sleep(0.1)
            dripping.sendall(b"X")
        assert impatient.request("GET", "/").status == 200
        for connection in (silent, dripping):
            assert connection.recv(1000) == b""
        received = b""
        while part := later.recv(1 << 16):
            received += part
        assert received.count(b"HTTP/1.1 200 OK") == 1
        assert bodiless.recv(1000).startswith(b"HTTP/1.1 408 ")
    finally:
        for connection in (silent, dripping, later, bodiless):
            connection.close()
    assert time.monotonic() - begin < 20


def test_a_client_that_does_not_read_is_cut_off(impatient: Server) -> None:
    body = json.dumps({"text": "a b c. " * 20_000, "max_tokens": 8, "tokenizer": "words"}).encode()
    head = f"POST /api/cut HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(60)
        connection.connect(("127.0.0.1", impatient.port))
        connection.sendall(head.encode() + body)
        received = connection.recv(1000)  # the answer has begun
        length = int(received.split(b"content-length: ")[1].split(b"\r\n")[0])
        time.sleep(3)
        total = len(received)
        while part := connection.recv(1 << 16):
            total += len(part)
    assert total < length


# --- tokens, and other addresses


def test_with_a_token_and_a_tokenizer_of_ones_own(project: Path, tmp_path: Path) -> None:
    lines = [f"{base64.b64encode(bytes([byte])).decode()} {byte}" for byte in range(256)]
    (tmp_path / "bytes.tiktoken").write_text("\n".join(lines))
    arguments = [str(project / "project"), "--tokenizer", "bytes.tiktoken"]
    with serving(*arguments, cwd=tmp_path, CHUNKER_SERVE_TOKEN=TOKEN) as server:
        own = {"text": "naïve", "max_tokens": 99, "tokenizer": "bytes.tiktoken"}
        assert server.ask("cut", own, Authorization=f"Bearer {TOKEN}").json["data"]["chunks"][0]["count"] == 6
        assert b"src/a.py" not in server.request("GET", "/").body
        assert server.request("GET", "/").status == 200
        assert server.ask("files", {}).status == 401
        for wrong in (
            f"Bearer {TOKEN}x",
            f"Bearer {TOKEN[:-1]}",
            "Bearer",
            f"Basic {TOKEN}",
            "Bearer \u00e9".encode().decode("latin-1"),
        ):
            assert server.ask("files", {}, Authorization=wrong).status == 401
        assert server.ask("files", {}, Authorization=f"Bearer {TOKEN}").json["files"] == ["src/a.py"]
        assert server.ask("files", {}, Authorization=f"Bearer {TOKEN}", Origin="http://evil.example").status == 403


def wrong(*arguments: str) -> tuple[int, str]:
    """The exit code of the command, and what it complains of."""
    app = typer.Typer(rich_markup_mode=None)
    app.command()(serve)
    done = CliRunner().invoke(app, list(arguments))
    assert "Serving" not in done.output
    return done.exit_code, " ".join(done.output.split())


def test_for_other_machines_only_with_a_token() -> None:
    for host in ("0.0.0.0", "::", ""):
        code, told = wrong("--host", host, "--port", "0")
        assert code == 2
        assert "can be reached by other machines: set a token" in told
    with serving("--host", "0.0.0.0", "--allow-host", "box.example", CHUNKER_SERVE_TOKEN=TOKEN) as server:
        for host, status in {
            "192.0.2.7": 200,  # an address, which nobody's name server can lead here
            "box.example:80": 200,
            socket.gethostname(): 200,
            "evil.example": 421,
            "192.0.2.7.evil.example": 421,
        }.items():
            assert server.request("GET", "/", Host=host).status == status, host


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["nowhere"], "nowhere does not exist"),
        (["--index", "nowhere"], "there is no index"),
        (["--tokenizer", "klingon"], "no published encoding or model is called 'klingon'"),
        (["--token", "short"], "at least 16 characters"),
        (["--host", "no such host"], "is not an address"),
        (["--port", "70000"], "65535"),
    ],
)
def test_wrong_usage(arguments: list[str], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, told = wrong(*arguments)
    assert code == 2
    assert reason in told


def test_an_address_that_is_taken(server: Server) -> None:
    code, told = wrong("--port", str(server.port))
    assert code == 1
    assert "--port 0 uses a free one" in told
