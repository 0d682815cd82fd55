"""The application, and the loop that serves it.

    GET  /              the page
    GET  /docs          the REST API, to read
    GET  /openapi.json  the same for programs
    POST /api/cut       a text and options        ->  the data with which the page shows its chunks
    POST /api/chunk     a text and options        ->  the chunks, as records
    POST /api/export    a text and options        ->  a file of the chunks
    POST /api/count     texts                     ->  their tokens
    POST /api/files     {}                        ->  the names of the files of the roots, and the refused files with the reasons
    POST /api/file      a name                    ->  its text
    POST /api/search    a question                ->  hits of the index

All answers except pages and exports are JSON, and are refused to other sites (guard.py). Worker processes
(`chunker.integrations.service.pool`) compute the answers, for as long as the client waits.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from types import FrameType

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from chunker.formats.registry import format_names
from chunker.integrations.serve.api import Api, Served
from chunker.integrations.serve.bodies import MOST_TEXT_BYTES
from chunker.integrations.serve.guard import Guard, refused
from chunker.integrations.serve.openapi import document
from chunker.integrations.serve.page import exports, samples, serve_page
from chunker.integrations.serve.patience import ImpatientProtocol
from chunker.integrations.serve.reading import docs_page
from chunker.integrations.service.pool import Pool

__all__ = ["Door", "Served", "application", "run"]

_MOST_CONNECTIONS = 64


@dataclass(frozen=True)
class Door:
    """The conditions of access: the names of the host (`Guard`), and the token."""

    names: frozenset[str]
    any_address: bool = False
    token: str | None = None


def application(served: Served, door: Door, pool: Pool) -> Guard:
    """Make the ASGI application."""
    needs_token = door.token is not None
    state = {
        "tokenizers": served.tokenizers,
        "formats": format_names(),
        "exports": exports(),
        "samples": samples(),
        "mostBytes": MOST_TEXT_BYTES,
        "hasFiles": bool(served.roots),
        "hasIndex": served.index is not None,
        "needsToken": needs_token,
    }
    described = document(served.tokenizers, needs_token=needs_token)
    pages = {"/": _shown(*serve_page(state)), "/docs": _shown(*docs_page(described))}

    async def describe(_request: Request) -> Response:
        return JSONResponse(described)

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        # Start a worker now, so that the first text does not have to wait for it.
        warming = asyncio.create_task(pool.ask("count", texts=[""], tokenizer=served.tokenizers[0]))
        async with pool:
            yield
        await asyncio.gather(warming, return_exceptions=True)

    routes = [
        *(Route(path, shown, methods=["GET"]) for path, shown in {**pages, "/openapi.json": describe}.items()),
        *(Route(f"/api/{name}", one, methods=["POST"]) for name, one in Api(served, pool).endpoints().items()),
    ]
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers={HTTPException: _elsewhere})
    return Guard(app, door.names, any_address=door.any_address, token=door.token)


async def _elsewhere(request: Request, error: Exception) -> Response:
    """Answer a request for an unknown path, or with a wrong method."""
    if not isinstance(error, HTTPException):
        raise error
    path = request.url.path
    if error.status_code == 405:
        why = f"{path} takes {'POST' if path.startswith('/api/') else 'GET'} requests"
    else:
        why = f"there is no {path[:100]}; /docs lists all endpoints"
    answer = refused(error.status_code, why)
    answer.headers.update(error.headers or {})
    return answer


def _shown(page: bytes, policy: str) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint that serves a page with its content security policy."""

    async def show(_request: Request) -> Response:
        return Response(page, media_type="text/html; charset=utf-8", headers={"Content-Security-Policy": policy})

    return show


def run(served: Served, door: Door, listening: list[socket.socket], started: Callable[[], None]) -> None:
    """Serve until Ctrl-C; `started` is called once connections are accepted. The sockets are closed at the end."""
    pool = Pool()
    config = uvicorn.Config(
        application(served, door, pool),
        http=ImpatientProtocol,
        ws="none",
        loop="asyncio",
        access_log=False,
        log_level="error",
        limit_concurrency=_MOST_CONNECTIONS,
        server_header=False,
        timeout_graceful_shutdown=2,
        proxy_headers=False,
    )
    server = _Server(config, started, pool)
    server.run(sockets=listening)


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config, started: Callable[[], None], pool: Pool) -> None:
        super().__init__(config)
        self._tell = started
        self._pool = pool

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Ignore another Ctrl-C meanwhile: the end takes seconds at most, and cut short it would print a traceback."""
        if not (self.should_exit and sig == signal.SIGINT):
            super().handle_exit(sig, frame)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            self._tell()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Otherwise it would wait for running workers, whose answers nobody will read.
        await self._pool.close()
        await super().shutdown(sockets=sockets)
