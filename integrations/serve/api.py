"""The endpoints of the REST API: they check requests, and have workers compute the answers for as long as the client
waits.
"""

from __future__ import annotations

import asyncio
import base64
import json
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from chunker.files.readers.table import ending_of
from chunker.integrations.serve.bodies import (
    MOST_TEXT_BYTES,
    Asked,
    AskedCount,
    AskedCut,
    AskedExport,
    AskedFile,
    AskedSearch,
    Unusable,
    read,
    while_there,
)
from chunker.integrations.serve.guard import refused
from chunker.integrations.serve.openapi import FILE_TYPES
from chunker.integrations.service.errors import BusyError, NoSuchFileError, ServiceError, TooMuchError, WorkerError
from chunker.integrations.service.pool import Pool
from chunker.integrations.service.roots import Roots

# Seconds from a complete request to its answer, including the time in which it waits for other requests.
ANSWER_SECONDS = 60.0
_MOST_FILES = 10_000
_SEARCH_CHARACTERS = 200_000
Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True)
class Served:
    """The files, the tokenizers by name, and the folder of an index (or None) that are served. The first tokenizer is
    the default.
    """

    roots: Roots
    tokenizers: list[str]
    index: Path | None


class Api:
    """The endpoints of the API."""

    def __init__(self, served: Served, pool: Pool) -> None:
        self._served = served
        self._pool = pool

    def endpoints(self) -> dict[str, Endpoint]:
        """Return the endpoints by name. They turn errors into answers."""
        made = {
            "cut": self._cut,
            "chunk": self._chunk,
            "export": self._export,
            "count": self._count,
            "files": self._files,
            "file": self._file,
            "search": self._search,
        }
        return {name: _answering(answer) for name, answer in made.items()}

    async def _cut(self, request: Request, operation: str = "see") -> Response:
        asked = await read(request, AskedCut)
        self._check([asked.text], asked.tokenizer)
        return _json(await while_there(request, self._pool.ask(operation, **asked.model_dump())))

    async def _chunk(self, request: Request) -> Response:
        return await self._cut(request, "records")

    async def _export(self, request: Request) -> Response:
        asked = await read(request, AskedExport)
        self._check([asked.text], asked.tokenizer)
        content = await while_there(request, self._pool.ask("export", **asked.model_dump()))
        headers = {"Content-Disposition": f'attachment; filename="chunks.{asked.file_format}"'}
        return Response(content, media_type=FILE_TYPES[asked.file_format], headers=headers)

    async def _count(self, request: Request) -> Response:
        asked = await read(request, AskedCount)
        self._check(asked.texts, asked.tokenizer)
        counts = json.loads(await while_there(request, self._pool.ask("count", **asked.model_dump())))
        return JSONResponse({"counts": counts, "total": sum(counts)})

    async def _files(self, request: Request) -> Response:
        await read(request, Asked)
        given_up = threading.Event()  # a thread cannot be stopped from outside
        try:
            listing = asyncio.to_thread(self._served.roots.listed, _MOST_FILES + 1, given_up.is_set)
            names, left_out = await while_there(request, listing)
        finally:
            given_up.set()
        marked = [{"name": name, "why": why} for name, why in islice(left_out.items(), _MOST_FILES)]
        told = {"files": names[:_MOST_FILES], "more": len(names) > _MOST_FILES, "refused": marked}
        return _json(json.dumps(told).encode())

    async def _file(self, request: Request) -> Response:
        asked = await read(request, AskedFile)
        roots = self._served.roots
        if ending_of(asked.name) is None:
            text = (await asyncio.to_thread(roots.read, asked.name)).text
        else:
            content = base64.b64encode(await asyncio.to_thread(roots.content, asked.name)).decode()
            work = self._pool.ask("read", name=asked.name, content=content)
            text = json.loads(await while_there(request, work))["text"]
        return _json(json.dumps({"name": asked.name, "text": text}).encode())

    async def _search(self, request: Request) -> Response:
        asked = await read(request, AskedSearch)
        if self._served.index is None:
            raise Unusable(404, "no index is served: chunker serve --index FOLDER")
        folder = str(self._served.index)
        work = self._pool.ask("search", folder=folder, most_characters=_SEARCH_CHARACTERS, **asked.model_dump())
        hits = await while_there(request, work)
        unmatched = b"[]"
        if asked.sources or asked.tags:
            looked = self._pool.ask("unmatched", folder=folder, sources=asked.sources, tags=asked.tags)
            unmatched = await while_there(request, looked)
        return _json(b'{"hits":' + hits + b',"unmatched":' + unmatched + b"}")

    def _check(self, texts: list[str], tokenizer: str) -> None:
        """Refuse texts that are too large together, and tokenizers that are not offered."""
        size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
        if size > MOST_TEXT_BYTES:
            raise TooMuchError(f"the text has {size:,} bytes; {MOST_TEXT_BYTES:,} is the limit")
        if tokenizer not in self._served.tokenizers:
            offered = ", ".join(self._served.tokenizers)
            raise Unusable(422, f"tokenizer must be one of {offered}; `chunker serve --tokenizer NAME` adds one")


def _answering(answer: Endpoint) -> Endpoint:
    """Wrap an endpoint so that its errors become answers."""

    async def answering(request: Request) -> Response:
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                return await answer(request)
        except TimeoutError:
            return refused(503, f"this took more than {ANSWER_SECONDS:g} seconds, and was stopped")
        except Unusable as error:
            return refused(error.status, str(error))
        except BusyError as error:
            return refused(503, str(error))
        except TooMuchError as error:
            return refused(413, str(error))
        except WorkerError as error:
            return refused(500, str(error))
        except NoSuchFileError as error:
            return refused(404, str(error))
        except ServiceError as error:
            return refused(422, str(error))

    return answering


def _json(content: bytes) -> Response:
    return Response(content, media_type=JSONResponse.media_type)
