"""The application, and the loop that serves it.

    GET  /              the page
    POST /api/cut       a text and how to cut it  ->  what the page shows of its chunks
    POST /api/files     {}                        ->  the names of the files of the roots, and which are refused, and why
    POST /api/file      a name                    ->  its text
    POST /api/search    a question                ->  hits of the index

All but the page is JSON, and refused to other sites (guard.py). What is computed is computed in worker processes (`chunker.integrations.service.pool`), for as
long as the client waits for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from chunker.formats.registry import format_names
from chunker.integrations.serve.bodies import (
    MOST_TEXT_BYTES,
    Asked,
    AskedCut,
    AskedFile,
    AskedSearch,
    Unusable,
    read,
    while_there,
)
from chunker.integrations.serve.guard import Guard, refused
from chunker.integrations.serve.page import serve_page
from chunker.integrations.serve.patience import ImpatientProtocol
from chunker.integrations.service.errors import BusyError, ServiceError, TooMuchError, WorkerError
from chunker.integrations.service.pool import Pool
from chunker.integrations.service.roots import Roots

# From a complete request to its answer; while others are at work it waits.
ANSWER_SECONDS = 60.0
_MOST_FILES = 10_000
_MOST_CONNECTIONS = 64
_SEARCH_CHARACTERS = 200_000


@dataclass(frozen=True)
class Served:
    """The files, the tokenizers by name, and the folder of an index, if there is one, that are served. `tokenizer` is
    the first choice.
    """

    roots: Roots
    tokenizers: list[str]
    index: Path | None


@dataclass(frozen=True)
class Door:
    """The conditions of access: the names of the host (`Guard`), and the token."""

    names: frozenset[str]
    any_address: bool = False
    token: str | None = None


def application(served: Served, door: Door, pool: Pool) -> Guard:
    """The ASGI application."""
    state = {
        "tokenizers": served.tokenizers,
        "formats": format_names(),
        "mostBytes": MOST_TEXT_BYTES,
        "hasFiles": bool(served.roots),
        "hasIndex": served.index is not None,
        "needsToken": door.token is not None,
    }
    page, policy = serve_page(state)

    async def show(_request: Request) -> Response:
        return Response(page, media_type="text/html; charset=utf-8", headers={"Content-Security-Policy": policy})

    async def cut(request: Request) -> Response:
        asked = await _asked(request, AskedCut)
        size = len(asked.text.encode("utf-8", "surrogatepass"))
        if size > MOST_TEXT_BYTES:
            raise TooMuchError(f"the text has {size:,} bytes; {MOST_TEXT_BYTES:,} is the limit")
        if asked.tokenizer not in served.tokenizers:
            raise Unusable(422, f"tokenizer must be one of {', '.join(served.tokenizers)}")
        return _json(await while_there(request, pool.ask("see", **asked.model_dump())))

    async def files(request: Request) -> Response:
        await _asked(request, Asked)
        given_up = threading.Event()  # a thread cannot be stopped from outside
        try:
            listing = asyncio.to_thread(served.roots.listed, _MOST_FILES + 1, given_up.is_set)
            names, refused = await while_there(request, listing)
        finally:
            given_up.set()
        marked = [{"name": name, "why": why} for name, why in islice(refused.items(), _MOST_FILES)]
        told = {"files": names[:_MOST_FILES], "more": len(names) > _MOST_FILES, "refused": marked}
        return _json(json.dumps(told).encode())

    async def file(request: Request) -> Response:
        asked = await _asked(request, AskedFile)
        document = await asyncio.to_thread(served.roots.read, asked.name)
        return _json(json.dumps({"name": asked.name, "text": document.text}).encode())

    async def search(request: Request) -> Response:
        asked = await _asked(request, AskedSearch)
        if served.index is None:
            raise Unusable(404, "no index is served: chunker serve --index FOLDER")
        work = pool.ask("search", folder=str(served.index), most_characters=_SEARCH_CHARACTERS, **asked.model_dump())
        return _json(await while_there(request, work))

    @contextlib.asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        # The first text need not wait for a worker to start.
        warming = asyncio.create_task(pool.ask("count", texts=[""], tokenizer=served.tokenizers[0]))
        async with pool:
            yield
        await asyncio.gather(warming, return_exceptions=True)

    asks = {"cut": cut, "files": files, "file": file, "search": search}
    routes = [Route(f"/api/{name}", _answering(answer), methods=["POST"]) for name, answer in asks.items()]
    app = Starlette(routes=[Route("/", show, methods=["GET"]), *routes], lifespan=lifespan)
    return Guard(app, door.names, any_address=door.any_address, token=door.token)


async def _asked(request: Request, model: type[Any]) -> Any:  # noqa: ANN401  # an instance of the model
    return await read(request, model)


def _answering(answer: Callable[[Request], Awaitable[Response]]) -> Callable[[Request], Awaitable[Response]]:
    """`answer`, with what it complains of as an answer, too."""

    async def answering(request: Request) -> Response:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await answer(request)
        except TimeoutError:
            return refused(503, f"this took more than {ANSWER_SECONDS:g} seconds, and was given up")
        except Unusable as error:
            return refused(error.status, str(error))
        except BusyError as error:
            return refused(503, str(error))
        except TooMuchError as error:
            return refused(413, str(error))
        except WorkerError as error:
            return refused(500, str(error))
        except ServiceError as error:
            return refused(422, str(error))

    return answering


def _json(content: bytes) -> Response:
    return Response(content, media_type=JSONResponse.media_type)


def run(served: Served, door: Door, listening: list[socket.socket], started: Callable[[], None]) -> None:
    """Serve until Ctrl-C; `started` is called once connections are taken. The sockets are closed at the end."""
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

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            self._tell()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Else it would wait for what the workers are at, which nobody is there to read.
        await self._pool.close()
        await super().shutdown(sockets=sockets)
