"""JSON objects from files: errors that name the file and the place, and no surprise in the parser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bpe_engine.errors import VocabularyError


def read_json(path: Path) -> dict[str, Any]:
    """The object in a file. Raises VocabularyError where there is none, and OSError.

    Of two entries with the same name in one object the second is an error, too: other readers differ on which they take.
    """
    return parse_json(path.read_bytes(), str(path))


def parse_json(data: bytes, source: str) -> dict[str, Any]:
    """The object in the contents of a file; `source` is what messages call the file.

    >>> parse_json(b'{"a": 1, "a": 2}', "twice.json")
    Traceback (most recent call last):
    bpe_engine.errors.VocabularyError: twice.json: an object has the entry 'a' twice
    """

    def entries(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            seen: set[str] = set()
            twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]  # `add` is for its effect
            raise VocabularyError(f"{source}: an object has the entry {twice!r:.80} twice")
        return found

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise VocabularyError(f"{source}:{line}: not UTF-8: {error.reason} at byte {error.start}") from error
    try:
        found = json.loads(text, object_pairs_hook=entries)
    except json.JSONDecodeError as error:
        raise VocabularyError(f"{source}:{error.lineno}: not JSON: {error.msg} in column {error.colno}") from error
    except RecursionError:
        raise VocabularyError(f"{source}: not a tokenizer: JSON nested too deeply") from None
    except ValueError as error:  # a number of thousands of digits
        raise VocabularyError(f"{source}: {error}") from error
    if not isinstance(found, dict):
        raise VocabularyError(f"{source}: expected a JSON object, not {type(found).__name__}")
    return found
