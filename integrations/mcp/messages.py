r"""Read standard input line by line, so that requests that the SDK cannot parse are answered, too.

    {"id": 3, "method": ..., "text": "\ud83d"}         half a character, as JavaScript cuts an emoji in two
    {"id": 3, "method": ..., "text": 1, "text": 2}     which of the two?
    {"id": 3, "method": ..., "params": [1]}            no request of the protocol
    {"id": 3,                                          no JSON: the id is unknown, and the answer has the id null

The SDK ignores such lines silently, so that the client waits forever. This module answers them with a JSON-RPC error.
"""

from __future__ import annotations

import json
import re
from asyncio import Future
from collections.abc import AsyncIterable, AsyncIterator
from typing import Any, Protocol

from mcp.shared.message import SessionMessage
from mcp.types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError, jsonrpc_message_adapter
from pydantic import ValidationError

from chunker.integrations.service.keys import parse_json

_SURROGATE = re.compile("[\ud800-\udfff]")
_HALF = "it holds half a character (a lone surrogate, such as \\ud83d): send whole characters, or U+FFFD in its place"


class Answers(Protocol):
    """Protocol of the stream of answers, which the SDK writes to standard output."""

    async def send(self, item: SessionMessage, /) -> None:
        """Send one answer."""


class Lines:
    """The lines of `stream` that the SDK can parse. Any other line is answered with an error through `answers`, as soon
    as that is set.

    Args:
        stream: Standard input, decoded as UTF-8 with `errors="surrogateescape"`, so that invalid bytes can be detected.
        answers: Set when the SDK has opened its streams.
    """

    def __init__(self, stream: AsyncIterable[str], answers: Future[Answers]) -> None:
        self._stream = stream
        self._answers = answers

    async def __aiter__(self) -> AsyncIterator[str]:
        """Yield the lines as they arrive."""
        async for line in self._stream:
            complaint = complaint_about(line)
            if complaint is None:
                yield line
            else:
                await (await self._answers).send(SessionMessage(complaint))


def complaint_about(line: str) -> JSONRPCError | None:
    r"""Return the error for a line that is not a message; None for a message, and if the line is not a request.

    >>> complaint_about('{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n')
    >>> complaint_about('{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": 1}\n')
    >>> complaint_about('{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "a", "name": "b"}}\n').error.message
    "this is not a request: two keys are called 'name'"
    """
    if not line.strip():
        return None
    try:
        content, repeated = parse_json(line)
    except (ValueError, RecursionError) as error:
        return _complaint(None, PARSE_ERROR, f"this is not JSON: {error}")
    asked = content if isinstance(content, dict) else {}
    why = f"two keys are called {repeated!r:.100}" if repeated is not None else _fault(line, content)
    if why is None and "method" in asked and "id" in asked and not _is_id(asked["id"]):
        why = "id: it must be a string or a whole number"  # the SDK takes it for a notification
    if why is None:
        return None
    if "id" not in asked and "method" in asked:  # a notification
        return None
    if "method" not in asked and asked.keys() & {"result", "error"}:  # an answer
        return None
    return _complaint(asked.get("id"), INVALID_REQUEST, f"this is not a request: {why}")


def _fault(line: str, content: object) -> str | None:
    if _SURROGATE.search(line):
        return "it is not UTF-8"
    try:
        jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        if _SURROGATE.search(json.dumps(content, ensure_ascii=False)):
            return _HALF
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"][1:]))
        return f"{place}: {first['msg']}" if place else first["msg"]
    return None


def _is_id(number: object) -> bool:
    return isinstance(number, int | str) and not isinstance(number, bool) and not _SURROGATE.search(str(number))


def _complaint(number: Any, code: int, why: str) -> JSONRPCError:  # noqa: ANN401  # whatever JSON can say
    return JSONRPCError(jsonrpc="2.0", id=number if _is_id(number) else None, error=ErrorData(code=code, message=why))
