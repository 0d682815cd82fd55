"""The MCP server: offers `tools` and files to agents.

A wrong call (a file outside the roots, an exceeded limit, an unknown argument) is a tool error, whose text says what to
do; the server goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, ParamSpec, cast

import anyio
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.stdio import stdio_server
from mcp.types import ToolAnnotations
from pydantic import ConfigDict, ValidationError

from chunker.integrations.mcp.messages import Answers, Lines
from chunker.integrations.mcp.tools import Offered, Told, Tools
from chunker.integrations.service.errors import ServiceError
from chunker.integrations.service.faults import fault
from chunker.integrations.service.pool import Pool

_READ_ONLY = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_INSTRUCTIONS = (
    "Token counts and chunks that are exact for the tokenizer named, prompts that fit a budget, maps of folders, "
    "skeletons of files, search in an index of files. Read-only. "
    "Paths are relative to the roots, such as src/main.py; hidden and ignored files, and files that hold secrets, are refused."
)
_TITLES = {
    "count": "Count tokens",
    "chunk": "Cut into chunks",
    "assemble": "Assemble a prompt",
    "list_files": "List files",
    "map": "Map a folder",
    "skeleton": "Show the signatures of a file",
    "search": "Search the index",
}
_P = ParamSpec("_P")


def mcp_server(offered: Offered, version: str) -> MCPServer[None]:
    """Make the server, ready to run."""
    pool = Pool()

    @contextlib.asynccontextmanager
    async def lifespan(_server: MCPServer[None]) -> AsyncIterator[None]:
        async with pool:
            yield

    tools = Tools(offered, pool)
    offers: list[Callable[..., Awaitable[Told]]] = [tools.count, tools.chunk, tools.assemble]
    if offered.roots:
        offers += [tools.list_files, tools.skeleton]
    if offered.roots.folders:
        offers.append(tools.map)
    if offered.index is not None:
        offers.append(tools.search)
    server = _Server(
        "bpe-chunker",
        instructions=_INSTRUCTIONS,
        version=version,
        lifespan=lifespan,
        log_level="WARNING",
        tools=[_tool(offer) for offer in offers],
    )
    if offered.roots:
        server.resource(
            "chunker://files",
            name="files",
            title="Files that may be read",
            description="Their paths, one per line, as the tools take them.",
            mime_type="text/plain",
        )(tools.names_of_files)
        server.resource(
            "chunker://files/{+path}",
            name="file",
            title="A file that may be read",
            description="Its text; of a document such as a PDF, the text that is read from it.",
            mime_type="text/plain",
        )(tools.text_of_file)
    return server


def _tool(function: Callable[..., Awaitable[Told]]) -> Tool:
    """Make a tool that accepts only the arguments of its function: the SDK would ignore any others."""
    title = _TITLES[function.__name__]
    annotations = _READ_ONLY.model_copy(update={"title": title})
    tool = _Tool.from_function(_complaining(function), title=title, annotations=annotations)
    lenient = tool.fn_metadata.arg_model

    class Strict(lenient):  # type: ignore[misc, valid-type]  # a class that is made for the function
        model_config = ConfigDict(extra="forbid", title=lenient.__name__)

    tool.fn_metadata.arg_model = Strict
    tool.parameters = Strict.model_json_schema(by_alias=True)
    return tool


class _Tool(Tool):
    async def run(self, arguments: dict[str, Any], *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  # as the SDK has it
        """Run like the SDK, but report wrong arguments in one line."""
        try:
            return await super().run(arguments, *args, **kwargs)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                wrong = fault(error.__cause__, self.fn_metadata.arg_model, arguments)
                raise ToolError(f"Error executing tool {self.name}: {wrong}") from error
            raise


class _Server(MCPServer[None]):
    async def run_stdio_async(self) -> None:
        """Serve like the SDK, but answer lines that it would ignore silently."""
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
        answers: asyncio.Future[Answers] = asyncio.get_running_loop().create_future()
        lines = cast("anyio.AsyncFile[str]", Lines(anyio.wrap_file(sys.stdin), answers))
        async with stdio_server(stdin=lines) as (reading, writing):
            answers.set_result(writing)
            lowlevel = self._lowlevel_server
            await lowlevel.run(reading, writing, lowlevel.create_initialization_options())


def _complaining(tool: Callable[_P, Awaitable[Told]]) -> Callable[_P, Awaitable[Told]]:
    """Wrap `tool` so that agents receive its errors as tool errors."""

    async def complaining(*args: _P.args, **kwargs: _P.kwargs) -> Told:
        try:
            return await tool(*args, **kwargs)
        except ServiceError as error:
            raise ToolError(str(error)) from error

    # Sets name, arguments and description; with functools.wraps the SDK would resolve the types in this module only.
    complaining.__wrapped__ = tool  # type: ignore[attr-defined]  # as functools.wraps does
    complaining.__name__, complaining.__doc__ = tool.__name__, tool.__doc__
    complaining.__annotations__ = tool.__annotations__
    return complaining
