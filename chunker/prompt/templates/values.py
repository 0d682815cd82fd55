"""Messages, tools and documents as a chat template sees them: plain values alone, as `transformers` makes them.

    None in a message              its key is left out
    "reasoning" or "thinking"      also as "reasoning_content", which is what most templates read
    an enum, a number of numpy     the str or number that it is
    a dataclass, a pydantic model  a dict of its fields
    anything else, an image say    "<Image>", its type's name

Halves of surrogate pairs, which no tokenizer takes, become U+FFFD.
"""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from bpe_engine.text.input import received
from chunker.arguments import require
from chunker.errors import MissingExtraError
from chunker.prompt.errors import MessageError

_SURROGATES = re.compile("[\ud800-\udfff]")
_REASONING = ("reasoning_content", "thinking", "reasoning")

Message = dict[str, Any]


def plain(value: Any) -> Any:  # noqa: ANN401 - whatever a caller has in a message
    """A value made of dicts, lists, str and numbers alone."""
    kind = type(value)
    if value is None or kind in (int, float, bool):
        return value
    if isinstance(value, str):
        text = str.__str__(value)
        return text if text.isascii() or not _SURROGATES.search(text) else received(text)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, Mapping):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, tuple):
        return tuple(plain(item) for item in value)
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        return plain(value.item())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if callable(getattr(value, "model_dump", None)):
        return plain(value.model_dump())
    return f"<{kind.__name__}>"


def plain_part(value: Any, name: str) -> Any:  # noqa: ANN401 - whatever a caller has
    """A value as `plain` makes it. Raises MessageError, with its name, for one that is nested too deeply."""
    try:
        return plain(value)
    except RecursionError:
        raise MessageError(f"{name} is nested too deeply, or in itself") from None


def plain_message(message: Any, number: int) -> Message:  # noqa: ANN401 - checked here
    """A message as templates see it. Raises MessageError, which names it by its number."""
    if _is_text(message):
        return dict(message)
    made = plain_part(message, f"message {number}")
    if not isinstance(made, dict):
        raise MessageError(f"message {number} must be a dict with a role, got {message!r:.100}")
    made = {key: value for key, value in made.items() if value is not None}
    given = message if isinstance(message, Mapping) else made  # in `made`, bytes are the name of their type
    if not isinstance(given.get("role"), str):
        raise MessageError(f"message {number} has no role: {message!r:.100}")
    reasoning = next((made[key] for key in _REASONING if made.get(key) is not None), None)
    return made if reasoning is None else {"thinking": reasoning, **made, "reasoning_content": reasoning}


def _is_text(message: Any) -> bool:  # noqa: ANN401 - whatever a caller has
    """Whether a message is one already, as most are: ASCII alone, a role, no reasoning."""
    if type(message) is not dict or "role" not in message:
        return False
    for key, value in message.items():
        if type(key) is not str or type(value) is not str or key in _REASONING:
            return False
        if not (key.isascii() and value.isascii()):
            return False
    return True


def plain_tools(tools: Sequence[Any] | None) -> list[Any] | None:
    """Tools as JSON schemas. Raises MessageError; a function needs `transformers`, which reads its docstring."""
    if tools is None:
        return None
    require(tools, Iterable, "tools", "a list of JSON schemas and functions")
    made: list[Any] = []
    for tool in tools:
        if isinstance(tool, Mapping):
            made.append(plain_part(tool, f"tool {len(made)}"))
        elif (callable(tool) and hasattr(tool, "__code__")) or hasattr(tool, "__func__"):
            made.append(plain(_schema(tool)))
        else:
            raise MessageError(f"a tool must be a JSON schema or a function, got {tool!r:.100}")
    return made


def _schema(function: Any) -> Any:  # noqa: ANN401 - of a package that is not a dependency
    try:
        from transformers.utils.chat_template_utils import get_json_schema  # noqa: PLC0415 - only who has functions needs it
    except ImportError as error:
        raise MissingExtraError("transformers", "transformers") from error
    try:
        return get_json_schema(function)
    except Exception as error:  # it has exceptions of its own for docstrings and type hints
        raise MessageError(f"tool {getattr(function, '__name__', function)!r}: {error}") from error


def plain_documents(documents: Sequence[Any] | None) -> list[Any] | None:
    """Documents for retrieval: dicts with a title and a text. Raises MessageError."""
    if documents is None:
        return None
    require(documents, Iterable, "documents", "a list of dicts")
    given = list(documents)
    for document in given:
        if not isinstance(document, Mapping):
            raise MessageError(f"a document must be a dict, with a title and a text, got {document!r:.100}")
    return [plain_part(document, f"document {number}") for number, document in enumerate(given)]


def plain_or_none(message: Any) -> Message | None:  # noqa: ANN401 - whatever a caller has
    """Return the message as `plain_message` does; None if it is not a valid message."""
    try:
        return plain_message(message, 0)
    except MessageError:
        return None


def identical(one: Any, other: Any) -> bool:  # noqa: ANN401 - plain values
    """Whether two plain values are written alike by every template: of the same types, and with the same order of keys.

    >>> identical({"a": 1}, {"a": 1}), identical({"a": 1}, {"a": True}), identical(0.0, -0.0)
    (True, False, False)
    """
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return len(one) == len(other) and all(
            map(identical, chain.from_iterable(one.items()), chain.from_iterable(other.items()))
        )
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(identical, one, other))
    return repr(one) == repr(other) if isinstance(one, float) else bool(one == other)


def strings(value: Any) -> Iterator[str]:  # noqa: ANN401 - plain values
    """All texts in a plain value, keys of dicts too."""
    if isinstance(value, str):
        yield value
        return
    inside: Iterable[Any] = ()
    if isinstance(value, dict):
        inside = chain.from_iterable(value.items())
    elif isinstance(value, list | tuple):
        inside = value
    for one in inside:
        if isinstance(one, str):  # as most are: a call costs more
            yield one
        else:
            yield from strings(one)


def replaced(value: Any, texts: Mapping[str, str]) -> Any:  # noqa: ANN401 - plain values
    """A plain value with some of its texts replaced."""
    if isinstance(value, str):
        return texts.get(value, value)
    if isinstance(value, dict):
        return {replaced(key, texts): replaced(item, texts) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(replaced(item, texts) for item in value)
    return value
