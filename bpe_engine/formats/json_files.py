"""Read JSON objects from files, with errors that name the file and the place, and with limits for untrusted input."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bpe_engine.errors import UnsupportedModelError, VocabularyError
from bpe_engine.formats.utf8 import decoded


def read_json(path: Path) -> dict[str, Any]:
    """Read the object in a file. Raises VocabularyError if the file holds no JSON object, and OSError.

    A duplicate name in an object is an error, too, because other readers disagree on which entry counts.
    """
    return parse_json(path.read_bytes(), str(path))


def parse_json(data: bytes, source: str, *, parse_float: Callable[[str], float] | None = None) -> dict[str, Any]:
    """Parse the object in the contents of a file; `source` is the name of the file in error messages. Numbers are
    rounded by `parse_float`; by default as `tokenizers` rounds them.

    >>> parse_json(b'{"a": 1, "a": 2}', "twice.json")
    Traceback (most recent call last):
    bpe_engine.errors.VocabularyError: twice.json: an object has the key 'a' twice
    """

    def entries(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            seen: set[str] = set()
            twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]  # `add` is for its effect
            raise VocabularyError(f"{source}: an object has the key {twice!r:.80} twice")
        return found

    text = decoded(data, source).removeprefix("\ufeff")
    _check_escapes(text, source)
    try:
        found = json.loads(text, object_pairs_hook=entries, parse_float=parse_float or _rounded)
    except json.JSONDecodeError as error:
        raise VocabularyError(f"{source}:{error.lineno}: invalid JSON at column {error.colno}: {error.msg}") from error
    except RecursionError:
        raise VocabularyError(f"{source}: not a tokenizer: JSON nested too deeply") from None
    except VocabularyError:
        raise
    except ValueError as error:  # a number of thousands of digits
        raise VocabularyError(f"{source}: {error}") from error
    if not isinstance(found, dict):
        raise VocabularyError(f"{source}: expected a JSON object, not {type(found).__name__}")
    return found


def _rounded(text: str) -> float:
    from bpe_engine.formats.json_numbers import rounded  # noqa: PLC0415 - few files have such numbers that the core does not read

    return rounded(text)


# An escape: a surrogate pair, a lone surrogate, or any other.
_ESCAPES = r"\\(?:(?P<whole>u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"


def _check_escapes(text: str, source: str) -> None:
    """Raise VocabularyError for a lone surrogate: it has no UTF-8 form, and `tokenizers` refuses the file, too."""
    if "\\ud" not in text and "\\uD" not in text:
        return
    for found in re.finditer(_ESCAPES, text, re.DOTALL):
        if found["half"]:
            line = text.count("\n", 0, found.start()) + 1
            raise VocabularyError(f"{source}:{line}: {found.group()} is a lone surrogate, half of a character")


class Node:
    """An object in a JSON file, with its place in the file. A missing entry or wrong type raises VocabularyError with the place.

    >>> Node({"model": {"vocab": 1}}, "small.json", "").object("model").array("vocab")
    Traceback (most recent call last):
    bpe_engine.errors.VocabularyError: small.json: model.vocab: expected an array, not int
    """

    def __init__(self, value: dict[str, Any], source: str, place: str) -> None:
        self.value = value
        self._source = source
        self._place = place

    def error(self, message: str, name: str = "") -> VocabularyError:
        """Return an error for this object, or for its entry `name`."""
        return VocabularyError(f"{self._source}: {self._at(name)}: {message}")

    def unsupported(self, message: str, name: str = "") -> UnsupportedModelError:
        """Return UnsupportedModelError for a well-formed feature that the engine lacks."""
        return UnsupportedModelError(
            f"{self._source}: {self._at(name)}: {message} is not supported by this engine; the package `tokenizers` runs it"
        )

    def get(self, name: str) -> Any:  # noqa: ANN401 - any JSON
        """Return the entry of this name; None if it is null or missing."""
        return self.value.get(name)

    def object(self, name: str) -> Node:
        """Return an entry that must be an object."""
        return Node(self._expected(name, dict, "an object"), self._source, self._at(name))

    def array(self, name: str) -> list[Any]:
        """Return an entry that must be an array."""
        found: list[Any] = self._expected(name, list, "an array")
        return found

    def objects(self, name: str) -> list[Node]:
        """Return an entry that must be an array of objects; an empty list if it is null or missing."""
        nodes = []
        for number, entry in enumerate([] if self.get(name) is None else self.array(name)):
            if not isinstance(entry, dict):
                raise self.error(f"expected an object, not {type(entry).__name__}", f"{name}[{number}]")
            nodes.append(Node(entry, self._source, self._at(f"{name}[{number}]")))
        return nodes

    def string(self, name: str) -> str:
        """Return an entry that must be a string."""
        return str(self._expected(name, str, "a text"))

    def integer(self, name: str) -> int:
        """Return an entry that must be a whole number."""
        return int(self._expected(name, int, "a whole number"))

    def boolean(self, name: str, *, default: bool | None = None) -> bool:
        """Return an entry that must be true or false; `default`, if given, if it is null or missing."""
        found = self.value.get(name)
        if type(found) is bool:
            return found
        return default if default is not None and found is None else bool(self._expected(name, bool, "true or false"))

    def _expected(self, name: str, kind: type, what: str) -> Any:  # noqa: ANN401 - any JSON of this type
        found = self.get(name)
        if type(found) is not kind:
            raise self.error(f"expected {what}, not {type(found).__name__}", name)
        return found

    def _at(self, name: str) -> str:
        return ".".join(part for part in (self._place, name) if part)
