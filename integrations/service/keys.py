"""JSON without repeated keys: parsers resolve a repeated key in different ways, so it is refused."""

from __future__ import annotations

import json
from typing import Any, NamedTuple


class Parsed(NamedTuple):
    """A parsed JSON text. `repeated`: a key that occurs twice in one of its objects, or None."""

    content: Any
    repeated: str | None


def parse_json(text: str | bytes) -> Parsed:
    """Parse JSON; bytes must be UTF-8. Raises ValueError for invalid JSON, and RecursionError if it is nested too
    deeply.

    >>> parse_json('{"a": 1, "b": {"a": 2}}'), parse_json(b'[{"a": 1, "b": 2, "a": 3}]').repeated
    (Parsed(content={'a': 1, 'b': {'a': 2}}, repeated=None), 'a')
    """
    repeated: list[str] = []

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                repeated.append(key)
            seen.add(key)
        return dict(pairs)

    content = json.loads(text if isinstance(text, str) else text.decode(), object_pairs_hook=once)
    return Parsed(content, repeated[0] if repeated else None)
