"""Requests of clients: JSON with limits of size, depth and time, and models of its fields.

    {"text": "a", "max_tokens": 5}             AskedCut(text="a", max_tokens=5, ...)
    {"text": "a", "max_token": 5}              422: max_token: unknown field; did you mean max_tokens?
    {"text": "a", "text": "b"}                 422: which of the two?

A body is read only up to its limit, and a client that takes too long gets an error. The parser (pydantic's) limits the
depth of nesting, so deeply nested lists are refused before they cause harm.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import ClientDisconnect, Request

from chunker.context.breadcrumbs import ContextPart
from chunker.growing.budget import OverlapBy
from chunker.index.searching import By
from chunker.integrations.service.faults import fault
from chunker.integrations.service.keys import parse_json
from chunker.options import Strategy

# In bytes of UTF-8; JSON may write each as six.
MOST_TEXT_BYTES = 4 << 20
_MOST_BODY_BYTES = 6 * MOST_TEXT_BYTES + (1 << 16)
# A local client sends a body at once; over a slow connection it may take a while.
BODY_SECONDS = 30.0


class Unusable(Exception):  # noqa: N818  # no fault of ours
    """An unusable request body; `status` is the status of the answer."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


class Asked(BaseModel):
    """The root of the models."""

    model_config = ConfigDict(extra="forbid", strict=True)


MOST_TOKENS = 10_000_000
MOST_TEXTS = 1_000
ExportFormat = Literal["jsonl", "json", "csv", "parquet", "arrow"]
Tokens = Annotated[int, Field(ge=0, le=MOST_TOKENS)]
_Value = Annotated[str, Field(max_length=500)] | int | float | bool
# Conditions on metadata: a name, and one or several values, of which a text must have one.
Metadata = Annotated[
    dict[Annotated[str, Field(max_length=500)], _Value | Annotated[list[_Value], Field(max_length=20)]],
    Field(max_length=20),
]
Names = Annotated[list[Annotated[str, Field(max_length=500)]], Field(max_length=20)]


class AskedCut(Asked):
    """A text to cut, and the options of the chunker that does it."""

    text: Annotated[str, Field(description="The text.", examples=["One sentence. Another sentence."])]
    name: Annotated[str, Field(max_length=1000, description="Its name, usually a path: the source of the chunks.")] = ""
    language: Annotated[
        str,
        Field(
            max_length=50,
            description="A language or another format, or `auto` to detect it from the name and the text.",
        ),
    ] = "auto"
    tokenizer: Annotated[str, Field(max_length=1000, description="The tokenizer that counts.")] = "o200k_base"
    max_tokens: Annotated[int, Field(ge=1, le=MOST_TOKENS, description="The largest number of tokens of a chunk.")] = (
        512
    )
    min_tokens: Annotated[
        Tokens | None,
        Field(
            description="No chunk has fewer, except the last one where every other cut would divide a part that fits; null: an eighth of `max_tokens`."
        ),
    ] = None
    desired_tokens: Annotated[
        Tokens | None,
        Field(description="End a chunk at the next good boundary once it has this many tokens; null fills it."),
    ] = None
    overlap: Annotated[Tokens, Field(description="The largest number of tokens that the next chunk repeats.")] = 0
    overlap_by: Annotated[
        OverlapBy, Field(description="Overlap in whole units, in sentences, or as much text as fits.")
    ] = "unit"
    strategy: Annotated[Strategy, Field(description="Fill chunk after chunk, or choose all cuts together.")] = "grow"
    context: Annotated[
        bool | list[ContextPart],
        Field(description="Begin each chunk with its context: true for the breadcrumb, or a list of parts."),
    ] = False
    reserve: Annotated[
        Tokens | None, Field(description="Tokens that a model adds around each chunk; null asks the tokenizer.")
    ] = None


class AskedExport(AskedCut):
    """A text to cut, and the format of the file that its chunks are written to."""

    file_format: Annotated[ExportFormat, Field(description="The format of the file.")] = "jsonl"


class AskedCount(Asked):
    """Texts whose tokens are to be counted."""

    texts: Annotated[
        list[str], Field(max_length=MOST_TEXTS, description="The texts.", examples=[["One text.", "Another text."]])
    ]
    tokenizer: Annotated[str, Field(max_length=1000, description="The tokenizer that counts.")] = "o200k_base"


class AskedSearch(Asked):
    """A question to the index."""

    query: Annotated[str, Field(max_length=2000, description="The question, or words.", examples=["open a file"])]
    limit: Annotated[int, Field(ge=1, le=50, description="The largest number of hits.")] = 10
    by: Annotated[By, Field(description="Search by vectors, by words, or by both together.")] = "both"
    sources: Annotated[Names, Field(description="Only in files such as `src/*`.")] = []
    languages: Annotated[Names, Field(description="Only in these languages.")] = []
    kinds: Annotated[Names, Field(description="Only chunks of these kinds, such as `function`.")] = []
    tags: Annotated[Names, Field(description="Only files with one of these tags, such as a branch.")] = []
    metadata: Annotated[
        Metadata,
        Field(
            description="Only texts whose metadata have one of the values for each name.",
            examples=[{"team": "support"}],
        ),
    ] = {}


class AskedFile(Asked):
    """A file of the roots, by its name in the list."""

    name: Annotated[str, Field(max_length=4096, description="Its name, as `/api/files` lists it.")]


Model = TypeVar("Model", bound=Asked)
Answer = TypeVar("Answer")


async def read(request: Request, model: type[Model]) -> Model:
    """Read and validate the body of a request. Raises `Unusable`."""
    body = await _bytes(request)
    try:
        asked = model.model_validate_json(body)
    except ValidationError as error:
        try:
            given = parse_json(body).content
        except (ValueError, RecursionError):  # no JSON, or a number with thousands of digits
            given = None
        raise Unusable(422, fault(error, model, given)) from None
    # The parser above silently takes the last of two equal keys. It has checked the depth, so this parser cannot
    # overflow the stack.
    _, repeated = parse_json(body)
    if repeated is not None:
        raise Unusable(422, f"two keys are called {repeated!r:.100}")
    return asked


async def while_there(request: Request, work: Coroutine[Any, Any, Answer]) -> Answer:
    """Return the result of `work`, which is cancelled as soon as the client disconnects. The body of the request must
    have been read.

    Raises `Unusable` if the client has disconnected, and what `work` raises.
    """
    working, leaving = asyncio.create_task(work), asyncio.create_task(_gone(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise Unusable(400, "the client has gone")
        return working.result()
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.gather(working, leaving, return_exceptions=True)


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


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
        raise Unusable(408, f"the request took more than {BODY_SECONDS:g} seconds to arrive") from None
    except ClientDisconnect:
        raise Unusable(400, "the client has gone") from None
    return bytes(body)
