"""What clients ask for: JSON with limits of size, depth and time, and models that say what may stand in it.

A body is read up to its limit and no further; a client that takes longer than it may is told so. Nested lists of any depth are refused by the parser
(pydantic's, which counts), long before they are anybody's problem.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import ClientDisconnect, Request

# Bytes of UTF-8; JSON may write each as six.
MOST_TEXT_BYTES = 4 << 20
_MOST_BODY_BYTES = 6 * MOST_TEXT_BYTES + (1 << 16)
# A client on this machine sends it in one; over a slow line it may take a while.
BODY_SECONDS = 30.0


class Unusable(Exception):  # noqa: N818  # no fault of ours
    """A body that is none; `status` is that of the answer."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Asked(BaseModel):
    """The root of the models."""

    model_config = ConfigDict(extra="forbid", strict=True)


Tokens = Annotated[int, Field(ge=0, le=10_000_000)]
Names = Annotated[list[Annotated[str, Field(max_length=500)]], Field(max_length=20)]


class AskedCut(Asked):
    """A text to cut, and how. `format`: its name, or "auto", which goes by `name` and by the text."""

    text: str
    name: str = Field(default="", max_length=1000)
    tokenizer: str = Field(default="o200k_base", max_length=1000)
    max_tokens: Annotated[int, Field(ge=1, le=10_000_000)] = 256
    min_tokens: Tokens | None = None
    overlap: Tokens = 0
    strategy: Literal["grow", "optimal"] = "grow"
    format: str = Field(default="auto", max_length=50)
    context: bool = False


class AskedSearch(Asked):
    """A question to the index."""

    query: str = Field(max_length=2000)
    limit: Annotated[int, Field(ge=1, le=50)] = 10
    by: Literal["both", "vectors", "words"] = "both"
    sources: Names = []
    languages: Names = []


class AskedFile(Asked):
    """A file of the roots, by its name in the list."""

    name: str = Field(max_length=4096)


Model = TypeVar("Model", bound=Asked)


async def read(request: Request, model: type[Model]) -> Model:
    """The body of a request. Raises `Unusable`."""
    body = await _bytes(request)
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise Unusable(422, f"{place}: {first['msg']}" if place else first["msg"]) from None


async def _bytes(request: Request) -> bytes:
    too_large = Unusable(413, f"texts may have up to {MOST_TEXT_BYTES:,} bytes")
    told = request.headers.get("content-length", "0")
    if not told.isdigit() or int(told) > _MOST_BODY_BYTES:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > _MOST_BODY_BYTES:
                    raise too_large
    except TimeoutError:
        raise Unusable(408, f"the request took more than {BODY_SECONDS:g} seconds to come") from None
    except ClientDisconnect:
        raise Unusable(400, "the client has gone") from None
    return bytes(body)
