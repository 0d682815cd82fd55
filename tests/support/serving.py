"""A real `chunker serve` in a process of its own, and requests to it, byte by byte where it matters."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from interrupts import listen_to_interrupts

import chunker

# As the entry point has it: tests run on the source tree, too, which has no entry points.
PROGRAM = "import typer; from chunker.integrations.{name}.command import {name}; app = typer.Typer(rich_markup_mode=None); app.command()({name}); app()"
PACKAGES = str(Path(chunker.__path__[0]).parent)


def command(name: str, *arguments: str) -> list[str]:
    """The command line of `chunker serve` or `chunker mcp`. -P: no module of the current folder is taken for one of ours."""
    return [sys.executable, "-P", "-c", PROGRAM.format(name=name), *arguments]


def environment(**values: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": PACKAGES, "PYTHONUNBUFFERED": "1", **values}


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        return str(self.json["error"])


@dataclass
class Server:
    """A server that listens on `port` of this machine."""

    port: int
    process: subprocess.Popen[str]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def request(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """One request with these headers; a Host of "" sends none."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        host = named.pop("Host", f"127.0.0.1:{self.port}")
        with contextlib.closing(connection):
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            if host:
                connection.putheader("Host", host)
            for name, value in named.items():
                connection.putheader(name, value)
            if body is not None and "Content-Length" not in named:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders()
            if body is not None:
                with contextlib.suppress(ConnectionError):  # refused before it was read
                    connection.send(body)
            response = connection.getresponse()
            return Answer(
                response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
            )

    def ask(self, what: str, content: object, **headers: str) -> Answer:
        """A request as the page makes it."""
        own = {"Content_Type": "application/json", "Origin": self.url[:-1], "Sec_Fetch_Site": "same-origin"}
        return self.request("POST", f"/api/{what}", json.dumps(content).encode(), **{**own, **headers})

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=60)


@contextlib.contextmanager
def serving(*arguments: str, cwd: Path | None = None, program: str | None = None, **values: str) -> Iterator[Server]:
    """A server, by a program of its own if there is one; at the end it is interrupted, and has to have ended well and said nothing."""
    started = command("serve", *arguments, "--port", "0")
    if program is not None:
        started[3] = program
    process = subprocess.Popen(
        started,
        cwd=cwd,
        env=environment(**values),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=listen_to_interrupts if os.name == "posix" else None,  # noqa: PLW1509 - nothing but one system call
    )
    complaints: list[str] = []
    listening = threading.Thread(target=lambda: complaints.extend(process.stderr or ()), daemon=True)
    listening.start()
    assert process.stdout is not None
    try:
        told = re.match(r"Serving on http://\S+:(\d+)/", process.stdout.readline())
        assert told is not None, complaints
        yield Server(int(told[1]), process)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
        finally:
            listening.join()
            process.stdout.close()
            assert process.stderr is not None
            process.stderr.close()
    outcome = (process.returncode, [line for line in complaints if line != "Ended.\n"])
    assert outcome == (0, []), outcome
